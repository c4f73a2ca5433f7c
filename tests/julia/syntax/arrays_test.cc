// Brackets: what white space, commas and semicolons make of their inside.
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

TEST(Syntax, WhiteSpaceInBrackets) {
  expect_trees({
      {"[1 -2]", "(hcat 1 -2)"},
      {"[a -b]", "(hcat a (call-pre - b))"},
      {"[a - b]", "(vect (call-i a - b))"},
      {"[a-b]", "(vect (call-i a - b))"},
      {"[a -b c]", "(hcat a (call-pre - b) c)"},
      {"[a *b]", "(vect (call-i a * b))"},
      {"[a, -b]", "(vect a (call-pre - b))"},
      {"[f(x) g (y)]", "(hcat (call f x) g (parens y))"},
      {"[a [1]]", "(hcat a (vect 1))"},
      {"[a' b']", "(hcat (call-post a ') (call-post b '))"},
      {"[a 'b']", "(hcat a (char 'b'))"},
      {"[1 :a]", "(hcat 1 (quote-: a))"},
      {"[a:b c]", "(hcat (call-i a : b) c)"},
      {"[a ? b : c d]", "(hcat (? a b c) d)"},
      {"[a=>b c=>d]", "(hcat (call-i a => b) (call-i c => d))"},
      {"[x->y z]", "(hcat (-> (tuple x) y) z)"},
      {"[a \"s\"]", "(hcat a (string \"s\"))"},
      {"[!a !b]", "(hcat (call-pre ! a) (call-pre ! b))"},
      {"[a .- b]", "(vect (dotcall-i a - b))"},
      {"[1.54919 0.0; -1.54919 0.0]", "(vcat (row 1.54919 0.0) (row -1.54919 0.0))"},
      {"[(a -b)]", "(vect (parens (call-i a - b)))"},
  });
}

TEST(Syntax, Concatenation) {
  expect_trees({
      {"[1, 2, 3]", "(vect 1 2 3)"},
      {"[1; 2]", "(vcat 1 2)"},
      {"[1 2; 3 4]", "(vcat (row 1 2) (row 3 4))"},
      {"[1 2\n3 4]", "(vcat (row 1 2) (row 3 4))"},
      {"[\n1 2\n3 4\n]", "(vcat (row 1 2) (row 3 4))"},
      {"[1 2;]", "(vcat (row 1 2))"},
      {"[1;; 2]", "(ncat-2 1 2)"},
      {"[1 2;;; 3 4]", "(ncat-3 (row 1 2) (row 3 4))"},
      {"[1; 2;; 3; 4]", "(ncat-2 (nrow-1 1 2) (nrow-1 3 4))"},
      {"[1 ;; \n 2]", "(ncat-2 1 2)"},
      {"[1 2 ;;\n 3]", "(hcat 1 2 3)"},
      {"Int[]", "(ref Int)"},
      {"Int[1 2]", "(typed_hcat Int 1 2)"},
      {"Int[1 2; 3 4]", "(typed_vcat Int (row 1 2) (row 3 4))"},
      {"[[1, 2] [3, 4]]", "(hcat (vect 1 2) (vect 3 4))"},
      {"[a; b...]", "(vcat a (... b))"},
      {"{a, b}", "(braces a b)"},
  });
  expect_faults("[1 2;; 3]",
                {{";;", "cannot mix space and ;; separators in an array expression, except to wrap a line"}});
}

TEST(Syntax, Comprehensions) {
  expect_trees({
      {"[x for x in xs]", "(comprehension (generator x (iteration (in x xs))))"},
      {"[x for x = 1:3, y = 1:2]",
       "(comprehension (generator x (iteration (in x (call-i 1 : 3)) (in y (call-i 1 : 2)))))"},
      {"[x for x in xs for y in x]", "(comprehension (generator x (iteration (in x xs)) (iteration (in y x))))"},
      {"[x for x in xs if x > 0]", "(comprehension (generator x (filter (iteration (in x xs)) (call-i x > 0))))"},
      {"Int[x for (x, y) in d]", "(typed_comprehension Int (generator x (iteration (in (tuple-p x y) d))))"},
      {"[f(x)\n for x in xs]", "(comprehension (generator (call f x) (iteration (in x xs))))"},
      {"[[i for i in 1:j] for j in 1:3]",
       "(comprehension (generator (comprehension (generator i (iteration (in i (call-i 1 : j))))) "
       "(iteration (in j (call-i 1 : 3)))))"},
      {"Dict(k => v for (k, v) in d)", "(call Dict (generator (call-i k => v) (iteration (in (tuple-p k v) d))))"},
      {"(x^2 for x in xs)", "(parens (generator (call-i x ^ 2) (iteration (in x xs))))"},
  });
}

TEST(Syntax, Parentheses) {
  expect_trees({
      {"()", "(tuple-p)"},
      {"(a)", "(parens a)"},
      {"(a,)", "(tuple-p-, a)"},
      {"(a, b)", "(tuple-p a b)"},
      {"(a = 1, b = 2)", "(tuple-p (= a 1) (= b 2))"},
      {"(; a, b = 2)", "(tuple-p (parameters a (= b 2)))"},
      {"(a; b)", "(block-p a b)"},
      {"(a\n+ b)", "(parens (call-i a + b))"},
      {"(a...,)", "(tuple-p-, (... a))"},
      {"a, b", "(tuple a b)"},
      {"(begin a end)", "(parens (block a))"},
      {"(a -> b)(c)", "(call (parens (-> (tuple a) b)) c)"},
  });
}

}  // namespace
}  // namespace weft::julia
