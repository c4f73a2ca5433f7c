#include "transform/refine_calls.h"

#include <algorithm>

#include "ir/clone.h"
#include "ops/control_flow/named_functions.h"
#include "ops/families.h"
#include "ops/indexing/index_elements.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

using Ints = std::vector<int64_t>;
using Constant = std::function<const Literal*(Value)>;

std::optional<Ints> integers(const Constant& constant, Value v) {
  const Literal* l = constant(v);
  if (l == nullptr || !is_integer(l->type.element_type())) return std::nullopt;
  return index_elements(l->materialize());
}

/// The function that an attribute like called_computations = [@f] names.
const Function* called(const Module* module, const OpView& op) {
  const Attr* attr = op.attrs().find("called_computations");
  if (module == nullptr || attr == nullptr) return nullptr;
  const std::vector<std::string> names = named_functions(*attr);
  if (names.size() != 1) return nullptr;
  const Function* f = module->find(names[0]);
  return f == nullptr || f->ops(f->body()).empty() ? nullptr : f;
}

Type with_extents_of(const OpView& op, size_t result, const Ints& shape) {
  const Type declared = op.result_type(result);
  if (!declared.is_tensor() || declared.rank() != static_cast<int64_t>(shape.size()) ||
      !is_compatible(declared, declared.with_shape(shape)))
    throw UserError("[" + std::string(op.def().mnemonic) + "] type of result " + std::to_string(result) + ": got " +
                        declared.str() + ", expected one of the shape that its operand says",
                    op.loc());
  return declared.with_shape(shape);
}

std::optional<std::vector<Value>> reduce_window(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                                                const Constant& constant) {
  constexpr size_t kShapes = 5;
  if (operands.size() < kShapes + 2 || operands.size() % 2 == 0) return std::nullopt;
  const size_t values = operands.size() - kShapes;
  const Function* body = called(b.module(), op);
  if (body == nullptr) return std::nullopt;
  Ints shapes[kShapes];
  for (size_t i = 0; i < kShapes; ++i) {
    const auto known = integers(constant, operands[values + i]);
    if (!known) return std::nullopt;
    shapes[i] = *known;
  }
  Function& to = b.function();
  ValueMap map(*body);
  const RegionId region = to.new_region();
  for (Value v : body->args()) map.set(v, to.add_arg(region, body->type(v)));
  const std::vector<Value> results = clone_ops(*body, body->body(), to, region, map);
  OpBuilder(to, region, b.module()).yield(results);
  std::vector<Value> made = b.create("stablehlo.reduce_window", operands.first(values),
                                     {{"window_dimensions", shapes[0]},
                                      {"window_strides", shapes[1]},
                                      {"base_dilations", shapes[2]},
                                      {"window_dilations", shapes[3]},
                                      {"padding", shapes[4]}},
                                     {}, std::array{region});
  for (size_t i = 0; i < made.size(); ++i) {
    if (!is_compatible(b.type(made[i]), op.result_type(i)))
      throw UserError("[stablehlo.custom_call] stablehlo.dynamic_reduce_window: type of result " + std::to_string(i) +
                          ": got " + op.result_type(i).str() + ", expected " + b.type(made[i]).str(),
                      op.loc());
  }
  return made;
}

}  // namespace

std::optional<std::vector<Value>> refine_custom_call(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                                                     const Constant& constant) {
  if (op.attrs().text_or("call_target_name", "") == "stablehlo.dynamic_reduce_window")
    return reduce_window(b, op, operands, constant);
  const Attr* attr = op.attrs().find("indices_of_shape_operands");
  const auto* literal = attr == nullptr ? nullptr : attr->get_if<Literal>();
  const auto* ints = attr == nullptr ? nullptr : attr->get_if<Ints>();
  if (literal == nullptr && ints == nullptr) return std::nullopt;
  const Ints at = ints != nullptr ? *ints : index_elements(literal->materialize());
  if (at.size() != op.num_results()) return std::nullopt;
  // They are the last operands, so that what else speaks of operands by number stays right.
  const size_t kept = operands.size() - std::min(operands.size(), at.size());
  std::vector<Type> types;
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] != static_cast<int64_t>(kept + i)) return std::nullopt;
    const auto shape = integers(constant, operands[kept + i]);
    if (!shape) return std::nullopt;
    types.push_back(with_extents_of(op, i, *shape));
  }
  Attrs attrs;
  for (const auto& [name, value] : op.attrs().entries()) {
    if (name == "indices_of_shape_operands") continue;
    const auto* layouts = value.get_if<std::shared_ptr<const AttrList>>();
    if (name == "operand_layouts" && layouts != nullptr && (*layouts)->size() == operands.size()) {
      attrs.set(name, AttrList((*layouts)->begin(), (*layouts)->begin() + static_cast<std::ptrdiff_t>(kept)));
    } else {
      attrs.set(name, value);
    }
  }
  return b.create(op.def(), operands.first(kept), std::move(attrs), types);
}

std::optional<std::vector<Value>> refine_rng(OpBuilder& b, const OpView& op, std::span<const Value> operands,
                                             const Constant& constant) {
  if (operands.size() != 3) return std::nullopt;
  const auto shape = integers(constant, operands[2]);
  if (!shape) return std::nullopt;
  const Type type = with_extents_of(op, 0, *shape);
  return b.create(op.def(), operands, op.attrs(), std::array{type});
}

}  // namespace weft
