// Types: subtyping, intersection, join and their text, against the examples of Julia's manual and reference.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "julia/types/core_types.h"
#include "julia/types/subtype.h"
#include "julia/types/type_reader.h"
#include "julia/types/type_show.h"
#include "tests/julia/records.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

/// The types that the manual's chapter declares in its text.
const Type* manual_type(std::string_view name) {
  static auto& types = *[] {
    auto* out = new std::map<std::string, const Type*, std::less<>>;
    read_declarations(
        "abstract Pointy{T}\nstruct Point{T} <: Pointy{T}; x::T; y::T\nstruct OurRational{T<:Integer} <: Real; num::T; "
        "den::T",
        "Main", [out](std::string_view n) -> const Type* { return out->contains(n) ? out->find(n)->second : nullptr; },
        [out](std::string_view n, const Type* t) { (*out)[std::string(n)] = t; });
    return out;
  }();
  const auto it = types.find(name);
  return it == types.end() ? nullptr : it->second;
}

const Type* type(std::string_view text) { return read_type(text, manual_type); }

TEST(JuliaTypes, ExamplesOfTheManual) {
  const std::regex relation(R"(^([A-Za-z][^()]*) <: ([A-Za-z][^()]*)$)");
  const std::regex call(R"(^(typeintersect|typejoin|supertype|Base\.promote_typejoin)\((.*)\)$)");
  const std::regex isa(R"(^isa\(([A-Z][A-Za-z0-9]*|Type\{Float64\}), (.*)\)$|^(TypeParamExample[^ ]*) isa (Type.*)$)");
  int checked = 0;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    for (const nlohmann::json& step : record["steps"]) {
      const std::string input = step["input"], output = step["output"];
      std::smatch m;
      std::string got;
      try {
        if (std::regex_match(input, m, relation)) {
          got = subtype(type(m[1].str()), type(m[2].str())) ? "true" : "false";
        } else if (std::regex_match(input, m, isa) && m[1].matched) {
          const Type* t = type(m[1].str());
          const Type* as_value = make_type_type(t);
          got = subtype(as_value, type(m[2].str())) ? "true" : "false";
        } else if (std::regex_match(input, m, call)) {
          // The arguments, read as a tuple type's.
          const auto* arguments = as<DataType>(type("Tuple{" + m[2].str() + "}"));
          if (arguments == nullptr || output.starts_with("ERROR")) continue;
          const auto& p = arguments->parameters;
          const std::string f = m[1].str();
          if (f == "supertype") got = type_text(as<DataType>(p.at(0))->super());
          else if (f == "typeintersect") got = type_text(intersect(p.at(0), p.at(1)));
          else {
            const Type* t = p.at(0);
            for (size_t i = 1; i < p.size(); ++i) t = f == "typejoin" ? type_join(t, p[i]) : promote_type_join(t, p[i]);
            got = type_text(t);
          }
        } else {
          continue;
        }
      } catch (const UserError&) {
        continue;  // values, or names that only the example's own text declares
      }
      EXPECT_EQ(got, output) << record["id"] << ": " << input;
      ++checked;
    }
  }
  if (!records("doctests.jsonl").empty()) EXPECT_GE(checked, 45);
}

// The rules that Julia's manual ("Types") and its developer documentation ("More about types") state.
TEST(JuliaTypes, Subtyping) {
  struct Row {
    const char *a, *b;
    bool expected;
  };
  for (const Row& row : std::initializer_list<Row>{
           {"Int", "Integer", true},
           {"Vector{Int}", "Vector{Real}", false},
           {"Vector{Int}", "Vector{<:Real}", true},
           {"Vector{Int}", "AbstractArray{Int}", true},
           {"Vector", "Array", true},
           {"Matrix{Float64}", "AbstractVecOrMat", true},
           {"Array{Int,3}", "AbstractVecOrMat", false},
           {"Union{}", "Int", true},
           {"Union{Int,Float64}", "Real", true},
           {"Int", "Union{Int,String}", true},
           {"Tuple{Int,Float64}", "Tuple{Vararg{Real}}", true},
           {"Tuple{}", "Tuple{Vararg{Int}}", true},
           {"Tuple{Int}", "Tuple{Int,Vararg{Int}}", true},
           {"Tuple{}", "Tuple{Int,Vararg{Int}}", false},
           {"Tuple{Vararg{Int}}", "Tuple{Int}", false},
           {"Tuple{Int,Int}", "NTuple{2,Int}", true},
           {"Tuple{Int,Int}", "NTuple{N,Int} where N", true},
           {"Tuple{Vararg{Int}}", "NTuple{N,Int} where N", true},
           {"Tuple{Int,Int}", "NTuple{3,Int}", false},
           // The diagonal rule.
           {"Tuple{Int,Int}", "Tuple{T,T} where T", true},
           {"Tuple{Int,String}", "Tuple{T,T} where T", false},
           {"Tuple{Any,Any}", "Tuple{T,T} where T", false},
           {"Tuple{Any}", "Tuple{T} where T", true},
           {"Tuple{Array{Any,1},Int}", "Tuple{Array{T,1},T} where T", true},
           {"Tuple{Int,String,Vector{Any}}", "Tuple{T,T,Vector{T}} where T", true},
           {"Tuple{Int,String,Vector{Integer}}", "Tuple{T,T,Vector{T}} where T", false},
           {"Tuple{Int,String}", "Tuple{Vararg{T}} where T", false},
           {"Tuple{T,T} where T", "Tuple{S,S} where S", true},
           {"Tuple{T,T} where T", "Tuple{S,R} where {S,R}", true},
           {"Tuple{S,R} where {S,R}", "Tuple{T,T} where T", false},
           {"Tuple{T,T} where T<:Int", "Tuple{Int,Int}", true},
           // Where a quantifier stands matters.
           {"Vector{Vector{T} where T}", "Vector{Vector{T}} where T", false},
           {"Vector{Vector{Int}}", "Vector{Vector{T}} where T", true},
           {"Vector{Vector{Int}}", "Vector{Vector}", false},
           {"Vector{Vector{Int}}", "Vector{<:Vector}", true},
           {"Vector{Vector{T}} where T", "Vector{<:Vector}", true},
           {"Array{T,1} where T", "Vector", true},
           {"Array{Array{T,1} where T,1}", "Array{Array{S,1} where S,1}", true},
           {"Array{T} where T<:Integer", "Array{T} where T<:Real", true},
           {"Array{T} where T<:Real", "Array{T} where T<:Integer", false},
           {"Pair{Int,Int}", "Pair{T,T} where T", true},
           {"Pair{Int,String}", "Pair{T,T} where T", false},
           {"Pair{T,Array{T}} where T", "Pair{A,<:Array{A}} where A", true},
           {"Array{Int,2}", "Array{T,N} where {T,N}", true},
           {"Ref{Union{Int,Float64}}", "Ref{Union{Float64,Int}}", true},
           {"Union{Vector{Int},Vector{Float64}}", "Vector{<:Union{Int,Float64}}", true},
           {"Vector{<:Union{Int,Float64}}", "Union{Vector{Int},Vector{Float64}}", false},
           {"Tuple{Union{Int,String}}", "Union{Tuple{Int},Tuple{String}}", true},
           {"Tuple{Union{Int,String},Union{Int,String}}", "Union{Tuple{Int,Any},Tuple{String,Any}}", true},
           {"Tuple{Int,Missing}", "Tuple{Union{T,Missing},Union{T,Missing}} where T", true},
           {"Union{Int,Missing}", "Union{T,Missing} where T", true},
           {"Type{Int}", "Type", true},
           {"Type{Int}", "DataType", true},
           {"Type{Int}", "Type{Integer}", false},
           {"Type{Int}", "Type{<:Integer}", true},
           {"Type{Vector}", "UnionAll", true},
           {"Type{Vector{Int}}", "Type{Vector{T}} where T", true},
           {"DataType", "Type", true},
           {"DataType", "Type{<:Integer}", false},
           {"Tuple{Type{Int},Int}", "Tuple{Type{T},T} where T", true},
           {"Tuple{Type{Int},Float64}", "Tuple{Type{T},T} where T", false},
           {"Tuple{Type{Real},Float64}", "Tuple{Type{T},T} where T", true},
           {"NamedTuple{(:a,),Tuple{Int}}", "NamedTuple{(:a,)}", true},
           {"NamedTuple{(:a,),Tuple{Int}}", "NamedTuple{(:b,)}", false},
           {"NamedTuple{(:a,),Tuple{Int}}", "NamedTuple{(:a,),<:Tuple{Real}}", true},
           {"UnitRange{Int}", "AbstractVector{Int}", true},
           {"UnitRange{Int}", "AbstractRange{<:Real}", true},
           {"BitVector", "AbstractVector{Bool}", true},
           {"Adjoint{Float64,Vector{Float64}}", "AbstractMatrix", true},
           {"Complex{Float64}", "Complex{<:AbstractFloat}", true},
           {"Dict{Symbol,Int}", "AbstractDict{Symbol}", true},
           {"Symmetric{Float64,Matrix{Float64}}", "AbstractMatrix{Float64}", true},
           {"SubArray{Float64,1,Matrix{Float64},Tuple{Int,UnitRange{Int}},false}", "StridedVector{Float64}", true},
       }) {
    EXPECT_EQ(subtype(type(row.a), type(row.b)), row.expected) << row.a << " <: " << row.b;
  }
}

TEST(JuliaTypes, Text) {
  // As the manual and the printed headers of its examples have them.
  for (const auto& [source, text] : std::initializer_list<std::pair<const char*, const char*>>{
           {"Array{Int,1}", "Vector{Int64}"},
           {"Array{Float64,2}", "Matrix{Float64}"},
           {"Array{Float32,3}", "Array{Float32, 3}"},
           {"Array", "Array"},
           {"Vector", "Vector"},
           {"Array{T,3} where T", "Array{T, 3} where T"},
           {"Vector{<:Real}", "Vector{<:Real}"},
           {"Vector{T} where T<:Real", "Vector{T} where T<:Real"},
           {"Complex{Float64}", "ComplexF64"},
           {"Complex{Int}", "Complex{Int64}"},
           {"Complex", "Complex"},
           {"Complex{<:Integer}", "Complex{<:Integer}"},
           {"Union{Float64,Missing}", "Union{Missing, Float64}"},
           {"Union{Int,Float64}", "Union{Float64, Int64}"},
           {"Union{String,Nothing,Int}", "Union{Nothing, Int64, String}"},
           {"Union{}", "Union{}"},
           {"Union{Real,Int}", "Real"},
           {"Tuple{Int,Vararg{Float64}}", "Tuple{Int64, Vararg{Float64}}"},
           {"Tuple{Int,Int}", "Tuple{Int64, Int64}"},
           {"NTuple{6,Int}", "NTuple{6, Int64}"},
           {"Tuple{}", "Tuple{}"},
           {"Tuple", "Tuple"},
           {"NTuple{N,Int} where N", "NTuple{N, Int64} where N"},
           {"NamedTuple{(:a,:b),Tuple{Int,String}}", "@NamedTuple{a::Int64, b::String}"},
           {"Type{Int}", "Type{Int64}"},
           {"Dict{String,Vector{Int}}", "Dict{String, Vector{Int64}}"},
           {"Pair{T,T} where T", "Pair{T, T} where T"},
           {"Base.OneTo{Int}", "Base.OneTo{Int64}"},
           {"BitArray{1}", "BitVector"},
           {"AbstractArray{Int,1}", "AbstractVector{Int64}"},
           {"Val{:a}", "Val{:a}"},
           {"Val{(1,:b)}", "Val{(1, :b)}"},
           {"Array{Union{Missing,Int},1}", "Vector{Union{Missing, Int64}}"},
           {"Base.RefValue{Int}", "Base.RefValue{Int64}"},
           {"Array{Array{Int,1},1}", "Vector{Vector{Int64}}"},
           {"Ref", "Ref"},
           {"Adjoint{Int,Vector{Int}}", "LinearAlgebra.Adjoint{Int64, Vector{Int64}}"},
           {"Array{<:Any,2}", "Matrix"},
       }) {
    EXPECT_EQ(type_text(type(source)), text);
  }
  EXPECT_EQ(symbol_text("a"), ":a");
  EXPECT_EQ(symbol_text("+"), ":+");
  EXPECT_EQ(symbol_text("foo \"bar"), "Symbol(\"foo \\\"bar\")");  // test/show.jl
}

TEST(JuliaTypes, BindingsOfAMatch) {
  Bindings bindings;
  ASSERT_TRUE(subtype_with_bindings(type("Tuple{Matrix{Float64},Int}"),
                                    type("Tuple{Array{T,N},S} where {T,N,S<:Integer}"), bindings));
  ASSERT_EQ(bindings.size(), 3u);
  EXPECT_EQ(bindings[0].second, type("Float64"));
  EXPECT_EQ(bindings[1].second, make_int(2));
  EXPECT_EQ(bindings[2].second, type("Int"));
}

TEST(JuliaTypes, Layout) {
  const auto data = [](const char* text) { return as<DataType>(type(text)); };
  EXPECT_TRUE(data("Complex{Float32}")->is_bits());
  EXPECT_EQ(data("Complex{Float32}")->layout().size, 8u);
  EXPECT_EQ(data("Tuple{Int8,Int64}")->layout().size, 16u);
  EXPECT_EQ(data("Tuple{Int8,Int64}")->layout().offsets[1], 8u);
  EXPECT_FALSE(data("Tuple{Int8,String}")->is_bits());
  EXPECT_TRUE(data("Nothing")->is_singleton());
  EXPECT_FALSE(data("String")->is_singleton());
  EXPECT_TRUE(data("Tuple{}")->is_singleton());
  EXPECT_FALSE(data("Vector{Int}")->is_bits());
  EXPECT_TRUE(data("UnitRange{Int}")->is_bits());
}

TEST(JuliaTypes, ParametersOutsideTheirBoundsAreRefused) {
  try {
    type("Complex{String}");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "TypeError: in Complex, in T, expected T<:Real, got Type{String}");
  }
}

}  // namespace
}  // namespace weft::julia
