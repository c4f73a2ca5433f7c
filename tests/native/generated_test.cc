// Generated kernels against the evaluator: elementwise and structural ops, reductions, over shapes around the vector widths.
#include "generated_check.h"

namespace weft::codegen {
namespace {

using Types = std::vector<ElementType>;
const Types kAll = {ElementType::kI1,   ElementType::kI8,  ElementType::kI16, ElementType::kI32, ElementType::kI64,
                    ElementType::kU8,   ElementType::kU16, ElementType::kU32, ElementType::kU64, ElementType::kF16,
                    ElementType::kBF16, ElementType::kF32, ElementType::kF64};

class Random {
 public:
  explicit Random(uint64_t seed) : rng(seed) {}
  std::mt19937_64 rng;
  int64_t below(int64_t n) { return n <= 0 ? 0 : static_cast<int64_t>(rng() % static_cast<uint64_t>(n)); }
  int64_t extent() {
    const int64_t choices[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100};
    return choices[below(19)];
  }
  Shape shape() {
    Shape s;
    const int64_t rank = below(5);
    for (int64_t i = 0; i < rank; ++i) {
      int64_t e = extent();
      while (num_elements(s) * e > 6000) e = (e + 1) / 2;
      s.push_back(e);
    }
    return s;
  }
};

// One more op on `x`, of any kind that keeps the number of elements small. Values stay exact: no op whose rounding differs.
Value random_step(Random& r, Program& p, Value x) {
  OpBuilder& b = p.b;
  const Type t = b.type(x);
  const int64_t rank = t.rank();
  const ElementType e = t.element_type();
  const Shape shape(t.shape().begin(), t.shape().end());
  switch (r.below(19)) {
    case 0: return b.add(x, p.arg(t));
    case 1: return b.maximum(x, p.arg(t));
    case 2: return b.multiply(x, x);
    case 3: return b.select(b.compare(x, p.arg(t), r.below(2) == 0 ? "LT" : "NE"), x, p.arg(t));
    case 4: {
      const ElementType to = kAll[static_cast<size_t>(r.below(static_cast<int64_t>(kAll.size())))];
      return b.convert(x, to);
    }
    case 5: {
      std::vector<int64_t> perm(static_cast<size_t>(rank));
      for (int64_t i = 0; i < rank; ++i) perm[static_cast<size_t>(i)] = i;
      std::shuffle(perm.begin(), perm.end(), r.rng);
      return b.transpose(x, perm);
    }
    case 6: {
      std::vector<int64_t> start, limit, stride;
      for (int64_t d : shape) {
        start.push_back(r.below(2) == 0 ? 0 : r.below(d));
        limit.push_back(r.below(2) == 0 ? d : std::min(d, start.back() + 1 + r.below(d - start.back())));
        stride.push_back(r.below(3) == 0 ? 1 + r.below(3) : 1);
      }
      return b.slice(x, start, limit, stride);
    }
    case 7: {
      std::vector<int64_t> low, high, interior;
      for (int64_t d : shape) {
        low.push_back(r.below(3) == 0 ? r.below(4) - 1 : 0);
        high.push_back(r.below(3) == 0 ? r.below(4) : 0);
        interior.push_back(r.below(4) == 0 ? r.below(3) : 0);
        if (d + low.back() < 0) low.back() = 0;
      }
      return b.pad(x, p.arg(Type::scalar(e)), low, high, interior);
    }
    case 8: {
      if (rank == 0) return x;
      const int64_t d = r.below(rank);
      Shape other = shape;
      other[static_cast<size_t>(d)] = r.extent() % 8;
      const std::vector<Value> xs = {x, p.arg(Type::tensor(e, other)), x};
      return b.concatenate(xs, d);
    }
    case 9: {
      std::vector<int64_t> dims;
      for (int64_t i = 0; i < rank; ++i) {
        if (r.below(2) == 0) dims.push_back(i);
      }
      return b.reverse(x, dims);
    }
    case 10: {
      // A new dimension somewhere.
      Shape to = shape;
      const int64_t at = r.below(rank + 1);
      to.insert(to.begin() + at, 1 + r.below(5));
      std::vector<int64_t> dims;
      for (int64_t i = 0; i < rank; ++i) dims.push_back(i < at ? i : i + 1);
      return b.broadcast_in_dim(x, dims, to);
    }
    case 11: {
      // Merge all, split off a factor.
      const int64_t n = t.num_elements();
      for (int64_t f : {7, 5, 4, 3, 2}) {
        if (n > 0 && n % f == 0) return b.reshape(x, r.below(2) == 0 ? Shape{f, n / f} : Shape{n / f, f});
      }
      return b.reshape(x, Shape{n});
    }
    case 12: {
      std::vector<Value> starts;
      std::vector<int64_t> sizes;
      for (int64_t d : shape) {
        starts.push_back(p.arg(Type::scalar(ElementType::kI32)));
        sizes.push_back(r.below(2) == 0 ? d : std::min(d, r.below(d) + 1));
      }
      return b.dynamic_slice(x, starts, sizes);
    }
    case 13: {
      std::vector<Value> starts;
      std::vector<int64_t> sizes;
      for (int64_t d : shape) {
        starts.push_back(p.arg(Type::scalar(ElementType::kI64)));
        sizes.push_back(r.below(2) == 0 ? d : std::min(d, r.below(d) + 1));
      }
      return b.dynamic_update_slice(x, p.arg(Type::tensor(e, sizes)), starts);
    }
    case 14: {
      std::vector<int64_t> dims;
      for (int64_t i = 0; i < rank; ++i) {
        if (r.below(3) == 0) dims.push_back(i);
      }
      const bool sum = is_integer(e) && r.below(2) == 0;
      return b.reduce(x, dims, sum ? "stablehlo.add" : "stablehlo.minimum",
                      r.below(2) == 0 ? p.arg(Type::scalar(e)) : Value{});
    }
    case 15: {
      if (rank == 0) return x;
      WindowAttrs w;
      for (int64_t d : shape) {
        w.dimensions.push_back(r.below(2) == 0 ? 1 : 1 + r.below(std::min<int64_t>(d, 4)));
        w.strides.push_back(1 + r.below(2));
        w.window_dilations.push_back(1 + r.below(2));
        w.base_dilations.push_back(1 + r.below(2));
        w.padding.push_back(r.below(3));
        w.padding.push_back(r.below(3));
      }
      return b.reduce_window(x, p.arg(Type::scalar(e)), w, "stablehlo.maximum");
    }
    case 16: {
      if (rank == 0 || shape[0] == 0) return x;
      // Rows by index.
      Attr::Ints sizes = shape, offsets;
      sizes[0] = 1;
      for (int64_t i = 1; i < rank; ++i) offsets.push_back(i);
      const Value operands[] = {
          x, p.arg(Type::tensor(r.below(2) == 0 ? ElementType::kI32 : ElementType::kU8, {r.extent() % 20, 1}))};
      return b.create("stablehlo.gather", operands,
                      {{"offset_dims", offsets},
                       {"collapsed_slice_dims", Attr::Ints{0}},
                       {"start_index_map", Attr::Ints{0}},
                       {"index_vector_dim", 1},
                       {"slice_sizes", sizes}})[0];
    }
    case 17: {
      if (rank == 0 || !is_integer(e) || t.num_elements() > 2000) return x;
      const Value other = p.arg(Type::tensor(e, {shape.back(), 1 + r.below(9)}));
      return b.dot_general(x, other, {{}, {}, {rank - 1}, {0}});
    }
    default:
      if (rank == 0 || is_boolean(e)) return x;
      return b.add(x, b.convert(b.iota(Type::tensor(ElementType::kI32, shape), r.below(rank)), e));
  }
}

void random_kernel(uint64_t seed, const Isa& isa) {
  Random r(seed);
  Program p;
  Value x = p.arg(Type::tensor(kAll[static_cast<size_t>(r.below(static_cast<int64_t>(kAll.size())))], r.shape()));
  const int64_t steps = 1 + r.below(6);
  for (int64_t i = 0; i < steps; ++i) {
    const Value next = random_step(r, p, x);
    if (p.b.type(next).num_elements() > 40000) break;
    x = next;
  }
  std::vector<Value> results = {x};
  if (r.below(3) == 0) results.push_back(random_step(r, p, x));
  p.b.yield(results);
  SCOPED_TRACE("seed " + std::to_string(seed));
  check_program(p, r.rng, 0, true, isa);
}

TEST(Generated, RandomKernelsEqualTheEvaluator) {
  // WEFT_SEED and WEFT_SEEDS widen the search by hand.
  const char *first = getenv("WEFT_SEED"), *many = getenv("WEFT_SEEDS");
  const uint64_t start = first != nullptr ? std::strtoull(first, nullptr, 10) : 1;
  const uint64_t count = many != nullptr ? std::strtoull(many, nullptr, 10) : first != nullptr ? 1 : 100;
  for (uint64_t seed = start; seed < start + count; ++seed) {
    random_kernel(seed, Isa::host());
    if (HasFatalFailure()) return;
  }
}

TEST(Generated, RandomKernelsForALesserCpu) {
  for (const char* cpu : {"x86-64-v3", "x86-64-v2"}) {
    const Isa isa = Isa::named(cpu);
    for (uint64_t seed = 1000; seed < 1025; ++seed) {
      random_kernel(seed, isa);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Generated, ReductionsOfAnyDimensions) {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random r(seed);
    Program p;
    const ElementType e = kAll[static_cast<size_t>(r.below(static_cast<int64_t>(kAll.size())))];
    const Type t = Type::tensor(e, r.shape());
    const Value x = p.arg(t);
    std::vector<int64_t> dims;
    for (int64_t i = 0; i < t.rank(); ++i) {
      if (r.below(2) == 0) dims.push_back(i);
    }
    const bool sum = !is_float(e) && r.below(2) == 0;
    Value y = x;
    if (r.below(2) == 0) y = p.b.add(x, p.arg(t));
    Value reduced = p.b.reduce(y, dims, sum ? "stablehlo.add" : "stablehlo.maximum",
                               r.below(2) == 0 ? p.arg(Type::scalar(e)) : Value{});
    if (r.below(2) == 0) reduced = p.b.add(reduced, p.arg(p.b.type(reduced)));
    const std::vector<Value> results = {reduced};
    p.b.yield(results);
    check_program(p, r.rng);
    if (HasFatalFailure()) return;
  }
}

TEST(Generated, SoftmaxIsOneKernel) {
  for (int64_t n : {1, 5, 32, 33, 200, 1000}) {
    Program p;
    const Type t = Type::tensor(ElementType::kF32, {7, n});
    const Value x = p.arg(t);
    const std::vector<int64_t> last = {1}, first = {0};
    OpBuilder& b = p.b;
    const Value m = b.reduce(x, last, "stablehlo.maximum");
    const Value e = b.make("stablehlo.exponential", {b.subtract(x, b.broadcast_in_dim(m, first, t.shape()))});
    const Value s = b.reduce(e, last, "stablehlo.add");
    const std::vector<Value> results = {b.divide(e, b.broadcast_in_dim(s, first, t.shape()))};
    b.yield(results);
    std::mt19937_64 rng(3);
    check_program(p, rng, 1e-5, false);
  }
}

TEST(Generated, LargeReductionsAreSplit) {
  std::mt19937_64 rng(9);
  for (const Shape& shape : {Shape{300001}, Shape{700, 500}, Shape{5000, 60}, Shape{40, 100, 90}, Shape{3, 90000}}) {
    for (int which = 0; which < 4; ++which) {
      for (ElementType e : {ElementType::kF32, ElementType::kI32, ElementType::kBF16}) {
        Program p;
        OpBuilder& b = p.b;
        const Type t = Type::tensor(e, shape);
        const Value x = p.arg(t), y = p.arg(t);
        std::vector<int64_t> dims;
        for (int64_t d = 0; d < t.rank(); ++d) {
          if (which == 0 || (which == 1 && d == 0) || (which == 2 && d == t.rank() - 1) || (which == 3 && d != 1))
            dims.push_back(d);
        }
        Value s = b.reduce(b.multiply(x, y), dims, e == ElementType::kBF16 ? "stablehlo.maximum" : "stablehlo.add",
                           p.arg(Type::scalar(e)));
        const Value m = b.reduce(x, dims, "stablehlo.minimum");
        s = b.add(s, m);
        const std::vector<Value> results = {s, m};
        b.yield(results);
        if (which == 0) { EXPECT_GT(plan_kernel(*p.f, {}).scratch_bytes, 0u); }
        SCOPED_TRACE(describe(*p.f));
        check_program(p, rng, e == ElementType::kF32 ? 1e-3 : 0, false);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Generated, TransposesByTiles) {
  std::mt19937_64 rng(12);
  for (ElementType e : {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kI8, ElementType::kI1}) {
    for (const Shape& shape : {Shape{50, 37}, Shape{16, 16}, Shape{3, 40, 21}, Shape{20, 3, 33}}) {
      Program p;
      const Type t = Type::tensor(e, shape);
      std::vector<int64_t> perm;
      for (int64_t d = t.rank(); d-- > 0;) perm.push_back(d);
      const Value x = p.b.transpose(p.arg(t), perm);
      const std::vector<Value> results = {p.b.maximum(x, p.arg(p.b.type(x)))};
      p.b.yield(results);
      check_program(p, rng);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Generated, ConcatenationsAreCutAtTheirSeams) {
  std::mt19937_64 rng(13);
  for (int64_t axis : {0, 1, 2}) {
    Program p;
    std::vector<Value> parts;
    for (int64_t n : {70, 1, 100, 65}) {
      Shape s = {3, 5, 7};
      s[static_cast<size_t>(axis)] = n;
      parts.push_back(p.arg(Type::tensor(ElementType::kF32, s)));
    }
    const Value x = p.b.concatenate(parts, axis);
    const std::vector<Value> results = {p.b.multiply(x, x)};
    p.b.yield(results);
    check_program(p, rng);
  }
}

TEST(Generated, SeveralRootsShareTheirProducers) {
  Program p;
  OpBuilder& b = p.b;
  const Type t = Type::tensor(ElementType::kF32, {9, 45});
  const Value w = p.arg(t), m = p.arg(t), g = p.arg(t);
  const Value m2 = b.add(b.multiply(m, b.splat(t, 0.9)), b.multiply(g, b.splat(t, 0.1)));
  const Value w2 = b.subtract(w, b.multiply(m2, b.splat(t, 0.01)));
  const std::vector<int64_t> dims = {1};
  const std::vector<Value> results = {w2, m2, b.reduce(b.multiply(g, g), dims, "stablehlo.maximum"),
                                      b.transpose(w, std::vector<int64_t>{1, 0})};
  b.yield(results);
  std::mt19937_64 rng(5);
  check_program(p, rng);
}

}  // namespace
}  // namespace weft::codegen
