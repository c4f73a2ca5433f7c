// No facet says "not yet": a rule is there, or the reason why there is none lasts.
#include <gtest/gtest.h>

#include <iostream>

#include "ops/record.h"

namespace weft {
namespace {

TEST(OpMatrix, NoFacetSaysNotYet) {
  size_t count = 0;
  for (const OpRecord* op : all_ops()) {
    const auto ask = [&](std::string_view facet, const auto& f) {
      if (!f.refused() || f.reason().find("not yet") == std::string_view::npos) return;
      ++count;
      std::cout << op->mnemonic << " " << facet << ": " << f.reason() << "\n";
    };
    ask("type", op->type);
    ask("eval", op->eval);
    ask("scalar", op->scalar);
    ask("linearize", op->linearize);
    ask("transpose", op->transpose);
    ask("vectorize", op->vectorize);
    ask("uniformity", op->uniformity);
    ask("simplify", op->simplify);
    ask("aliases", op->aliases);
    ask("cost", op->cost);
    ask("to_stablehlo", op->to_stablehlo);
    ask("samples", op->samples);
  }
  EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace weft
