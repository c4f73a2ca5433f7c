#include "cli/test_derived.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exported_tensors.h"
#include "cli/finite_differences.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "ops/scalar/num.h"
#include "text/parse.h"
#include "transform/gradient.h"
#include "transform/jacobian.h"
#include "transform/vectorize.h"

namespace weft::cli {
namespace {

constexpr int64_t kLanes = 3;  // of the exported programs over lanes

/// The base program and what is asked of it. Each answer is the name of a function of the module.
class Derivation {
 public:
  explicit Derivation(Module& module) : module_(module), entry_(entry_of(module, "")) {
    const std::vector<Type> types = module.get(entry_).arg_types();
    for (size_t i = 0; i < types.size(); ++i) {
      if (is_float(types[i].element_type())) where_.push_back(i);
    }
  }

  size_t num_differentiated() const { return where_.size(); }
  const std::vector<size_t>& differentiated() const { return where_; }
  const std::string& name_of_loss() const { return loss_; }

  std::string lanes() { return over_lanes(entry_); }
  std::string gradients() {
    gradient(module_, loss(), where_, "derived");
    return "derived";
  }
  std::string gradients_over_lanes() { return over_lanes(gradients()); }
  std::string loss_and_gradients() {
    gradient(module_, loss(), where_, "derived", /*with_value=*/true);
    return "derived";
  }
  /// Floating-point results, then their tangents, from the base program's arguments and a tangent for each that has one.
  std::string results_and_tangents() {
    jvp(module_, entry_, where_, "derived");
    return "derived";
  }
  std::string forward_jacobian() { return jacobian_of({.direction = JacobianOptions::kForward}); }
  std::string reverse_jacobian() { return jacobian_of({.direction = JacobianOptions::kReverse}); }
  std::string hessian_of_loss() {
    hessian(module_, loss(), where_, "derived");
    return "derived";
  }

 private:
  std::string over_lanes(const std::string& f) {
    const std::vector<int64_t> axes(module_.get(f).args().size(), 0);
    return vectorize(module_, f, axes, kLanes).name();
  }
  std::string jacobian_of(const JacobianOptions& options) {
    jacobian(module_, entry_, where_, "derived", options);
    return "derived";
  }

  /// The sum over results of 0.7 * sum(sin(result)), of complex ones of sum(Re * Im + Re). 16-bit results are taken to f32 first.
  std::string loss() {
    const Function& f = module_.get(entry_);
    Function& loss = module_.add(std::make_unique<Function>(module_.unique_name("loss")));
    std::vector<Value> args;
    for (Type t : f.arg_types()) args.push_back(loss.add_arg(loss.body(), t));
    OpBuilder b(loss, loss.body(), &module_);
    Value sum;
    for (Value v : b.create("func.call", args, Attrs{{"callee", entry_}}, f.result_types())) {
      const ElementType e = b.type(v).element_type();
      if (!is_float(e) && !is_complex(e)) continue;
      if (is_complex(e)) {
        const Value re = b.make("stablehlo.real", {v});
        v = b.add(b.multiply(re, b.make("stablehlo.imag", {v})), re);
      } else {
        if (byte_size(e) == 2) v = b.convert(v, ElementType::kF32);
        v = b.make("stablehlo.sine", {v});
      }
      std::vector<int64_t> dims(static_cast<size_t>(b.type(v).rank()));
      std::iota(dims.begin(), dims.end(), 0);
      const Value all = b.reduce(v, dims, "stablehlo.add");
      const Value part = is_complex(e) ? all : b.multiply(all, b.scalar(b.type(v).element_type(), 0.7));
      sum = sum ? b.add(sum, b.convert(part, b.type(sum).element_type())) : part;
    }
    if (!sum) throw UserError("no result of the base program is floating-point");
    b.yield(std::span(&sum, 1));
    loss_ = loss.name();
    return loss_;
  }

  Module& module_;
  std::string entry_, loss_;
  std::vector<size_t> where_;  // floating-point arguments
};

struct Kind {
  std::string_view name;
  std::string (Derivation::*derive)();
};
constexpr std::array kKinds = {Kind{"grad", &Derivation::gradients},
                               Kind{"vmap", &Derivation::lanes},
                               Kind{"vmap_grad", &Derivation::gradients_over_lanes},
                               Kind{"jacfwd", &Derivation::forward_jacobian},
                               Kind{"jacrev", &Derivation::reverse_jacobian},
                               Kind{"hessian", &Derivation::hessian_of_loss},
                               Kind{"jvp", &Derivation::results_and_tangents},
                               Kind{"value_and_grad", &Derivation::loss_and_gradients}};

/// "jax/grad/cf/cond" → "grad/cf/cond".
std::string_view name_in_set(const std::string& id) {
  const size_t slash = id.find('/');
  return std::string_view(id).substr(slash == std::string::npos ? 0 : slash + 1);
}

const Kind* kind_of(const std::string& id) {
  const std::string_view name = name_in_set(id);
  for (const Kind& kind : kKinds) {
    if (name.substr(0, name.find('/')) == kind.name) return &kind;
  }
  return nullptr;
}

/// A gradient that is not the record's holds when it is that of the base program in f64, and this one that of central differences: the record
/// then says something that the program does not (a derivative of the author's own, a matrix taken to be symmetric).
Outcome by_differences(const Record& record, const ExportedTensors& tensors, const std::vector<Tensor>& args,
                       const std::vector<Tensor>& got, const std::string& wrong) {
  std::vector<Tensor> wide_args, expected, gradient;
  for (const Tensor& t : args) wide_args.push_back(in_f64(t));
  auto module = in_f64(*parse_module(read_file(record.base), record.base));
  Derivation derivation(*module);
  const std::string name = derivation.gradients();
  const std::shared_ptr<const Module> wide = std::move(module);
  gradient = get_target("eval").compile(wide, name)->run(wide_args);
  const std::string other =
      difference_from_quotients(wide, derivation.name_of_loss(), derivation.differentiated(), wide_args, gradient);
  if (!other.empty()) return {Outcome::kFailed, wrong + "; in f64 " + other};
  for (size_t i = 0; i < got.size(); ++i) {
    Tensor narrow(got[i].element_type(), got[i].shape());
    for (int64_t k = 0; k < narrow.size(); ++k) {
      const double x = gradient[i].data<double>()[static_cast<size_t>(k)];
      store_num(narrow.raw(), Num::of_real(narrow.element_type(), x), k);
    }
    expected.push_back(std::move(narrow));
  }
  if (const std::string off = tensors.difference(got, expected); !off.empty())
    return {Outcome::kFailed, wrong + "; from finite differences in f64: " + off};
  Outcome out;
  out.reason = "not the record's, " + wrong + "; it is that of finite differences in f64";
  out.strict = false;
  out.notes = Outcome::kByDifferences;
  return out;
}

}  // namespace

std::string_view derivation_of(const Record& record) {
  const Kind* kind = kind_of(record.id);
  return kind == nullptr ? std::string_view() : kind->name;
}

void keep_derived(std::vector<Record>& records) {
  std::map<std::string, std::string, std::less<>> files;
  for (const Record& r : records) {
    if (r.kind == Record::kExported) files.emplace(name_in_set(r.id), r.file);
  }
  std::vector<Record> kept;
  for (Record& r : records) {
    if (r.kind != Record::kExported || derivation_of(r).empty()) continue;
    const std::string base = r.facts.value("base", "");
    const auto file = files.find(base);
    if (file == files.end() || base == name_in_set(r.id)) continue;
    r.base = file->second;
    r.kind = Record::kDerived;
    kept.push_back(std::move(r));
  }
  records = std::move(kept);
}

Outcome run_derived(const Record& record, const Target& target, const Mode& mode) {
  auto module = parse_module(read_file(record.base), record.base);
  Derivation derivation(*module);
  const std::string name = (derivation.*kind_of(record.id)->derive)();
  verify(*module);
  const std::shared_ptr<const Module> changed = changed_by(mode, std::move(module), record.base);
  const ExportedTensors tensors(record);
  const std::string_view kind = derivation_of(record);
  const std::vector<Type> types = changed->get(name).arg_types();
  std::vector<Tensor> args;
  if (kind == "jvp") {
    // Leaves, their tangents, all arguments; ours: all arguments, the tangents.
    const size_t n = derivation.num_differentiated(), num_args = types.size() - n;
    args = tensors.arguments(2 * n, std::span(types).first(num_args));
    const std::vector<Tensor> directions = tensors.arguments(n, std::span(types).subspan(num_args));
    args.insert(args.end(), directions.begin(), directions.end());
  } else {
    // What was differentiated by comes first, then all arguments.
    args = tensors.arguments(tensors.num_arguments() - std::min(types.size(), tensors.num_arguments()), types);
  }
  const std::vector<Tensor> results = target.compile(changed, name, mode.options)->run(args);
  const std::string wrong = tensors.difference(results);
  if (wrong.empty()) return {};
  if (kind == "grad") return by_differences(record, tensors, args, results, wrong);
  return {Outcome::kFailed, wrong};
}

}  // namespace weft::cli
