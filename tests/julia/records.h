// The public examples and assertions about Julia that tests compare with; empty where their folder is not at hand.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace weft::julia {

inline std::vector<nlohmann::json> records(const std::string& file) {
  const char* corpus = std::getenv("WEFT_CORPUS");
  const std::filesystem::path folder = corpus != nullptr ? corpus : std::string(WEFT_SOURCE_DIR) + "/../shared";
  std::ifstream in(folder / "julia" / file);
  std::vector<nlohmann::json> out;
  for (std::string line; std::getline(in, line);) out.push_back(nlohmann::json::parse(line));
  return out;
}

}  // namespace weft::julia
