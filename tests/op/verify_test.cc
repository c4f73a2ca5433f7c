// The verifier and the registry: malformed functions are refused with the cause, well-formed ones pass.
#include <gtest/gtest.h>

#include <set>

#include "ops/builder.h"
#include "ops/record.h"

namespace weft {
namespace {

const Type kScalar = Type::scalar(ElementType::kF32);

std::string verdict(const Function& f) {
  try {
    verify(f, nullptr);
  } catch (const UserError& e) { return e.what(); }
  return "fine";
}

TEST(Verify, AcceptsWhatTheBuilderMakes) {
  Function f("f");
  const Value x = f.add_arg(f.body(), kScalar);
  OpBuilder b(f, f.body());
  b.yield(std::vector<Value>{b.add(x, x)});
  EXPECT_EQ(verdict(f), "fine");
}

TEST(Verify, NeedsATerminator) {
  Function f("f");
  EXPECT_NE(verdict(f).find("ends without a terminator"), std::string::npos);
  const Value x = f.add_arg(f.body(), kScalar);
  OpBuilder(f, f.body()).add(x, x);
  EXPECT_NE(verdict(f).find("ends without a terminator"), std::string::npos);
}

TEST(Verify, NothingFollowsTheTerminator) {
  Function f("f");
  const Value x = f.add_arg(f.body(), kScalar);
  OpBuilder b(f, f.body());
  b.yield(std::vector<Value>{x});
  b.add(x, x);
  EXPECT_NE(verdict(f).find("after the terminator"), std::string::npos);
}

TEST(Verify, ValuesAreDefinedBeforeUse) {
  Function f("f");
  const Value x = f.add_arg(f.body(), kScalar);
  OpBuilder b(f, f.body());
  const Value first = b.add(x, x), second = b.add(x, x);
  b.yield(std::vector<Value>{second});
  f.set_operand(f.defining_op(first), 1, second);
  EXPECT_EQ(verdict(f), "[stablehlo.add] operand 1 is not defined before this use");
  f.set_operand(f.defining_op(first), 1, Value{});
  EXPECT_EQ(verdict(f), "[stablehlo.add] operand 1 is not defined before this use");
  f.set_operand(f.defining_op(first), 1, Value{12345});
  EXPECT_EQ(verdict(f), "[stablehlo.add] operand 1 is not defined before this use");
}

TEST(Verify, DeclaredTypesMustFollow) {
  Function f("f");
  const Value x = f.add_arg(f.body(), kScalar);
  const Type wrong = Type::scalar(ElementType::kF64);
  const std::vector<Value> operands = {x, x};
  const OpId op = f.append(f.body(), get_op("stablehlo.add"), operands, Attrs{}, std::span(&wrong, 1));
  OpBuilder(f, f.body()).yield(std::vector<Value>{f.result(op)});
  EXPECT_EQ(verdict(f), "[stablehlo.add] type of result 0: got tensor<f64>, expected tensor<f32> (add_c1)");
}

TEST(Registry, FindsEveryOpByItsMnemonic) {
  std::set<std::string_view> seen;
  for (const OpRecord* op : all_ops()) {
    EXPECT_TRUE(seen.insert(op->mnemonic).second) << op->mnemonic;
    EXPECT_EQ(find_op(op->mnemonic), op);
    EXPECT_FALSE(op->doc.empty()) << op->mnemonic;
  }
  EXPECT_GE(seen.size(), 60u);
  EXPECT_EQ(find_op("stablehlo.nothing"), nullptr);
  EXPECT_THROW(get_op("stablehlo.nothing"), InternalError);
}

TEST(Builder, ConstantsAreRoundedAndSaturated) {
  Function f("f");
  OpBuilder b(f, f.body());
  const auto element = [&](ElementType t, double v) {
    return f.attrs(f.defining_op(b.scalar(t, v))).literal("value").elements;
  };
  EXPECT_EQ(element(ElementType::kI8, 300).data<int8_t>()[0], 127);
  EXPECT_EQ(element(ElementType::kU8, -1).data<uint8_t>()[0], 0);
  EXPECT_EQ(static_cast<float>(element(ElementType::kBF16, 1 + 0x1p-9).data<bf16>()[0]), 1.0f);
  EXPECT_EQ(element(ElementType::kI1, 0.5).data<bool>()[0], true);
  EXPECT_EQ(element(ElementType::kF32, 0.1).data<float>()[0], 0.1f);
}

TEST(Builder, ReductionsStartFromTheNeutralElement) {
  Function f("f");
  OpBuilder b(f, f.body());
  const auto start = [&](ElementType t, std::string_view body) {
    const Value x = f.add_arg(f.body(), Type::tensor(t, {3}));
    const OpId op = f.defining_op(b.reduce(x, std::vector<int64_t>{0}, body));
    return f.attrs(f.defining_op(f.operand(op, 1))).literal("value").elements;
  };
  EXPECT_EQ(start(ElementType::kI32, "stablehlo.maximum").data<int32_t>()[0], INT32_MIN);
  EXPECT_EQ(start(ElementType::kI64, "stablehlo.minimum").data<int64_t>()[0], INT64_MAX);
  EXPECT_EQ(start(ElementType::kU8, "stablehlo.minimum").data<uint8_t>()[0], 255);
  EXPECT_EQ(start(ElementType::kU8, "stablehlo.maximum").data<uint8_t>()[0], 0);
  EXPECT_EQ(start(ElementType::kF32, "stablehlo.minimum").data<float>()[0], HUGE_VALF);
  EXPECT_EQ(start(ElementType::kF64, "stablehlo.multiply").data<double>()[0], 1);
  EXPECT_EQ(start(ElementType::kI16, "stablehlo.and").data<int16_t>()[0], -1);
  EXPECT_EQ(start(ElementType::kI1, "stablehlo.or").data<bool>()[0], false);
}

}  // namespace
}  // namespace weft
