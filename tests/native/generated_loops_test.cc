// Generated kernels of ops that loop for each element: dot_general, convolution, windows, gather, scatter, updates in place.
#include "generated_check.h"

#include "ops/record.h"

namespace weft::codegen {
namespace {

// Every sample of an op's record, as one kernel. `tolerance`: sums run in another order than the evaluator's.
void check_samples(std::string_view mnemonic, double tolerance, const Isa& isa = Isa::host()) {
  const OpRecord& r = get_op(mnemonic);
  std::mt19937_64 rng(11);
  int ran = 0;
  for (const Sample& s : r.samples.rule()()) {
    Program p;
    std::vector<Value> args;
    for (const SampleOperand& o : s.operands) args.push_back(p.arg(o.type));
    const std::vector<Value> results = s.emit(p.b, args);
    p.b.yield(results);
    bool all = true;
    std::string reason;
    for (OpId id : p.f->ops(p.f->body())) {
      const OpView op{*p.f, id};
      if (op.def().is_terminator) continue;
      const bool is_root = std::ranges::find(results, op.result()) != results.end();
      all = all && (is_root ? can_root(op, &reason) : can_inline(op, &reason));
    }
    if (!all) continue;
    ++ran;
    SCOPED_TRACE(std::string(mnemonic) + " sample " + s.label);
    check_program(p, rng, tolerance, false, isa);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(ran, 0) << mnemonic;
}

TEST(GeneratedLoops, DotGeneralSamples) { check_samples("stablehlo.dot_general", 1e-4); }
TEST(GeneratedLoops, ConvolutionSamples) { check_samples("stablehlo.convolution", 1e-3); }
TEST(GeneratedLoops, ReduceSamples) { check_samples("stablehlo.reduce", 1e-4); }
TEST(GeneratedLoops, ReduceWindowSamples) { check_samples("stablehlo.reduce_window", 1e-5); }
TEST(GeneratedLoops, SelectAndScatterSamples) { check_samples("stablehlo.select_and_scatter", 1e-5); }
TEST(GeneratedLoops, GatherSamples) { check_samples("stablehlo.gather", 0); }
TEST(GeneratedLoops, ScatterSamples) { check_samples("stablehlo.scatter", 1e-5); }
TEST(GeneratedLoops, DynamicUpdateSliceSamples) { check_samples("stablehlo.dynamic_update_slice", 0); }
TEST(GeneratedLoops, LesserCpu) {
  const Isa isa = Isa::named("x86-64-v3");
  for (const char* m : {"stablehlo.dot_general", "stablehlo.convolution", "stablehlo.reduce_window",
                        "stablehlo.scatter", "stablehlo.gather"}) {
    check_samples(m, 1e-3, isa);
  }
}

// A body that is not one op: the first largest value and its position.
TEST(GeneratedLoops, ArgmaxAlongEachAxis) {
  std::mt19937_64 rng(8);
  for (const Shape& shape : {Shape{40, 70}, Shape{3, 16, 33}, Shape{100}, Shape{17, 16}}) {
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      Program p;
      OpBuilder& b = p.b;
      const Type t = Type::tensor(ElementType::kF32, shape), f = Type::scalar(ElementType::kF32),
                 i = Type::scalar(ElementType::kI32);
      const Value x = p.arg(t), n = b.iota(t.with_element(ElementType::kI32), axis);
      const Type types[] = {f, i, f, i};
      const RegionId body = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
        const Value greater = c.logical_or(c.compare(a[0], a[2], "GT"), c.compare(a[0], a[0], "NE"));
        const Value first = c.logical_and(c.compare(a[0], a[2], "EQ"), c.compare(a[1], a[3], "LT"));
        return std::vector<Value>{c.select(greater, a[0], a[2]), c.select(c.logical_or(greater, first), a[1], a[3])};
      });
      const RegionId regions[] = {body};
      const Value operands[] = {x, n, b.scalar(ElementType::kF32, -INFINITY), b.scalar(ElementType::kI32, 0)};
      b.yield(b.create("stablehlo.reduce", operands, {{"dimensions", Attr::Ints{axis}}}, {}, regions));
      check_program(p, rng);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(GeneratedLoops, GradientOfPoolingThatTiles) {
  std::mt19937_64 rng(8);
  for (ElementType e : {ElementType::kF32, ElementType::kBF16, ElementType::kI32}) {
    Program p;
    OpBuilder& b = p.b;
    const Type one = Type::scalar(e), types[] = {one, one};
    const Value x =
        b.maximum(p.arg(Type::tensor(e, {2, 6, 4, 19})), b.zeros(Type::tensor(e, {2, 6, 4, 19})));  // ties at zero
    const RegionId pick = b.make_region(
        types, [](OpBuilder& c, std::span<const Value> a) { return std::vector<Value>{c.compare(a[0], a[1], "GE")}; });
    const RegionId regions[] = {pick, b.binary_region(e, "stablehlo.add")};
    const Value operands[] = {x, p.arg(Type::tensor(e, {2, 2, 2, 19})), p.arg(one)};
    b.yield(b.create("stablehlo.select_and_scatter", operands,
                     {{"window_dimensions", Attr::Ints{1, 3, 2, 1}}, {"window_strides", Attr::Ints{1, 3, 2, 1}}}, {},
                     regions));
    check_program(p, rng, 1e-6);
    if (HasFatalFailure()) return;
  }
}

TEST(GeneratedLoops, MatrixProductsOfManyShapes) {
  std::mt19937_64 rng(2);
  for (ElementType e :
       {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kI32, ElementType::kI8}) {
    for (int64_t m : {1, 3, 17}) {
      for (int64_t n : {5, 33}) {
        for (int64_t k : {1, 70}) {
          for (int form = 0; form < 4; ++form) {
            Program p;
            const bool ta = (form & 1) != 0, tb = (form & 2) != 0;
            const Value a = p.arg(Type::tensor(e, ta ? Shape{k, m} : Shape{m, k}));
            const Value b = p.arg(Type::tensor(e, tb ? Shape{n, k} : Shape{k, n}));
            const std::vector<Value> results = {p.b.dot_general(a, b, {{}, {}, {ta ? 0 : 1}, {tb ? 1 : 0}})};
            p.b.yield(results);
            SCOPED_TRACE(describe(*p.f));
            check_program(p, rng, e == ElementType::kBF16 ? 2e-2 : 1e-4, false);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// Matrices beyond the fast caches are read row by row into an array of sums; 257 and 8 · 37 + 5 leave rests of both loops.
TEST(GeneratedLoops, MatrixVectorProductsThatStreamTheMatrix) {
  std::mt19937_64 rng(3);
  for (const Isa& isa : {Isa::host(), Isa::named("x86-64-v3"), Isa::named("x86-64")}) {
    for (ElementType e : {ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kI32}) {
      for (int64_t n : {257, 2100}) {
        const int64_t k = 8 * 37 + 5 + (n < 1000 ? 800 : 0);
        Program p;
        const Value a = p.arg(Type::tensor(e, Shape{k})), b = p.arg(Type::tensor(e, Shape{k, n}));
        const Value c = p.arg(Type::tensor(e, Shape{n}));
        const Value product = p.b.dot_general(a, b, {{}, {}, {0}, {0}});
        p.b.yield(std::vector<Value>{p.b.add(product, c), p.b.multiply(product, c)});
        SCOPED_TRACE(describe(*p.f));
        check_program(p, rng, e == ElementType::kBF16 ? 2e-2 : 1e-4, false, isa);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Windows that overlap, leave gaps or reach into padding, along inner and innermost axes, select and add.
TEST(GeneratedLoops, WindowsScatter) {
  std::mt19937_64 rng(9);
  struct Pooling {
    Shape shape;
    std::vector<int64_t> window, strides, padding;
  };
  const Pooling cases[] = {
      {{2, 9, 11, 40}, {1, 3, 3, 1}, {1, 2, 2, 1}, {0, 0, 0, 0, 0, 0, 0, 0}},
      {{2, 9, 11, 5}, {1, 3, 2, 1}, {1, 1, 1, 1}, {0, 0, 1, 1, 0, 1, 0, 0}},
      {{3, 5, 10, 12}, {1, 1, 3, 3}, {1, 1, 2, 2}, {0, 0, 0, 0, 1, 1, 1, 0}},
      {{3, 5, 10, 12}, {1, 1, 2, 2}, {1, 1, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0}},
      {{2, 70}, {1, 2}, {1, 3}, {0, 0, 2, 2}},
      {{33}, {3}, {1}, {1, 1}},
  };
  for (ElementType e : {ElementType::kF32, ElementType::kF64, ElementType::kI32}) {
    for (const Pooling& c : cases) {
      Program p;
      OpBuilder& b = p.b;
      Shape source;
      for (size_t d = 0; d < c.shape.size(); ++d)
        source.push_back((c.shape[d] + c.padding[2 * d] + c.padding[2 * d + 1] - c.window[d]) / c.strides[d] + 1);
      const Value x = p.arg(Type::tensor(e, c.shape)), s = p.arg(Type::tensor(e, source));
      const Type one = Type::scalar(e), types[] = {one, one};
      const RegionId pick = b.make_region(types, [](OpBuilder& in, std::span<const Value> a) {
        return std::vector<Value>{in.compare(a[0], a[1], "GE")};
      });
      const RegionId regions[] = {pick, b.binary_region(e, "stablehlo.add")};
      const Value operands[] = {x, s, b.scalar(e, 1)};
      const std::vector<Value> results = b.create("stablehlo.select_and_scatter", operands,
                                                  {{"window_dimensions", Attr::Ints(c.window)},
                                                   {"window_strides", Attr::Ints(c.strides)},
                                                   {"padding", Attr::Ints(c.padding)}},
                                                  {}, regions);
      b.yield(results);
      SCOPED_TRACE(describe(*p.f));
      check_program(p, rng, 1e-5, false);
      if (HasFatalFailure()) return;
    }
  }
}

// Every second to fourth element along the lanes, at the end of the operand too.
TEST(GeneratedLoops, StridedSlices) {
  std::mt19937_64 rng(10);
  for (ElementType e : {ElementType::kF32, ElementType::kI8, ElementType::kBF16, ElementType::kF64}) {
    for (int64_t n : {7, 64, 201, 1000}) {
      for (int64_t stride : {2, 3, 4, 5}) {
        Program p;
        const Value x = p.arg(Type::tensor(e, {n}));
        const Value y =
            p.b.slice(x, std::vector<int64_t>{n % stride}, std::vector<int64_t>{n}, std::vector<int64_t>{stride});
        p.b.yield(std::vector<Value>{y});
        SCOPED_TRACE(describe(*p.f));
        check_program(p, rng, 0, false);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Many elements to one place by bodies whose order matters: the first of equal largest values, and counts, means and squared
// deviations that are joined.
TEST(GeneratedLoops, LongReductionsInOrder) {
  std::mt19937_64 rng(12);
  for (const Shape& shape : {Shape{200003}, Shape{500, 400}}) {
    Program p;
    OpBuilder& b = p.b;
    const Type x = Type::tensor(ElementType::kF32, shape), n = Type::tensor(ElementType::kI32, shape);
    const Type f = Type::scalar(ElementType::kF32), i = Type::scalar(ElementType::kI32), types[] = {f, i, f, i};
    const RegionId first = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
      const Value keep = c.compare(a[0], a[2], "GE");
      return std::vector<Value>{c.select(keep, a[0], a[2]), c.select(keep, a[1], a[3])};
    });
    // Whole numbers, so that the largest comes many times.
    const Value v = b.create("stablehlo.floor", std::vector<Value>{p.arg(x)})[0];
    const Value operands[] = {v, p.arg(n), b.scalar(ElementType::kF32, -INFINITY), b.scalar(ElementType::kI32, -1)};
    std::vector<int64_t> axes(shape.size());
    for (size_t d = 0; d < axes.size(); ++d) axes[d] = static_cast<int64_t>(d);
    const RegionId regions[] = {first};
    b.yield(b.create("stablehlo.reduce", operands, {{"dimensions", Attr::Ints(axes)}}, {}, regions));
    check_program(p, rng, 0, false);
    if (HasFatalFailure()) return;
  }
  Program p;
  OpBuilder& b = p.b;
  const Type x = Type::tensor(ElementType::kF64, {300000});
  const Type f = Type::scalar(ElementType::kF64);
  const std::vector<Type> types(6, f);
  const RegionId join = b.make_region(types, [](OpBuilder& c, std::span<const Value> a) {
    const Value n = c.add(a[0], a[3]), d = c.subtract(a[4], a[1]);
    const Value share = c.divide(a[3], c.maximum(n, c.scalar(ElementType::kF64, 1)));
    const Value mean = c.add(a[1], c.multiply(d, share));
    const Value squares = c.add(c.add(a[2], a[5]), c.multiply(c.multiply(c.multiply(d, d), a[0]), share));
    return std::vector<Value>{n, mean, squares};
  });
  const Value zero = b.scalar(ElementType::kF64, 0);
  const Value operands[] = {b.splat(x, 1), p.arg(x), b.zeros(x), zero, zero, zero};
  const RegionId regions[] = {join};
  b.yield(b.create("stablehlo.reduce", operands, {{"dimensions", Attr::Ints{0}}}, {}, regions));
  check_program(p, rng, 1e-9, false);
}

}  // namespace
}  // namespace weft::codegen
