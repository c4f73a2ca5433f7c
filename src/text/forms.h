// Pretty forms that are not `op %a, %b : type`: how a mnemonic reads and prints.
#pragma once
#include <string_view>

#include "text/parser.h"
#include "text/printer.h"

namespace weft::text {

struct Form {
  std::string_view mnemonic;
  /// Reads what follows the mnemonic, types included.
  void (*parse)(Parser&, OpParts&);
  /// Prints what follows the mnemonic; false, with nothing printed, when this op cannot be said in the pretty form.
  bool (*print)(Printer&, const OpView&);
};
/// Null when the mnemonic has none.
const Form* find_form(std::string_view mnemonic);
/// What follows the mnemonic of a foreign op: the pretty forms of arith, tensor and shape that programs of StableHLO have
/// around them (forms_foreign.cc). Unsupported for others, whose forms only their dialects know.
void foreign_form(Parser& parser, OpParts& op);

// The rows, by family.
std::span<const Form>
basic_forms();  // forms_basic.cc: constant, compare, select, slice, reduce_precision, calls, returns
std::span<const Form> contraction_forms();   // forms_contraction.cc: dot_general, convolution
std::span<const Form> control_flow_forms();  // forms_control_flow.cc: while, reduce
std::span<const Form> keyed_forms();         // forms_keyed.cc: op %a, word = value, … : types
std::span<const Form> tuple_forms();         // forms_tuple.cc: tuples, optimization_barrier, composite, chlo.top_k
std::span<const Form> check_forms();         // forms_check.cc: check.*
std::span<const Form> process_forms();       // forms_process.cc: interpreter.probe, interpreter.print
std::span<const Form> scan_forms();          // forms_scan.cc: chlo.scan
std::span<const Form> sharding_forms();      // forms_sharding.cc: sdy.sharding_constraint

}  // namespace weft::text
