// Statements: blocks, conditions, loops, try, let, quote, docstrings, and recovery from faults in them.
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

TEST(Syntax, Blocks) {
  expect_trees({
      {"begin a; b end", "(block a b)"},
      {"let a = 1, b; c end", "(let (block (= a 1) b) (block c))"},
      {"let\n a\nend", "(let (block) (block a))"},
      {"quote a + b end", "(quote (block (call-i a + b)))"},
      {":(a + b)", "(quote-: (parens (call-i a + b)))"},
      {":($a + $(b...))", "(quote-: (parens (call-i ($ a) + ($ (parens (... b))))))"},
      {":a", "(quote-: a)"},
      {":+", "(quote-: +)"},
      {":(=)", "(quote-: (parens =))"},
      {":end", "(quote-: end)"},
      {"a; b", "(toplevel-; a b)"},
  });
}

TEST(Syntax, ConditionsAndLoops) {
  expect_trees({
      {"if a b end", "(if a (block b))"},
      {"if a; b; elseif c; d; else e end", "(if a (block b) (elseif c (block d) (block e)))"},
      {"if a elseif b elseif c end", "(if a (block) (elseif b (block) (elseif c (block))))"},
      {"while a < b; c end", "(while (call-i a < b) (block c))"},
      {"for i in 1:3 a end", "(for (iteration (in i (call-i 1 : 3))) (block a))"},
      {"for i = 1:3, j ∈ x; a end", "(for (iteration (in i (call-i 1 : 3)) (in j x)) (block a))"},
      {"for (a, b) in x end", "(for (iteration (in (tuple-p a b) x)) (block))"},
      {"for a, b in x end",
       "(for (iteration (in a (error)) (in b x)) (block)) !invalid iteration spec: expected one of `=` `in` or `∈`"},
      {"for outer i in x end", "(for (iteration (in (outer i) x)) (block))"},
      {"for outer in x end", "(for (iteration (in outer x)) (block))"},
      {"a && break", "(&& a (break))"},
      {"a || continue", "(|| a (continue))"},
      {"a && return b, c", "(&& a (return (tuple b c)))"},
      {"a && (b = 1)", "(&& a (parens (= b 1)))"},
      {"x = if a b else c end", "(= x (if a (block b) (block c)))"},
  });
}

TEST(Syntax, Try) {
  expect_trees({
      {"try a catch e; b end", "(try (block a) (catch e (block b)))"},
      {"try a catch\n b end", "(try (block a) (catch □ (block b)))"},
      {"try a finally b end", "(try (block a) (finally (block b)))"},
      {"try a catch e\n b else c finally d end",
       "(try (block a) (catch e (block b)) (else (block c)) (finally (block d)))"},
      {"try a end", "(try (block a) (error-t)) !try without catch or finally"},
  });
}

TEST(Syntax, Docstrings) {
  expect_trees({
      {"\"d\" f", "(doc (string \"d\") f)"},
      {"\"d\"\nf(x) = x", "(doc (string \"d\") (function-= (call f x) x))"},
      {"\"d\"\n\nf", "(string \"d\") f"},
      {"\"d\"\n# comment\nf", "(string \"d\") f"},
      {"begin \"d\"\n f end", "(block (doc (string \"d\") f))"},
      {"struct A\n \"d\"\n x\nend", "(struct A (block (doc (string \"d\") x)))"},
      {"function f()\n \"d\"\n x\nend", "(function (call f) (block (string \"d\") x))"},
  });
}

TEST(Syntax, CommentsAndLineBreaks) {
  expect_trees({
      {"a # b\nc", "a c"},
      {"a #= b #= c =# d =# + e", "(call-i a + e)"},
      {"a +\nb", "(call-i a + b)"},
      {"a\n+ b", "a (call-pre + b)"},
      {"(a\n\n\n+ b)", "(parens (call-i a + b))"},
      {"f(a, # first\n b)", "(call f a b)"},
      {"a\r\nb", "a b"},
      {"", ""},
      {"# only", ""},
  });
}

// One fault does not hide another: all are told, each with its place.
TEST(Syntax, SeveralFaultsInOneRun) {
  expect_faults("x = 'ab'\ny = 1 +* 2\nz = (1, 2\n", {{"ab", "character literal contains multiple characters"},
                                                      {"*", "not a unary operator"},
                                                      {"", "Expected `)` or `,`"}});
  expect_faults("a b\nc d",
                {{"b", "extra tokens after end of expression"}, {"d", "extra tokens after end of expression"}});
  expect_faults("if x\n y = 1 = \nend\nend", {{"end", "invalid identifier"}});
}

TEST(Syntax, FaultsSayWhatIsMissing) {
  expect_faults("f(x", {{"", "Expected `)` or `,`"}});
  expect_faults("[1, 2", {{"", "Expected `]` or `,`"}});
  expect_faults("begin\nx", {{"", "Expected `end`"}});
  expect_faults("\"abc", {{"", "unterminated string literal"}});
  expect_faults("#= abc", {{"#= abc", "unterminated multi-line comment #= ... =#"}});
  expect_faults("x = )", {{")", "unexpected `)`"}, {")", "extra tokens after end of expression"}});
  expect_faults("else", {{"else", "invalid identifier"}});
  expect_faults("a ** b",
                {{"**", "use `x^y` instead of `x**y` for exponentiation, and `x...` instead of `**x` for splatting"}});
  expect_faults("1 = = 2", {{"=", "unexpected `=`"}, {"2", "extra tokens after end of expression"}});
  expect_faults("a\u200bb", {{"\u200b", "invisible character '\\u200b'"}});
}

// A text that nests without end is refused, not followed to the end of the stack.
TEST(Syntax, DeepNestingIsAnError) {
  for (const char* open : {"(",
                           "[",
                           "{",
                           "f(",
                           "a[",
                           "if x ",
                           "begin ",
                           "-",
                           "!",
                           "a = ",
                           "a -> ",
                           "x ? ",
                           "@",
                           "\"$(",
                           ":(",
                           "a ^ ",
                           "$",
                           "::",
                           "function f() ",
                           "let ",
                           "[x for x in ",
                           "a && ",
                           "a => ",
                           "if a elseif ",
                           "&",
                           "quote ",
                           "try ",
                           "<: "}) {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += open;
    const Parsed parsed = parse(text);
    EXPECT_FALSE(parsed.ok()) << open;
    size_t deep = 0;
    for (const Diagnostic& d : parsed.diagnostics) deep += d.message.starts_with("nested deeper") ? 1 : 0;
    EXPECT_EQ(deep, 1U) << open;
  }
  // Chains that nest to the left do so in the tree alone.
  std::string chain = "a";
  for (int i = 0; i < 20000; ++i) chain += " - a";
  EXPECT_FALSE(parse(chain).ok());
  std::string sum = "a";
  for (int i = 0; i < 20000; ++i) sum += " + a";
  EXPECT_TRUE(parse(sum).ok()) << "one call of many arguments";
}

TEST(Syntax, NestingOfRealProgramsIsRead) {
  std::string text(200, '(');
  text += "x" + std::string(200, ')');
  EXPECT_TRUE(parse(text).ok());
}

}  // namespace
}  // namespace weft::julia
