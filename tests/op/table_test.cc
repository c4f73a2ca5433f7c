// Every record held to its own samples: each law of sample_laws.h, text there and back, folding against evaluation. A record without
// samples and without a stated reason fails. Values of elementwise ops stand in elementwise_test.cc.
#include <set>

#include "tests/op/sample_laws.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/simplify.h"

namespace weft::test {
namespace {

std::vector<std::string> all_mnemonics() {
  std::vector<std::string> out;
  for (const OpRecord* op : all_ops()) out.emplace_back(op->mnemonic);
  return out;
}

/// Reductions add in another order over lanes, so bits may differ.
double lane_tolerance(const std::string& mnemonic) {
  static const std::set<std::string> kReorders = {"stablehlo.reduce", "stablehlo.reduce_window",
                                                  "stablehlo.select_and_scatter"};
  return kReorders.count(mnemonic) ? 1 : 0;
}

class OpTable : public ::testing::TestWithParam<std::string> {
 protected:
  /// The samples; none, and the test is skipped, when the record says why there are none.
  std::vector<Sample> samples() {
    const OpRecord& op = get_op(GetParam());
    if (op.samples.refused()) {
      EXPECT_GT(op.samples.reason().size(), 10u) << "a record without samples says why";
      return {};
    }
    std::vector<Sample> out = (*op.samples.rule())();
    EXPECT_FALSE(out.empty()) << "a record has samples or says why not";
    return out;
  }
};

TEST_P(OpTable, SamplesHoldTheLaws) {
  if (samples().empty()) return;
  const Differentiated count = expect_sample_laws(GetParam(), lane_tolerance(GetParam()));
  const OpRecord& op = get_op(GetParam());
  if (op.linearize.refused() || op.linearize.rule() == linearize_zero) return;
  EXPECT_GT(count.real, 0u) << "a record with a derivative has a sample of f64 that shows it";
  RecordProperty("complex", static_cast<int>(count.complex));
}

TEST_P(OpTable, SamplesContainTheOp) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.label);
    const auto module = sample_module(sample);
    const Function& f = module->get("f");
    bool found = false;
    for (size_t i = 0; i < f.num_ops(); ++i)
      found = found || f.def(OpId{static_cast<uint32_t>(i)}).mnemonic == GetParam();
    EXPECT_TRUE(found);
  }
}

TEST_P(OpTable, TextReadsBack) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.label);
    const auto module = sample_module(sample);
    for (const bool generic : {false, true}) {
      const std::string text = print_module(*module, {.generic = generic});
      SCOPED_TRACE(text);
      const auto again = parse_module(text, "sample");
      EXPECT_EQ(print_module(*again, {.generic = generic}), text);
      const std::vector<Tensor> args = sample_args(sample, 5);
      const std::vector<Tensor> expected = evaluate(*module, "f", args), got = evaluate(*again, "f", args);
      ASSERT_EQ(got.size(), expected.size());
      for (size_t r = 0; r < got.size(); ++r) EXPECT_TRUE(same_bits(got[r], expected[r]));
    }
  }
}

TEST_P(OpTable, SimplifyKeepsValues) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.label);
    const std::vector<Tensor> args = sample_args(sample, 9);
    const auto plain = sample_module(sample);
    const std::vector<Tensor> expected = evaluate(*plain, "f", args);
    // Once on arguments, once on constants, which fold.
    Module constants;
    Function& g = constants.add(std::make_unique<Function>("f"));
    OpBuilder b(g, g.body(), &constants);
    std::vector<Value> values;
    for (const Tensor& t : args) values.push_back(b.constant(Literal::dense(t)));
    b.yield(sample.emit(b, values));
    simplify(*plain);
    simplify(constants);
    verify(*plain);
    verify(constants);
    const std::vector<Tensor> simplified = evaluate(*plain, "f", args), folded = evaluate(constants, "f", {});
    ASSERT_EQ(simplified.size(), expected.size());
    ASSERT_EQ(folded.size(), expected.size());
    for (size_t r = 0; r < expected.size(); ++r) {
      EXPECT_TRUE(same_bits(simplified[r], expected[r])) << "simplified";
      EXPECT_TRUE(same_bits(folded[r], expected[r])) << "folded";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpTable, ::testing::ValuesIn(all_mnemonics()), [](const auto& info) {
  std::string out = info.param;
  for (const char c : {'.', '-'}) std::replace(out.begin(), out.end(), c, '_');
  return out;
});

}  // namespace
}  // namespace weft::test
