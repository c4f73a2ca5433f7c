// Every record held to its own samples: each law of sample_laws.h, text there and back, folding against evaluation. A record without
// samples and without a stated reason fails. Values of elementwise ops stand in elementwise_test.cc.
#include <set>

#include "ir/clone.h"
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

/// The op written in StableHLO, where its record says how, gives the same values.
TEST_P(OpTable, PortableFormHasTheSameValues) {
  const OpRecord& op = get_op(GetParam());
  if (op.to_stablehlo.refused() || op.to_stablehlo.rule() == portable_as_is || GetParam().starts_with("stablehlo."))
    return;
  struct Context : PortableContext {
    OpBuilder* b = nullptr;
    OpBuilder& builder() override { return *b; }
  };
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.label);
    const auto plain = sample_module(sample);
    const Function& f = plain->get("f");
    Module module;
    Function& g = module.add(std::make_unique<Function>("f"));
    OpBuilder b(g, g.body(), &module);
    Context context;
    context.b = &b;
    ValueMap map(f);
    for (Value v : f.args()) map.set(v, g.add_arg(g.body(), f.type(v)));
    try {
      for (OpId id : f.ops(f.body())) {
        std::vector<Value> operands;
        for (Value v : f.operands(id)) operands.push_back(map.at(v));
        if (f.def(id).mnemonic != GetParam()) {
          clone_op(f, id, operands, g, g.body(), map);
          continue;
        }
        const std::vector<Value> results = (*op.to_stablehlo.rule())(context, OpView{f, id}, operands);
        ASSERT_EQ(results.size(), f.num_results(id));
        for (size_t i = 0; i < results.size(); ++i) map.set(f.result(id, i), results[i]);
      }
    } catch (const Unsupported&) { continue; }  // says why not
    verify(module);
    for (size_t i = 0; i < g.num_ops(); ++i) EXPECT_NE(g.def(OpId{static_cast<uint32_t>(i)}).mnemonic, GetParam());
    const std::vector<Tensor> args = sample_args(sample, 7);
    const std::vector<Tensor> expected = evaluate(*plain, "f", args), got = evaluate(module, "f", args);
    ASSERT_EQ(got.size(), expected.size());
    for (size_t r = 0; r < got.size(); ++r) {
      const ElementType e = got[r].element_type();
      ASSERT_EQ(got[r].shape(), expected[r].shape());
      if (!moves(e)) {
        EXPECT_TRUE(same_bits(got[r], expected[r])) << "result " << r;
        continue;
      }
      const size_t bytes = byte_size(part_type(e));
      const double eps = bytes == 8 ? 1e-13 : bytes == 4 ? 1e-5 : bytes == 2 ? 0.02 : 0.5;
      for (int64_t i = 0; i < coordinates(got[r]); ++i) {
        const double x = element(got[r], i), y = element(expected[r], i);
        if (std::isnan(y)) {
          EXPECT_TRUE(std::isnan(x)) << "result " << r << ", coordinate " << i;
        } else if (x != y) {
          EXPECT_NEAR(x, y, eps * (1 + std::fabs(y))) << "result " << r << ", coordinate " << i;
        }
      }
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
