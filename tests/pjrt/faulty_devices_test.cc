// What goes wrong on several devices: one clear error each, and nothing left alive. Each test runs in a process of its own, since a plugin is
// loaded once in a process.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "pjrt/several_devices.h"
#include "text/parse.h"

namespace weft::pjrt {
namespace {

constexpr const char* kPlugin = WEFT_BINARY_DIR "/libweft_fake_plugin.so";

/// The identity of four floats, cut over a mesh of `devices`.
std::string identity(int devices) {
  const std::string cut = "{sdy.sharding = #sdy.sharding<mesh<[\"x\"=" + std::to_string(devices) + "]>, [{\"x\"}]>}";
  return "func.func @main(%x: tensor<4xf32> " + cut + ") -> (tensor<4xf32> " + cut + ") { return %x : tensor<4xf32> }";
}

/// Exits with 0 when running the program on a plugin of this fault ends with `expected` in its message ("no error": with the right values),
/// and no object of the plugin lives on.
[[noreturn]] void expect_end(const char* fault, const std::string& program, const std::string& expected) {
  setenv("WEFT_FAKE_PLUGIN", fault, 1);
  std::string got = "no error";
  try {
    const std::shared_ptr<const Client> client = Client::open(Plugin::load(kPlugin), {});
    const auto module = parse_module(program, "id");
    const auto code = compile_on_devices([&](size_t) { return client; }, 0, *module, "main", {});
    const Tensor x = Tensor::of<float>({1, 2, 3, 4}, {4});
    const std::vector<Tensor> y = code->run(std::span(&x, 1));
    for (size_t i = 0; i < 4; ++i) {
      if (y[0].data<float>()[i] != static_cast<float>(i + 1)) got = "wrong values";
    }
  } catch (const std::exception& error) { got = error.what(); }
  if (got.find(expected) == std::string::npos) {
    std::cerr << "got: " << got << "\nexpected: " << expected << "\n";
    std::exit(1);
  }
  const auto count =
      reinterpret_cast<int (*)()>(dlsym(dlopen(kPlugin, RTLD_NOW | RTLD_NOLOAD), "weft_fake_live_objects"));
  if (count() != 0) {
    std::cerr << count() << " objects live on\n";
    std::exit(2);
  }
  std::exit(0);
}

class FaultyDevices : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

#define EXPECT_END(fault, devices, expected) \
  EXPECT_EXIT(expect_end(fault, identity(devices), expected), testing::ExitedWithCode(0), "")

TEST_F(FaultyDevices, WithoutFaultCutAndPutTogether) { EXPECT_END("two", 2, "no error"); }
TEST_F(FaultyDevices, AreFewerThanTheMeshHas) {
  EXPECT_END("two", 4, "the program is for 4 devices: PJRT plugin libweft_fake_plugin.so (PJRT 0.81) has 2");
}
TEST_F(FaultyDevices, AreNotAllUsed) { EXPECT_END("two, one used", 2, "made a program for 1 devices, expected 2"); }
TEST_F(FaultyDevices, GiveOtherParts) {
  EXPECT_END("two, whole results", 2, "result 0 is a tensor<4xf32> on each device, expected tensor<2xf32>");
}
TEST_F(FaultyDevices, LoseOneOfThemInMidRun) { EXPECT_END("two, one lost", 2, "unavailable: device lost"); }

}  // namespace
}  // namespace weft::pjrt
