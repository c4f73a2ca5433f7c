// Precedence, associativity and spelling of operators; juxtaposition, comparisons, ternaries, ranges, assignments.
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

TEST(Syntax, Precedence) {
  expect_trees({
      {"a + b * c", "(call-i a + (call-i b * c))"},
      {"a * b + c", "(call-i (call-i a * b) + c)"},
      {"a - b - c", "(call-i (call-i a - b) - c)"},
      {"a - b + c", "(call-i (call-i a - b) + c)"},
      {"a / b * c", "(call-i (call-i a / b) * c)"},
      {"a ^ b ^ c", "(call-i a ^ (call-i b ^ c))"},
      {"-a ^ 2", "(call-pre - (call-i a ^ 2))"},
      {"2 ^ -a", "(call-i 2 ^ (call-pre - a))"},
      {"a // b * c", "(call-i (call-i a // b) * c)"},
      {"a << b + c", "(call-i (call-i a << b) + c)"},
      {"a | b & c", "(call-i a | (call-i b & c))"},
      {"a ⊻ b", "(call-i a ⊻ b)"},
      {"a:b + c", "(call-i a : (call-i b + c))"},
      {"a:b < c", "(call-i (call-i a : b) < c)"},
      {"a == b && c || d", "(|| (&& (call-i a == b) c) d)"},
      {"a || b && c", "(|| a (&& b c))"},
      {"a => b => c", "(call-i a => (call-i b => c))"},
      {"a |> f |> g", "(call-i (call-i a |> f) |> g)"},
      {"f <| g <| a", "(call-i f <| (call-i g <| a))"},
      {"a = b = c", "(= a (= b c))"},
      {"a = b ? c : d", "(= a (? b c d))"},
      {"a → b → c", "(call-i a → (call-i b → c))"},
      {"a ∘ b", "(call-i a ∘ b)"},
      {"!a == b", "(call-i (call-pre ! a) == b)"},
      {"a::Int + b", "(call-i (::-i a Int) + b)"},
      {"x -> y -> z", "(-> (tuple x) (-> (tuple y) z))"},
      {"a .+ b .* c", "(dotcall-i a + (dotcall-i b * c))"},
      {"a + b + c + d", "(call-i a + b c d)"},
      {"a ++ b ++ c", "(call-i a ++ b c)"},
      {"a + b .+ c", "(dotcall-i (call-i a + b) + c)"},
      {"x'^2", "(call-i (call-post x ') ^ 2)"},
      {"√x^2", "(call-pre √ (call-i x ^ 2))"},
      {"a ↑ b", "(call-i a ↑ b)"},
      {"a +₁ b", "(call-i a +₁ b)"},
      {"a $ b", "(call-i a $ b)"},
  });
}

TEST(Syntax, Comparisons) {
  expect_trees({
      {"a < b", "(call-i a < b)"},
      {"a < b <= c == d", "(comparison a < b <= c == d)"},
      {"a in b", "(call-i a in b)"},
      {"a ∈ b ⊆ c", "(comparison a ∈ b ⊆ c)"},
      {"a isa T", "(call-i a isa T)"},
      {"A <: B", "(<: A B)"},
      {"A >: B", "(>: A B)"},
      {"A <: B <: C", "(comparison A <: B <: C)"},
      {"a .< b .< c", "(comparison a (. <) b (. <) c)"},
      {"a ≈ b", "(call-i a ≈ b)"},
      {"a !== b", "(call-i a !== b)"},
  });
}

TEST(Syntax, Juxtaposition) {
  expect_trees({
      {"2x", "(juxtapose 2 x)"},
      {"2x^3", "(juxtapose 2 (call-i x ^ 3))"},
      {"2^3x", "(call-i 2 ^ (juxtapose 3 x))"},
      {"1/2x", "(call-i 1 / (juxtapose 2 x))"},
      {"-2x", "(juxtapose -2 x)"},
      {"2(x + 1)", "(juxtapose 2 (parens (call-i x + 1)))"},
      {"(x - 1)y", "(juxtapose (parens (call-i x - 1)) y)"},
      {"2x'y", "(juxtapose 2 (call-post x ') y)"},
      {"3.5im", "(juxtapose 3.5 im)"},
      {"2√x", "(juxtapose 2 (call-pre √ x))"},
      {"1e3x", "(juxtapose 1000.0 x)"},
      {"f(x)y", "(juxtapose (call f x) y)"},
  });
}

TEST(Syntax, Assignments) {
  expect_trees({
      {"a += 1", "(op= a + 1)"},
      {"a >>>= 1", "(op= a >>> 1)"},
      {"a ⊻= b", "(op= a ⊻ b)"},
      {"a ÷= b", "(op= a ÷ b)"},
      {"a .*= b", "(.op= a * b)"},
      {"a .= b .+ c", "(.= a (dotcall-i b + c))"},
      {"a, b = b, a", "(= (tuple a b) (tuple b a))"},
      {"a, = b", "(= (tuple a) b)"},
      {"a, b... = c", "(= (tuple a (... b)) c)"},
      {"(a, b) = c", "(= (tuple-p a b) c)"},
      {"(; a, b) = c", "(= (tuple-p (parameters a b)) c)"},
      {"a[1] = 2", "(= (ref a 1) 2)"},
      {"a.b = 2", "(= (. a b) 2)"},
      {"a::Int = 2", "(= (::-i a Int) 2)"},
      {"a := b", "(:= a b)"},
      {"y ~ normal(0, 1)", "(call-i y ~ (call normal 0 1))"},
  });
}

TEST(Syntax, Ternary) {
  expect_trees({
      {"a ? b : c ? d : e", "(? a b (? c d e))"},
      {"a ? b : c : d", "(? a b (call-i c : d))"},
      {"a ? (b:c) : d", "(? a (parens (call-i b : c)) d)"},
      {"a ? :b : :c", "(? a (quote-: b) (quote-: c))"},
      {"a ? b = 1 : c", "(? a (= b 1) c)"},
      {"a ? b :\nc", "(? a b c)"},
  });
  expect_faults("a? b : c", {{"", "space required before `?` operator"}});
  expect_faults("a ? b c", {{"", "`:` expected in `?` expression"}});
}

TEST(Syntax, Ranges) {
  expect_trees({
      {"1:n", "(call-i 1 : n)"},
      {"1:2:n", "(call-i 1 : 2 n)"},
      {"n : -1 : 1", "(call-i n : -1 1)"},
      {"1:n-1", "(call-i 1 : (call-i n - 1))"},
      {"a..b", "(call-i a .. b)"},
      {"1:", "(call-i 1 : (error)) !missing last argument in range expression !found unexpected closing token"},
      {"x...", "(... x)"},
  });
}

TEST(Syntax, UnaryOperators) {
  expect_trees({
      {"-x", "(call-pre - x)"},
      {"-1", "-1"},
      {"- 1", "(call-pre - 1)"},
      {"+(1, 2)", "(call + 1 2)"},
      {"-(1)", "(call-pre - (parens 1))"},
      {"!(a, b)", "(call ! a b)"},
      {"~x", "(call-pre ~ x)"},
      {"¬x", "(call-pre ¬ x)"},
      {".-x", "(dotcall-pre - x)"},
      {".!x", "(dotcall-pre ! x)"},
      {"(-)", "(parens -)"},
      {"(.+)(a, b)", "(call (parens (. +)) a b)"},
      {"::Int", "(::-pre Int)"},
      {"&x", "(& x)"},
      {"<:Int", "(<:-pre Int)"},
      {"f.(-x)", "(dotcall f (call-pre - x))"},
  });
}

}  // namespace
}  // namespace weft::julia
