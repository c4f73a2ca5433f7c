#include "native/open/open_step.h"

#include <algorithm>

#include "ir/clone.h"
#include "native/contraction/prepare.h"
#include "native/kernels/linear_algebra.h"
#include "ops/builder.h"

namespace weft::native {
namespace {

class Concrete {
 public:
  Concrete(const Function& from, Function& to, const ExtentNames& names, std::span<const int64_t> values)
      : from_(from), to_(to), names_(names), values_(values), map_(from) {}

  Type type(Type t) const {
    if (!t.is_tensor()) return t;
    std::vector<int64_t> shape;
    for (int64_t d : t.shape()) shape.push_back(names_.value(d, values_));
    return t.with_shape(shape);
  }
  void argument(Value v) {
    if (!map_.get(v)) map_.set(v, to_.add_arg(to_.body(), type(from_.type(v))));
  }
  /// Stands for the value that the argument already has.
  void constant(Value v) { copy(from_.defining_op(v), to_.body()); }
  std::vector<Value> copy(OpId op, RegionId region) {
    std::vector<Value> operands;
    for (Value v : from_.operands(op)) {
      // Constants and what is made of arguments and them.
      if (!map_.get(v)) copy(from_.defining_op(v), to_.body());
      operands.push_back(map_.at(v));
    }
    std::vector<RegionId> regions;
    for (RegionId inner : from_.regions(op)) {
      const RegionId made = to_.new_region();
      for (Value v : from_.args(inner)) map_.set(v, to_.add_arg(made, type(from_.type(v))));
      for (OpId each : from_.ops(inner)) copy(each, made);
      regions.push_back(made);
    }
    Attrs attrs;
    for (const auto& [name, a] : from_.attrs(op).entries()) attrs.set(name, attribute(a));
    std::vector<Type> types;
    for (Value v : from_.results(op)) types.push_back(type(from_.type(v)));
    const OpId made = to_.append(region, from_.def(op), operands, std::move(attrs), types, regions, from_.loc(op));
    for (size_t i = 0; i < types.size(); ++i) map_.set(from_.result(op, i), to_.result(made, i));
    return to_.results(made);
  }

 private:
  Attr attribute(const Attr& a) const {
    if (const auto* ints = a.get_if<std::vector<int64_t>>()) {
      std::vector<int64_t> out;
      for (int64_t n : *ints) out.push_back(names_.value(n, values_));
      return out;
    }
    if (const auto* n = a.get_if<int64_t>()) return names_.value(*n, values_);
    const auto* l = a.get_if<Literal>();
    if (l != nullptr && l->splat) return Literal::splat_of(type(l->type), l->elements);
    return a;
  }

  const Function& from_;
  Function& to_;
  const ExtentNames& names_;
  const std::span<const int64_t> values_;
  ValueMap map_;
};

/// The only op that uses the value, or none.
OpId only_user(const Function& f, Value v) {
  OpId user;
  for (OpId op : f.ops(f.body())) {
    for (Value operand : f.operands(op)) {
      if (operand != v) continue;
      if (user || f.def(op).is_terminator) return {};
      user = op;
    }
  }
  return user;
}

}  // namespace

std::unique_ptr<Function> concrete_op(const OpView& op, const ExtentNames& names, std::span<const int64_t> values) {
  return concrete_ops(op.function, {&op.id, 1}, op.operands(), names, values);
}

std::unique_ptr<Function> concrete_ops(const Function& f, std::span<const OpId> ops, std::span<const Value> inputs,
                                       const ExtentNames& names, std::span<const int64_t> values) {
  auto out = std::make_unique<Function>("op");
  out->set_loc(f.loc(ops[0]));
  Concrete concrete(f, *out, names, values);
  for (Value v : inputs) {
    const OpId def = f.defining_op(v);
    concrete.argument(v);
    if (def && f.def(def).mnemonic == "stablehlo.constant") concrete.constant(v);
  }
  std::vector<Value> results;
  for (OpId op : ops) results = concrete.copy(op, out->body());
  OpBuilder(*out, out->body()).create("func.return", results);
  return out;
}

std::shared_ptr<Function> kernel_of(const OpView& op, const ExtentNames& names, std::vector<size_t>& inputs) {
  std::vector<int64_t> values;
  for (size_t s = 0; s < names.count(); ++s) values.push_back(names.name(s));
  auto out = std::make_shared<Function>("kernel");
  Concrete concrete(op.function, *out, names, values);
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const size_t before = out->args().size();
    concrete.argument(op.operand(i));
    if (out->args().size() > before) inputs.push_back(i);
  }
  OpBuilder(*out, out->body()).yield(concrete.copy(op.id, out->body()));
  return out;
}

std::shared_ptr<const OpenContraction::Prepared> OpenContraction::get(std::span<const int64_t> values) {
  const std::lock_guard lock(mutex_);
  const std::vector<int64_t> key(values.begin(), values.end());
  const auto it = kept_.find(key);
  if (it != kept_.end()) {
    it->second.second = ++clock_;
    return it->second.first;
  }
  auto made = std::make_shared<Prepared>();
  made->function = concrete_ops(f_, ops_, inputs_, names_, values);
  const Function& f = *made->function;
  const auto body = f.ops(f.body());
  const OpView op{f, *std::ranges::find_if(body, [&](OpId id) { return &f.def(id) == &f_.def(ops_[0]); })};
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (std::ranges::find(inputs_, inputs_[i]) == inputs_.begin() + static_cast<std::ptrdiff_t>(i))
      made->arguments.push_back(i);
  }
  made->result_bytes = op.result_type().num_bytes();
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.cholesky" || m == "stablehlo.triangular_solve") {
    // Whether the library is worth it was looked at before.
    if (made->result_bytes > 0) made->kernel = make_matrix_kernel(op, partitions_);
    return keep(key, std::move(made));
  }
  const bool is_empty = op.operand_type(0).num_elements() == 0 || op.operand_type(1).num_elements() == 0;
  made->is_zero = is_empty && ops_.size() == 1;
  if (!is_empty && made->result_bytes > 0) {
    CompileOptions options = options_;
    options.disabled.emplace_back("library_size_limits");
    std::string note;
    std::optional<Epilogue> epilogue;
    if (ops_.size() > 1) epilogue = find_epilogue(f, op.id, [&](Value v) { return only_user(f, v); });
    if (ops_.size() == (epilogue ? epilogue->members.size() : 1))
      made->kernel = prepare_contraction(op, options, partitions_, note, epilogue ? &*epilogue : nullptr);
  }
  return keep(key, std::move(made));
}

std::shared_ptr<const OpenContraction::Prepared> OpenContraction::keep(const std::vector<int64_t>& key,
                                                                       std::shared_ptr<const Prepared> made) {
  if (kept_.size() >= kMost)
    kept_.erase(std::ranges::min_element(kept_, {}, [](const auto& entry) { return entry.second.second; }));
  kept_.emplace(key, std::pair(made, ++clock_));
  return made;
}

}  // namespace weft::native
