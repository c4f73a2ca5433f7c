// What is told of compiled code: the plugin's figures, and that it has none.
#include <gtest/gtest.h>

#include "fake_plugin.h"
#include "pjrt/executable.h"
#include "pjrt/pjrt_target.h"
#include "text/parse.h"

namespace weft {
namespace {

std::string explained(const char* fault) {
  const auto client = pjrt::client_of(FakePlugin::path());
  FakePlugin().set("fault", fault);
  const auto module =
      parse_module("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }", "id");
  std::string out = pjrt::compile_program(client, *module, "main", {})->explain();
  FakePlugin().set("fault", "");
  return out;
}

TEST(Figures, AreThoseOfThePlugin) {
  const std::string text = explained("");
  for (const char* line :
       {"code: 100 bytes\n", "arguments: 16 bytes\n", "results: 8 bytes\n", "temporaries: 32 bytes\n",
        "peak: the plugin does not say\n", "arithmetic: 2 FLOP\n", "memory traffic: the plugin does not say\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(Figures, AreSaidToBeMissing) {
  const std::string text = explained("no figures");
  for (const char* line : {"code: the plugin does not say\n", "temporaries: the plugin does not say\n",
                           "arithmetic: the plugin does not say\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace
}  // namespace weft
