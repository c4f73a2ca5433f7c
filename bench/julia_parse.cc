// bench_julia_parse FILE.jl...: megabytes a second of the Julia parser over the files, joined until they are some megabytes. Best of
// several runs, the tree made anew in each; processor time, which other processes do not change much.
#include <algorithm>
#include <ctime>
#include <iostream>

#include "base/file.h"
#include "julia/syntax/parse.h"

int main(int argc, char** argv) {
  constexpr size_t kLeastBytes = 8u << 20;
  constexpr int kRuns = 7;
  std::string all;
  for (int i = 1; i < argc; ++i) {
    const std::string text = weft::read_file(argv[i]);
    // A file with errors would be read past.
    if (weft::julia::parse(text).ok()) all += text + "\n";
  }
  if (all.empty()) {
    std::cerr << "usage: bench_julia_parse FILE.jl...\n";
    return 2;
  }
  const std::string once = all;
  while (all.size() < kLeastBytes) all += once;
  double best = 1e9;
  size_t nodes = 0, errors = 0;
  for (int run = 0; run < kRuns; ++run) {
    const std::clock_t start = std::clock();
    const weft::julia::Parsed parsed = weft::julia::parse(all);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    nodes = parsed.tree.size();
    errors = parsed.diagnostics.size();
  }
  const double megabytes = static_cast<double>(all.size()) / 1e6;
  std::cout << megabytes << " MB, " << nodes << " nodes, " << errors << " diagnostics: " << megabytes / best
            << " MB/s\n";
  return 0;
}
