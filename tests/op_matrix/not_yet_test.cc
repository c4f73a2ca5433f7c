// Facets that say "not yet" are promises: their number is printed, and may only fall.
#include <gtest/gtest.h>

#include <iostream>

#include "ops/record.h"

namespace weft {
namespace {

/// The count when this test was last changed. Lower it with each promise that is kept.
constexpr size_t kMost = 47;

TEST(OpMatrix, FacetsThatSayNotYetBecomeFewer) {
  size_t count = 0;
  for (const OpRecord* op : all_ops()) {
    const auto ask = [&](std::string_view facet, const auto& f) {
      if (!f.refused() || !f.reason().starts_with("not yet")) return;
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
  std::cout << count << " facets say \"not yet\"\n";
  EXPECT_LE(count, kMost) << "a facet that was there is gone, or a new op leaves one out";
}

}  // namespace
}  // namespace weft
