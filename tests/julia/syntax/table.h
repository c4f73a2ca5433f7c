// Tables of sources and the trees they must give.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "julia/syntax/parse.h"
#include "julia/syntax/sexpr.h"

namespace weft::julia {

/// The tree of a source of one line, without the kToplevel around it.
inline std::string tree_of(std::string_view source) {
  const Parsed parsed = parse(source);
  const NodeId root = parsed.tree.root();
  std::string out;
  for (const NodeId c : parsed.tree.children(root)) out += (out.empty() ? "" : " ") + sexpr(parsed.tree, c);
  for (const Diagnostic& d : parsed.diagnostics) out += " !" + d.message;
  return out;
}

struct Case {
  const char *source, *tree;
};

inline void expect_trees(const std::vector<Case>& cases) {
  for (const Case& c : cases) EXPECT_EQ(tree_of(c.source), c.tree) << c.source;
}

/// Exactly these diagnostics, in order.
inline void expect_faults(std::string_view source, const std::vector<std::pair<std::string, std::string>>& faults) {
  const Parsed parsed = parse(source);
  ASSERT_EQ(parsed.diagnostics.size(), faults.size()) << source << "\n"
                                                      << render_all(parsed.diagnostics, source, "test.jl");
  for (size_t i = 0; i < faults.size(); ++i) {
    const Diagnostic& d = parsed.diagnostics[i];
    EXPECT_EQ(source.substr(d.begin, d.end - d.begin), faults[i].first) << source << ": " << d.message;
    EXPECT_EQ(d.message, faults[i].second) << source;
  }
}

}  // namespace weft::julia
