// weft_fuzz_programs: random typed programs held to the laws of laws.h; the first that breaks one is made small and written out.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string_view>

#include "base/file.h"
#include "eval/evaluator.h"
#include "reduce/reduce.h"
#include "tests/fuzz/generate.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/supervise.h"
#include "text/parse.h"
#include "text/print.h"

namespace weft::fuzz {
namespace {

constexpr const char* kUsage =
    "usage: weft_fuzz_programs [--seconds N] [--seed S] [--count N] [--ops N] [--target NAME] [--out DIR]\n"
    "       weft_fuzz_programs --replay FILE...     programs whose @main takes nothing\n"
    "       weft_fuzz_programs --print --seed S [--ops N]\n"
    "--target NAME compares this target with the evaluator, on ops whose bits do not depend on the implementation.\n";

struct Settings {
  double seconds = 10;
  uint64_t seed = 1, count = 0;
  GenerateOptions generate;
  std::string target, out = ".";
};

Program program_of(uint64_t seed, const Settings& settings) {
  Program p;
  p.module = generate(seed, settings.generate);
  for (Numbers numbers : {Numbers::kPlain, Numbers::kMixed, Numbers::kSpecial})
    p.inputs.push_back(random_inputs(seed, p.module->get("main"), numbers));
  return p;
}
std::string fault_of(const Program& p, const Settings& settings) {
  return settings.target.empty() ? broken_law(p) : differs_on(get_target(settings.target), p);
}

int report(uint64_t seed, const std::string& fault, const Settings& settings) {
  constexpr double kReduceSeconds = 60;
  std::cerr << "seed " << seed << ": " << fault << "\nreducing…\n";
  const reduce::StillFails fails = [&](const Program& p) {
    if (kind_of(isolated([&] { return fault_of(p, settings); }, 20)) != kind_of(fault)) return false;
    // A loop without its counter would make the program useless once the fault is mended.
    const auto ends = [&] {
      try {
        evaluate(*p.module, "main", p.inputs.at(0));
      } catch (const std::exception&) {}
      return std::string();
    };
    const std::string kind = kind_of(fault);
    return kind == "hang" || kind == "simplified" || kind == "refined" || isolated(ends, 3).empty();
  };
  std::string text;
  std::string left = fault;
  try {
    const Program small = reduce::reduced(program_of(seed, settings), fails, kReduceSeconds);
    left = isolated([&] { return fault_of(small, settings); }, 20);
    text = reduce::self_contained(small);
  } catch (const std::exception& e) { text = "// the generator itself fails: " + std::string(e.what()) + "\n"; }
  const std::string file = settings.out + "/program_" + std::to_string(seed) + ".mlir";
  std::string comment = "// weft_fuzz_programs --seed " + std::to_string(seed) + " --count 1 --ops " +
                        std::to_string(settings.generate.ops) + "\n// " + left.substr(0, left.find('\n')) + "\n";
  std::ofstream(file) << comment << text;
  std::cerr << comment << text << "written to " << file << "\n";
  return 1;
}

/// Programs that once broke a law.
int replay(const std::vector<std::string>& files, const Settings& settings) {
  int failed = 0;
  for (const std::string& file : files) {
    Program p;
    p.inputs = {{}};
    const std::string fault = isolated(
        [&] {
          try {
            p.module = parse_module(read_file(file), file);
          } catch (const Error& e) { return "does not parse: " + std::string(e.what()); }
          return fault_of(p, settings);
        },
        20);
    if (fault.empty()) continue;
    std::cerr << file << ": " << fault << "\n";
    ++failed;
  }
  std::cout << files.size() - static_cast<size_t>(failed) << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}

int main_with(int argc, char** argv) {
  Settings settings;
  std::vector<std::string> files;
  bool replays = false, prints = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (!option.starts_with("--")) {
      files.emplace_back(option);
    } else if (option == "--replay") {
      replays = true;
    } else if (option == "--print") {
      prints = true;
    } else if (i + 1 == argc) {
      std::cerr << kUsage;
      return 2;
    } else if (option == "--seconds") {
      settings.seconds = std::atof(argv[++i]);
    } else if (option == "--seed") {
      settings.seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (option == "--count") {
      settings.count = std::strtoull(argv[++i], nullptr, 10);
      settings.seconds = 1e9;
    } else if (option == "--ops") {
      settings.generate.ops = std::atoi(argv[++i]);
    } else if (option == "--target") {
      settings.target = argv[++i];
      settings.generate.exact = true;
    } else if (option == "--out") {
      settings.out = argv[++i];
    } else {
      std::cerr << kUsage;
      return 2;
    }
  }
  if (replays) return replay(files, settings);
  if (prints) {
    std::cout << print_module(*generate(settings.seed, settings.generate));
    return 0;
  }
  Campaign campaign;
  campaign.seconds = settings.seconds;
  campaign.most = settings.count;
  campaign.first_seed = settings.seed;
  campaign.run = [&](uint64_t seed) -> std::string {
    try {
      return fault_of(program_of(seed, settings), settings);
    } catch (const std::exception& e) { return "generator: " + std::string(e.what()); }
  };
  const CampaignResult result = run_campaign(campaign);
  if (result.found) return report(result.found->first, result.found->second, settings);
  std::cout << result.runs << " programs from seed " << settings.seed << ": no fault\n";
  return 0;
}

}  // namespace
}  // namespace weft::fuzz

int main(int argc, char** argv) { return weft::fuzz::main_with(argc, argv); }
