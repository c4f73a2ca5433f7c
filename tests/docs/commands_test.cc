// What the documents say that commands print is what they print.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/docs/document.h"

namespace weft::docs_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// Both streams of a shell line, run in a folder with `weft` at hand.
std::vector<std::string> printed(const std::string& command, const fs::path& folder) {
  const std::string line = "cd " + folder.string() + " && PATH=" WEFT_BINARY_DIR ":$PATH && { " + command + "; } 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  std::string out;
  char buffer[4096];
  for (size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  pclose(pipe);
  return lines_of(out);
}

/// A line "…" stands for any number of lines.
bool matches(const std::vector<std::string>& got, size_t i, const std::vector<std::string>& want, size_t k) {
  if (k == want.size()) return i == got.size();
  if (want[k] == "…") return matches(got, i, want, k + 1) || (i < got.size() && matches(got, i + 1, want, k));
  return i < got.size() && got[i] == want[k] && matches(got, i + 1, want, k + 1);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

class Documents : public testing::TestWithParam<std::string> {};

TEST_P(Documents, CommandsPrintWhatStandsThere) {
  const fs::path document = fs::path(WEFT_SOURCE_DIR) / "docs" / (GetParam() + ".md");
  const fs::path folder = fs::temp_directory_path() / ("weft_docs_" + std::to_string(getpid()) + "_" + GetParam());
  fs::create_directories(folder);
  int commands = 0;
  for (const Block& block : blocks_of(document)) {
    const bool is_program = block.language == "mlir" || block.language == "julia";
    if (is_program && !block.name.empty()) std::ofstream(folder / block.name) << joined(block.text);
    if (block.language != "console") continue;
    for (size_t i = 0; i < block.text.size();) {
      ASSERT_TRUE(block.text[i].starts_with("$ ")) << document << ":" << block.line;
      const std::string command = block.text[i++].substr(2);
      std::vector<std::string> want;
      while (i < block.text.size() && !block.text[i].starts_with("$ ")) want.push_back(block.text[i++]);
      const std::vector<std::string> got = printed(command, folder);
      EXPECT_TRUE(matches(got, 0, want, 0)) << document << ":" << block.line << ": " << command << "\nprints\n"
                                            << joined(got) << "expected\n"
                                            << joined(want);
      ++commands;
    }
  }
  EXPECT_GT(commands, 0);
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Commands, Documents, testing::Values("differentiation", "julia", "pfor"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace weft::docs_test
