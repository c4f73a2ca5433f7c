// weft_fuzz_julia_run: Julia programs, made at random or damaged. The evaluator ends each of them by a value, an exception of
// Julia's or a refusal, and never itself.
#include "julia/run/large_stack.h"
#include "reduce/random.h"
#include "tests/fuzz/julia_programs.h"
#include "tests/fuzz/text_campaign.h"

int main(int argc, char** argv) {
  using namespace weft;
  constexpr double kSecondsPerCase = 60;
  const auto text = [](uint64_t seed, const std::vector<std::string>& corpus) {
    reduce::Random random(seed);
    return fuzz::julia_program(random, corpus);
  };
  const fuzz::TextFuzzer fuzzer = {"weft_fuzz_julia_run", ".jl", "Julia programs",        "julia_run_",
                                   kSecondsPerCase,       text,  fuzz::julia_run_fault_of};
  int code = 0;
  julia::on_large_stack([&] {
    fuzz::load_julia();
    code = fuzz::run_text_fuzzer(fuzzer, argc, argv);
  });
  return code;
}
