// Entries: numbers whose values the text says may become constants, the others are arguments.
#include <gtest/gtest.h>

#include "julia/infer/border/entry.h"
#include "julia/run/large_stack.h"

namespace weft::julia {
namespace {

/// What an entry does not say is no constant, and the message says what to write.
TEST(JuliaEntry, EntriesKeepNumbersWithoutValuesAsArguments) {
  on_large_stack([] {
    Evaluator evaluator{EvaluatorOptions()};
    evaluator.run("f(n, k) = k * sum(ones(n))", "f.jl", evaluator.main());
    const TracedCall traced = trace_entry(evaluator, read_entry(evaluator, "f(3, Int)"));
    EXPECT_EQ(traced.types.size(), 1U);  // k
    try {
      trace_entry(evaluator, read_entry(evaluator, "f(Int, 2)"));
      FAIL() << "compiled for a size that the entry does not say";
    } catch (const UserError& e) {
      EXPECT_NE(std::string(e.what()).find("say the value of a number in the entry instead of its type"),
                std::string::npos)
          << e.what();
    }
  });
}

TEST(JuliaEntry, EntriesTakeKeywords) {
  on_large_stack([] {
    Evaluator evaluator{EvaluatorOptions()};
    evaluator.run("f(x; n = 3, k = 1.0) = k * sum(fill(x, n))", "f.jl", evaluator.main());
    const TracedCall traced = trace_entry(evaluator, read_entry(evaluator, "f(Float64; k = Float64, n = 2)"));
    EXPECT_EQ(traced.types.size(), 2U);  // x and k
    EXPECT_THROW(trace_entry(evaluator, read_entry(evaluator, "f(Float64; n = Int)")), UserError);
    EXPECT_THROW(read_entry(evaluator, "f(Float64; n...)"), UserError);
  });
}

}  // namespace
}  // namespace weft::julia
