#include "ir/function.h"

namespace weft {

Function::Function(std::string name) : name_(std::move(name)) { regions_.emplace_back(); }

std::vector<Type> Function::arg_types() const {
  std::vector<Type> out;
  for (Value v : args()) out.push_back(type(v));
  return out;
}

std::vector<Type> Function::result_types() const {
  const OpId last = terminator(body());
  if (!last) return declared_results_;
  std::vector<Type> out;
  for (Value v : operands(last)) out.push_back(type(v));
  return out;
}

Value Function::add_arg(RegionId region, Type type, Loc) {
  const Value v{static_cast<uint32_t>(values_.size())};
  values_.push_back({type, OpId{}, region, static_cast<uint32_t>(regions_[region.index].args.size())});
  regions_[region.index].args.push_back(v);
  return v;
}

RegionId Function::new_region() {
  regions_.emplace_back();
  return RegionId{static_cast<uint32_t>(regions_.size() - 1)};
}

OpId Function::append(RegionId region, const OpDef& def, std::span<const Value> operands, Attrs attrs,
                      std::span<const Type> result_types, std::span<const RegionId> regions, Loc loc) {
  static const auto kNoAttrs = std::make_shared<const Attrs>();
  return append(region, def, operands,
                attrs.entries().empty() ? kNoAttrs : std::make_shared<const Attrs>(std::move(attrs)), result_types,
                regions, loc);
}

OpId Function::append(RegionId region, const OpDef& def, std::span<const Value> operands,
                      std::shared_ptr<const Attrs> attrs, std::span<const Type> result_types,
                      std::span<const RegionId> regions, Loc loc) {
  const OpId op{static_cast<uint32_t>(ops_.size())};
  ops_.push_back({&def, static_cast<uint32_t>(operands_.size()), static_cast<uint32_t>(operands.size()),
                  static_cast<uint32_t>(values_.size()), static_cast<uint32_t>(result_types.size()),
                  static_cast<uint32_t>(owned_regions_.size()), static_cast<uint32_t>(regions.size()), region,
                  std::move(attrs), loc});
  // The span may point into operands_ itself (cloning within one function).
  const std::vector<Value> copied(operands.begin(), operands.end());
  const std::vector<RegionId> adopted(regions.begin(), regions.end());
  operands_.insert(operands_.end(), copied.begin(), copied.end());
  owned_regions_.insert(owned_regions_.end(), adopted.begin(), adopted.end());
  for (RegionId r : adopted) regions_[r.index].owner = op;
  for (size_t i = 0; i < result_types.size(); ++i) {
    values_.push_back({result_types[i], op, region, static_cast<uint32_t>(i)});
  }
  regions_[region.index].ops.push_back(op);
  return op;
}

void Function::set_operand(OpId op, size_t index, Value value) {
  operands_[ops_[op.index].first_operand + index] = value;
}

void Function::replace_uses(RegionId region, Value from, Value to) {
  for (OpId op : ops(region)) {
    const OpData& data = ops_[op.index];
    for (uint32_t i = 0; i < data.num_operands; ++i) {
      if (operands_[data.first_operand + i] == from) operands_[data.first_operand + i] = to;
    }
    for (uint32_t i = 0; i < data.num_regions; ++i) replace_uses(owned_regions_[data.first_region + i], from, to);
  }
}

OpId Function::terminator(RegionId r) const {
  const auto& ops = regions_[r.index].ops;
  return !ops.empty() && def(ops.back()).is_terminator ? ops.back() : OpId{};
}

std::vector<Value> Function::results(OpId op) const {
  std::vector<Value> out;
  for (size_t i = 0; i < num_results(op); ++i) out.push_back(result(op, i));
  return out;
}

bool Function::is_within(RegionId inner, RegionId outer) const {
  while (inner != outer) {
    const OpId op = owner(inner);
    if (!op) return false;
    inner = parent(op);
  }
  return true;
}

Function& Module::add(std::unique_ptr<Function> function) {
  if (find(function->name()) != nullptr)
    throw UserError("a function named @" + function->name() + " exists already", function->loc());
  functions_.push_back(std::move(function));
  return *functions_.back();
}

Function& Module::replace(std::unique_ptr<Function> function) {
  for (auto& f : functions_) {
    if (f->name() == function->name()) {
      f = std::move(function);
      return *f;
    }
  }
  return add(std::move(function));
}

const Function* Module::find(std::string_view wanted) const {
  for (const auto& f : functions_) {
    if (f->name() == wanted) return f.get();
  }
  return nullptr;
}

Function* Module::find(std::string_view wanted) {
  return const_cast<Function*>(static_cast<const Module*>(this)->find(wanted));
}

const Function& Module::get(std::string_view wanted) const {
  if (const Function* f = find(wanted)) return *f;
  std::string names;
  for (const auto& f : functions_) names += (names.empty() ? "@" : ", @") + f->name();
  throw UserError("there is no function @" + std::string(wanted) + "; the module has " +
                  (names.empty() ? "none" : names));
}

std::string Module::unique_name(std::string_view base) const {
  std::string candidate(base);
  for (int i = 1; find(candidate) != nullptr; ++i) candidate = std::string(base) + "_" + std::to_string(i);
  return candidate;
}

}  // namespace weft
