#include "tests/fuzz/text_campaign.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

#include "base/file.h"
#include "tests/fuzz/reduce_text.h"
#include "tests/fuzz/supervise.h"

namespace weft::fuzz {
namespace {

/// Texts of the folders' programs, in an order that does not depend on the file system.
std::vector<std::string> read_corpus(const std::vector<std::string>& folders, const std::string& extension) {
  constexpr uintmax_t kMostBytes = 24 * 1024;
  std::vector<std::string> paths, out;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() == extension && entry.file_size() <= kMostBytes)
        paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  for (const std::string& path : paths) out.push_back(read_file(path));
  std::erase_if(out, [](const std::string& text) { return text.empty(); });
  return out;
}

std::string fault_of(const TextFuzzer& fuzzer, const std::string& text) {
  return isolated([&] { return fuzzer.fault(text); }, fuzzer.seconds_per_case);
}

int report(const TextFuzzer& fuzzer, uint64_t seed, const std::string& fault, const std::string& text,
           const std::string& out) {
  constexpr double kReduceSeconds = 60;
  constexpr size_t kMostShown = 2000;
  std::cerr << "seed " << seed << ": " << fault << "\nreducing…\n";
  const auto fails = [&](const std::string& t) { return kind_of(fault_of(fuzzer, t)) == kind_of(fault); };
  const std::string small = reduced_text(text, fails, kReduceSeconds);
  const std::string file = out + "/" + fuzzer.prefix + std::to_string(seed) + fuzzer.extension;
  std::ofstream(file) << small;
  std::cerr << small.substr(0, kMostShown) << "\n" << fault_of(fuzzer, small) << "\nwritten to " << file << "\n";
  return 1;
}

int replay(const TextFuzzer& fuzzer, const std::vector<std::string>& paths) {
  size_t failed = 0;
  for (const std::string& path : paths) {
    const std::string fault = fault_of(fuzzer, read_file(path));
    if (fault.empty()) continue;
    std::cerr << path << ": " << fault << "\n";
    ++failed;
  }
  std::cout << paths.size() - failed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

int usage(const TextFuzzer& fuzzer) {
  std::cerr << "usage: " << fuzzer.name << " [--seconds N] [--seed S] [--count N] [--out DIR] FOLDER...   damages the "
            << fuzzer.extension << " files below\n       " << fuzzer.name << " --replay FILE...   texts as they are\n";
  return 2;
}

}  // namespace

int run_text_fuzzer(const TextFuzzer& fuzzer, int argc, char** argv) {
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
      return usage(fuzzer);
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
      return usage(fuzzer);
    }
  }
  if (paths.empty()) return usage(fuzzer);
  if (replays) return replay(fuzzer, paths);
  const std::vector<std::string> corpus = read_corpus(paths, fuzzer.extension);
  if (corpus.empty()) {
    std::cerr << "no programs in the folders\n";
    return 2;
  }
  campaign.seconds_per_case = fuzzer.seconds_per_case;
  campaign.run = [&](uint64_t seed) { return fuzzer.fault(fuzzer.text(seed, corpus)); };
  const CampaignResult result = run_campaign(campaign);
  if (result.found) {
    const auto& [seed, fault] = *result.found;
    return report(fuzzer, seed, fault, fuzzer.text(seed, corpus), out);
  }
  std::cout << result.runs << " " << fuzzer.what << " of " << corpus.size() << " programs from seed "
            << campaign.first_seed << ": no fault\n";
  return 0;
}

}  // namespace weft::fuzz
