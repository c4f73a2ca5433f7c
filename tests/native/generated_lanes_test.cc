// weft.lane_while as a kernel of blocks of lanes that are refilled, against the evaluator's loop over lanes.
#include "generated_check.h"

namespace weft::codegen {
namespace {

// While k < limit and |z|² <= 4: z ← z² + c, k ← k + 1. Operands z, k (carries), c, limit.
Value mandelbrot(OpBuilder& b, Value x, Value y, Value k, Value cr, Value ci, Value limit, int64_t lanes) {
  const ElementType e = b.type(cr).element_type();
  const Type f = Type::scalar(e), i = Type::scalar(ElementType::kI32);
  const Type types[] = {f, f, i, f, f, i};
  const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
    const Value norm = c.add(c.multiply(a[0], a[0]), c.multiply(a[1], a[1]));
    return std::vector<Value>{c.logical_and(c.compare(a[2], a[5], "LT"), c.compare(norm, c.scalar(e, 4), "LE"))};
  });
  const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
    const Value re = c.add(c.subtract(c.multiply(a[0], a[0]), c.multiply(a[1], a[1])), a[3]);
    const Value im = c.add(c.multiply(c.multiply(c.scalar(e, 2), a[0]), a[1]), a[4]);
    return std::vector<Value>{re, im, c.add(a[2], c.scalar(ElementType::kI32, 1))};
  });
  const RegionId regions[] = {cond, body};
  const Value operands[] = {x, y, k, cr, ci, limit};
  const auto varies = [&](Value v) { return b.type(v).rank() > 0 ? 1 : 0; };
  Attr::Ints marks;
  for (Value v : operands) marks.push_back(varies(v));
  return b.create("weft.lane_while", operands, {{"lanes", Attr::Ints{lanes}}, {"num_carries", 3}, {"varies", marks}},
                  {}, regions)[2];
}

void check_mandelbrot(int64_t n, ElementType e, bool varying_start, const Isa& isa) {
  Program p;
  OpBuilder& b = p.b;
  const Type t = Type::tensor(e, {n});
  const Value cr = p.arg(t), ci = p.arg(t), limit = p.arg(Type::scalar(ElementType::kI32));
  const Value zero = varying_start ? b.zeros(t) : b.scalar(e, 0);
  const Value k = varying_start ? b.zeros(Type::tensor(ElementType::kI32, {n})) : b.scalar(ElementType::kI32, 0);
  const Value out = mandelbrot(b, zero, zero, k, cr, ci, limit, n);
  const std::vector<Value> results = {out};
  b.yield(results);
  std::mt19937_64 rng(static_cast<uint64_t>(n));
  std::vector<Tensor> args = {random_tensor(rng, t, false), random_tensor(rng, t, false),
                              Tensor::scalar_of<int32_t>(57)};
  // Bring most points near the set.
  for (size_t a = 0; a < 2; ++a) {
    if (e == ElementType::kF32) {
      for (int64_t i = 0; i < n; ++i) args[a].mutable_data<float>()[i] *= 0.3f;
    } else {
      for (int64_t i = 0; i < n; ++i) args[a].mutable_data<double>()[i] *= 0.3;
    }
  }
  ASSERT_TRUE(same(run_kernel(*p.f, args, isa)[0], evaluate(p.module, "kernel", args)[0])) << "lanes " << n;
}

TEST(GeneratedLanes, MandelbrotOfAnyNumberOfLanes) {
  for (int64_t n : {1, 2, 5, 16, 31, 64, 65, 300, 1000, 2049}) {
    check_mandelbrot(n, ElementType::kF32, false, Isa::host());
    check_mandelbrot(n, ElementType::kF64, true, Isa::host());
  }
}

TEST(GeneratedLanes, LesserCpu) { check_mandelbrot(777, ElementType::kF32, false, Isa::named("x86-64-v3")); }

TEST(GeneratedLanes, CollatzWithAllCarriesAndFusedStart) {
  for (ElementType e : {ElementType::kI64, ElementType::kI32, ElementType::kI16}) {
    Program p;
    OpBuilder& b = p.b;
    const Type t = Type::tensor(e, {500}), s = Type::scalar(e);
    const Value start = b.add(b.multiply(b.iota(t, 0), p.arg(t)), b.splat(t, 1));
    const Type types[] = {s, s};
    const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{
          c.logical_and(c.compare(a[0], c.scalar(e, 1), "GT"), c.compare(a[1], c.scalar(e, 200), "LT"))};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      const Value half = c.divide(a[0], c.scalar(e, 2));
      const Value odd = c.compare(c.multiply(half, c.scalar(e, 2)), a[0], "NE");
      const Value up = c.add(c.multiply(a[0], c.scalar(e, 3)), c.scalar(e, 1));
      return std::vector<Value>{c.select(odd, up, half), c.add(a[1], c.scalar(e, 1))};
    });
    const RegionId regions[] = {cond, body};
    const Value operands[] = {start, b.scalar(e, 0)};
    const std::vector<Value> results =
        b.create("weft.lane_while", operands,
                 {{"lanes", Attr::Ints{500}}, {"num_carries", 2}, {"varies", Attr::Ints{1, 0}}}, {}, regions);
    b.yield(results);
    std::mt19937_64 rng(4);
    check_program(p, rng, 0, false);
  }
}

}  // namespace
}  // namespace weft::codegen
