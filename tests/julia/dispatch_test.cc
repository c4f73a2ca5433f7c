// Multiple dispatch: which method a call takes, ambiguities, and the text of a MethodError.
#include <gtest/gtest.h>

#include "julia/host/exception.h"
#include "julia/host/method_error.h"
#include "julia/types/method_table.h"
#include "julia/types/type_reader.h"
#include "tests/julia/evaluate.h"
#include "tests/julia/records.h"

namespace weft::julia {
namespace {

const DataType* function_type() {
  static const DataType* const type = declare_function_type("f", "Main")->primary;
  return type;
}

/// Methods `f` given by their argument types; a call says by its number which one it takes, 0: none, -1: ambiguous.
class Methods {
 public:
  Methods(std::initializer_list<const char*> signatures) : table_("f") {
    for (const char* s : signatures) {
      Method m;
      const std::string text = s;
      const size_t where = text.find(" where ");
      const std::string arguments = text.substr(0, where);
      m.signature = read_type("Tuple{F" + std::string(arguments.empty() ? "" : ", ") + arguments + "}" +
                                  (where == std::string::npos ? "" : text.substr(where)),
                              [](std::string_view n) -> const Type* { return n == "F" ? function_type() : nullptr; });
      m.line = ++count_;
      table_.add(std::move(m));
    }
  }
  int call(const char* arguments) {
    const auto* types = as<DataType>(read_type("Tuple{" + std::string(arguments) + "}"));
    std::vector<const Type*> call = {function_type()};
    call.insert(call.end(), types->parameters.begin(), types->parameters.end());
    const Dispatch& found = table_.find(call);
    if (!found.ambiguous.empty()) return -1;
    return found.method == nullptr ? 0 : found.method->line;
  }
  MethodTable& table() { return table_; }

 private:
  MethodTable table_;
  int count_ = 0;
};

TEST(JuliaDispatch, TheMostSpecificMethodIsTaken) {
  Methods numbers{"Any", "Number", "Real", "T where T<:Integer", "Int", "Bool"};
  EXPECT_EQ(numbers.call("String"), 1);
  EXPECT_EQ(numbers.call("ComplexF64"), 2);
  EXPECT_EQ(numbers.call("Float64"), 3);
  EXPECT_EQ(numbers.call("Int8"), 4);
  EXPECT_EQ(numbers.call("Int"), 5);
  EXPECT_EQ(numbers.call("Bool"), 6);
  EXPECT_EQ(numbers.call("Int, Int"), 0);

  Methods pairs{"Any, Any", "T, T where T", "Real, Real", "T, T where T<:Real", "Int, Real"};
  EXPECT_EQ(pairs.call("Int, String"), 1);
  EXPECT_EQ(pairs.call("String, String"), 2);
  EXPECT_EQ(pairs.call("Float64, Int"), 3);
  EXPECT_EQ(pairs.call("Float64, Float64"), 4);
  EXPECT_EQ(pairs.call("Int, Float64"), 5);

  Methods arrays{"AbstractArray",     "AbstractVector",  "Array{T} where T<:Number",
                 "Vector{T} where T", "Vector{Float64}", "AbstractVector{<:Real}",
                 "AbstractRange"};
  EXPECT_EQ(arrays.call("Array{String,3}"), 1);
  EXPECT_EQ(arrays.call("BitMatrix"), 1);
  EXPECT_EQ(arrays.call("Matrix{Int}"), 3);
  EXPECT_EQ(arrays.call("Vector{Float64}"), 5);
  EXPECT_EQ(arrays.call("Vector{String}"), 4);
  EXPECT_EQ(arrays.call("BitVector"), 6);
  EXPECT_EQ(arrays.call("UnitRange{Int}"), 7);  // what is declared below wins, whatever the parameters
}

TEST(JuliaDispatch, FixedNumbersOfArgumentsBeatOpenOnes) {
  Methods m{"Vararg{Any}", "Int", "Int, Vararg{Int}", "Int, Int", "NTuple{N,Int} where N"};
  EXPECT_EQ(m.call("Int"), 2);
  EXPECT_EQ(m.call("Int, Int"), 4);
  EXPECT_EQ(m.call("Int, Int, Int"), 3);
  EXPECT_EQ(m.call("String, Int"), 1);
  EXPECT_EQ(m.call("Tuple{Int,Int}"), 5);
  // Julia's test/specificity.jl: a vararg bound to the rank against its fixed case.
  Methods ranks{"Type{Array{T,N}}, Vararg{Int,N} where {T,N}", "Type{Array{T,1}}, Int where T"};
  EXPECT_EQ(ranks.call("Type{Array{Int,1}}, Int"), 2);
  EXPECT_EQ(ranks.call("Type{Array{Int,2}}, Int, Int"), 1);
  EXPECT_EQ(ranks.call("Type{Array{Int,2}}, Int"), 0);
}

TEST(JuliaDispatch, TypesAsArguments) {
  Methods m{"Type", "Type{T} where T<:Real", "Type{Int}", "DataType", "Type{Vector{T}} where T"};
  EXPECT_EQ(m.call("Type{Int}"), 3);
  EXPECT_EQ(m.call("Type{Float64}"), 2);
  EXPECT_EQ(m.call("Type{String}"), 4);
  EXPECT_EQ(m.call("Type{Vector{Int}}"), 5);
  EXPECT_EQ(m.call("Type{Array}"), 1);
  EXPECT_EQ(m.call("Int"), 0);
}

TEST(JuliaDispatch, OrderOfSpecificity) {
  struct Row {
    const char *a, *b;
    bool expected;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"Tuple{Int}", "Tuple{Integer}", true},
           {"Tuple{Integer}", "Tuple{Int}", false},
           {"Tuple{T} where T<:Real", "Tuple{Any}", true},
           {"Tuple{Int,Any}", "Tuple{Any,Int}", false},
           {"Tuple{Any,Int}", "Tuple{Int,Any}", false},
           {"Tuple{Union{Int,String}}", "Tuple{Union{Int,String,Float64}}", true},
           {"Tuple{Array{T}} where T<:Real", "Tuple{AbstractArray}", true},
           {"Tuple{Array{T,1}} where T", "Tuple{AbstractArray{T}} where T", true},
           {"Tuple{AbstractVector,Int}", "Tuple{AbstractArray,Vararg{Int}}", true},
           {"Tuple{Vararg{Int}}", "Tuple{Vararg{Integer}}", true},
           // Not subtypes of each other: an element wins, none loses.
           {"Tuple{Vector,AbstractArray{Int}}", "Tuple{AbstractVector,AbstractArray}", true},
           {"Tuple{AbstractArray{T,1}} where T<:Integer", "Tuple{Vector}", false},
           {"Tuple{Dict{K,V},K} where {K,V}", "Tuple{AbstractDict,Any}", true},
           // Julia's test/specificity.jl.
           {"Tuple{Any,Tuple{Vararg{Integer}}}", "Tuple{Any,Tuple{Any}}", true},
           {"Tuple{Any,Tuple{}}", "Tuple{Any,Tuple{Vararg{Integer}}}", true},
           {"Tuple{Any,Tuple{}}", "Tuple{Any,Tuple{Any}}", true},
       }) {
    EXPECT_EQ(more_specific(read_type(row.a), read_type(row.b)), row.expected) << row.a << " against " << row.b;
  }
}

TEST(JuliaDispatch, AmbiguitiesAreFoundAndSolved) {
  // methods.md, "Method ambiguities".
  Methods g{"Float64, Any", "Any, Float64"};
  EXPECT_EQ(g.call("Float64, Int"), 1);
  EXPECT_EQ(g.call("Int, Float64"), 2);
  EXPECT_EQ(g.call("Float64, Float64"), -1);
  EXPECT_EQ(g.table().ambiguities().size(), 1u);
  Methods solved{"Float64, Any", "Any, Float64", "Float64, Float64"};
  EXPECT_EQ(solved.call("Float64, Float64"), 3);
  EXPECT_TRUE(solved.table().ambiguities().empty());
}

TEST(JuliaDispatch, AMethodOfTheSameSignatureReplaces) {
  Methods m{"Int", "Vector{T} where T", "Vector{S} where S"};
  EXPECT_EQ(m.call("Int"), 1);
  EXPECT_EQ(m.table().methods().size(), 2u);
  EXPECT_EQ(m.call("Vector{Int}"), 3);
}

TEST(JuliaDispatch, ValuesOfVariables) {
  Methods m{"Array{T,N}, S where {T,N,S<:Real}"};
  const Dispatch& found = m.table().find({function_type(), read_type("Matrix{String}"), read_type("Int8")});
  ASSERT_NE(found.method, nullptr);
  ASSERT_EQ(found.values.size(), 3u);
  EXPECT_EQ(found.values[0], core().string);
  EXPECT_EQ(found.values[1], make_int(2));
  EXPECT_EQ(found.values[2], core().int8);
}

TEST(JuliaDispatch, WhatACallOfInexactTypesMayReach) {
  Methods m{"Any", "Number", "Real", "Int", "String"};
  const DataType* call = make_tuple_type(std::initializer_list<const Type*>{function_type(), core().real});
  std::vector<int> lines;
  for (const Method* method : m.table().reachable(call)) lines.push_back(method->line);
  EXPECT_EQ(lines, (std::vector<int>{4, 3}));  // no number that is real comes past the third
}

std::string documented_error(const std::string& id, size_t step) {
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    if (record["id"] == id) return record["steps"].at(step)["output"];
  }
  return "";
}

TEST(JuliaDispatch, MethodErrorsNameTheClosestCandidates) {
  if (records("doctests.jsonl").empty()) GTEST_SKIP() << "no examples at hand";
  // constructors.md: Point(x::T, y::T) where T<:Real, and Point(x::Int64, y::Float64).
  const TypeLookup types = [](std::string_view n) -> const Type* {
    static const Type* point = nullptr;
    if (point == nullptr)
      read_declarations("struct Point{T<:Real}; x::T; y::T", "Main", {},
                        [](std::string_view, const Type* t) { point = t; });
    return n == "Point" ? point : nullptr;
  };
  MethodTable points("Point");
  for (const char* s : {"Tuple{Type{Point}, T, T} where T<:Real", "Tuple{Type{Point}, Int64, Float64}"}) {
    Method m;
    m.signature = read_type(s, types);
    points.add(std::move(m));
  }
  method_table_of() = [&](const Value&) { return &points; };
  const Value call = make_exception(
      "MethodError",
      {Value::of_type(read_type("Point", types)), make_tuple({number(1.5), number(int64_t{2})}), number(uint64_t{0})});
  EXPECT_EQ("ERROR: " + error_text(call) + "\nStacktrace:\n[...]", documented_error("687b3528b290", 0));

  // control-flow and functions: baz(a, b).
  const DataType* baz = declare_function_type("baz", "Main")->primary;
  MethodTable table("baz");
  Method m;
  m.signature = make_tuple_type(std::initializer_list<const Type*>{baz, core().any, core().any});
  table.add(std::move(m));
  method_table_of() = [&](const Value&) { return &table; };
  const Value one = number(int64_t{1});
  const Value three =
      make_exception("MethodError", {Value::singleton(baz), make_tuple({one, one, one}), number(uint64_t{0})});
  bool found = false;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    if (record["id"] != "e59b723c0410") continue;
    for (const nlohmann::json& step : record["steps"])
      found = found || step["output"] == "ERROR: " + error_text(three) + "\nStacktrace:\n[...]";
  }
  EXPECT_TRUE(found) << error_text(three);
  method_table_of() = nullptr;
}

}  // namespace
}  // namespace weft::julia
