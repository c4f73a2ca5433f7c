// weft_fuzz_julia: Julia sources, most of them wrong. The parser reads or refuses them in time that grows as they do, and its trees
// keep their laws.
#include "reduce/random.h"
#include "tests/fuzz/julia_texts.h"
#include "tests/fuzz/text_campaign.h"

int main(int argc, char** argv) {
  using namespace weft;
  // A text of 200 kB takes some hundredths of a second; what takes this long grows faster than its length.
  constexpr double kSecondsPerCase = 10;
  const auto text = [](uint64_t seed, const std::vector<std::string>& corpus) {
    reduce::Random random(seed);
    return fuzz::wrong_julia(random, corpus);
  };
  return fuzz::run_text_fuzzer(
      {"weft_fuzz_julia", ".jl", "Julia texts", "julia_", kSecondsPerCase, text, fuzz::julia_fault_of}, argc, argv);
}
