// Work on a program grows with its size, not faster: building, walking, text, simplification, refinement.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ops/builder.h"
#include "ops/record.h"
#include "tests/scale/stopwatch.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/refine_shapes.h"
#include "transform/simplify.h"

namespace weft::scale {
namespace {

/// @main of `count` ops on tensors of type `t`; some are equal, some constant, some dead, one in 64 is a loop.
std::unique_ptr<Module> program(size_t count, Type t) {
  auto module = std::make_unique<Module>();
  Function& f = module->add(std::make_unique<Function>("main"));
  OpBuilder b(f, f.body(), module.get());
  Value x = f.add_arg(f.body(), t), y = f.add_arg(f.body(), t);
  Value older = y;
  for (size_t i = 0; f.num_ops() + 1 < count; ++i) {
    const Value before = x;
    switch (i % 8) {
      case 0: x = b.add(x, y); break;
      case 1: x = b.multiply(x, older); break;
      case 2: b.add(x, older); break;
      case 3: x = b.subtract(x, b.add(older, y)); break;
      case 4: x = b.maximum(b.add(older, y), x); break;
      case 5: x = b.negate(b.negate(x)); break;
      case 6: x = b.make("stablehlo.tanh", {x}); break;
      default:
        if (i % 64 != 7) {
          x = b.minimum(x, y);
          break;
        }
        const Value start[] = {x};
        const Type types[] = {t};
        const Value flag = b.scalar(ElementType::kI1, 0);
        const RegionId cond =
            b.make_region(types, [&](OpBuilder&, std::span<const Value>) { return std::vector{flag}; });
        const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
          return std::vector{c.add(c.multiply(a[0], y), c.negate(y))};
        });
        const RegionId regions[] = {cond, body};
        x = b.create("stablehlo.while", start, {}, types, regions)[0];
    }
    older = before;
  }
  b.yield(std::vector{x});
  return module;
}

const Type kStatic = Type::tensor(ElementType::kF32, {2, 3});
const Type kOpen = Type::tensor(ElementType::kF32, {kDynamic, 3});

/// The time for four times the work over that for a quarter of it, per op; 1 is linear.
void expect_linear(const char* what, double small, double large, double factor) {
  constexpr double kLeast = 0.02;  // below it, caches and fresh pages say more than the work
  const double growth = large / (std::max(small, kLeast) * factor);
  std::printf("%-50s %9.2f\n", (std::string(what) + ": growth (1 = linear)").c_str(), growth);
  EXPECT_LT(growth, 2.5) << what;
}

TEST(ProgramSize, BuildingAndWalkingAreLinear) {
  std::unique_ptr<Module> module;
  const auto build = [&](size_t count) { return seconds_of(5, [&] { module = program(count, kStatic); }); };
  const double half = build(50'000), whole = build(100'000);
  const Function& f = module->get("main");
  size_t uses = 0;
  const double walk = seconds_of(5, [&] {
    uses = 0;
    for (uint32_t i = 0; i < f.num_ops(); ++i) uses += f.operands(OpId{i}).size() + f.attrs(OpId{i}).entries().size();
  });
  EXPECT_GT(uses, 100'000u);
  report("build 100,000 ops, types checked", whole);
  report("walk 100,000 ops", walk);
  expect_linear("building", half, whole, 2);
  EXPECT_LT(whole, 0.5 * kSlack);
  EXPECT_LT(walk, 0.02 * kSlack);
}

TEST(ProgramSize, TextOfAHundredThousandOps) {
  const auto small = program(25'000, kStatic), large = program(100'000, kStatic);
  std::string quarter, text;
  const double print_small = seconds_of(3, [&] { quarter = print_module(*small); });
  const double print = seconds_of(3, [&] { text = print_module(*large); });
  const double parse_small = seconds_of(3, [&] { parse_module(quarter, "quarter.mlir"); });
  std::unique_ptr<Module> again;
  const double parse = seconds_of(3, [&] { again = parse_module(text, "large.mlir"); });
  EXPECT_EQ(print_module(*again), text);
  report("print 100,000 ops", print);
  report("parse and verify 100,000 ops", parse);
  expect_linear("printing", print_small, print, 4);
  expect_linear("parsing", parse_small, parse, 4);
  EXPECT_LT(print + parse, 1.0 * kSlack);
}

TEST(ProgramSize, HexConstantOfSixteenMebibytes) {
  constexpr size_t kBytes = size_t{16} << 20;
  std::string digits;
  uint32_t state = 1;
  for (size_t i = 0; i < kBytes * 2; ++i) {
    state = state * 1664525u + 1013904223u;
    digits += "0123456789ABCDEF"[state >> 28];
  }
  const std::string type = "tensor<" + std::to_string(kBytes / 4) + "xi32>";
  const std::string text = "func.func @main() -> " + type + " {\n  %0 = stablehlo.constant dense<\"0x" + digits +
                           "\"> : " + type + "\n  return %0 : " + type + "\n}\n";
  std::unique_ptr<Module> module;
  const double parse = seconds_of(3, [&] { module = parse_module(text, "hex.mlir"); });
  std::string printed;
  const double print = seconds_of(3, [&] { printed = print_module(*module); });
  EXPECT_NE(printed.find(digits), std::string::npos);
  report("parse a constant of 16 MiB in hex", parse);
  report("print it", print);
  EXPECT_LT(parse, 0.1 * kSlack);
}

TEST(ProgramSize, SimplifyIsNearLinear) {
  double seconds[2];
  const size_t counts[2] = {25'000, 100'000};
  for (size_t i = 0; i < 2; ++i) {
    const auto module = program(counts[i], kStatic);
    std::unique_ptr<Function> simple;
    seconds[i] = seconds_of(3, [&] { simple = simplify(module->get("main"), module.get()); });
    EXPECT_LT(simple->num_ops(), module->get("main").num_ops() * 9 / 10);
  }
  report("simplify 100,000 ops", seconds[1]);
  expect_linear("simplify", seconds[0], seconds[1], 4);
  EXPECT_LT(seconds[1], 1.0 * kSlack);
}

TEST(ProgramSize, RefinementIsNearLinear) {
  double seconds[2];
  const size_t counts[2] = {25'000, 100'000};
  for (size_t i = 0; i < 2; ++i) {
    seconds[i] = 1e300;
    for (int run = 0; run < 3; ++run) {
      const auto module = program(counts[i], kOpen);
      const Type types[] = {kStatic, kStatic};
      seconds[i] = std::min(seconds[i], seconds_of(1, [&] { refine_shapes(*module, "main", types); }));
      EXPECT_EQ(module->get("main").result_types()[0], kStatic);
    }
  }
  report("refine 100,000 ops", seconds[1]);
  expect_linear("refine", seconds[0], seconds[1], 4);
  EXPECT_LT(seconds[1], 1.0 * kSlack);
}

}  // namespace
}  // namespace weft::scale
