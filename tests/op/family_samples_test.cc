#include "tests/op/sample_laws.h"

namespace weft::test {
namespace {
TEST(Samples, DotGeneral) { expect_sample_laws("stablehlo.dot_general"); }
TEST(Samples, Convolution) { expect_sample_laws("stablehlo.convolution"); }
TEST(Samples, DynamicSlice) { expect_sample_laws("stablehlo.dynamic_slice"); }
TEST(Samples, DynamicUpdateSlice) { expect_sample_laws("stablehlo.dynamic_update_slice"); }
TEST(Samples, Gather) { expect_sample_laws("stablehlo.gather"); }
TEST(Samples, Scatter) { expect_sample_laws("stablehlo.scatter"); }
TEST(Samples, Reduce) { expect_sample_laws("stablehlo.reduce", 1); }
TEST(Samples, ReduceWindow) { expect_sample_laws("stablehlo.reduce_window", 1); }
TEST(Samples, SelectAndScatter) { expect_sample_laws("stablehlo.select_and_scatter", 1); }
}  // namespace
}  // namespace weft::test
