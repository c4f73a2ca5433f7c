#include "ops/random/random_in_ops.h"

#include <algorithm>
#include <array>
#include <string>

#include "ops/elementwise/element_bits.h"

namespace weft {
namespace {

using enum ElementType;
using Shape = std::vector<int64_t>;

/// Arithmetic on tensors of one shape.
struct Numbers {
  OpBuilder& b;
  Shape shape;

  Value splat(ElementType e, double x) const { return b.splat(Type::tensor(e, shape), x); }
  Value spread(Value scalar) const { return b.broadcast_scalar(scalar, shape); }
  Val val(Value v) const { return {&b, v}; }
  Value iota(ElementType e, size_t d) const { return b.iota(Type::tensor(e, shape), static_cast<int64_t>(d)); }
  Value bitwise(const char* mnemonic, Value x, Value y) const { return b.make(mnemonic, {x, y}); }
  Value exclusive_or(Value x, Value y) const { return bitwise("stablehlo.xor", x, y); }
  Value shift_right(Value x, int bits) const {
    return bitwise("stablehlo.shift_right_logical", x, b.splat(b.type(x), bits));
  }
  Value shift_left(Value x, int bits) const { return bitwise("stablehlo.shift_left", x, b.splat(b.type(x), bits)); }
  Value rotate_left(Value x, int bits) const {
    return bitwise("stablehlo.or", shift_left(x, bits), shift_right(x, 32 - bits));
  }
  Value low_word(Value x) const { return b.convert(x, kU32); }
  Value high_word(Value x) const { return b.convert(shift_right(x, 32), kU32); }
  Value join(Value low, Value high) const {
    return bitwise("stablehlo.or", b.convert(low, kU64), shift_left(b.convert(high, kU64), 32));
  }
};

/// The words of a scalar of 64 bits.
std::array<Value, 2> words(OpBuilder& b, Value x) {
  const Numbers scalars{b, {}};
  return {scalars.low_word(x), scalars.high_word(x)};
}

/// Threefry-2x32 of 20 rounds (Salmon et al. 2011).
std::array<Value, 2> threefry(const Numbers& n, std::array<Value, 2> x, std::array<Value, 2> key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  OpBuilder& b = n.b;
  const Numbers scalars{b, {}};
  const Value parity = scalars.exclusive_or(scalars.exclusive_or(key[0], key[1]), scalars.splat(kU32, 0x1BD11BDA));
  const Value schedule[3] = {key[0], key[1], parity};
  x[0] = b.add(x[0], n.spread(key[0]));
  x[1] = b.add(x[1], n.spread(key[1]));
  for (uint32_t group = 0; group < 5; ++group) {
    for (int r : kRotations[group % 2]) {
      x[0] = b.add(x[0], x[1]);
      x[1] = n.exclusive_or(n.rotate_left(x[1], r), x[0]);
    }
    x[0] = b.add(x[0], n.spread(schedule[(group + 1) % 3]));
    x[1] = b.add(x[1], n.spread(b.add(schedule[(group + 2) % 3], scalars.splat(kU32, group + 1))));
  }
  return x;
}

/// Philox-4x32 of 10 rounds (same paper).
std::array<Value, 4> philox(const Numbers& n, std::array<Value, 4> x, std::array<Value, 2> key) {
  OpBuilder& b = n.b;
  const Numbers scalars{b, {}};
  for (int round = 0; round < 10; ++round) {
    const Value p = b.multiply(b.convert(x[0], kU64), n.splat(kU64, 0xD2511F53));
    const Value q = b.multiply(b.convert(x[2], kU64), n.splat(kU64, 0xCD9E8D57));
    x = {n.exclusive_or(n.exclusive_or(n.high_word(q), x[1]), n.spread(key[0])), n.low_word(q),
         n.exclusive_or(n.exclusive_or(n.high_word(p), x[3]), n.spread(key[1])), n.low_word(p)};
    key = {b.add(key[0], scalars.splat(kU32, 0x9E3779B9)), b.add(key[1], scalars.splat(kU32, 0xBB67AE85))};
  }
  return x;
}

/// Row-major number of an element among the dimensions [from, to).
Value number(const Numbers& n, size_t from, size_t to, std::vector<Value> coordinates) {
  Value sum;
  int64_t stride = 1;
  for (size_t d = to; d-- > from;) {
    Value term = coordinates[d];
    if (stride != 1) term = n.b.multiply(term, n.splat(kU64, static_cast<double>(stride)));
    sum = sum ? n.b.add(term, sum) : term;
    stride *= n.shape[d];
  }
  return sum ? sum : n.splat(kU64, 0);
}

std::vector<Value> coordinates(const Numbers& n) {
  std::vector<Value> out;
  for (size_t d = 0; d < n.shape.size(); ++d) out.push_back(n.iota(kU64, d));
  return out;
}

/// Bits of each element in the low end of 32 or 64, and the blocks they come from.
struct Drawn {
  Value bits;
  int64_t blocks = 0;
};

/// A dimension is cut in halves; the two words of a block go to the same place of either half, interleaved.
Drawn draw_threefry(const Numbers& n, std::array<Value, 2> state, int width) {
  OpBuilder& b = n.b;
  const std::array<Value, 2> key = words(b, state[0]);
  const auto encrypt = [&](Value block) {
    const Value counter = b.add(n.spread(state[1]), block);
    return threefry(n, {n.low_word(counter), n.high_word(counter)}, key);
  };
  const size_t rank = n.shape.size();
  const std::vector<Value> at = coordinates(n);
  const int64_t count = num_elements(n.shape);
  if (width == 64) {
    const auto w = encrypt(number(n, 0, rank, at));
    return {n.join(w[0], w[1]), count};
  }
  if (rank == 0) return {encrypt(n.splat(kU64, 0))[0], 1};
  size_t split = rank;
  for (size_t d = 0; d < rank && split == rank; ++d) {
    if (n.shape[d] % 2 == 0) split = d;
  }
  if (split == rank) split = static_cast<size_t>(std::max_element(n.shape.begin(), n.shape.end()) - n.shape.begin());
  Numbers halved = n;
  halved.shape[split] = (n.shape[split] + 1) / 2;
  std::vector<Value> block = at;
  block[split] = n.shift_right(at[split], 1);
  // The counter counts in the shape with half the extent.
  Value sum;
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    Value term = block[d];
    if (stride != 1) term = b.multiply(term, n.splat(kU64, static_cast<double>(stride)));
    sum = sum ? b.add(term, sum) : term;
    stride *= halved.shape[d];
  }
  const auto w = encrypt(sum);
  const Value odd = b.compare(n.bitwise("stablehlo.and", at[split], n.splat(kU64, 1)), n.splat(kU64, 1), "EQ");
  return {b.select(odd, w[1], w[0]), num_elements(n.shape) == 0 ? 0 : num_elements(halved.shape)};
}

/// 128 bits count blocks of four words in order; `high` is the upper half of the counter.
std::array<Value, 4> philox_block(const Numbers& n, Value low, Value high, std::array<Value, 2> key, Value block) {
  OpBuilder& b = n.b;
  const Value start = n.spread(low), l = b.add(start, block);
  const Value carry = b.convert(b.compare(l, start, "LT"), kU64);
  const Value h = b.add(n.spread(high), carry);
  return philox(n, {n.low_word(l), n.high_word(l), n.low_word(h), n.high_word(h)}, key);
}

Drawn draw_philox(const Numbers& n, Value low, Value high, std::array<Value, 2> key, int width) {
  OpBuilder& b = n.b;
  const int64_t count = num_elements(n.shape);
  const Value element = number(n, 0, n.shape.size(), coordinates(n));
  const auto has_bit = [&](int bit) {
    const Value mask = n.splat(kU64, 1 << bit);
    return b.compare(n.bitwise("stablehlo.and", element, mask), mask, "EQ");
  };
  const auto w = philox_block(n, low, high, key, n.shift_right(element, width == 64 ? 1 : 2));
  if (width == 64) return {b.select(has_bit(0), n.join(w[2], w[3]), n.join(w[0], w[1])), (count + 1) / 2};
  const Value odd = has_bit(0);
  return {b.select(has_bit(1), b.select(odd, w[3], w[2]), b.select(odd, w[1], w[0])), (count + 3) / 4};
}

Shape shape_of(Type t) { return {t.shape().begin(), t.shape().end()}; }

}  // namespace

std::optional<std::vector<Value>> rng_bit_generator_in_ops(OpBuilder& b, const OpView& op,
                                                           std::span<const Value> operands) {
  const Type given = op.operand_type(0), t = op.result_type(1);
  const bool is_threefry = op.attrs().text("rng_algorithm") == "THREE_FRY";
  if (!given.is_static() || !t.is_static() || given.element_type() != kU64 || given.rank() != 1) return std::nullopt;
  const int64_t size = given.dim(0);
  const int width = bit_width(t.element_type());
  if (size < 2 || size > (is_threefry ? 2 : 3) || (width < 8 && is_float(t.element_type()))) return std::nullopt;
  std::vector<Value> state;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t from[] = {i}, to[] = {i + 1};
    state.push_back(b.reshape(b.slice(operands[0], from, to), {}));
  }
  const Numbers n{b, shape_of(t)};
  const Value high = size > 2 ? state[2] : state[0];
  const Drawn drawn = is_threefry ? draw_threefry(n, {state[0], state[1]}, width)
                                  : draw_philox(n, state[1], high, words(b, state[0]), width);
  const Value moved = b.add(state[1], b.scalar(kU64, static_cast<double>(drawn.blocks)));
  if (size > 2) state[2] = b.add(state[2], b.convert(b.compare(moved, state[1], "LT"), kU64));
  state[1] = moved;
  for (Value& v : state) v = b.reshape(v, std::array<int64_t, 1>{1});
  return std::vector<Value>{b.concatenate(state, 0), elements_of_bits(b, drawn.bits, t.element_type())};
}

std::optional<std::vector<Value>> rng_in_ops(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const Type t = op.result_type();
  if (!t.is_static() || t.is_quantized()) return std::nullopt;
  const Numbers n{b, shape_of(t)};
  // The shape is given twice, and must be what the type says.
  const Shape extents = n.shape;
  const Value wanted =
      b.convert(b.constant(Literal::dense(Tensor::of<int64_t>(extents, {static_cast<int64_t>(extents.size())}))),
                b.type(operands[2]).element_type());
  const int64_t axis[] = {0};
  const Value is_wanted = b.reduce(b.compare(operands[2], wanted, "EQ"), axis, "stablehlo.and");
  b.create("weft.check", std::span(&is_wanted, 1),
           Attrs{{"message", "[stablehlo.rng] shape: expected that of " + t.str()}});
  const auto seed = static_cast<uint64_t>(op.attrs().integer_or("weft.seed", static_cast<int64_t>(op.id.index)));
  const Numbers scalars{b, {}};
  const std::array<Value, 2> key = {scalars.splat(kU32, static_cast<double>(static_cast<uint32_t>(seed))),
                                    scalars.splat(kU32, static_cast<double>(seed >> 32))};
  const Value zero = scalars.splat(kU64, 0);
  const bool is_normal = op.attrs().text("rng_distribution") == "NORMAL";
  const Value element = number(n, 0, n.shape.size(), coordinates(n));
  // 53 bits, never 0 or 1.
  const auto uniform = [&](Value low, Value high) {
    const Val bits{&b, b.convert(n.shift_right(n.join(low, high), 11), kF64)};
    return (bits + 0.5) * 0x1p-53;
  };
  if (is_normal) {
    // Two numbers, which are a block, for each element.
    const auto w = philox_block(n, zero, zero, key, element);
    const Val r = (uniform(w[0], w[1]).unary("stablehlo.log") * -2.0).unary("stablehlo.sqrt");
    const Val angle = uniform(w[2], w[3]) * 6.283185307179586476925;
    return std::vector<Value>{
        normal_of(b, (r * angle.unary("stablehlo.cosine")).value, n.spread(operands[0]), n.spread(operands[1]))};
  }
  const auto w = philox_block(n, zero, zero, key, n.shift_right(element, 1));
  const Value one = n.splat(kU64, 1);
  const Value odd = b.compare(n.bitwise("stablehlo.and", element, one), one, "EQ");
  const Val u = uniform(b.select(odd, w[2], w[0]), b.select(odd, w[3], w[1]));
  return std::vector<Value>{uniform_between(b, u.value, n.spread(operands[0]), n.spread(operands[1]))};
}

Value normal_of(OpBuilder& b, Value standard, Value mean, Value deviation) {
  const auto wide = [&](Value v) { return Val{&b, b.convert(v, kF64)}; };
  return b.convert((wide(mean) + wide(deviation) * Val{&b, standard}).value, b.type(mean).element_type());
}

Value uniform_between(OpBuilder& b, Value standard, Value from, Value to) {
  const ElementType e = b.type(from).element_type();
  const Val u{&b, standard};
  if (is_float(e)) {
    const Val low{&b, b.convert(from, kF64)}, high{&b, b.convert(to, kF64)};
    const Value x = b.convert((low + (high - low) * u).value, e);
    // Rounding may reach the upper limit, which is excluded.
    const Value is_over = b.logical_and(b.compare(from, to, "LT"), b.compare(x, to, "GE"));
    return b.select(is_over, from, x);
  }
  const Value low = b.convert(from, kI64), high = b.convert(to, kI64);
  const Val steps = (Val{&b, b.convert(b.subtract(high, low), kF64)} * u).unary("stablehlo.floor");
  const Value sum = b.add(low, b.convert(steps.value, kI64));
  return e == kI1 ? b.compare(sum, b.zeros(b.type(sum)), "NE") : b.convert(sum, e);
}

}  // namespace weft
