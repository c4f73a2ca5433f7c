// weft_fuzz_texts: damaged programs. The parser reads or refuses them; what it reads prints to a fixed point, in both forms.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/file.h"
#include "ops/record.h"
#include "ops/structural/dynamic.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/reduce_text.h"
#include "tests/fuzz/supervise.h"
#include "tests/fuzz/tokens.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/simplify.h"

namespace weft::fuzz {
namespace {

constexpr const char* kUsage =
    "usage: weft_fuzz_texts [--seconds N] [--seed S] [--count N] [--out DIR] FOLDER...   damages the .mlir files "
    "below\n"
    "       weft_fuzz_texts --replay FILE...                                             texts as they are\n";
constexpr double kSecondsPerCase = 10;

/// Folding can make a shape operand constant and show that its values never fitted: the program was wrong before.
bool is_about_shape_operands(const UserError& e) {
  const std::string what = e.what();
  const size_t end = what.find(']');
  const OpRecord* op = what.starts_with("[") && end != std::string::npos ? find_op(what.substr(1, end - 1)) : nullptr;
  return op != nullptr && is_dynamic_op(*op);
}

/// What is wrong with how a text is read; empty when nothing is.
std::string fault_of(const std::string& text) {
  try {
    std::unique_ptr<Module> module;
    try {
      module = parse_module(text, "text.mlir");
    } catch (const UserError&) { return {}; } catch (const Unsupported&) {
      return {};
    }
    const std::string printed = print_module(*module);
    try {
      const auto again = parse_module(printed, "printed.mlir");
      if (print_module(*again) != printed)
        return "fixed point: printed\n" + printed + "\nthen\n" + print_module(*again);
    } catch (const Error& e) { return "printed text is refused: " + std::string(e.what()) + "\n" + printed; }
    const std::string generic = print_module(*module, {.generic = true});
    try {
      const auto again = parse_module(generic, "generic.mlir");
      if (print_module(*again, {.generic = true}) != generic) return "generic fixed point: printed\n" + generic;
    } catch (const Error& e) { return "printed generic text is refused: " + std::string(e.what()) + "\n" + generic; }
    try {
      simplify(*module);
      verify(*module);
    } catch (const UserError& e) {
      if (!is_about_shape_operands(e)) return "simplified: " + std::string(e.what());
    } catch (const Unsupported&) {}
    return {};
  } catch (const InternalError& e) {
    return "internal error: " + std::string(e.what());
  } catch (const std::exception& e) { return "exception: " + std::string(e.what()); }
}

/// Texts of the folders' programs, in an order that does not depend on the file system.
std::vector<std::string> read_corpus(const std::vector<std::string>& folders) {
  constexpr uintmax_t kMostBytes = 24 * 1024;
  std::vector<std::string> paths, out;
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file() && entry.path().extension() == ".mlir" && entry.file_size() <= kMostBytes)
        paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) out.push_back(read_file(path));
  return out;
}

/// A text that asks for terabytes is to be refused, not served.
void limit_memory() {
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_FUZZ_SANITIZED  // shadow memory is larger than any limit
#endif
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(WEFT_FUZZ_SANITIZED)
  constexpr rlim_t kMostBytes = rlim_t{4} << 30;
  const rlimit limit = {kMostBytes, kMostBytes};
  setrlimit(RLIMIT_AS, &limit);
#endif
}

std::string damaged_case(uint64_t seed, const std::vector<std::string>& corpus) {
  Random random(seed);
  const std::string &text = random.pick(corpus), &other = random.pick(corpus);
  return damaged(random, text, other);
}

int report(uint64_t seed, const std::string& fault, const std::string& text, const std::string& out) {
  constexpr double kReduceSeconds = 60;
  std::cerr << "seed " << seed << ": " << fault << "\nreducing…\n";
  const std::string small = reduced_text(
      text,
      [&](const std::string& t) {
        return kind_of(isolated([&] { return fault_of(t); }, kSecondsPerCase)) == kind_of(fault);
      },
      kReduceSeconds);
  const std::string file = out + "/text_" + std::to_string(seed) + ".mlir";
  std::ofstream(file) << small;
  std::cerr << small << "\n"
            << isolated([&] { return fault_of(small); }, kSecondsPerCase) << "\nwritten to " << file << "\n";
  return 1;
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
  limit_memory();
  if (replays) {
    int failed = 0;
    for (const std::string& path : paths) {
      const std::string text = read_file(path);
      const std::string fault = isolated([&] { return fault_of(text); }, kSecondsPerCase);
      if (fault.empty()) continue;
      std::cerr << path << ": " << fault << "\n";
      ++failed;
    }
    std::cout << paths.size() - static_cast<size_t>(failed) << " passed, " << failed << " failed\n";
    return failed == 0 ? 0 : 1;
  }
  const std::vector<std::string> corpus = read_corpus(paths);
  if (corpus.empty()) {
    std::cerr << "no programs in the folders\n";
    return 2;
  }
  campaign.seconds_per_case = kSecondsPerCase;
  campaign.run = [&](uint64_t seed) { return fault_of(damaged_case(seed, corpus)); };
  const CampaignResult result = run_campaign(campaign);
  if (result.found) {
    const auto& [seed, fault] = *result.found;
    return report(seed, fault, damaged_case(seed, corpus), out);
  }
  std::cout << result.runs << " damaged texts of " << corpus.size() << " programs from seed " << campaign.first_seed
            << ": no fault\n";
  return 0;
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) { return weft::fuzz::main_with(argc, argv); }
