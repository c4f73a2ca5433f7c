#include "julia/infer/emit/lapack_calls.h"

#include "julia/host/array.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"
#include "ops/linear_algebra/matrix_algebra.h"

namespace weft::julia {

MatrixArgument matrix_argument(Compiler& c, const Abstract& a) {
  MatrixArgument out;
  out.array = array_argument(c, a);
  const HeapObject& o = c.object(out.array);
  const auto* element = as<DataType>(o.element);
  const auto e = element == nullptr ? std::nullopt : element_type(element);
  using enum ElementType;
  if (!e || (*e != kF32 && *e != kF64 && *e != kC64 && *e != kC128) || o.dims.empty() || o.dims.size() > 2)
    c.fail(Cause::kUnsupported, "a factorization of an array of " + type_text(o.element));
  out.element = *e;
  out.rows = o.dims[0];
  out.columns = o.dims.size() == 2 ? o.dims[1] : 1;
  const int64_t shape[] = {out.columns, out.rows};
  out.leaf = c.b().reshape(o.leaves[0], shape);
  return out;
}

IrValue by_rows(Compiler& c, const MatrixArgument& m) { return matrix_algebra::flip(c.b(), m.leaf); }

void store_leaf(Compiler& c, const MatrixArgument& m, IrValue leaf) {
  HeapObject& o = c.writable(m.array);
  o.leaves = {c.b().reshape(leaf, reversed(o.dims))};
}

void store_rows(Compiler& c, const MatrixArgument& m, IrValue rows) {
  store_leaf(c, m, matrix_algebra::flip(c.b(), rows));
}

Abstract matrix_of_rows(Compiler& c, IrValue rows) {
  const weft::Type t = c.b().type(rows);
  return c.new_array(array_type(julia_type(t.element_type()), 2), {t.dim(0), t.dim(1)},
                     {matrix_algebra::flip(c.b(), rows)});
}

Abstract vector_of(Compiler& c, IrValue v) {
  const weft::Type t = c.b().type(v);
  return c.new_array(array_type(julia_type(t.element_type()), 1), {t.dim(0)}, {v});
}

ElementType real_of(ElementType e) {
  using enum ElementType;
  return e == kC64 ? kF32 : e == kC128 ? kF64 : e;
}

weft::Type shaped(ElementType e, std::initializer_list<int64_t> shape) {
  return weft::Type::tensor(e, std::vector<int64_t>(shape));
}

std::vector<IrValue> lapack(Compiler& c, LapackName name, ElementType e, std::initializer_list<IrValue> operands,
                            std::initializer_list<weft::Type> results,
                            std::initializer_list<std::pair<std::string_view, char>> letters) {
  using enum ElementType;
  const char letter = e == kF32 ? 's' : e == kF64 ? 'd' : e == kC64 ? 'c' : 'z';
  const std::string_view routine = is_complex(e) && !name.of_complex.empty() ? name.of_complex : name.real;
  Attrs attrs{{"call_target_name", "lapack_" + std::string(1, letter) + std::string(routine) + "_ffi"}};
  AttrEntries entries;
  for (const auto& [key, value] : letters)
    entries.emplace_back(std::string(key), OpaqueAttr{std::to_string(static_cast<int>(value)) + " : ui8"});
  if (!entries.empty()) attrs.set("mhlo.backend_config", std::move(entries));
  const std::vector<IrValue> given(operands);
  const std::vector<weft::Type> types(results);
  return c.b().create("stablehlo.custom_call", given, std::move(attrs), types);
}

Abstract info_of(Compiler& c, IrValue info) {
  return Abstract::of_scalar(core().int64, c.b().convert(info, ElementType::kI64));
}
Abstract integers_of(Compiler& c, IrValue v) { return vector_of(c, c.b().convert(v, ElementType::kI64)); }

char letter_of(Compiler& c, const Abstract& a) {
  if (!a.is_constant() || a.type != core().char_)
    c.fail(Cause::kDispatch, "a form of a matrix that is known only when the program runs");
  return char_text(a.constant.get<Char>())[0];
}

IrValue solve_triangle(Compiler& c, IrValue a, IrValue b, char uplo, char trans, bool unit, bool from_right) {
  if (c.b().type(b).num_elements() == 0) return b;
  const IrValue operands[] = {a, b};
  const char* mode = trans == 'N' ? "NO_TRANSPOSE" : trans == 'T' ? "TRANSPOSE" : "ADJOINT";
  return c.b().create(
      "stablehlo.triangular_solve", operands,
      Attrs{{"left_side", from_right}, {"lower", uplo == 'U'}, {"unit_diagonal", unit}, {"transpose_a", mode}})[0];
}

}  // namespace weft::julia
