// Values that stay on the device, donation, and calls that are waited for later, on a plugin that counts.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "fake_plugin.h"
#include "ir/device_value.h"
#include "pjrt/executable.h"
#include "pjrt/pjrt_target.h"
#include "pjrt/started_call.h"
#include "text/parse.h"

namespace weft {
namespace {

using Values = std::vector<std::shared_ptr<DeviceValue>>;

constexpr const char* kAdd = R"(
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>) {
  %z = stablehlo.add %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
})";

constexpr const char* kRoot = R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<2xf32>
  %p = stablehlo.compare GE, %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  "weft.check"(%p) <{message = "negative"}> : (tensor<2xi1>) -> ()
  %y = stablehlo.sqrt %x : tensor<2xf32>
  return %y : tensor<2xf32>
})";

Tensor pair(float a, float b) { return Tensor::of<float>({a, b}, {2}); }

template <class Error, class F>
void expect_error(F&& f, const std::string& expected) {
  try {
    f();
    ADD_FAILURE() << "no error; expected " << expected;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
  }
}

class DeviceValues : public testing::Test {
 protected:
  void SetUp() override {
    const pjrt::Plugin& plugin = pjrt::Plugin::load(FakePlugin::path());
    live_at_start_ = FakePlugin().live_objects();  // clients of targets stay
    client_ = pjrt::Client::open(plugin, {});
    for (const char* what : {"sent", "fetched", "executed", "donated"}) at_start_[what] = FakePlugin().count(what);
  }
  void TearDown() override {
    const FakePlugin fake;
    fake.set("fault", "");
    fake.set("defer", "off");
    client_ = nullptr;
    EXPECT_EQ(fake.live_objects(), live_at_start_) << "objects of the plugin live on";
  }

  std::unique_ptr<Executable> compile(const std::string& text,
                                      std::vector<std::pair<size_t, size_t>> donations = {}) const {
    CompileOptions options;
    options.donations = std::move(donations);
    return pjrt::compile_program(client_, *parse_module(text, "test"), "main", options);
  }
  std::shared_ptr<DeviceValue> put(const Tensor& t) const { return pjrt::put_value(client_, t, client_->devices()[0]); }
  /// Since the test began.
  int count(const char* what) const { return FakePlugin().count(what) - at_start_.at(what); }

  std::shared_ptr<const pjrt::Client> client_;
  std::map<std::string, int> at_start_;
  int live_at_start_ = 0;
};

TEST_F(DeviceValues, StayThereBetweenCalls) {
  const auto add = compile(kAdd);
  const auto one = put(pair(1, 2));
  std::shared_ptr<DeviceValue> sum = one;
  for (int i = 0; i < 10; ++i) sum = add->start(Values{sum, one})->results()[0];
  EXPECT_EQ(count("sent"), 1);
  EXPECT_EQ(count("fetched"), 0);
  EXPECT_EQ(sum->read().data<float>()[1], 22);
  EXPECT_EQ(count("fetched"), 1);
  EXPECT_EQ(count("executed"), 10);
}

TEST_F(DeviceValues, AreMovedFromWhereTheyAre) {
  const auto add = compile(kAdd);
  const auto native = get_target("native").put(pair(1, 2));
  EXPECT_FALSE(add->is_in_place(0, *native));
  const auto call = add->start(Values{native, put(pair(3, 4))});
  EXPECT_TRUE(add->is_in_place(0, *call->results()[0]));
  const auto again = get_target("native").compile(parse_module(kAdd, "test"), "main", {});
  EXPECT_EQ(again->start(Values{call->results()[0], native})->results()[0]->read().data<float>()[0], 5);
}

TEST_F(DeviceValues, WhoseMemoryIsDonatedCannotBeUsed) {
  const auto add = compile(kAdd, {{0, 0}});
  const auto x = put(pair(1, 2)), y = put(pair(3, 4));
  const auto call = add->start(Values{x, y});
  EXPECT_EQ(call->results()[0]->read().data<float>()[0], 4);
  EXPECT_EQ(count("donated"), 1);
  EXPECT_TRUE(x->is_donated());
  EXPECT_FALSE(y->is_donated());
  expect_error<UserError>([&] { x->read(); }, "the value that is read (tensor<2xf32>) was donated to an earlier call");
  expect_error<UserError>([&] { add->start(Values{y, x}); }, "argument 1 (tensor<2xf32>) was donated");
  EXPECT_FALSE(y->is_donated()) << "a call that was refused takes nothing";
}

TEST_F(DeviceValues, AreNotDonatedAndReadAtOnce) {
  const auto add = compile(kAdd, {{0, 0}});
  const auto x = put(pair(1, 2));
  expect_error<UserError>([&] { add->start(Values{x, x}); }, "arguments 0 and 1 are the same value");
  EXPECT_EQ(x->read().data<float>()[1], 2);
}

TEST_F(DeviceValues, OutliveACallThatDidNotStart) {
  const auto add = compile(kAdd, {{0, 0}});
  const auto x = put(pair(1, 2)), y = put(pair(3, 4));
  FakePlugin().set("fault", "execute");
  expect_error<UserError>([&] { add->start(Values{x, y}); }, "wrong device");
  FakePlugin().set("fault", "");
  EXPECT_EQ(add->start(Values{x, y})->results()[0]->read().data<float>()[1], 6);
}

TEST_F(DeviceValues, OutliveACheckThatFails) {
  const auto root = compile(kRoot, {{0, 0}});
  const auto bad = put(pair(4, -1));
  const auto call = root->start(Values{bad});
  expect_error<UserError>([&] { call->wait(); }, "negative");
  expect_error<UserError>([&] { call->wait(); }, "negative");
  EXPECT_EQ(bad->read().data<float>()[1], -1);
  const auto good = root->start(Values{put(pair(4, 9))});
  good->wait();
  EXPECT_EQ(good->results()[0]->read().data<float>()[1], 3);
}

TEST_F(DeviceValues, AreThereBeforeTheCallIs) {
  const auto add = compile(kAdd);
  FakePlugin().set("defer", "on");
  const auto one = put(pair(1, 2));
  const auto first = add->start(Values{one, one});
  const auto second = add->start(Values{first->results()[0], one});
  EXPECT_EQ(count("executed"), 0);
  EXPECT_FALSE(second->is_done());
  second->wait();
  EXPECT_TRUE(second->is_done());
  EXPECT_TRUE(first->is_done());
  EXPECT_EQ(count("executed"), 2);
  EXPECT_EQ(second->results()[0]->read().data<float>()[0], 3);
}

TEST_F(DeviceValues, OfALostDeviceGiveItsErrorWhenTheyAreAwaited) {
  const auto add = compile(kAdd);
  const FakePlugin fake;
  fake.set("defer", "on");
  fake.set("fault", "lost");
  const auto x = put(pair(1, 2));
  const auto call = add->start(Values{x, x});
  const auto next = add->start(Values{call->results()[0], x});
  expect_error<UserError>([&] { call->wait(); }, "PJRT_Event_Await: unavailable: device lost");
  expect_error<UserError>([&] { call->wait(); }, "device lost");
  expect_error<UserError>([&] { call->results()[0]->read(); }, "device lost");
  expect_error<UserError>([&] { next->results()[0]->read(); }, "device lost");
  EXPECT_EQ(x->read().data<float>()[0], 1);
}

TEST_F(DeviceValues, OfCallsThatNobodyAwaitsAreFreed) {
  const FakePlugin fake;
  fake.set("defer", "on");
  std::shared_ptr<DeviceValue> left;
  {
    const auto add = compile(kAdd);
    const auto x = put(pair(1, 2));
    add->start(Values{x, x});
    // Host memory that is promised to stay is waited for.
    const auto host = std::make_shared<HostValue>(pair(3, 4));
    left = add->start(Values{x, host}, true)->results()[0];
    fake.set("fault", "lost");
    add->start(Values{x, x}, true);
  }
  EXPECT_EQ(left->read().data<float>()[1], 6) << "results outlive the executable";
}

TEST_F(DeviceValues, ServeEightThreads) {
  const auto add = compile(kAdd);
  const auto x = put(pair(1, 2));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      std::shared_ptr<DeviceValue> sum = x;
      for (int i = 0; i < 20; ++i) sum = add->start(Values{sum, x})->results()[0];
      wrong += sum->read().data<float>()[1] == 42 ? 0 : 1;
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(DeviceValues, HaveDonorsThatOnlyOneThreadGets) {
  const auto add = compile(kAdd, {{0, 0}});
  for (int round = 0; round < 20; ++round) {
    const auto x = put(pair(1, 2)), y = put(pair(3, 4));
    std::atomic<int> taken = 0, refused = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        try {
          taken += add->start(Values{x, y})->results()[0]->read().data<float>()[0] == 4 ? 1 : 0;
        } catch (const UserError&) { ++refused; }
      });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(taken, 1);
    EXPECT_EQ(refused, 3);
  }
}

TEST_F(DeviceValues, OfTwoPluginsMeet) {
  const std::string copy = WEFT_BINARY_DIR "/libweft_fake_plugin_copy.so";
  std::filesystem::copy_file(FakePlugin::path(), copy, std::filesystem::copy_options::overwrite_existing);
  {
    const auto other = pjrt::Client::open(pjrt::Plugin::load(copy), {});
    const auto here = compile(kAdd);
    const auto there = pjrt::compile_program(other, *parse_module(kAdd, "test"), "main", {});
    const auto x = put(pair(1, 2));
    const auto y = there->start(Values{x, x})->results()[0];
    EXPECT_TRUE(there->is_in_place(0, *y));
    EXPECT_FALSE(here->is_in_place(0, *y));
    EXPECT_EQ(here->start(Values{y, x})->results()[0]->read().data<float>()[1], 6);
    EXPECT_EQ(FakePlugin(copy).count("executed"), 1);
    EXPECT_EQ(count("executed"), 1);
  }
  EXPECT_EQ(FakePlugin(copy).live_objects(), 0);
}

TEST_F(DeviceValues, HaveOpenExtents) {
  const auto twice = compile(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = stablehlo.add %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
})");
  const auto y = twice->start(Values{put(pair(1, 2))})->results()[0];
  EXPECT_EQ(twice->start(Values{y})->results()[0]->read().data<float>()[1], 8);
  EXPECT_EQ(count("sent"), 1);
  EXPECT_EQ(count("fetched"), 1);
}

// The same calls where there is no device.
class HostValues : public testing::TestWithParam<const char*> {};

TEST_P(HostValues, AreUsedAsThoseOfDevices) {
  CompileOptions options;
  options.donations = {{0, 0}};
  const Target& target = get_target(GetParam());
  const auto add = target.compile(parse_module(kAdd, "test"), "main", options);
  Tensor mine = pair(1, 2);
  const auto x = target.put(mine), y = target.put(pair(3, 4));
  mine.mutable_data<float>()[0] = 100;  // x is a copy
  auto call = add->start(Values{x, y});
  call->wait();
  EXPECT_TRUE(call->is_done());
  const auto sum = call->results()[0];
  EXPECT_EQ(sum->read().data<float>()[0], 4);
  expect_error<UserError>([&] { x->read(); }, "was donated");
  expect_error<UserError>([&] { add->start(Values{x, y}); }, "argument 0 (tensor<2xf32>) was donated");
  expect_error<UserError>([&] { add->start(Values{y, y}); }, "are the same value");
  expect_error<UserError>([&] { add->start(Values{y}); }, "wrong number of arguments: got 1, expected 2");
  expect_error<UserError>([&] { add->start(Values{y, target.put(Tensor::of<float>({1}, {1}))}); },
                          "argument 1: got tensor<1xf32>, expected tensor<2xf32>");
  // Memory that somebody holds outside is copied before it is overwritten.
  const Tensor held = pair(5, 6);
  EXPECT_EQ(add->start(Values{std::make_shared<HostValue>(held), y})->results()[0]->read().data<float>()[0], 8);
  EXPECT_EQ(held.data<float>()[0], 5);
}

TEST_P(HostValues, GiveTheErrorOfTheirCallWhenTheyAreAwaited) {
  const Target& target = get_target(GetParam());
  const auto root = target.compile(parse_module(kRoot, "test"), "main", {});
  const auto call = root->start(Values{target.put(pair(4, -1))});
  expect_error<UserError>([&] { call->wait(); }, "negative");
  expect_error<UserError>([&] { call->results()[0]->read(); }, "negative");
}

INSTANTIATE_TEST_SUITE_P(Targets, HostValues, testing::Values("native", "eval"));

}  // namespace
}  // namespace weft
