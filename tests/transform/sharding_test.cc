// Annotations of shardings go along when programs are transformed.
#include <gtest/gtest.h>

#include "ir/clone.h"
#include "ops/distribution/sharding.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft {
namespace {

constexpr const char* kText = R"(
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @f(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<4x2xf32> {
  %a = sdy.sharding_constraint %x <@mesh, [{"data"}, {"model"}]> : tensor<4x2xf32>
  %b = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>} : tensor<4x2xf32>
  return %b : tensor<4x2xf32>
}
)";

std::string text_of_function(const Module& m, const std::string& name) {
  Module alone;
  alone.foreign_ops = m.foreign_ops;
  alone.add(clone_function(m.get(name), name));
  verify(alone);
  return print_module(alone);
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(Sharding, LanesAreAnAxisOfWhichNothingIsSaid) {
  const auto m = parse_module(kText, "t");
  const int64_t axes[] = {1};
  vectorize(*m, "f", axes, 3, {.name = "lanes"});
  const std::string text = text_of_function(*m, "lanes");
  expect_part(text, R"(tensor<4x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>})");
  expect_part(text, R"(<@mesh, [{?}, {"data"}, {"model"}]> : tensor<3x4x2xf32>)");
  expect_part(text, R"(sdy.sharding_per_value<[<@mesh, [{?}, {"model"}, {}]>]>)");
}

TEST(Sharding, TangentsAndCotangentsAreCutAsTheirValues) {
  const auto m = parse_module(kText, "t");
  const size_t by[] = {0};
  jvp(*m, "f", by, "forward");
  vjp(*m, "f", by, "backward");
  for (const char* name : {"forward", "backward"}) {
    const std::string text = text_of_function(*m, name);
    expect_part(text, R"(tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})");
    size_t constraints = 0;
    for (size_t at = 0; (at = text.find("sdy.sharding_constraint", at)) != std::string::npos; ++at) ++constraints;
    EXPECT_EQ(constraints, 2U) << text;
  }
}

// Devices 0 to 5 in a mesh of 2 x 3, the last axis fastest; by hand.
TEST(Sharding, SaysWhichPartADeviceHas) {
  const Sharding s = *read_sharding(R"(#sdy.sharding<mesh<["x"=2, "y"=3]>, [{"y"}, {"x"}, {}]>)");
  EXPECT_EQ(parts_of_device(s, 0), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(parts_of_device(s, 2), (std::vector<int64_t>{2, 0, 0}));
  EXPECT_EQ(parts_of_device(s, 4), (std::vector<int64_t>{1, 1, 0}));
  const Sharding both = *read_sharding(R"(#sdy.sharding<mesh<["x"=2, "y"=3]>, [{"y", "x"}]>)");
  EXPECT_EQ(parts_of_device(both, 4), (std::vector<int64_t>{3})) << "x is the faster one";
  const Sharding moved = *read_sharding(R"(#sdy.sharding<mesh<["x"=4], device_ids=[2, 3, 1, 0]>, [{"x"}]>)");
  EXPECT_EQ(parts_of_device(moved, 2), (std::vector<int64_t>{0}));
  EXPECT_EQ(parts_of_device(moved, 0), (std::vector<int64_t>{3}));
  const Sharding halves = *read_sharding(R"(#sdy.sharding<mesh<["x"=4]>, [{"x":(1)2}, {"x":(2)2}]>)");
  EXPECT_EQ(parts_of_device(halves, 2), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(part_type(halves, Type::tensor(ElementType::kF32, {8, 6})), Type::tensor(ElementType::kF32, {4, 3}));
}

}  // namespace
}  // namespace weft
