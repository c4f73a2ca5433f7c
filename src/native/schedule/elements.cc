#include "native/schedule/elements.h"

#include "native/codegen/kernel.h"
#include "native/schedule/fusion_rules.h"
#include "native/schedule/schedule.h"

namespace weft::native {
namespace {

bool is_one_element(Type t) { return t.is_tensor() && t.is_static() && !t.is_scalar() && t.num_elements() == 1; }

bool has_one_reader(Value v, const UsersOf& users_of) {
  const auto users = users_of(v);
  return users && users->size() == 1;
}

/// The op of the same region that defines v.
std::optional<OpView> defined_beside(const OpView& op, Value v) {
  const OpId def = op.function.defining_op(v);
  if (!def || op.function.parent(def) != op.function.parent(op.id)) return std::nullopt;
  return OpView{op.function, def};
}

/// Whether a kernel that has this value to itself would compute it rather than read it.
bool fuses_into_reader(const OpView& reader, Value v, const UsersOf& users_of) {
  const auto def = defined_beside(reader, v);
  if (!def) return false;
  return is_free(*def) || (!is_update(*def) && codegen::can_inline(*def) && has_one_reader(v, users_of));
}

std::optional<ElementAccess> element_read(const OpView& op, const UsersOf& users_of) {
  if (!is_one_element(op.result_type())) return std::nullopt;
  const auto users = users_of(op.result());
  if (!users || users->size() != 1) return std::nullopt;
  const OpView reshape{op.function, users->front()};
  if (!is(reshape, "stablehlo.reshape") || !reshape.result_type().is_scalar()) return std::nullopt;
  if (fuses_into_reader(op, op.operand(0), users_of)) return std::nullopt;
  return ElementAccess{reshape.id, reshape.result(), false};
}

bool is_element_read(const OpView& reshape, const UsersOf& users_of) {
  const auto slice = is(reshape, "stablehlo.reshape") ? defined_beside(reshape, reshape.operand(0)) : std::nullopt;
  const auto access = slice ? element_access(*slice, users_of) : std::nullopt;
  return access && !access->is_update;
}

std::optional<ElementAccess> element_update(const OpView& op, const UsersOf& users_of) {
  if (!is_one_element(op.operand_type(1)) || !has_one_reader(op.operand(1), users_of)) return std::nullopt;
  const auto reshape = defined_beside(op, op.operand(1));
  if (!reshape || !(is(*reshape, "stablehlo.reshape") || is(*reshape, "stablehlo.broadcast_in_dim")) ||
      !reshape->operand_type(0).is_scalar())
    return std::nullopt;
  const Value scalar = reshape->operand(0);
  const auto def = defined_beside(op, scalar);
  if (def && !is_scalar_op(*def) && !is_element_read(*def, users_of) && fuses_into_reader(*reshape, scalar, users_of))
    return std::nullopt;
  return ElementAccess{reshape->id, scalar, true};
}

}  // namespace

std::optional<ElementAccess> element_access(const OpView& op, const UsersOf& users_of) {
  if (is(op, "stablehlo.slice") || is(op, "stablehlo.dynamic_slice")) return element_read(op, users_of);
  if (is(op, "stablehlo.dynamic_update_slice")) return element_update(op, users_of);
  return std::nullopt;
}

}  // namespace weft::native
