// The interpreter dialect of StableHLO's own tests: grids of processes, probes, printing.
#include <algorithm>

#include "ops/control_flow/check_rules.h"
#include "ops/distribution/processes.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/foreign/call_handlers.h"
#include "ops/foreign/lane_by_lane.h"

namespace weft {
namespace {

/// @name of a list's entry.
std::string symbol_of(const TypeContext& c, std::string_view attribute, const Attr& a) {
  if (const auto* o = a.get_if<OpaqueAttr>(); o != nullptr && o->text.size() > 1 && o->text[0] == '@')
    return o->text.substr(1);
  c.fail("", std::string(attribute) + ": got " + a.str() + ", expected @function");
}

const AttrList& list_of(const TypeContext& c, std::string_view attribute, const Attr& a) {
  static const AttrList kEmpty;
  // An empty list of anything reads as integers.
  if (const auto* ints = a.get_if<Attr::Ints>(); ints != nullptr && ints->empty()) return kEmpty;
  const auto* list = a.get_if<std::shared_ptr<const AttrList>>();
  if (list == nullptr) c.fail("", std::string(attribute) + ": got " + a.str() + ", expected a list");
  return **list;
}

const Function& function_named(const TypeContext& c, const std::string& name) {
  const Function* f = c.module == nullptr ? nullptr : c.module->find(name);
  if (f == nullptr) c.fail("", "there is no function @" + name);
  return *f;
}

std::vector<Type> type_run_parallel(const TypeContext& c) {
  const AttrList& replicas = list_of(c, "programs", *c.attrs.find("programs"));
  if (replicas.empty()) c.fail("", "programs is empty: expected a list of functions for each replica");
  size_t partitions = 0;
  std::vector<Type> args, results;
  for (size_t r = 0; r < replicas.size(); ++r) {
    const AttrList& row = list_of(c, "programs", replicas[r]);
    if (r == 0) partitions = row.size();
    if (row.empty()) c.fail("", "programs holds an empty list: expected a function for each partition");
    if (row.size() != partitions) {
      c.fail("", "functions of replica " + std::to_string(r) + ": got " + std::to_string(row.size()) + ", expected " +
                     std::to_string(partitions) + " as in replica 0");
    }
    for (const Attr& a : row) {
      const Function& f = function_named(c, symbol_of(c, "programs", a));
      for (Type t : f.arg_types()) args.push_back(t);
      for (Type t : f.result_types()) results.push_back(t);
    }
  }
  if (c.operands.size() != args.size()) {
    c.fail("", "number of operands: got " + std::to_string(c.operands.size()) + ", expected " +
                   std::to_string(args.size()) + ", the arguments of all programs together");
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!is_compatible(c.operands[i], args[i]))
      c.expect_equal("", "type of operand " + std::to_string(i), c.operands[i], args[i]);
  }
  if (const Attr* infeed = c.attrs.find("infeed")) {
    for (const Attr& a : list_of(c, "infeed", *infeed)) {
      const std::string name = symbol_of(c, "infeed", a);
      const Function& f = function_named(c, name);
      const std::vector<Type> types = f.result_types();
      if (!f.arg_types().empty()) c.fail("", "infeed function @" + name + " takes arguments: expected none");
      if (types.size() != 1) {
        c.fail("", "results of infeed function @" + name + ": got " + std::to_string(types.size()) + ", expected 1");
      }
      if (!types[0].is_tensor()) {
        c.fail("", "result of infeed function @" + name + ": got " + types[0].str() + ", expected a tensor");
      }
    }
  }
  return results;
}

std::vector<std::string> names_of(const Attr& list) {
  std::vector<std::string> out;
  if (const auto* entries = list.get_if<std::shared_ptr<const AttrList>>()) {
    for (const Attr& a : **entries) out.push_back(a.get_if<OpaqueAttr>()->text.substr(1));
  }
  return out;
}

std::vector<EvalValue> eval_run_parallel(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  std::vector<std::vector<std::string>> programs;
  for (const Attr& row : **op.attrs().find("programs")->get_if<std::shared_ptr<const AttrList>>())
    programs.push_back(names_of(row));
  std::vector<std::string> infeed;
  if (const Attr* list = op.attrs().find("infeed")) infeed = names_of(*list);
  return context.processes(op).run_parallel(op, programs, infeed, operands);
}

std::vector<Type> type_probe(const TypeContext& c) {
  c.expect_operands(1);
  if (!c.operands[0].is_tensor()) c.fail("", "type of the operand: got " + c.operands[0].str() + ", expected a tensor");
  return {c.operands[0]};
}

std::vector<EvalValue> eval_probe(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  context.processes(op).probe(op.attrs().text("probe_id"), operands[0].tensor);
  return {operands[0]};
}

std::vector<Type> type_tensor_only(const TypeContext& c) {
  type_probe(c);
  return {};
}

std::vector<Type> type_print(const TypeContext& c) {
  if (c.operands.empty() || !c.operands[0].is_tensor())
    c.fail("", "type of operand 0: got " + (c.operands.empty() ? "none" : c.operands[0].str()) + ", expected a tensor");
  for (size_t i = 1; i < c.operands.size(); ++i)
    c.expect_equal("", "type of operand " + std::to_string(i), c.operands[i], Type::scalar(ElementType::kI64));
  return {};
}

std::vector<EvalValue> eval_print(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor values[] = {operands[0].tensor};
  std::string lane;
  const auto add = [&](int64_t n) { lane += (lane.empty() ? "lane " : ", ") + std::to_string(n); };
  for (size_t i = 1; i < operands.size(); ++i) add(operands[i].tensor.scalar<int64_t>());
  if (const Attr* numbers = op.attrs().find("lane")) std::ranges::for_each(*numbers->get_if<Attr::Ints>(), add);
  if (!lane.empty()) lane += ": ";
  context.print(lane + op.operand_type(0).str() + " " + check_message(Attrs{{"message", Attr("{}")}}, values) + "\n");
  return {};
}

std::vector<Type> type_text(const TypeContext& c) {
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (!c.operands[i].is_tensor())
      c.fail("", "type of operand " + std::to_string(i) + ": got " + c.operands[i].str() + ", expected a tensor");
  }
  return {};
}

/// What a handler makes of the values, when there is one; else the message with the values in it.
std::vector<EvalValue> eval_text(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  if (const auto handler = registered_handler(op.def().mnemonic)) {
    std::vector<const void*> places;
    for (const EvalValue& v : operands) places.push_back(v.tensor.raw());
    run_handler(*handler, op, places.data(), nullptr);
    return {};
  }
  std::vector<Tensor> values;
  for (const EvalValue& v : operands) values.push_back(v.tensor);
  context.print(check_message(op.attrs(), values));
  return {};
}

std::vector<EvalValue> eval_serialized(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const std::string& name = op.attrs().text("probe_id");
  const int64_t iteration = op.attrs().integer_or("iter", 0);
  const Tensor* kept = context.processes(op).probed(name, iteration);
  if (kept == nullptr) {
    throw UserError("[check.expect_serialized_eq] probe \"" + name + "\" kept no value " + std::to_string(iteration),
                    op.loc());
  }
  const Tensor& got = operands[0].tensor;
  if (kept->element_type() != got.element_type() || kept->shape() != got.shape()) {
    throw UserError("[check.expect_serialized_eq] type of the value that probe \"" + name + "\" kept: got " +
                        Type::tensor(kept->element_type(), kept->shape()).str() + ", expected " +
                        Type::tensor(got.element_type(), got.shape()).str(),
                    op.loc());
  }
  if (const auto failure = compare_tensors(got, *kept, {}, true))
    throw UserError("[check.expect_serialized_eq] " + *failure, op.loc());
  return {};
}

/// The value goes through; what is kept is the value itself.
Linearized linearize_probe(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                           std::span<const Value> tangents) {
  return {context.clone_primal(op, primals), {tangents[0]}};
}

constexpr Refuse kNotPortable{"the interpreter dialect is not part of StableHLO"};
constexpr Refuse kNoDerivative{"it runs whole programs beside each other; differentiate the functions that it names"};
constexpr Refuse kNoLanes{"it runs whole programs beside each other; vectorize the functions that it names"};
constexpr Refuse kNoSamples{"its effects lie outside its results; tests/op/collective.mlir observes them"};

constexpr OpFacets process_facets(std::string_view doc, Syntax syntax, Schema schema, TypeFn* type, EvalFn* eval,
                                  Effects effects, Facet<LinearizeFn> linearize, Facet<VectorizeFn> vectorize,
                                  Facet<UniformityFn> uniformity) {
  return {.doc = doc,
          .syntax = syntax,
          .schema = schema,
          .type = type,
          .eval = eval,
          .scalar = kNotElementwise,
          .linearize = linearize,
          .transpose = kNotLinear,
          .vectorize = vectorize,
          .uniformity = uniformity,
          .simplify = simplify_none,
          .aliases = alias_none,
          .effects = effects,
          .cost = cost_free,
          .to_stablehlo = kNotPortable,
          .samples = kNoSamples};
}

constexpr OpFacets text_facets() {
  OpFacets f = process_facets(
      "Prints `message`, in which each {} stands for the next operand; nothing is put behind it. A handler registered "
      "under the op's name takes its place, and `site` tells it which print it is.",
      Syntax::kGeneric, {{"message", AttrKind::kText}, {"site", AttrKind::kInt, false}}, type_text, eval_text,
      Effects::kIo, linearize_zero, vectorize_lane_by_lane, uniformity_none);
  f.to_stablehlo = Refuse{"other compilers' programs have no output but their results"};
  return f;
}

const OpRecord kOps[] = {
    {{"interpreter.run_parallel"},
     process_facets("Runs functions as processes: programs[replica][partition]. Operands and results are those of all "
                    "programs one after the other; infeed names functions that give the infeed's values in turn.",
                    Syntax::kGeneric, {{"programs", AttrKind::kAny}, {"infeed", AttrKind::kAny, false}},
                    type_run_parallel, eval_run_parallel, Effects::kIo, kNoDerivative, kNoLanes, uniformity_any)},
    {{"interpreter.probe"},
     process_facets("The operand, which is kept under probe_id for check.expect_serialized_eq.", Syntax::kCustom,
                    {{"probe_id", AttrKind::kText}}, type_probe, eval_probe, Effects::kIo, linearize_probe,
                    vectorize_lane_by_lane, uniformity_any)},
    {{"interpreter.print"},
     process_facets("Prints the operand's type and value. Further operands, then `lane`: of which lane they are, "
                    "outermost lanes first.",
                    Syntax::kCustom, {{"lane", AttrKind::kInts, false}}, type_print, eval_print, Effects::kIo,
                    linearize_zero, vectorize_lane_by_lane, uniformity_none)},
    {{"weft.print"}, text_facets()},
    {{"check.expect_serialized_eq"},
     process_facets("Fails unless the operand equals the value that interpreter.probe kept under probe_id when it ran "
                    "for the iter-th time (from 0).",
                    Syntax::kCustom, {{"probe_id", AttrKind::kText}, {"iter", AttrKind::kInt, false}}, type_tensor_only,
                    eval_serialized, Effects::kCheck, linearize_zero, vectorize_lane_by_lane, uniformity_none)},
};

}  // namespace

Family process_ops() { return kOps; }

}  // namespace weft
