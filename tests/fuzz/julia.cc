// weft_fuzz_julia: Julia sources, most of them wrong. The parser reads or refuses them in time that grows as they do, and its trees
// keep their laws.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/file.h"
#include "tests/fuzz/julia_texts.h"
#include "tests/fuzz/reduce_text.h"
#include "tests/fuzz/supervise.h"

namespace weft::fuzz {
namespace {

constexpr const char* kUsage =
    "usage: weft_fuzz_julia [--seconds N] [--seed S] [--count N] [--out DIR] FOLDER...   damages the .jl files below\n"
    "       weft_fuzz_julia --replay FILE...                                             texts as they are\n";
// A text of 200 kB takes some hundredths of a second; what takes this long grows faster than its length.
constexpr double kSecondsPerCase = 10;

std::vector<std::string> read_corpus(const std::vector<std::string>& folders) {
  constexpr uintmax_t kMostBytes = 24 * 1024;
  std::vector<std::string> paths, out;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() == ".jl" && entry.file_size() <= kMostBytes)
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) out.push_back(read_file(path));
  std::erase_if(out, [](const std::string& text) { return text.empty(); });
  return out;
}

std::string text_of(uint64_t seed, const std::vector<std::string>& corpus) {
  reduce::Random random(seed);
  return wrong_julia(random, corpus);
}

int report(uint64_t seed, const std::string& fault, const std::string& text, const std::string& out) {
  constexpr double kReduceSeconds = 60;
  std::cerr << "seed " << seed << ": " << fault << "\nreducing…\n";
  const auto fails = [&](const std::string& t) {
    return kind_of(isolated([&] { return julia_fault_of(t); }, kSecondsPerCase)) == kind_of(fault);
  };
  const std::string small = reduced_text(text, fails, kReduceSeconds);
  const std::string file = out + "/julia_" + std::to_string(seed) + ".jl";
  std::ofstream(file) << small;
  std::cerr << small.substr(0, 2000) << "\n"
            << isolated([&] { return julia_fault_of(small); }, kSecondsPerCase) << "\nwritten to " << file << "\n";
  return 1;
}

int replay(const std::vector<std::string>& paths) {
  size_t failed = 0;
  for (const std::string& path : paths) {
    const std::string text = read_file(path);
    const std::string fault = isolated([&] { return julia_fault_of(text); }, kSecondsPerCase);
    if (fault.empty()) continue;
    std::cerr << path << ": " << fault << "\n";
    ++failed;
  }
  std::cout << paths.size() - failed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

int main_with(int argc, char** argv) {
  Campaign campaign;
  std::vector<std::string> paths;
  std::string out = ".";
  bool replays = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (!option.starts_with("--")) {
      paths.emplace_back(option);
    } else if (option == "--replay") {
      replays = true;
    } else if (i + 1 == argc) {
      std::cerr << kUsage;
      return 2;
    } else if (option == "--seconds") {
      campaign.seconds = std::atof(argv[++i]);
    } else if (option == "--seed") {
      campaign.first_seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--count") {
      campaign.most = std::strtoull(argv[++i], nullptr, 10);
      campaign.seconds = 1e9;
    } else if (option == "--out") {
      out = argv[++i];
    } else {
      std::cerr << kUsage;
      return 2;
    }
  }
  if (paths.empty()) {
    std::cerr << kUsage;
    return 2;
  }
  if (replays) return replay(paths);
  const std::vector<std::string> corpus = read_corpus(paths);
  if (corpus.empty()) {
    std::cerr << "no programs in the folders\n";
    return 2;
  }
  campaign.seconds_per_case = kSecondsPerCase;
  campaign.run = [&](uint64_t seed) { return julia_fault_of(text_of(seed, corpus)); };
  const CampaignResult result = run_campaign(campaign);
  if (result.found) {
    const auto& [seed, fault] = *result.found;
    return report(seed, fault, text_of(seed, corpus), out);
  }
  std::cout << result.runs << " Julia texts of " << corpus.size() << " programs from seed " << campaign.first_seed
            << ": no fault\n";
  return 0;
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) { return weft::fuzz::main_with(argc, argv); }
