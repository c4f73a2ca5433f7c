// rng and rng_bit_generator. Attribute names:
//   rng                rng_distribution (UNIFORM, NORMAL)
//   rng_bit_generator  rng_algorithm (DEFAULT, THREE_FRY, PHILOX)
// Bits are those that XLA draws, so that programs exported from JAX give the same numbers.
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ops/expansion.h"
#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/random/random_in_ops.h"
#include "ops/scalar/num.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

/// Threefry-2x32 of 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
std::array<uint32_t, 2> threefry(std::array<uint32_t, 2> x, std::array<uint32_t, 2> key) {
  constexpr int kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  const uint32_t schedule[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDAu};
  x[0] += schedule[0];
  x[1] += schedule[1];
  for (uint32_t group = 0; group < 5; ++group) {
    for (int r : kRotations[group % 2]) {
      x[0] += x[1];
      x[1] = (x[1] << r | x[1] >> (32 - r)) ^ x[0];
    }
    x[0] += schedule[(group + 1) % 3];
    x[1] += schedule[(group + 2) % 3] + group + 1;
  }
  return x;
}

/// Philox-4x32 of 10 rounds (same paper).
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> x, std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{x[0]} * 0xD2511F53u, q = uint64_t{x[2]} * 0xCD9E8D57u;
    x = {static_cast<uint32_t>(q >> 32) ^ x[1] ^ key[0], static_cast<uint32_t>(q),
         static_cast<uint32_t>(p >> 32) ^ x[3] ^ key[1], static_cast<uint32_t>(p)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return x;
}

std::array<uint32_t, 2> words(uint64_t x) { return {static_cast<uint32_t>(x), static_cast<uint32_t>(x >> 32)}; }
uint64_t join(uint32_t low, uint32_t high) { return low | uint64_t{high} << 32; }

/// Draws of `bits` (64, or at most 32) random bits for each element of a shape, and the state afterwards.
struct Drawn {
  std::vector<uint64_t> values;
  std::vector<uint64_t> state;
};

/// state: key, counter. A dimension is cut in halves; the two words of a block go to the same place of either half, interleaved.
Drawn draw_threefry(std::vector<uint64_t> state, std::span<const int64_t> shape, int bits) {
  const std::array<uint32_t, 2> key = words(state[0]);
  const int64_t n = num_elements(shape);
  Drawn out;
  out.values.resize(static_cast<size_t>(n));
  // What the counter of a block counts: dimensions in row-major order.
  if (bits == 64) {
    for (int64_t i = 0; i < n; ++i) {
      const auto w = threefry(words(state[1] + static_cast<uint64_t>(i)), key);
      out.values[static_cast<size_t>(i)] = join(w[0], w[1]);
    }
    state[1] += static_cast<uint64_t>(n);
  } else {
    size_t split = shape.size();
    for (size_t d = 0; d < shape.size() && split == shape.size(); ++d) {
      if (shape[d] % 2 == 0) split = d;
    }
    if (split == shape.size() && !shape.empty()) {
      split = 0;
      for (size_t d = 1; d < shape.size(); ++d) split = shape[d] > shape[split] ? d : split;
    }
    const int64_t extent = shape.empty() ? 1 : shape[split], half = (extent + 1) / 2;
    int64_t inner = 1;
    for (size_t d = split + 1; d < shape.size(); ++d) inner *= shape[d];
    const int64_t outer = extent == 0 ? 0 : n / (extent * inner);
    for (int64_t block = 0; block < outer * half * inner; ++block) {
      const auto w = threefry(words(state[1] + static_cast<uint64_t>(block)), key);
      const int64_t o = block / (half * inner), h = block / inner % half, i = block % inner;
      for (int64_t k = 0; k < 2 && 2 * h + k < extent; ++k)
        out.values[static_cast<size_t>((o * extent + 2 * h + k) * inner + i)] = w[static_cast<size_t>(k)];
    }
    state[1] += static_cast<uint64_t>(outer * half * inner);
  }
  out.state = std::move(state);
  return out;
}

/// state: key, counter of 64 bits (the key fills it up to 128), or of 128 bits. Blocks of four words in order.
Drawn draw_philox(std::vector<uint64_t> state, std::span<const int64_t> shape, int bits) {
  const int64_t n = num_elements(shape), word_count = bits == 64 ? 2 * n : n, blocks = (word_count + 3) / 4;
  const std::array<uint32_t, 2> key = words(state[0]);
  Drawn out;
  const uint64_t low = state[1], high = state.size() > 2 ? state[2] : state[0];
  const auto counter = [&](uint64_t step) {
    const uint64_t sum = low + step;
    return std::pair(sum, high + (sum < low ? 1 : 0));
  };
  for (int64_t b = 0; b < blocks; ++b) {
    const auto [l, h] = counter(static_cast<uint64_t>(b));
    const auto a = words(l), c = words(h);
    const auto w = philox({a[0], a[1], c[0], c[1]}, key);
    if (bits == 64) {
      out.values.push_back(join(w[0], w[1]));
      out.values.push_back(join(w[2], w[3]));
    } else {
      out.values.insert(out.values.end(), w.begin(), w.end());
    }
  }
  out.values.resize(static_cast<size_t>(n));
  const auto [l, h] = counter(static_cast<uint64_t>(blocks));
  state[1] = l;
  if (state.size() > 2) state[2] = h;
  out.state = std::move(state);
  return out;
}

std::vector<Type> type_bit_generator(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const Type state = c.operands[0];
  if (!is_integer(state.element_type()) && !is_float(state.element_type())) {
    c.fail("rng_bit_generator_i2", "element type of the state: got " + std::string(name(state.element_type())) +
                                       ", expected an integer or floating-point type");
  }
  const std::string& algorithm = c.attrs.text("rng_algorithm");
  if (algorithm != "DEFAULT" && algorithm != "THREE_FRY" && algorithm != "PHILOX")
    c.fail("rng_bit_generator_i1", "rng_algorithm: got " + algorithm + ", expected DEFAULT, THREE_FRY or PHILOX");
  if (c.declared.size() != 2 || !c.declared[1].is_tensor())
    c.fail("", "result types: got " + std::to_string(c.declared.size()) + ", expected the state and a tensor");
  if (!is_compatible(c.declared[0], state))
    c.expect_equal("rng_bit_generator_c1", "type of the output state", c.declared[0], state);
  if (algorithm != "DEFAULT" && state.rank() == 1 && state.dim(0) != kDynamic) {
    const int64_t size = state.dim(0);
    if (size != 2 && (algorithm == "THREE_FRY" || size != 3)) {
      c.fail("rng_bit_generator_c2", "size of the state of " + algorithm + ": got " + std::to_string(size) +
                                         ", expected 2" + (algorithm == "PHILOX" ? " or 3" : ""));
    }
  }
  const ElementType e = c.declared[1].element_type();
  if (!is_integer(e) && !is_float(e))
    c.fail("",
           "element type of the output: got " + std::string(name(e)) + ", expected an integer or floating-point type");
  return {state, c.declared[1]};
}

std::vector<EvalValue> eval_bit_generator(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& given = operands[0].tensor;
  const std::string& algorithm = op.attrs().text("rng_algorithm");
  const bool is_threefry = algorithm == "THREE_FRY";
  const int64_t size = given.size();
  if (given.element_type() != ElementType::kU64 || given.rank() != 1 || size < 2 || size > (is_threefry ? 2 : 3)) {
    throw Unsupported("[stablehlo.rng_bit_generator] state of " + algorithm + ": got " + op.operand_type(0).str() +
                          ", expected tensor<2xui64>" + (is_threefry ? "" : " or tensor<3xui64>"),
                      op.loc());
  }
  std::vector<uint64_t> state(given.data<uint64_t>().begin(), given.data<uint64_t>().end());
  const Type t = op.result_type(1);
  Tensor bits(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  const int width = bit_width(t.element_type());
  const Drawn drawn = is_threefry ? draw_threefry(state, bits.shape(), width) : draw_philox(state, bits.shape(), width);
  const size_t bytes = byte_size(t.element_type());
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  for (int64_t i = 0; i < bits.size(); ++i) {
    const uint64_t v = drawn.values[static_cast<size_t>(i)] & mask;
    if (width < 8 && is_integer(t.element_type())) {
      store_num(bits.raw(), Num::of_bits(t.element_type(), static_cast<int64_t>(v)), i);
    } else {
      std::memcpy(static_cast<std::byte*>(bits.raw()) + static_cast<size_t>(i) * bytes, &v, bytes);
    }
  }
  return {Tensor::of<uint64_t>(drawn.state, given.shape()), bits};
}

/// Each lane draws from its own state what the op would draw from it.
std::vector<LaneValue> vectorize_bit_generator(VectorizeContext& context, const OpView& op,
                                               std::span<const LaneValue> operands) {
  constexpr ExpandFn* kInOps = [](OpBuilder& b, const OpView& view, std::span<const Value> given) {
    auto out = rng_bit_generator_in_ops(b, view, given);
    if (!out) {
      throw Unsupported(
          "[stablehlo.rng_bit_generator] lanes: got a state " + view.operand_type(0).str() + " and an output " +
              view.result_type(1).str() +
              ", expected a state tensor<2xui64> (PHILOX: or tensor<3xui64>) and static elements of whole "
              "bytes or integers",
          view.loc());
    }
    return std::move(*out);
  };
  return expansion_detail::vectorize(kInOps, context, op, operands);
}

std::vector<Sample> samples_bit_generator() {
  std::vector<Sample> out;
  using enum ElementType;
  const auto add = [&](const std::string& algorithm, int64_t words, Type t) {
    out.push_back({algorithm + " " + std::to_string(words) + " " + t.str(),
                   {{Type::tensor(kU64, {words}), {0, 1e9}}},
                   [=](OpBuilder& b, std::span<const Value> state) {
                     const Type types[] = {b.type(state[0]), t};
                     return b.create("stablehlo.rng_bit_generator", state, Attrs{{"rng_algorithm", algorithm}}, types);
                   },
                   false});
  };
  for (const char* algorithm : {"THREE_FRY", "PHILOX", "DEFAULT"}) {
    for (const Type t :
         {Type::tensor(kU32, {3, 5}), Type::tensor(kU64, {4}), Type::tensor(kU8, {7}), Type::scalar(kU32)})
      add(algorithm, 2, t);
  }
  add("PHILOX", 3, Type::tensor(kU32, {5}));
  add("DEFAULT", 3, Type::tensor(kU64, {2, 2}));
  add("THREE_FRY", 2, Type::tensor(kF32, {3}));
  add("THREE_FRY", 2, Type::tensor(kU32, {0, 3}));
  return out;
}

// ---- rng ------------------------------------------------------------------------------------------------------------

std::vector<Type> type_rng(const TypeContext& c) {
  c.expect_operands(3);
  for (size_t i = 0; i < 2; ++i) {
    const Type t = c.operands[i];
    if (!t.is_scalar())
      c.fail(i == 0 ? "rng_i1" : "rng_i2",
             "type of operand " + std::to_string(i) + ": got " + t.str() + ", expected a rank-0 tensor");
    if (is_complex(t.element_type()))
      c.fail("rng_c1", "element type of operand " + std::to_string(i) + ": got " + std::string(name(t.element_type())) +
                           ", expected a boolean, integer or floating-point type");
  }
  if (c.operands[0] != c.operands[1]) c.expect_equal("rng_c1", "type of operand 1", c.operands[1], c.operands[0]);
  const Type shape = c.operands[2];
  if (!shape.is_tensor() || shape.rank() != 1 ||
      !(is_integer(shape.element_type()) || is_index(shape.element_type())) || !shape.is_static())
    c.fail("rng_i3", "type of the shape: got " + shape.str() + ", expected a static 1-dimensional tensor of integers");
  const ElementType e = c.operands[0].element_type();
  const std::string& distribution = c.attrs.text("rng_distribution");
  if (distribution != "UNIFORM" && distribution != "NORMAL")
    c.fail("rng_i4", "rng_distribution: got " + distribution + ", expected UNIFORM or NORMAL");
  if (distribution == "NORMAL" && !is_float(e))
    c.fail("rng_c2", "element type: got " + std::string(name(e)) + ", expected a floating-point type for NORMAL");
  const Type result = c.declared_result();
  if (!result.is_tensor() || result.element_type() != e)
    c.fail("rng_c1", "type of the result: got " + result.str() + ", expected a tensor of " + std::string(name(e)));
  if (result.rank() != shape.dim(0))
    c.fail("rng_c3",
           "rank of the result: got " + std::to_string(result.rank()) + ", expected " + std::to_string(shape.dim(0)));
  // A shape known here is checked here.
  return {result};
}

/// Uniform numbers of Philox with a key that is the op's position in its function, so that a program gives the same numbers on
/// each run; 53 bits each, never 0 or 1.
class Source {
 public:
  explicit Source(uint64_t key) : key_(words(key)) {}
  double uniform() {
    if (at_ == 4) {
      const auto c = words(counter_++);
      block_ = philox({c[0], c[1], 0, 0}, key_);
      at_ = 0;
    }
    const uint64_t bits = join(block_[at_], block_[at_ + 1]);
    at_ += 2;
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  }
  double normal() {
    const double r = std::sqrt(-2 * std::log(uniform()));
    return r * std::cos(6.283185307179586476925 * uniform());
  }

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> block_{};
  uint64_t counter_ = 0;
  size_t at_ = 4;
};

uint64_t seed_of(const OpView& op) {
  return static_cast<uint64_t>(op.attrs().integer_or("weft.seed", static_cast<int64_t>(op.id.index)));
}

std::vector<EvalValue> eval_rng(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const ElementType e = operands[0].tensor.element_type();
  const Tensor& extents = operands[2].tensor;
  Shape shape;
  for (int64_t i = 0; i < extents.size(); ++i) {
    const int64_t n = load_num(extents.raw(), extents.element_type(), i).bits;
    const int64_t declared = op.result_type().dim(i);
    if (n < 0 || (declared != kDynamic && declared != n))
      throw UserError("[stablehlo.rng] shape: got extent " + std::to_string(n) + " of dimension " + std::to_string(i) +
                          ", expected that of " + op.result_type().str(),
                      op.loc());
    shape.push_back(n);
  }
  Tensor out(e, shape);
  const Num a = load_num(operands[0].tensor.raw(), e, 0), b = load_num(operands[1].tensor.raw(), e, 0);
  const bool is_normal = op.attrs().text("rng_distribution") == "NORMAL";
  Source source(seed_of(op));
  for (int64_t i = 0; i < out.size(); ++i) {
    Num x = a;
    if (is_normal) {
      x.real = a.real + b.real * source.normal();
    } else if (a.is_real()) {
      x.real = a.real + (b.real - a.real) * source.uniform();
    } else {
      const auto span = static_cast<double>(b.bits - a.bits);
      x = Num::of_bits(e, a.bits + static_cast<int64_t>(std::floor(span * source.uniform())));
    }
    store_num(out.raw(), x, i);
    // Rounding may reach the upper limit, which is excluded.
    if (!is_normal && a.real < b.real && load_num(out.raw(), e, i).real >= b.real) store_num(out.raw(), a, i);
  }
  return {out};
}

/// With the draw fixed, x = a + (b - a)·u moves by (1 - u)·ȧ + u·ḃ, and μ + σ·z by μ̇ + z·σ̇. Of an empty interval a counts.
Linearized linearize_rng(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                         std::span<const Value> tangents) {
  Linearized out{context.clone_primal(op, primals), {Value{}}};
  OpBuilder &b = context.primal(), &linear = context.linear();
  const Type t = op.result_type();
  if (!t.is_static())
    throw Unsupported(
        "[stablehlo.rng] derivative: got " + t.str() + ", expected a static type (refine the shapes first)", op.loc());
  const auto spread = [&](OpBuilder& at, Value v) { return at.broadcast_scalar(v, t.shape()); };
  const bool is_normal = op.attrs().text("rng_distribution") == "NORMAL";
  const Value a = spread(b, primals[0]), last = spread(b, primals[1]);
  const Value scale = is_normal ? last : b.subtract(last, a), zeros = b.zeros(t), one = b.splat(t, 1);
  const Value is_empty = b.compare(scale, zeros, "EQ");
  const Value drawn =
      b.select(is_empty, zeros, b.divide(b.subtract(out.results[0], a), b.select(is_empty, one, scale)));
  if (tangents[0]) {
    const Value moved = spread(linear, tangents[0]);
    out.tangents[0] = is_normal ? moved : linear.multiply(moved, b.subtract(one, drawn));
  }
  if (tangents[1])
    out.tangents[0] = add_tangents(linear, out.tangents[0], linear.multiply(spread(linear, tangents[1]), drawn));
  return out;
}

/// One draw, which each lane brings between its own bounds.
std::vector<LaneValue> vectorize_rng(VectorizeContext& context, const OpView& op, std::span<const LaneValue> operands) {
  using enum ElementType;
  OpBuilder& b = context.builder();
  const Type t = op.result_type();
  if (operands[2].varies || !t.is_static())
    throw Unsupported("[stablehlo.rng] lanes: the shape (operand 2) differs by lane or is not known", op.loc());
  Attrs attrs = op.attrs();
  attrs.set("weft.seed", static_cast<int64_t>(seed_of(op)));
  const Value given[] = {b.scalar(kF64, 0), b.scalar(kF64, 1), operands[2].value};
  const Type wide = t.with_element(kF64), all = with_lanes(t, context.lanes());
  const Value draw = b.create(op.def(), given, attrs, std::span(&wide, 1))[0];
  std::vector<int64_t> inner(static_cast<size_t>(t.rank()));
  std::iota(inner.begin(), inner.end(), 1);
  const int64_t lane[] = {0};
  const auto bound = [&](const LaneValue& v) {
    return v.varies ? b.broadcast_in_dim(v.value, lane, all.shape()) : b.broadcast_scalar(v.value, all.shape());
  };
  const Value standard = b.broadcast_in_dim(draw, inner, all.shape());
  const bool is_normal = op.attrs().text("rng_distribution") == "NORMAL";
  return {{(is_normal ? normal_of : uniform_between)(b, standard, bound(operands[0]), bound(operands[1])), true}};
}

std::vector<Sample> samples_rng() {
  std::vector<Sample> out;
  using enum ElementType;
  const auto add = [&](std::string label, ElementType e, const char* distribution) {
    out.push_back(
        {std::move(label),
         {{Type::scalar(e), {1, 2}}, {Type::scalar(e), {5, 9}}},
         [=](OpBuilder& b, std::span<const Value> x) {
           const Type t = Type::tensor(e, {2, 3});
           const Value operands[] = {x[0], x[1], b.constant(Literal::dense(Tensor::of<int64_t>({2, 3}, {2})))};
           // Named, so that copies of the op draw the same.
           return b.create("stablehlo.rng", operands,
                           Attrs{{"rng_distribution", distribution}, {"weft.seed", int64_t{12}}}, std::span(&t, 1));
         }});
  };
  add("uniform", kF64, "UNIFORM");
  add("uniform f32", kF32, "UNIFORM");
  add("uniform i32", kI32, "UNIFORM");
  add("normal", kF64, "NORMAL");
  add("normal f32", kF32, "NORMAL");
  return out;
}

const OpRecord kOps[] = {
    {{"stablehlo.rng"},
     {.doc =
          "Random numbers: uniform in [a, b), or normal of mean a and deviation b. Each op of a function draws its own "
          "sequence (Philox, keyed by the op's position), the same on each run; it is not that of other targets. "
          "Lanes, as trips of a loop, draw the same numbers, each between its own bounds. Derivatives hold the draw "
          "fixed and move with the bounds.",
      .syntax = Syntax::kCustom,
      .schema = {{"rng_distribution", AttrKind::kText}},
      .type = type_rng,
      .eval = eval_rng,
      .scalar = kNotElementwise,
      .linearize = linearize_rng,
      .transpose = kNotLinear,
      .vectorize = vectorize_rng,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kCheck,  // two equal ops draw different numbers
      .cost = cost_transcendental,
      .to_stablehlo = portable_as_is,
      .samples = samples_rng}},
    {{"stablehlo.rng_bit_generator"},
     {.doc =
          "Random bits and the state after drawing them. THREE_FRY: state of a key and a counter, 64 bits each. PHILOX "
          "(also DEFAULT): a key of 64 and a counter of 64 or 128 bits. The bits are XLA's.",
      .syntax = Syntax::kCustom,
      .schema = {{"rng_algorithm", AttrKind::kText}},
      .type = type_bit_generator,
      .eval = eval_bit_generator,
      .scalar = kNotElementwise,
      .linearize = linearize_zero,
      .transpose = kNotLinear,
      .vectorize = vectorize_bit_generator,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_transcendental,
      .to_stablehlo = portable_as_is,
      .samples = samples_bit_generator}},
};

}  // namespace

Family rng_ops() { return kOps; }

}  // namespace weft
