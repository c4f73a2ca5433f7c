// What the tree tells besides its shape: places, accessors; and our own programs.
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/file.h"
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

/// The source of each node of a kind, in the order of the array.
std::vector<std::string> texts(const Parsed& parsed, Kind kind) {
  std::vector<std::string> out;
  for (NodeId id = 0; id < parsed.tree.size(); ++id) {
    if (parsed.tree.is(id, kind)) out.emplace_back(parsed.tree.text(id));
  }
  return out;
}

TEST(SyntaxTree, NodesKnowTheirBytes) {
  const std::string source = "# α\nfunction f(x::T,\n  y) where T # c\n  x .+ y[end]   \nend\n";
  const Parsed parsed = parse(source);
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts(parsed, Kind::kFunction), Texts{source.substr(5, source.size() - 6)});
  EXPECT_EQ(texts(parsed, Kind::kCall), Texts{"f(x::T,\n  y)"});
  EXPECT_EQ(texts(parsed, Kind::kWhere), Texts{"f(x::T,\n  y) where T"});
  EXPECT_EQ(texts(parsed, Kind::kDotCall), Texts{"x .+ y[end]"});
  EXPECT_EQ(texts(parsed, Kind::kRef), Texts{"y[end]"});
  EXPECT_EQ(texts(parsed, Kind::kDeclare), Texts{"x::T"});
}

TEST(SyntaxTree, Accessors) {
  const Parsed parsed = parse("(f(x)::T) where {T} = a + b'");
  const Tree& tree = parsed.tree;
  const NodeId function = tree.child(tree.root(), 0);
  ASSERT_TRUE(tree.is(function, Kind::kFunction));
  EXPECT_EQ(tree.text(tree.signature_call(function)), "f(x)");
  const NodeId sum = tree.child(function, 1);
  EXPECT_EQ(tree.text(tree.callee(sum)), "+");
  EXPECT_EQ(tree.text(tree.callee(tree.child(sum, 2))), "'");
  EXPECT_EQ(tree.text(tree.callee(tree.signature_call(function))), "f");
  EXPECT_EQ(tree.callee(function), kNoNode);
}

TEST(SyntaxTree, LinesAndColumns) {
  const std::string source = "α = 1\nβγ = (2\n";
  const std::string* file = nullptr;
  const LineIndex lines(source);
  const auto at = static_cast<uint32_t>(source.find('('));
  const Loc loc = lines.loc(at, at + 2, file);
  EXPECT_EQ(loc.line, 2U);
  EXPECT_EQ(loc.column, 6U) << "characters, not bytes";
  EXPECT_EQ(loc.length, 2U);
  const auto end = static_cast<uint32_t>(source.size());
  EXPECT_EQ(lines.loc(end, end, file).line, 3U);
  EXPECT_EQ(lines.loc(0, end, file).length, 5U) << "no more than the line";
}

// Programs that hold every form of the language parse without a word.
TEST(SyntaxTree, ProgramsAreRead) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_SOURCE_DIR "/tests/julia/syntax/programs")) {
    const std::string source = read_file(entry.path());
    const Parsed parsed = parse(source);
    EXPECT_TRUE(parsed.diagnostics.empty()) << render_all(parsed.diagnostics, source, entry.path().string());
    ++programs;
  }
  EXPECT_GE(programs, 4);
}

// Public programs that are no part of this project, where a folder of them is at hand.
TEST(SyntaxTree, PublicProgramsAreRead) {
  const char* folder = std::getenv("WEFT_JULIA_PROGRAMS");
  if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "WEFT_JULIA_PROGRAMS names no folder";
  int programs = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".jl") continue;
    const std::string source = read_file(entry.path());
    const Parsed parsed = parse(source);
    EXPECT_TRUE(parsed.ok()) << render_all(parsed.diagnostics, source, entry.path().string());
    ++programs;
  }
  EXPECT_GT(programs, 0);
  std::cout << programs << " programs\n";
}

}  // namespace
}  // namespace weft::julia
