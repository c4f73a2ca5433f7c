// Arguments and results of every kind of type, at the border between compiled code and the host: nothing ends in a fault of Weft.
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;

class JuliaOddTypes : public Command {
 protected:
  void SetUp() override {
    Command::SetUp();
    source_ = file("f.jl",
                   "struct P; x::Float64; n::Int; end\n"
                   "mutable struct C; n::Int; v::Float64; end\n"
                   "g(x) = x\n"
                   "wide(x) = Int128(3) + (x > 0)\n"
                   "wides(x) = [Int128(1) 2; 3 4]\n"
                   "text(x) = (x, \"x is $x\")\n"
                   "texts(x) = [\"a\", \"b\"]\n"
                   "nested(x) = [[x], [x, 2x]]\n"
                   "positive(v) = v[v .> 0]\n"
                   "characters(x) = ['a', 'b']\n"
                   "maybe(x) = x > 0 ? nothing : x\n"
                   "other(x) = x > 0 ? 1 : 2.0\n"
                   "dictionary(x) = Dict(1 => x)\n"
                   "any(x) = Any[x, 1]\n"
                   "function_of(x) = y -> x + y\n"
                   "none(x) = nothing\n");
  }
  Answer lowered(const std::string& entry) {
    return weft("fmt " + source_ + " --emit stablehlo --entry \"" + entry + "\"");
  }
  Answer built(const std::string& entry) {
    return weft("build " + source_ + " --entry \"" + entry + "\" -o " + (folder_ / "o.so").string() + " --header " +
                (folder_ / "o.h").string());
  }

  std::string source_;
};

TEST_F(JuliaOddTypes, WhatHasNoTypeInIrIsRefusedOrTakenApart) {
  for (const char* entry : {"g('a')",
                            "g(:a)",
                            "g(nothing)",
                            "g(missing)",
                            "g([\\\"a\\\"])",
                            "g(Dict(1 => 2))",
                            "g(Set([1]))",
                            "g(UnitRange{Int8}(1, 3))",
                            "g(Ref(1.0))",
                            "g(())",
                            "g(Float64[])",
                            "g(sin)",
                            "g(Float64)",
                            "g((a = 1, b = 2.0))",
                            "g(C(1, 2.0))",
                            "g(Any[1])",
                            "g(Float16)",
                            "g(Bool)",
                            "g(ComplexF64)",
                            "g(Int128)",
                            "g(Vector{Int128}(2))",
                            "g(Vector{Char}(2))",
                            "g(Vector{String}(2))",
                            "g([[1.0]])",
                            "g(Vector{P}(2))",
                            "g(Vector{C}(2))",
                            "g(big(1))",
                            "g(stdout)",
                            "wide(Float64)",
                            "wides(Float64)",
                            "text(Float64)",
                            "texts(Float64)",
                            "nested(Float64)",
                            "positive(Vector{Float64}(4))",
                            "characters(Float64)",
                            "maybe(Float64)",
                            "other(Float64)",
                            "dictionary(Float64)",
                            "any(Float64)",
                            "function_of(Float64)",
                            "none(Float64)"}) {
    for (const Answer& answer : {lowered(entry), built(entry)}) {
      EXPECT_TRUE(answer.code == 0 || answer.code == 1 || answer.code == 3) << entry << ": " << answer.error;
      EXPECT_EQ(answer.error.find("internal error"), std::string::npos) << entry << ": " << answer.error;
    }
  }
}

TEST_F(JuliaOddTypes, HeadersNameTheParts) {
  const auto header = [&](const std::string& entry) {
    EXPECT_EQ(built(entry).code, 0) << entry;
    return read(folder_ / "o.h");
  };
  const std::string wide = header("wide(Float64)");
  EXPECT_HAS(wide, "value: Int128, the low 64 bits");
  EXPECT_HAS(wide, "value: Int128, the high 64 bits");
  EXPECT_HAS(header("wides(Float64)"), "value[2, 1]: Int128, the low 64 bits");
  EXPECT_HAS(header("nested(Float64)"), "value[2]: Vector{Float64}");
  const std::string positive = header("positive(Vector{Float64}(4))");
  EXPECT_HAS(positive, "value: Vector{Float64}, room for more behind its length");
  EXPECT_HAS(positive, "length of value: Int64");
}

TEST_F(JuliaOddTypes, RefusalsSayPlaceTypeAndWhatToDo) {
  EXPECT_HAS(
      lowered("text(Float64)").error,
      "entry text: value[2] is a String that only the host can make from its numbers\n  fix: return the numbers");
  EXPECT_HAS(lowered("g(Vector{Int128}(2))").error, "an array with elements of type Int128, which only the host holds");
  EXPECT_HAS(lowered("any(Float64)").error, "f.jl:14:10");
  EXPECT_HAS(lowered("other(Float64)").error, "the result is Int64 on one way and Float64 on the other");
}

TEST_F(JuliaOddTypes, CompiledCallsGiveWhatTheHostGives) {
  const std::string main = read(source_) +
                           "for f in (g, wide, wides, text, texts, nested, characters, maybe, none)\n"
                           "    c = @compile f(2.0)\n"
                           "    isequal(c(2.0), f(2.0)) && typeof(c(2.0)) == typeof(f(2.0)) || println(f, c(2.0))\n"
                           "end\n"
                           "println(wides(1.0), typeof(wides(1.0)))\n";
  const Answer answer = weft("run --compile=always " + file("main.jl", main));
  EXPECT_EQ(answer.code, 0) << answer.error;
  EXPECT_EQ(answer.out, "Int128[1 2; 3 4]Matrix{Int128}\n");
}

}  // namespace
