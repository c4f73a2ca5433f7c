// Meshes and shardings of the C++ API: what is written, what is refused, and that one device sees nothing of them.
#include "support.h"

namespace weft {
namespace {

template <class F>
void expect_refusal(F make, const std::string& part) {
  try {
    make();
    ADD_FAILURE() << "accepted, expected: " << part;
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    ASSERT_TRUE(error.loc().known()) << error.what();
    EXPECT_NE(error.loc().file->find("sharding_test.cc"), std::string::npos) << *error.loc().file;
  }
}

TEST(Shard, IsWrittenAsAConstraint) {
  const Mesh m = mesh({{"data", 2}, {"model", 4}}, {0, 1, 2, 3, 7, 6, 5, 4});
  const auto x = placeholder<float>({8, 8, 3}, "x");
  const std::string text = function({x}, {shard(x, m, {"data"}), shard(x, m, {{}, {"model", "data"}}),
                                          shard(x, m, {{"data", "?"}, "?", {}})})
                               .text();
  const std::string of_mesh = R"(<mesh<["data"=2, "model"=4], device_ids=[0, 1, 2, 3, 7, 6, 5, 4]>, )";
  for (const char* cut : {R"([{"data"}, {}, {}])", R"([{}, {"model", "data"}, {}])", R"([{"data", ?}, {?}, {}])"})
    EXPECT_NE(text.find(of_mesh + cut), std::string::npos) << cut << "\n" << text;
}

TEST(Shard, ChangesNothingOnOneDevice) {
  const Mesh m = mesh({{"data", 2}, {"model", 2}});
  const auto x = placeholder<float>({4, 2}, "x");
  const auto w = variable(Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}), "w");
  const auto loss = [&](const Expr& x, const Expr& w) { return sum(tanh(dot(x, w))); };
  const auto cut = loss(shard(x, m, {"data"}), shard(w, m, {"model"})), plain = loss(x, w);
  const auto f = function({x}, {cut, grad(cut, w), plain, grad(plain, w)});
  const Tensor xs = Tensor::of<float>({0.1F, -0.2F, 0.3F, 0.1F, 0.2F, -0.1F, 0, 0.5F}, {4, 2});
  const Results r = f(xs);
  EXPECT_EQ(r[0].scalar<float>(), r[2].scalar<float>());
  for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(r[1].data<float>()[i], r[3].data<float>()[i]);
}

TEST(Shard, LanesKeepIt) {
  const Mesh m = mesh({{"data", 2}});
  const auto x = placeholder<float>({3, 4}, "x");
  const std::string text =
      function({x}, {pfor(x, [&](const Expr& row) { return shard(row * 2, m, {"data"}); })}).text();
  EXPECT_NE(text.find(R"([{?}, {"data"}]> : tensor<3x4xf32>)"), std::string::npos) << text;
}

TEST(Shard, RefusesWhatCannotBeCutSo) {
  const Mesh m = mesh({{"data", 2}, {"model", 4}});
  const auto x = placeholder<float>({6, 8}, "x");
  expect_refusal([&] { shard(x, m, {"rows"}); }, R"([shard] the mesh has no axis "rows": got ["data"=2, "model"=4])");
  expect_refusal([&] { shard(x, m, {"data", "data"}); }, R"(axis "data" is used twice)");
  expect_refusal([&] { shard(x, m, {"model"}); }, "cut into 4 parts: got extent 6, expected a multiple of 4");
  expect_refusal([&] { shard(x, m, {{}, {}, "data"}); }, "number of axes: got 3, expected at most 2");
  expect_refusal([&] { shard(Expr(), m, {}); }, "empty");
}

TEST(Shard, RefusesMeshesThatAreNone) {
  expect_refusal([] { mesh({{"x", 2}, {"x", 2}}); }, R"([mesh] axis "x" stands twice in the mesh)");
  expect_refusal([] { mesh({{"x", 0}}); }, R"(size of axis "x": got 0)");
  expect_refusal([] { mesh({{"x", 2}}, {0}); }, "number of device_ids: got 1, expected 2");
  expect_refusal([] { mesh({{"x", 2}}, {0, 2}); }, "expected each of 0 to 1 once");
  expect_refusal([] { mesh({{"a\"b", 2}}); }, "without quotes");
}

TEST(Shard, NeedsATargetOfSeveralDevices) {
  const auto x = placeholder<float>({6}, "x");
  expect_refusal([&] { function({x}, {x + 1}, {}, {.devices = 2}); }, "devices: got 2 on target native");
  expect_refusal([&] { function({x}, {x + 1}, {}, {.devices = -1}); }, "devices: got -1");
}

}  // namespace
}  // namespace weft
