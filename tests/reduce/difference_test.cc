// A target that computes tanh wrongly is found out, down to the op.
#include "reduce/difference.h"

#include <gtest/gtest.h>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/builder.h"
#include "text/parse.h"

namespace weft::reduce {
namespace {

/// The evaluator, with sine for tanh; `dies`: the process ends there instead.
class WrongTanh : public Target {
 public:
  explicit WrongTanh(bool dies) : dies_(dies) {}
  std::string_view name() const override { return "wrong"; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    auto wrong = std::make_shared<Module>();
    for (const auto& f : module->functions()) {
      auto g = std::make_unique<Function>(f->name());
      ValueMap map(*f);
      for (Value v : f->args()) map.set(v, g->add_arg(g->body(), f->type(v)));
      OpBuilder b(*g, g->body());
      for (OpId op : f->ops(f->body())) {
        if (f->def(op).mnemonic == "stablehlo.tanh") {
          if (dies_) _exit(9);
          const OpId sine = g->append(g->body(), sine_def(), std::vector<Value>{map.at(f->operand(op, 0))}, Attrs(),
                                      std::vector<Type>{f->type(f->result(op))});
          map.set(f->result(op), g->result(sine, 0));
        } else {
          clone_op(*f, op, *g, g->body(), map);
        }
      }
      wrong->add(std::move(g));
    }
    return get_target("eval").compile(wrong, entry, options);
  }

 private:
  static const OpDef& sine_def() {
    static const auto module = parse_module(
        "func.func @f(%x: tensor<f32>) -> tensor<f32> {\n  %0 = stablehlo.sine %x : tensor<f32>\n  return %0 : "
        "tensor<f32>\n}\n",
        "sine");
    const Function& f = module->get("f");
    return f.def(f.ops(f.body())[0]);
  }
  const bool dies_;
};

Program sample() {
  Program p;
  p.module = parse_module(R"(
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %y : tensor<3xf32>
  %1 = func.call @inner(%0) : (tensor<3xf32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %1, %x : tensor<3xf32>
  %3 = stablehlo.exponential %2 : tensor<3xf32>
  return %3 : tensor<3xf32>
}
func.func @inner(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.tanh %x : tensor<3xf32>
  %1 = stablehlo.negate %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
)",
                          "sample");
  p.inputs = {{Tensor::of<float>({1, 2, 0.5f}, {3}), Tensor::of<float>({0.5f, -1, 1}, {3})}};
  return p;
}

TEST(Difference, SameTargetAgrees) {
  const Way a{"eval", &get_target("eval"), {}};
  EXPECT_EQ(difference(sample(), a, a), "");
  EXPECT_FALSE(first_difference(sample(), a, a).has_value());
}

TEST(Difference, NamesTheFirstOpAndItsLine) {
  const WrongTanh wrong(false);
  const Way a{"eval", &get_target("eval"), {}}, b{"wrong", &wrong, {}};
  EXPECT_NE(difference(sample(), a, b), "");
  const auto first = first_difference(sample(), a, b);
  ASSERT_TRUE(first.has_value());
  EXPECT_NE(first->op.find("stablehlo.tanh"), std::string::npos) << first->op;
  EXPECT_EQ(first->loc.line, 10u);
  // Made small, the program is that op alone, on one argument or a constant.
  const Program small = reduced(first->program, [&](const Program& p) { return !difference(p, a, b, 10).empty(); }, 30);
  const Function& main = small.module->get("main");
  size_t ops = 0;
  for (OpId op : main.ops(main.body())) {
    ops += !main.def(op).is_terminator && main.def(op).mnemonic != "stablehlo.constant" ? 1 : 0;
  }
  EXPECT_EQ(ops, 1u) << self_contained(small);
  const auto again = parse_module(self_contained(small), "again");
  EXPECT_EQ(again->get("main").args().size(), 0u);
}

TEST(Difference, DeathIsADifference) {
  const WrongTanh wrong(true);
  const Way a{"eval", &get_target("eval"), {}}, b{"wrong", &wrong, {}};
  const std::string text = difference(sample(), a, b);
  EXPECT_NE(text.find("crash on wrong"), std::string::npos) << text;
}

}  // namespace
}  // namespace weft::reduce
