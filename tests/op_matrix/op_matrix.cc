// weft_op_matrix: docs/op_matrix.md from the records. With --check FILE it says whether FILE is what it would write.
#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "base/file.h"
#include "ir/clone.h"
#include "native/lower/lower.h"
#include "native/schedule/schedule.h"
#include "ops/families.h"
#include "reduce/rebuild.h"
#include "tests/fuzz/templates.h"
#include "transform/simplify.h"

namespace weft {
namespace {

/// Refusals, numbered in the order in which the table meets them.
class Reasons {
 public:
  std::string mark(std::string_view reason) {
    const auto [it, is_new] = numbers_.emplace(std::string(reason), numbers_.size() + 1);
    if (is_new) list_.push_back(it->first);
    return "– " + std::to_string(it->second);
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::map<std::string, size_t> numbers_;
  std::vector<std::string> list_;
};

/// The names of rules that records share; a rule of the op's or family's own is "own".
template <class Fn>
using Names = std::vector<std::pair<Fn*, std::string_view>>;
template <class Fn>
std::string kind(const Facet<Fn>& facet, const Names<Fn>& names, Reasons& reasons) {
  if (facet.refused()) return reasons.mark(facet.reason());
  for (const auto& [rule, name] : names) {
    if (rule == facet.rule()) return std::string(name);
  }
  return "own";
}

// ---- element types ------------------------------------------------------------------------------------------------------

bool accepts(const fuzz::Template& sample, Type from, const std::function<Type(Type)>& change) {
  reduce::Rewrite rewrite;
  rewrite.type = [&](Type t) { return t.element_type() == from.element_type() ? change(t) : t; };
  for (const bool infer : {true, false}) {
    rewrite.infer = infer;
    try {
      reduce::rebuild(*sample.function, nullptr, rewrite);
      return true;
    } catch (const Error&) {}
  }
  return false;
}

/// The plain tensor types of a sample's arguments and of its op's results.
std::vector<Type> types_of(const fuzz::Template& sample) {
  std::vector<Type> out;
  const auto add = [&](Type t) {
    if (t.is_tensor() && !t.is_quantized()) out.push_back(t);
  };
  const Function& f = *sample.function;
  for (Value v : f.args()) add(f.type(v));
  for (OpId op : f.ops(f.body())) {
    if (&f.def(op) != sample.op) continue;
    for (Value v : f.results(op)) add(f.type(v));
  }
  return out;
}

std::string element_types(const OpRecord& op) {
  std::set<ElementType> accepted;
  bool quantized = false, has_samples = false;
  for (const fuzz::Template& sample : fuzz::templates()) {
    if (sample.op != &op) continue;
    has_samples = true;
    for (Type from : types_of(sample)) {
      accepted.insert(from.element_type());
      for (ElementType to : fuzz::element_types()) {
        if (!accepted.count(to) && accepts(sample, from, [&](Type t) { return t.with_element(to); }))
          accepted.insert(to);
      }
      const Quantization q{ElementType::kF32, -128, 127, -1, {0.5}, {1}};
      quantized =
          quantized || accepts(sample, from, [&](Type t) { return Type::quantized(ElementType::kI8, q, t.shape()); });
    }
  }
  if (!has_samples) return "";
  // Classes of which all members are accepted by their name, the others one by one.
  struct Class {
    std::string_view name;
    bool (*in)(ElementType);
  };
  static constexpr Class kClasses[] = {{"i1", [](ElementType t) { return is_boolean(t); }},
                                       {"int", [](ElementType t) { return is_signed_integer(t); }},
                                       {"uint", [](ElementType t) { return is_unsigned_integer(t); }},
                                       {"float", [](ElementType t) { return is_float(t); }},
                                       {"complex", [](ElementType t) { return is_complex(t); }}};
  std::string out;
  size_t whole = 0;
  for (const Class& c : kClasses) {
    std::string one_by_one;
    bool all = true;
    for (ElementType t : fuzz::element_types()) {
      if (!c.in(t)) continue;
      if (accepted.count(t)) {
        one_by_one += (one_by_one.empty() ? "" : " ") + std::string(name(t));
      } else {
        all = false;
      }
    }
    if (all) ++whole;
    if (!all && one_by_one.empty()) continue;
    out += (out.empty() ? "" : ", ") + (all ? std::string(c.name) : one_by_one);
  }
  if (whole == std::size(kClasses)) out = "all";
  return out + (quantized ? ", quantized" : "");
}

// ---- native -----------------------------------------------------------------------------------------------------------------

/// Takes every contraction for a library, as the native target does where a library has a kernel of the form.
class EveryContraction : public native::LibraryChooser {
 public:
  int choose(const OpView& op, std::string&) override { return is_contraction(op) ? 0 : -1; }
  int choose_with(const OpView& op, const native::Epilogue&, std::string& note) override { return choose(op, note); }

 private:
  static bool is_contraction(const OpView& op) {
    return op.def().mnemonic == "stablehlo.dot_general" || op.def().mnemonic == "stablehlo.convolution";
  }
};

void add_steps(const OpRecord& op, const Function& f, const native::Block& block, std::set<std::string>& found) {
  for (const native::Step& step : block.steps) {
    if (step.kind == native::StepKind::kKernel) {
      const Function& kernel = *step.kernel.function;
      for (OpId inner : kernel.ops(kernel.body())) {
        if (&kernel.def(inner) == &op) found.insert("generated");
      }
    } else if (step.op && &f.def(step.op) == &op) {
      found.insert(step.kind == native::StepKind::kLibrary ? "library, generated"
                   : step.kind == native::StepKind::kHost  ? "host"
                                                           : "generated");
    }
    for (const native::Block& inner : step.blocks) add_steps(op, f, inner, found);
  }
}

/// How the native target runs the op in its samples.
std::string native_rule(const OpRecord& op, Reasons& reasons) {
  std::set<std::string> found;
  std::string refusal;
  bool has_samples = false;
  for (const fuzz::Template& sample : fuzz::templates()) {
    if (sample.op != &op) continue;
    has_samples = true;
    try {
      const auto lowered =
          native::lower_matrix_ops(native::lower(clone_function(*sample.function, sample.function->name())), false);
      const auto f = native::lower_barriers(simplify(*lowered, nullptr));
      EveryContraction libraries;
      add_steps(op, *f, native::schedule(*f, libraries), found);
    } catch (const Unsupported& e) { refusal = e.what(); }
  }
  if (!has_samples) return "";
  if (found.empty()) return refusal.empty() ? "rewritten" : reasons.mark(refusal);
  std::string out;
  for (const std::string& how : found) out += (out.empty() ? "" : ", ") + how;
  return out;
}

// ---- the document ----------------------------------------------------------------------------------------------------------

std::string document() {
  static const Names<LinearizeFn> kLinearize = {
      {linearize_zero, "zero"}, {linearize_linear, "linear"}, {linearize_multilinear, "multilinear"}};
  static const Names<VectorizeFn> kVectorize = {{vectorize_elementwise, "elementwise"}};
  static const Names<UniformityFn> kUniformity = {{uniformity_any, "any"}};
  static const Names<SimplifyFn> kSimplify = {
      {simplify_none, "nothing"}, {simplify_fold, "fold"}, {fold_constants, "fold"}};
  static const Names<AliasFn> kAliases = {
      {alias_none, "none"}, {alias_elementwise, "elementwise"}, {alias_view, "view"}, {alias_in_place, "in place"}};
  static const Names<CostFn> kCost = {{cost_elementwise, "elementwise"},
                                      {cost_transcendental, "transcendental"},
                                      {cost_move, "moves"},
                                      {cost_free, "free"}};
  static const Names<PortableFn> kPortable = {{portable_as_is, "as is"}};
  static constexpr std::array kEffects = {"pure", "check", "io", "regions"};

  Reasons reasons;
  std::ostringstream out;
  out << "# Ops and what is known about them\n\n"
         "Written by `build/weft_op_matrix`; a test checks that it is current. A cell names the kind of rule: one that "
         "records share, or\n"
         "`own`; `– N` is a refusal, whose reason stands below. *Element types* are those that the type rule accepted "
         "for some operand or\n"
         "result when asked with the op's samples; `int` is i2 to i64, `uint` ui2 to ui64, `float` f4E2M1FN to f64. "
         "*native* is what the\n"
         "native target does with the samples: generated code, a library's kernel, the evaluator's rule in the host, "
         "or `rewritten` where\n"
         "simplification leaves other ops in its place.\n\n"
         "| op | element types | type | eval | scalar | linearize | transpose | vectorize | uniformity | simplify | "
         "aliases | "
         "effects | cost | to_stablehlo | samples | native |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  size_t not_yet = 0;
  for (const OpRecord* op : all_ops()) {
    std::vector<std::string> cells;
    cells.push_back("`" + std::string(op->mnemonic) + "`");
    cells.push_back(element_types(*op));
    cells.push_back(kind(op->type, {}, reasons));
    cells.push_back(kind(op->eval, {}, reasons));
    cells.push_back(kind(op->scalar, {}, reasons));
    cells.push_back(kind(op->linearize, kLinearize, reasons));
    cells.push_back(kind(op->transpose, {}, reasons));
    cells.push_back(kind(op->vectorize, kVectorize, reasons));
    cells.push_back(kind(op->uniformity, kUniformity, reasons));
    cells.push_back(kind(op->simplify, kSimplify, reasons));
    cells.push_back(kind(op->aliases, kAliases, reasons));
    cells.emplace_back(kEffects[static_cast<size_t>(op->effects)]);
    cells.push_back(kind(op->cost, kCost, reasons));
    cells.push_back(kind(op->to_stablehlo, kPortable, reasons));
    cells.push_back(op->samples.refused() ? reasons.mark(op->samples.reason())
                                          : std::to_string((*op->samples.rule())().size()));
    cells.push_back(native_rule(*op, reasons));
    for (const std::string& cell : cells) out << "| " << cell << " ";
    out << "|\n";
  }
  out << "\n## Refusals\n\n";
  for (size_t i = 0; i < reasons.list().size(); ++i) out << i + 1 << ". " << reasons.list()[i] << "\n";
  for (const std::string& reason : reasons.list()) not_yet += reason.starts_with("not yet") ? 1 : 0;
  out << "\n" << all_ops().size() << " ops; " << not_yet << " of the reasons say \"not yet\".\n";
  return out.str();
}

int main_with(int argc, char** argv) {
  const std::string text = document();
  if (argc == 3 && std::string_view(argv[1]) == "--check") {
    if (read_file(argv[2]) == text) return 0;
    std::cerr << argv[2] << " is not what the records say. To write it anew:\n  " << argv[0] << " " << argv[2] << "\n";
    return 1;
  }
  if (argc != 2) {
    std::cerr << "usage: weft_op_matrix FILE | weft_op_matrix --check FILE\n";
    return 2;
  }
  write_file(argv[1], text);
  return 0;
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) { return weft::main_with(argc, argv); }
