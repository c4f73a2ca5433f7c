// What a broken plugin leads to: one clear error each, and nothing left alive. Each test runs in a process of its own, since a plugin is
// loaded once in a process.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "pjrt/executable.h"
#include "text/parse.h"

namespace weft::pjrt {
namespace {

constexpr const char* kPlugin = WEFT_BINARY_DIR "/libweft_fake_plugin.so";

int live_objects() {
  void* const handle = dlopen(kPlugin, RTLD_NOW | RTLD_NOLOAD);
  const auto count = reinterpret_cast<int (*)()>(dlsym(handle, "weft_fake_live_objects"));
  return count();
}

/// Loads the plugin with a fault, compiles the identity of two floats, and runs it. Exits with 0 when that fails with `expected` in its
/// message, as an error of kind E, and no object of the plugin lives on.
template <class E>
[[noreturn]] void expect_failure(const char* fault, const std::string& expected) {
  setenv("WEFT_FAKE_PLUGIN", fault, 1);
  std::string got = "no error";
  try {
    const auto client = Client::open(Plugin::load(kPlugin), {});
    const auto module =
        parse_module("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }", "id");
    const auto code = compile_program(client, *module, "main", {});
    const Tensor x = Tensor::of<float>({1, 2}, {2});
    const std::vector<Tensor> y = code->run(std::span(&x, 1));
    if (y[0].data<float>()[1] != 2) got = "wrong values";
  } catch (const E& error) { got = error.what(); } catch (const std::exception& error) {
    got = std::string("another kind of error: ") + error.what();
  }
  if (got.find(expected) == std::string::npos) {
    std::cerr << "got: " << got << "\nexpected: " << expected << "\n";
    std::exit(1);
  }
  if (void* const handle = dlopen(kPlugin, RTLD_NOW | RTLD_NOLOAD); handle != nullptr && live_objects() != 0) {
    std::cerr << live_objects() << " objects live on\n";
    std::exit(2);
  }
  std::exit(0);
}

class FaultyPlugin : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

#define EXPECT_FAULT(kind, fault, expected) \
  EXPECT_EXIT(expect_failure<kind>(fault, expected), testing::ExitedWithCode(0), "")

TEST_F(FaultyPlugin, WithoutFaultRunsAndFreesAll) { EXPECT_FAULT(UserError, "", "no error"); }
TEST_F(FaultyPlugin, ReturnsNoTable) { EXPECT_FAULT(Unsupported, "null table", "GetPjrtApi returned nothing"); }
TEST_F(FaultyPlugin, HasTooSmallATable) { EXPECT_FAULT(Unsupported, "tiny table", "24 bytes"); }
TEST_F(FaultyPlugin, IsTooOld) { EXPECT_FAULT(Unsupported, "old", "PJRT 0.40"); }
TEST_F(FaultyPlugin, IsOfAnotherMajorVersion) { EXPECT_FAULT(Unsupported, "new major", "PJRT 1.81"); }
TEST_F(FaultyPlugin, LacksLateEntries) { EXPECT_FAULT(Unsupported, "short table", "has no PJRT_Client_Compile"); }
TEST_F(FaultyPlugin, HasANullFunction) { EXPECT_FAULT(Unsupported, "null function", "has no PJRT_Client_Compile"); }
TEST_F(FaultyPlugin, CannotInitialize) { EXPECT_FAULT(UserError, "initialize", "internal: no driver"); }
TEST_F(FaultyPlugin, MakesNoClient) { EXPECT_FAULT(UserError, "client", "no devices at hand"); }
TEST_F(FaultyPlugin, HasNoDevice) { EXPECT_FAULT(UserError, "no device", "no devices"); }
TEST_F(FaultyPlugin, CannotCompile) {
  EXPECT_FAULT(UserError, "compile", "-:3:5: error: the fake plugin compiles nothing");
}
TEST_F(FaultyPlugin, LacksAnOp) { EXPECT_FAULT(Unsupported, "unimplemented", "no such op"); }
TEST_F(FaultyPlugin, LosesTheExecutable) { EXPECT_FAULT(UserError, "executable", "lost the executable"); }
TEST_F(FaultyPlugin, HasNoMemory) { EXPECT_FAULT(UserError, "memory", "resource exhausted: out of memory"); }
TEST_F(FaultyPlugin, CannotExecute) { EXPECT_FAULT(UserError, "execute", "wrong device"); }
TEST_F(FaultyPlugin, LosesTheDeviceInMidRun) { EXPECT_FAULT(UserError, "lost", "unavailable: device lost"); }
TEST_F(FaultyPlugin, LosesTheDeviceWhileReading) { EXPECT_FAULT(UserError, "read", "unavailable: device lost"); }

TEST(Plugin, SaysThatALibraryIsNone) {
  EXPECT_THROW(Plugin::load("/no/such/library.so"), UserError);
  try {
    Plugin::load(WEFT_BINARY_DIR "/libweft.so");
    FAIL();
  } catch (const Unsupported& error) {
    EXPECT_NE(std::string(error.what()).find("has no GetPjrtApi"), std::string::npos) << error.what();
  }
}

TEST(Plugin, ReadsOptionsOfATarget) {
  const PluginSpec spec = parse_plugin_spec("cpu,cpu_device_count=4,verbose=true,name=a b,bounds=2:2:1");
  EXPECT_EQ(spec.plugin, "cpu");
  EXPECT_EQ(std::get<int64_t>(spec.options.at("cpu_device_count")), 4);
  EXPECT_TRUE(std::get<bool>(spec.options.at("verbose")));
  EXPECT_EQ(std::get<std::string>(spec.options.at("name")), "a b");
  EXPECT_EQ(std::get<std::vector<int64_t>>(spec.options.at("bounds")), (std::vector<int64_t>{2, 2, 1}));
  EXPECT_THROW(parse_plugin_spec("cpu,count"), UserError);
}

TEST(Plugin, EncodesCompileOptions) {
  // The bytes that plugins were measured to take.
  EXPECT_EQ(encode_compile_options({}), std::string("\x1a\x04\x20\x01\x28\x01", 6));
  std::string two("\x1a\x14\x08", 3);
  two += std::string(9, '\xff');
  two += std::string("\x01\x20\x01\x28\x02\x30\x01\x98\x01\x01", 10);
  EXPECT_EQ(encode_compile_options({.replicas = 1, .partitions = 2, .overrides = {}}), two);
}

}  // namespace
}  // namespace weft::pjrt
