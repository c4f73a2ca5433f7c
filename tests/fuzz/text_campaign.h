// The command of a fuzzer of texts: damages the texts of a corpus by seed, or takes files as they are; a text with a fault is reduced and
// written out.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace weft::fuzz {

struct TextFuzzer {
  std::string name;       ///< of the command
  std::string extension;  ///< of the files of the corpus, ".mlir"
  std::string what;       ///< how the last line calls the cases, "damaged texts"
  std::string prefix;     ///< of the file for a text with a fault
  double seconds_per_case = 20;
  /// The case of a seed.
  std::function<std::string(uint64_t seed, const std::vector<std::string>& corpus)> text;
  /// What is wrong with how a text is read, "kind: more"; empty when nothing is.
  std::function<std::string(const std::string& text)> fault;
};

/// Exit status: 0 without a fault, 1 with one, 2 for wrong arguments.
int run_text_fuzzer(const TextFuzzer& fuzzer, int argc, char** argv);

}  // namespace weft::fuzz
