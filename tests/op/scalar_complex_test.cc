// Scalar programs of complex numbers against the evaluator: every elementwise op that takes them, on all pairs of special parts.
#include <gtest/gtest.h>

#include <cmath>

#include "eval/evaluator.h"
#include "ops/families.h"
#include "ops/scalar/num.h"
#include "ops/scalar/scalar_math.h"

namespace weft::test {
namespace {

constexpr double kParts[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0.5, -2.25, 1e-30, 1e30, 700, -45};
constexpr int64_t kCount = std::size(kParts), kPairs = kCount * kCount;

Tensor all_pairs(ElementType t) {
  Tensor out(t, Shape{kPairs});
  for (int64_t i = 0; i < kPairs; ++i)
    store_num(out.raw(), Num::of_complex(t, kParts[i % kCount], kParts[i / kCount]), i);
  return out;
}

double difference(double got, double want) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want) ? 0 : INFINITY;
  return got == want ? 0 : std::abs(got - want) / std::abs(want);
}

void check(const OpRecord& op, size_t count, ElementType t, int& checked) {
  SCOPED_TRACE(std::string(op.mnemonic) + " " + std::string(name(t)));
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  OpBuilder b(f, f.body(), &module);
  std::vector<Value> args;
  for (size_t i = 0; i < count; ++i) args.push_back(f.add_arg(f.body(), Type::tensor(t, {kPairs})));
  std::vector<Value> results;
  try {
    results = b.create(op, args);
  } catch (const UserError&) {
    return;  // takes no complex numbers
  }
  ++checked;
  b.yield(results);
  const Tensor x = all_pairs(t);
  // The second operand is the first in another order, so that all kinds of parts meet.
  Tensor turned(t, Shape{kPairs});
  for (int64_t i = 0; i < kPairs; ++i) store_num(turned.raw(), load_num(x.raw(), t, (i * 7 + 85) % kPairs), i);
  const std::vector<Tensor> inputs = count > 1 ? std::vector<Tensor>{x, turned} : std::vector<Tensor>{x};
  const Tensor want = evaluate(module, "f", inputs)[0];

  ScalarProgram program;
  const std::vector<ElementType> types(count, t);
  const SExpr result = (*op.scalar.rule())(OpView{f, f.defining_op(results[0])}, scalar_args(program, types));
  ASSERT_EQ(result.type(), want.element_type());
  const ElementType part = part_type(want.element_type());
  for (int64_t i = 0; i < kPairs; ++i) {
    uint64_t bits[4] = {};
    for (size_t k = 0; k < count; ++k) {
      const Num z = load_num(inputs[k].raw(), t, i);
      store_num(&bits[2 * k], Num::of_real(part_type(t), z.real), 0);
      store_num(&bits[2 * k + 1], Num::of_real(part_type(t), z.imag), 0);
    }
    const auto run = [&](SExpr e) {
      const uint64_t raw = run_scalar(program, e.id(), bits);
      const Num v = load_num(&raw, part, 0);
      return v.is_real() ? v.real : static_cast<double>(v.bits);
    };
    const Num w = load_num(want.raw(), want.element_type(), i), z = load_num(x.raw(), t, i);
    // The evaluator's hypot and a root differ by one rounding at most.
    const double allowed = op.mnemonic == "stablehlo.abs" && t == ElementType::kC64 ? 0x1p-23 : 0;
    const double re = run(result.is_complex() ? result.real() : result),
                 im = result.is_complex() ? run(result.imag()) : 0;
    const double real = is_float(part) ? w.real : static_cast<double>(w.bits);
    EXPECT_LE(difference(re, real), allowed) << "of " << z.real << " + " << z.imag << "i";
    EXPECT_LE(difference(im, result.is_complex() ? w.imag : 0), allowed) << "of " << z.real << " + " << z.imag << "i";
  }
}

TEST(ScalarComplex, AgreesWithEval) {
  int checked = 0;
  for (const OpRecord* op : all_ops()) {
    if (op->scalar.refused() || op->schema.begin() != op->schema.end()) continue;
    for (ElementType t : {ElementType::kC64, ElementType::kC128}) {
      check(*op, 1, t, checked);
      check(*op, 2, t, checked);
    }
  }
  EXPECT_GT(checked, 60);
}

TEST(ScalarComplex, MakesNumbersOfParts) {
  ScalarProgram program;
  const std::vector<ElementType> types = {ElementType::kF32, ElementType::kF32};
  const auto args = scalar_args(program, types);
  Module module;
  Function& f = module.add(std::make_unique<Function>("f"));
  OpBuilder b(f, f.body(), &module);
  const Value x = f.add_arg(f.body(), Type::scalar(ElementType::kF32));
  const Value z = b.make("stablehlo.complex", {x, x});
  const SExpr made = (*get_op("stablehlo.complex").scalar.rule())(OpView{f, f.defining_op(z)}, args);
  EXPECT_EQ(made.type(), ElementType::kC64);
  EXPECT_EQ(made.real().id(), args[0].id());
  EXPECT_EQ(made.imag().id(), args[1].id());
  EXPECT_THROW(made.id(), Unsupported);
}

TEST(ScalarComplex, RefusesWhatHasNoCode) {
  ScalarProgram program;
  const std::vector<ElementType> types = {ElementType::kC64, ElementType::kF32};
  const auto args = scalar_args(program, types);
  EXPECT_EQ(args[1].id(), 2);  // after two parts
  EXPECT_THROW(floor(args[0]), Unsupported);
  EXPECT_THROW(args[0].bitcast(ElementType::kI64), Unsupported);
}

}  // namespace
}  // namespace weft::test
