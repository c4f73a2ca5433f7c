// Topologies of plugins that need more than a name.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/temporary_folder.h"
#include "pjrt/device_code.h"
#include "text/parse.h"

namespace weft::pjrt {
namespace {

TEST(Topology, OfGpusHasItsShapeInTheName) {
  const auto shape = [](const std::string& plugin, const std::string& name, Options given = {}) -> std::string {
    const Options options = topology_options(plugin, name, std::move(given));
    const auto found = options.find("topology");
    return found == options.end() ? "none" : std::get<std::string>(found->second);
  };
  EXPECT_EQ(shape("/lib/xla_cuda_plugin.so", "h200:1x1x4"), "1x1x4");
  EXPECT_EQ(shape("/lib/xla_cuda_plugin.so", "1x2x8"), "1x2x8");
  EXPECT_EQ(shape("/lib/xla_cuda_plugin.so", "h200"), "none");
  EXPECT_EQ(shape("/lib/xla_cuda_plugin.so", "h200:1x1x4", {{"topology", std::string("1x1x1")}}), "1x1x1");
  EXPECT_EQ(shape("/lib/libtpu.so", "v4:2x2x1"), "none");
}

TEST(Topology, OfGpusNeedsADescriptionOfThem) {
  if (std::filesystem::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  const TemporaryFolder folder;
  const std::string plugin = folder / "fake_cuda.so";
  std::filesystem::copy_file(WEFT_BINARY_DIR "/libweft_fake_plugin.so", plugin);
  const auto module =
      parse_module("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }", "id");
  try {
    build_for_topology(*module, "main",
                       {.plugin = {.plugin = plugin, .options = {}}, .topology = "h200:1x1x1", .settings = {}});
    ADD_FAILURE() << "nothing was refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("expected target_config=@FILE"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weft::pjrt
