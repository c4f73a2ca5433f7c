#include "native/lower/bits.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace weft::native {
namespace {

using enum ElementType;
using Shape = std::vector<int64_t>;

Shape shape_of(const OpBuilder& b, Value v) { return {b.type(v).shape().begin(), b.type(v).shape().end()}; }

/// Elements as unsigned integers of type `wide`.
Value bits_of(OpBuilder& b, Value x, ElementType wide) {
  const Type t = b.type(x);
  const ElementType e = t.element_type(), u = e == kI1 ? kI1 : unsigned_type(bit_width(e));
  const Value bits = u == e ? x : b.make("stablehlo.bitcast_convert", {x}, {}, t.with_element(u));
  return u == wide ? bits : b.convert(bits, wide);
}

/// At each place of the last dimension, how far its part is shifted.
Value shifts(OpBuilder& b, const Shape& shape, ElementType e, int width) {
  const Type t = Type::tensor(e, shape);
  return b.multiply(b.iota(t, t.rank() - 1), b.splat(t, width));
}

Value split(OpBuilder& b, Value x, const Shape& shape, ElementType wide, int width) {
  std::vector<int64_t> dims(shape.size() - 1);
  std::iota(dims.begin(), dims.end(), 0);
  const Value repeated = b.broadcast_in_dim(bits_of(b, x, wide), dims, shape);
  return b.make("stablehlo.shift_right_logical", {repeated, shifts(b, shape, wide, width)});
}

Value joined(OpBuilder& b, Value x, ElementType wide, int width) {
  const Shape shape = shape_of(b, x);
  const Value moved = b.make("stablehlo.shift_left", {bits_of(b, x, wide), shifts(b, shape, wide, width)});
  const std::array<int64_t, 1> last = {static_cast<int64_t>(shape.size()) - 1};
  return b.reduce(moved, last, "stablehlo.or");
}

/// Part `i` of the last dimension, which goes.
Value part(OpBuilder& b, Value x, int64_t i) {
  Shape from(shape_of(b, x).size(), 0), to = shape_of(b, x), shape = to;
  from.back() = i;
  to.back() = i + 1;
  shape.pop_back();
  return b.reshape(b.slice(x, from, to), shape);
}

Value stacked(OpBuilder& b, Value first, Value second) {
  Shape shape = shape_of(b, first);
  shape.push_back(1);
  const Value parts[] = {b.reshape(first, shape), b.reshape(second, shape)};
  return b.concatenate(parts, static_cast<int64_t>(shape.size()) - 1);
}

/// complex<f64> and two complex<f32>: real and imaginary part each are two numbers of f32.
Value between_complex(OpBuilder& b, Value x, Type to) {
  const Value parts = stacked(b, b.make("stablehlo.real", {x}), b.make("stablehlo.imag", {x}));
  Shape shape = shape_of(b, parts);
  const bool narrows = to.element_type() == kC64;
  if (narrows) {
    shape.push_back(2);
  } else {
    shape.pop_back();
  }
  const Value cast = b.make("stablehlo.bitcast_convert", {parts}, {}, Type::tensor(narrows ? kF32 : kF64, shape));
  return b.make("stablehlo.complex", {part(b, cast, 0), part(b, cast, 1)});
}

}  // namespace

std::optional<std::vector<Value>> lower_bitcast_convert(OpBuilder& b, const OpView& op,
                                                        std::span<const Value> operands) {
  const Type from = op.operand_type(0), to = op.result_type();
  const int from_bits = bit_width(from.element_type()), to_bits = bit_width(to.element_type());
  const int narrow = std::min(from_bits, to_bits);
  if (from_bits == to_bits || !from.is_static() || !to.is_static() || from.is_quantized() || to.is_quantized())
    return std::nullopt;
  if (is_complex(from.element_type())) return std::vector<Value>{between_complex(b, operands[0], to)};
  if (narrow == 6) return std::nullopt;
  const ElementType wide = unsigned_type(std::max({from_bits, to_bits, 8}));
  const Shape shape(to.shape().begin(), to.shape().end());
  const Value bits =
      to_bits < from_bits ? split(b, operands[0], shape, wide, narrow) : joined(b, operands[0], wide, narrow);
  return std::vector<Value>{elements_of_bits(b, bits, to.element_type())};
}

}  // namespace weft::native
