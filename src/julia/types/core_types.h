// The types that every program has, and their lookup by name.
#pragma once
#include "julia/types/type.h"

namespace weft::julia {

/// Builtin types that the front end names itself. Parametric ones are their wrappers (`Array` = `Array{T,N} where {T,N}`).
struct CoreTypes {
  const UnionType* bottom;
  const DataType *any, *tuple0, *nothing, *missing, *symbol, *string, *char_, *bool_, *module, *function, *exception;
  const DataType *number, *real, *integer, *signed_, *unsigned_, *abstract_float;
  const DataType *int8, *int16, *int32, *int64, *int128, *uint8, *uint16, *uint32, *uint64, *uint128;
  const DataType *float16, *float32, *float64;
  const DataType *data_type, *union_type, *union_all, *typeof_bottom, *type_var;
  const Type *tuple, *named_tuple, *type, *array, *vector, *matrix, *abstract_array, *complex, *rational, *pair, *dict,
      *set, *ref_value;
  const Type *unit_range, *step_range, *step_range_len, *lin_range, *one_to, *bit_array, *sub_array, *reshaped_array;
  const Type *adjoint, *transpose, *diagonal, *val;
  TypeName *tuple_name, *named_tuple_name, *type_name;
};
const CoreTypes& core();

/// A builtin type or alias ("Int", "Vector", "Base.OneTo" or "OneTo"); null: none of this name.
const Type* builtin_type(std::string_view name);
/// All names, in the order of declaration.
std::vector<std::string> builtin_type_names();

/// Julia's typeof of a type as a value: DataType, UnionAll, Union or Core.TypeofBottom.
const DataType* kind_of(const Type* t);
/// DataType, UnionAll, Union or Core.TypeofBottom itself.
bool is_kind(const Type* t);

/// `Array{element, rank}`.
const DataType* array_type(const Type* element, int64_t rank);
/// `wrapper{arguments…}` that is a DataType.
const DataType* applied(const Type* wrapper, std::initializer_list<const Type*> arguments);

}  // namespace weft::julia
