// Arrays that stay in parts on their devices between calls, on a plugin of two devices that counts.
#include <gtest/gtest.h>

#include <map>

#include "fake_plugin.h"
#include "pjrt/parts_value.h"
#include "pjrt/several_devices.h"
#include "text/parse.h"

namespace weft {
namespace {

using Values = std::vector<std::shared_ptr<DeviceValue>>;

constexpr const char* kIdentity = R"(
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %x : tensor<4xf32>
}
)";

class PartsValues : public testing::Test {
 protected:
  void SetUp() override {
    const pjrt::Plugin& plugin = pjrt::Plugin::load(FakePlugin::path());
    FakePlugin().set("fault", "two");
    client_ = pjrt::Client::open(plugin, {});
    for (const char* what : {"sent", "fetched", "executed", "donated"}) at_start_[what] = FakePlugin().count(what);
  }
  void TearDown() override {
    FakePlugin().set("fault", "");
    client_ = nullptr;
    EXPECT_EQ(FakePlugin().live_objects(), 0) << "objects of the plugin live on";
  }
  std::unique_ptr<Executable> compile(std::vector<std::pair<size_t, size_t>> donations = {}) const {
    CompileOptions options;
    options.donations = std::move(donations);
    return pjrt::compile_on_devices([this](size_t) { return client_; }, 0, *parse_module(kIdentity, "test"), "main",
                                    options);
  }
  int count(const char* what) const { return FakePlugin().count(what) - at_start_.at(what); }

  const Tensor x_ = Tensor::of<float>({1, 2, 3, 4}, {4});
  std::shared_ptr<const pjrt::Client> client_;
  std::map<std::string, int> at_start_;
};

TEST_F(PartsValues, StayThereBetweenCalls) {
  const auto code = compile();
  ASSERT_TRUE(code->has_device());
  std::shared_ptr<DeviceValue> x = code->put(0, x_);
  EXPECT_TRUE(code->is_in_place(0, *x));
  EXPECT_EQ(x->type(), Type::tensor(ElementType::kF32, {4}));
  for (int i = 0; i < 5; ++i) {
    x = code->start(Values{x}, false)->results()[0];
    EXPECT_TRUE(code->is_in_place(0, *x));
  }
  EXPECT_EQ(count("sent"), 2) << "one part for each device";
  EXPECT_EQ(count("fetched"), 0);
  const Tensor back = x->read();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(back.data<float>()[i], static_cast<float>(i + 1));
  EXPECT_EQ(count("fetched"), 2);
}

TEST_F(PartsValues, ComeFromTheHostAndFromOtherClients) {
  const auto code = compile();
  const auto host = std::make_shared<HostValue>(x_);
  EXPECT_FALSE(code->is_in_place(0, *host));
  EXPECT_EQ(code->start(Values{host}, true)->results()[0]->read().data<float>()[3], 4);
  const auto other_client = pjrt::Client::open(pjrt::Plugin::load(FakePlugin::path()), {});
  const auto other =
      pjrt::compile_on_devices([&](size_t) { return other_client; }, 0, *parse_module(kIdentity, "test"), "main", {});
  const auto there = other->put(0, x_);
  EXPECT_FALSE(code->is_in_place(0, *there));
  EXPECT_EQ(code->start(Values{there}, false)->results()[0]->read().data<float>()[2], 3);
}

TEST_F(PartsValues, WhoseMemoryIsDonatedCannotBeUsed) {
  const auto code = compile({{0, 0}});
  ASSERT_EQ(code->donations().size(), 1U);
  const auto x = code->put(0, x_);
  const auto call = code->start(Values{x}, false);
  EXPECT_EQ(call->results()[0]->read().data<float>()[1], 2);
  EXPECT_TRUE(x->is_donated());
  EXPECT_THROW(x->read(), UserError);
  EXPECT_THROW(code->start(Values{x}, false), UserError);
}

TEST_F(PartsValues, OutliveACallThatDidNotStart) {
  const auto code = compile({{0, 0}});
  const auto x = code->put(0, x_);
  FakePlugin().set("fault", "execute");
  EXPECT_THROW(code->start(Values{x}, false), UserError);
  FakePlugin().set("fault", "two");
  EXPECT_EQ(code->start(Values{x}, false)->results()[0]->read().data<float>()[0], 1);
}

TEST_F(PartsValues, PassOnTheFailureOfTheirCall) {
  const auto code = compile();
  FakePlugin().set("fault", "two, one lost");
  const auto call = code->start(Values{code->put(0, x_)}, false);
  EXPECT_THROW(call->wait(), UserError);
  EXPECT_THROW(call->results()[0]->read(), UserError);
}

TEST_F(PartsValues, AreRefusedInAnotherShape) {
  const auto code = compile();
  EXPECT_THROW(code->put(0, Tensor::of<float>({1, 2}, {2})), UserError);
  EXPECT_THROW(code->put(1, x_), UserError);
}

}  // namespace
}  // namespace weft
