// Functions: SSA with single-block regions. One arena per function; ops, values and regions are 32-bit ids into it.
// A region may use values of the regions around it (captures). Transforms build a new function instead of rewriting one;
// what is dropped on the way is reclaimed with the arena.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/attr.h"
#include "ir/type.h"

namespace weft {

/// What ir/ knows of an op: ops/record.h derives the full record from it. One object per op exists in the process; identity is the address.
struct OpDef {
  std::string_view mnemonic;  // "stablehlo.add"
  bool is_terminator = false;
};

namespace ir_detail {
template <class Tag>
struct Id {
  uint32_t index = UINT32_MAX;
  explicit operator bool() const { return index != UINT32_MAX; }
  auto operator<=>(const Id&) const = default;
};
}  // namespace ir_detail
/// Ids are valid only with the function that made them. The default is "none".
using Value = ir_detail::Id<struct ValueTag>;
using OpId = ir_detail::Id<struct OpTag>;
using RegionId = ir_detail::Id<struct RegionTag>;

class Function {
 public:
  explicit Function(std::string name);

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  bool is_public() const { return is_public_; }
  void set_public(bool is_public) { is_public_ = is_public; }
  /// A function without a body (`func.func private @f(tensor<f32>) -> tensor<f32>`): arguments and declared results only. It can be called
  /// in text; what would run such a call refuses it.
  bool is_declaration() const { return is_declaration_; }
  void set_declaration(bool is_declaration) { is_declaration_ = is_declaration; }
  /// Attributes of the function itself and, by position, of its arguments and results (kept for printing).
  Attrs& attrs() { return attrs_; }
  const Attrs& attrs() const { return attrs_; }
  std::vector<Attrs>& arg_attrs() { return arg_attrs_; }
  const std::vector<Attrs>& arg_attrs() const { return arg_attrs_; }
  std::vector<Attrs>& result_attrs() { return result_attrs_; }
  const std::vector<Attrs>& result_attrs() const { return result_attrs_; }
  Loc loc() const { return loc_; }
  void set_loc(Loc loc) { loc_ = loc; }

  RegionId body() const { return RegionId{0}; }
  std::span<const Value> args() const { return args(body()); }
  /// Types of the arguments and of the body terminator's operands.
  std::vector<Type> arg_types() const;
  std::vector<Type> result_types() const;
  /// Declared before the terminator exists (recursion, parser); result_types() answers from it until there is one.
  void declare_results(std::vector<Type> types) { declared_results_ = std::move(types); }

  // Building.
  Value add_arg(RegionId region, Type type, Loc loc = {});
  /// A region that no op owns yet; `append` adopts regions.
  RegionId new_region();
  OpId append(RegionId region, const OpDef& def, std::span<const Value> operands, Attrs attrs,
              std::span<const Type> result_types, std::span<const RegionId> regions = {}, Loc loc = {});
  OpId append(RegionId region, const OpDef& def, std::span<const Value> operands, std::shared_ptr<const Attrs> attrs,
              std::span<const Type> result_types, std::span<const RegionId> regions = {}, Loc loc = {});
  /// Replaces the operands of an op (same number). For builders that learn an operand late.
  void set_operand(OpId op, size_t index, Value value);
  void set_attrs(OpId op, Attrs attrs) { ops_[op.index].attrs = std::make_shared<const Attrs>(std::move(attrs)); }
  /// Replaces every later use in `region` and its nested regions; linear in the region's size.
  void replace_uses(RegionId region, Value from, Value to);

  // Reading: regions.
  std::span<const Value> args(RegionId r) const { return regions_[r.index].args; }
  std::span<const OpId> ops(RegionId r) const { return regions_[r.index].ops; }
  /// None for a function body and for a region not adopted yet.
  OpId owner(RegionId r) const { return regions_[r.index].owner; }
  /// The last op; none when the region has no terminator yet.
  OpId terminator(RegionId r) const;

  // Reading: ops.
  const OpDef& def(OpId op) const { return *ops_[op.index].def; }
  std::span<const Value> operands(OpId op) const {
    return slice(ops_[op.index].first_operand, ops_[op.index].num_operands);
  }
  Value operand(OpId op, size_t i) const { return operands(op)[i]; }
  size_t num_results(OpId op) const { return ops_[op.index].num_results; }
  /// Results have consecutive ids.
  Value result(OpId op, size_t i = 0) const { return Value{ops_[op.index].first_result + static_cast<uint32_t>(i)}; }
  std::vector<Value> results(OpId op) const;
  std::span<const RegionId> regions(OpId op) const {
    return {owned_regions_.data() + ops_[op.index].first_region, ops_[op.index].num_regions};
  }
  const Attrs& attrs(OpId op) const { return *ops_[op.index].attrs; }
  std::shared_ptr<const Attrs> shared_attrs(OpId op) const { return ops_[op.index].attrs; }
  Loc loc(OpId op) const { return ops_[op.index].loc; }
  RegionId parent(OpId op) const { return ops_[op.index].parent; }

  // Reading: values.
  Type type(Value v) const { return values_[v.index].type; }
  /// The op that makes it; none for a region argument.
  OpId defining_op(Value v) const { return values_[v.index].op; }
  /// The region it belongs to (of the op that makes it, or of which it is an argument).
  RegionId region(Value v) const { return values_[v.index].region; }
  /// Position among the op's results or the region's arguments.
  uint32_t position(Value v) const { return values_[v.index].position; }
  /// True when `inner` is `outer` or lies within it.
  bool is_within(RegionId inner, RegionId outer) const;

  size_t num_values() const { return values_.size(); }
  size_t num_ops() const { return ops_.size(); }
  size_t num_regions() const { return regions_.size(); }

 private:
  struct OpData {
    const OpDef* def;
    uint32_t first_operand, num_operands, first_result, num_results, first_region, num_regions;
    RegionId parent;
    std::shared_ptr<const Attrs> attrs;
    Loc loc;
  };
  struct ValueData {
    Type type;
    OpId op;
    RegionId region;
    uint32_t position;
  };
  struct RegionData {
    std::vector<Value> args;
    std::vector<OpId> ops;
    OpId owner;
  };
  std::span<const Value> slice(uint32_t first, uint32_t count) const { return {operands_.data() + first, count}; }

  std::string name_;
  bool is_public_ = true, is_declaration_ = false;
  Attrs attrs_;
  std::vector<Attrs> arg_attrs_, result_attrs_;
  Loc loc_;
  std::vector<Type> declared_results_;
  std::vector<OpData> ops_;
  std::vector<ValueData> values_;
  std::vector<RegionData> regions_;
  std::vector<Value> operands_;
  std::vector<RegionId> owned_regions_;
};

/// A function and one of its ops: what rules read.
struct OpView {
  const Function& function;
  OpId id;

  const OpDef& def() const { return function.def(id); }
  std::span<const Value> operands() const { return function.operands(id); }
  size_t num_operands() const { return operands().size(); }
  Value operand(size_t i) const { return operands()[i]; }
  Type operand_type(size_t i) const { return function.type(operand(i)); }
  size_t num_results() const { return function.num_results(id); }
  Value result(size_t i = 0) const { return function.result(id, i); }
  Type result_type(size_t i = 0) const { return function.type(result(i)); }
  std::span<const RegionId> regions() const { return function.regions(id); }
  RegionId region(size_t i) const { return regions()[i]; }
  const Attrs& attrs() const { return function.attrs(id); }
  Loc loc() const { return function.loc(id); }
};

/// Functions by name, in the order they were added. Names are unique.
class Module {
 public:
  std::string name;
  Attrs attrs;
  /// Ops beside the functions that Weft gives no meaning to (`sdy.mesh`), as written, in generic form.
  std::vector<std::string> foreign_ops;
  /// Modules within this one, each with names of its own. They are read, verified and printed; targets run the functions of the outer module.
  std::vector<std::unique_ptr<Module>> nested;
  /// Throws UserError when the name is taken.
  Function& add(std::unique_ptr<Function> function);
  /// Puts `function` in the place of the one of its name (same position), or adds it.
  Function& replace(std::unique_ptr<Function> function);
  const Function* find(std::string_view name) const;
  Function* find(std::string_view name);
  /// Throws UserError that lists the names there are.
  const Function& get(std::string_view name) const;
  std::span<const std::unique_ptr<Function>> functions() const { return functions_; }
  /// `base` if free, else base_1, base_2, …
  std::string unique_name(std::string_view base) const;

 private:
  std::vector<std::unique_ptr<Function>> functions_;
};

}  // namespace weft

template <class Tag>
struct std::hash<weft::ir_detail::Id<Tag>> {
  size_t operator()(const weft::ir_detail::Id<Tag>& id) const { return id.index; }
};
