// chlo.scan(%inputs) inits(%carries) dimension=0 attributes {…} { ^bb0(…): … } : (types) -> (types)
#include "text/forms.h"

namespace weft::text {
namespace {

constexpr std::string_view kName = "chlo.scan";

void parse_scan(Parser& p, OpParts& op) {
  p.cursor.expect('(', kName);
  p.operands(op);
  p.cursor.expect(')', kName);
  const auto inputs = static_cast<int64_t>(op.operands.size());
  p.cursor.expect_word("inits", kName);
  p.cursor.expect('(', kName);
  OpParts inits;
  p.operands(inits);
  p.cursor.expect(')', kName);
  op.operands.insert(op.operands.end(), inits.operands.begin(), inits.operands.end());
  op.operand_offsets.insert(op.operand_offsets.end(), inits.operand_offsets.begin(), inits.operand_offsets.end());
  p.cursor.expect_word("dimension", kName);
  p.cursor.expect('=', kName);
  op.attrs.set("dimension", p.cursor.integer(kName));
  if (p.cursor.accept_word("attributes")) p.attribute_dictionary(op);
  op.regions.push_back(p.region());
  const TypeClause clause = p.type_clause();
  if (!clause.has_arrow) p.cursor.fail_at(clause.offset, 1, "[chlo.scan] the type is (types) -> types");
  p.apply_functional(op, clause);
  const auto carries = static_cast<int64_t>(inits.operands.size()), results = static_cast<int64_t>(op.results.size());
  if (results < carries) {
    p.fail(op, "result types: got " + std::to_string(results) + ", expected at least one for each of the " +
                   std::to_string(carries) + " carries");
  }
  op.attrs.set("operandSegmentSizes", Attr::Ints{inputs, carries});
  op.attrs.set("resultSegmentSizes", Attr::Ints{results - carries, carries});
}

bool print_scan(Printer& p, const OpView& op) {
  const Attr* segments = op.attrs().find("operandSegmentSizes");
  const auto* sizes = segments == nullptr ? nullptr : segments->get_if<Attr::Ints>();
  const Attr* dimension = op.attrs().find("dimension");
  const bool fits = sizes != nullptr && sizes->size() == 2 && (*sizes)[0] >= 0 &&
                    (*sizes)[0] <= static_cast<int64_t>(op.num_operands()) && dimension != nullptr &&
                    dimension->get_if<int64_t>() != nullptr && op.regions().size() == 1;
  if (!fits) return false;
  const auto inputs = static_cast<size_t>((*sizes)[0]);
  p << kName << "(";
  p.values(op.operands().first(inputs));
  p << ") inits (";
  p.values(op.operands().subspan(inputs));
  p << ") dimension=" << std::to_string(*dimension->get_if<int64_t>());
  p << " attributes";
  const size_t before = p.out.size();
  p.other_attributes(op, {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  if (p.out.size() == before) p.out.resize(before - std::string_view(" attributes").size());
  p << " ";
  p.region(op.region(0), true);
  p.functional_type(op);
  return true;
}

constexpr Form kForms[] = {{"chlo.scan", parse_scan, print_scan}};

}  // namespace

std::span<const Form> scan_forms() { return kForms; }

}  // namespace weft::text
