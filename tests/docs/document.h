// Documents with code in them: what their fenced blocks hold.
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace weft::docs_test {

/// A fenced block. Its first word is the language; `mlir NAME` and `cpp NAME` are files, `console` is commands and what they print.
struct Block {
  std::string language, name;
  int line = 0;
  std::vector<std::string> text;
};

inline std::vector<Block> blocks_of(const std::filesystem::path& document) {
  std::vector<Block> out;
  std::ifstream in(document);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (!inside) continue;
      const size_t space = line.find(' ');
      out.push_back({line.substr(3, space - 3), space == std::string::npos ? "" : line.substr(space + 1), number, {}});
    } else if (inside) {
      out.back().text.push_back(line);
    }
  }
  return out;
}

}  // namespace weft::docs_test
