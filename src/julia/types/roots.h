// The few types that the machinery of types itself needs, made before the table of builtin types is read.
#pragma once
#include "julia/types/type.h"

namespace weft::julia {

struct Roots {
  const DataType* any;
  const UnionType* bottom;
  TypeName *any_name, *tuple_name, *named_tuple_name, *type_name, *vararg_name;
  const DataType *symbol, *int64;
};
const Roots& roots();

/// Joins the table of nodes; for type.cc and roots.cc.
const DataType* intern_data_type(TypeName* name, std::vector<const Type*> parameters);

}  // namespace weft::julia
