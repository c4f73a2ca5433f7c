// Printing, against the outputs that Julia's documentation and own tests give: each printed array is read back into a value of
// the type that its header names, and must print the same again.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/dict.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/types/type_reader.h"
#include "julia/types/type_show.h"
#include "tests/julia/evaluate.h"
#include "tests/julia/records.h"
#include "weft/error.h"

namespace weft::julia {
namespace {

const DataType* data_type(const std::string& text) { return as<DataType>(read_type(text)); }

/// A number as it is printed, as a value of the type; undefined when it is none.
Value read_element(const std::string& text, const Type* type) {
  if (const auto kind = number_kind(type)) {
    if (*kind == NumberKind::kBool) return text == "1" ? boolean(true) : text == "0" ? boolean(false) : Value();
    if (is_unsigned(*kind)) {
      const Value v = text.starts_with("0x") ? number_literal(text) : Value();
      return v.is_defined() && v.is(number_type(*kind)) ? v : Value();
    }
    const Value v = try_parse_number(*kind, text);
    return v.is(core().nothing) ? Value() : v;
  }
  const auto* d = as<DataType>(type);
  if (d == nullptr) return {};
  std::smatch m;
  if (d->name->name == Symbol("Complex") && std::regex_match(text, m, std::regex(R"((.*[^ef])([+-].*)im)"))) {
    const Value re = read_element(m[1], d->parameters[0]);
    const std::string im = m[2].str()[0] == '+' ? m[2].str().substr(1) : m[2].str();
    const Value part = read_element(im, d->parameters[0]);
    return re.is_defined() && part.is_defined() ? make_struct(d, {re, part}) : Value();
  }
  if (d->name->name == Symbol("Rational") && std::regex_match(text, m, std::regex(R"((.*)//(.*))")))
    return make_struct(d, {read_element(m[1], d->parameters[0]), read_element(m[2], d->parameters[0])});
  return {};
}

/// The words of the lines; the parts of a complex number, printed with blanks in a vector, joined.
std::vector<std::string> words(const std::string& line) {
  const std::string joined = std::regex_replace(line, std::regex(" ([+-]) (\\S*im)"), "$1$2");
  std::istringstream in(joined);
  std::vector<std::string> out;
  for (std::string w; in >> w;) out.push_back(w);
  return out;
}

/// The array that a printed one stands for; undefined for headers and elements that this reader does not know.
Value read_array(const std::string& text) {
  std::smatch m;
  const size_t end = text.find('\n');
  const std::string header = text.substr(0, end);
  if (!std::regex_match(header, m, std::regex(R"(([0-9×]+)(-element)? (.*):)"))) return {};
  std::vector<int64_t> dims;
  std::istringstream extents(std::regex_replace(m[1].str(), std::regex("×"), " "));
  for (int64_t d; extents >> d;) dims.push_back(d);
  const DataType* type = nullptr;
  try {
    type = data_type(m[3].str());
  } catch (const UserError&) { return {}; }
  if (type == nullptr) return {};
  const std::string name = type->name->name.text();
  if (name != "Array" && name != "BitArray") return {};
  const Type* element = name == "BitArray" ? static_cast<const Type*>(core().bool_) : type->parameters[0];
  if (dims.empty() || static_cast<int64_t>(dims.size()) != as<Constant>(type->parameters.back())->bits) return {};
  // Rows in the order of print: slices, rows, columns.
  std::vector<std::string> all;
  std::istringstream lines(text.substr(end + 1));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[:") || line.empty()) continue;
    for (std::string& w : words(line)) all.push_back(std::move(w));
  }
  const int64_t rows = dims[0], columns = dims.size() > 1 ? dims[1] : 1, n = num_elements(dims);
  if (static_cast<int64_t>(all.size()) != n) return {};
  Value out = name == "BitArray" ? make_bit_array(dims) : make_array(element, dims);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t slice = k / (rows * columns), i = k / columns % rows, j = k % columns;
    const Value e = read_element(all[static_cast<size_t>(k)], element);
    if (!e.is_defined()) return {};
    set_element(array_of(out), slice * rows * columns + j * rows + i, e);
  }
  return out;
}

TEST(JuliaShow, ArraysOfTheDocumentation) {
  int checked = 0;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    if (record["id"] == "d5a8ffcc2028") continue;  // written by hand: the blank before each row is missing
    for (const nlohmann::json& step : record["steps"]) {
      if (!step["output"].is_string()) continue;
      const std::string output = step["output"];
      if (output.find("…") != std::string::npos || output.find("[...]") != std::string::npos) continue;
      const Value v = read_array(output);
      if (!v.is_defined()) continue;
      ++checked;
      EXPECT_EQ(display_text(v), output) << record["id"];
    }
  }
  if (!records("doctests.jsonl").empty()) EXPECT_GE(checked, 380);
}

/// `Float32(1.5e3)`, `1.0e-5`, `Core.bitcast(Float64, 0x…)`: the argument of a test of Ryu.
Value read_number(std::string text) {
  std::smatch m;
  if (text.starts_with("-")) {
    const Value v = read_number(text.substr(1));
    const auto negated = v.is_defined() ? apply(UnaryOp::kNegate, v) : std::nullopt;
    return negated ? *negated : Value();
  }
  if (std::regex_match(text, m, std::regex(R"((Float16|Float32|Float64)\((.*)\))"))) {
    const Value v = read_number(m[2]);
    return v.is_defined() ? convert_number(*number_kind(builtin_type(m[1].str())), v) : Value();
  }
  if (std::regex_match(text, m,
                       std::regex(R"((Core.bitcast|reinterpret)\((Float16|Float32|Float64), (0x[0-9a-fA-F]*)\))"))) {
    const Value v = number_literal(m[3].str());
    const DataType* type = data_type(m[2]);
    return v.is_defined() && v.type()->layout().size == type->layout().size ? Value::from_bits(type, v.bits())
                                                                            : Value();
  }
  if (text == "NaN") return number(std::numeric_limits<double>::quiet_NaN());
  if (text == "Inf") return number(std::numeric_limits<double>::infinity());
  if (!std::regex_match(text, std::regex(R"([0-9.][0-9.eEf+-]*)"))) return {};
  return number_literal(text);
}

TEST(JuliaShow, ShortestFloats) {
  int checked = 0;
  for (const nlohmann::json& record : records("selftests.jsonl")) {
    const std::string source = record["source"];
    std::smatch m;
    std::string call, expected;
    if (std::regex_match(source, m, std::regex(R"re(@test "([^"]*)" == Ryu.writeshortest\((.*)\))re")))
      expected = m[1], call = m[2];
    else if (std::regex_match(source, m, std::regex(R"re(@test Ryu.writeshortest\((.*)\) == "([^"]*)")re")))
      expected = m[2], call = m[1];
    else continue;
    const Value v = read_number(call);
    if (!v.is_defined() || !number_kind(v)) continue;
    ++checked;
    // writeshortest writes neither the suffix nor the f of a Float32: print does the same.
    EXPECT_EQ(print_text(v), expected) << record["id"] << " " << source;
  }
  if (!records("selftests.jsonl").empty()) EXPECT_GE(checked, 150);
}

TEST(JuliaShow, NumbersAlone) {
  const auto text = [](std::string_view literal) { return show_text(number_literal(literal)); };
  EXPECT_EQ(text("1.0e-5"), "1.0e-5");
  EXPECT_EQ(text("0.0001"), "0.0001");
  EXPECT_EQ(text("100000.0"), "100000.0");
  EXPECT_EQ(text("1e6"), "1.0e6");
  EXPECT_EQ(text("1f0"), "1.0f0");
  EXPECT_EQ(text("2.5f-4"), "0.00025f0");
  EXPECT_EQ(text("1f10"), "1.0f10");
  EXPECT_EQ(text("0x1f"), "0x1f");
  EXPECT_EQ(text("0x0001"), "0x0001");
  EXPECT_EQ(text("123456789012345678901"), "123456789012345678901");
  EXPECT_EQ(show_text(number(f16(1.5f))), "Float16(1.5)");
  EXPECT_EQ(show_text(number(std::numeric_limits<float>::infinity())), "Inf32");
  // ba0e5327fd50, manual/integers-and-floating-point-numbers.md
  EXPECT_EQ(show_text(make_tuple({number(f16(-std::numeric_limits<float>::infinity())),
                                  number(f16(std::numeric_limits<float>::infinity()))})),
            "(-Inf16, Inf16)");
  EXPECT_EQ(print_text(number_literal("0x1f")), "31");
  EXPECT_EQ(show_text(boolean(true)), "true");
}

Value ints(std::initializer_list<int64_t> list) {
  std::vector<Value> out;
  for (const int64_t i : list) out.push_back(number(i));
  return make_vector(core().int64, std::move(out));
}

TEST(JuliaShow, OneLine) {
  EXPECT_EQ(show_text(ints({1, 2, 3})), "[1, 2, 3]");
  EXPECT_EQ(show_text(make_array(core().float64, {0})), "Float64[]");
  EXPECT_EQ(show_text(make_array(core().float64, {0, 3})), "Matrix{Float64}(undef, 0, 3)");
  EXPECT_EQ(display_text(make_array(core().float64, {0, 3})), "0×3 Matrix{Float64}");
  EXPECT_EQ(show_text(make_vector(core().any, {number(int64_t{1}), make_string("a")})), "Any[1, \"a\"]");
  EXPECT_EQ(show_text(make_vector(core().float32, {number(1.5f)})), "Float32[1.5]");
  EXPECT_EQ(show_text(make_vector(core().bool_, {boolean(true), boolean(false)})), "Bool[1, 0]");
  EXPECT_EQ(show_text(reshaped(ints({1, 2, 3, 4}), {2, 2})), "[1 3; 2 4]");
  EXPECT_EQ(show_text(reshaped(ints({1, 2}), {2, 1})), "[1; 2;;]");
  EXPECT_EQ(show_text(reshaped(ints({1, 2, 3, 4, 5, 6, 7, 8}), {2, 2, 2})), "[1 3; 2 4;;; 5 7; 6 8]");
  EXPECT_EQ(show_text(make_tuple({number(int64_t{1})})), "(1,)");
  EXPECT_EQ(show_text(make_tuple({})), "()");
  const Symbol names[] = {"a", "b", "c"};
  // 80d4d1c0524d
  EXPECT_EQ(show_text(make_named_tuple(names, {number(int64_t{1}), number(int64_t{2}), number(int64_t{3})})),
            "(a = 1, b = 2, c = 3)");
  EXPECT_EQ(show_text(make_named_tuple({}, {})), "NamedTuple()");
  const auto* complex = applied(core().complex, {core().float64});
  EXPECT_EQ(show_text(make_struct(complex, {number(1.0), number(-2.0)})), "1.0 - 2.0im");
  const auto* whole = applied(core().complex, {core().int64});
  EXPECT_EQ(show_text(make_struct(whole, {number(int64_t{1}), number(int64_t{2})})), "1 + 2im");
  EXPECT_EQ(show_text(make_struct(applied(core().complex, {core().bool_}), {boolean(false), boolean(true)})), "im");
  EXPECT_EQ(show_text(make_struct(applied(core().rational, {core().int64}), {number(int64_t{-1}), number(int64_t{2})})),
            "-1//2");
  EXPECT_EQ(
      show_text(make_struct(applied(core().unit_range, {core().int64}), {number(int64_t{1}), number(int64_t{3})})),
      "1:3");
  EXPECT_EQ(show_text(make_struct(applied(core().one_to, {core().int64}), {number(int64_t{3})})), "Base.OneTo(3)");
  EXPECT_EQ(show_text(Value::of_symbol("a")), ":a");
  EXPECT_EQ(show_text(nothing()), "nothing");
  EXPECT_EQ(show_text(Value::of_type(read_type("Vector{Int}"))), "Vector{Int64}");
  const auto* pair = applied(core().pair, {core().int64, core().float64});
  EXPECT_EQ(show_text(make_struct(pair, {number(int64_t{1}), number(3.14159265)})), "1 => 3.14159265");
}

TEST(JuliaShow, StringsAndCharacters) {
  EXPECT_EQ(show_text(make_string("a\"b\\c\n\t$x")), "\"a\\\"b\\\\c\\n\\t\\$x\"");
  EXPECT_EQ(show_text(make_string("é∀")), "\"é∀\"");
  EXPECT_EQ(show_text(make_string(std::string("\0"
                                              "1",
                                              2))),
            "\"\\x001\"");
  EXPECT_EQ(show_text(make_char('x')), "'x'");
  EXPECT_EQ(show_text(make_char('\'')), "'\\''");
  EXPECT_EQ(show_text(make_char('\n')), "'\\n'");
  int checked = 0;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    for (const nlohmann::json& step : record["steps"]) {
      const std::string input = step["input"], output = step["output"].is_string() ? step["output"] : "";
      std::smatch m;
      if (!std::regex_match(input, m, std::regex(R"('(.)')")) || output.find(": ") == std::string::npos) continue;
      size_t at = 0;
      EXPECT_EQ(display_text(make_char(code_point(next_char(m[1].str(), at)))), output) << record["id"];
      ++checked;
    }
  }
  if (!records("doctests.jsonl").empty()) EXPECT_GE(checked, 1);
}

Value read_literal(const std::string& text) {
  if (text.starts_with("\"")) return make_string(text.substr(1, text.size() - 2));
  if (text.starts_with("'")) return make_char(static_cast<unsigned char>(text[1]));
  if (text.starts_with(":")) return Value::of_symbol(text.substr(1));
  return number_literal(text);
}

TEST(JuliaShow, DictionariesInJuliasOrder) {
  // Dict("a" => 1, …) with its printed form: the order is that of Julia's hashes.
  int checked = 0;
  for (const nlohmann::json& record : records("doctests.jsonl")) {
    for (const nlohmann::json& step : record["steps"]) {
      const std::string input = step["input"], output = step["output"].is_string() ? step["output"] : "";
      std::smatch m;
      if (!output.starts_with("Dict{") || !std::regex_match(input, m, std::regex(R"((\w+ = )?Dict\((.*=>.*)\))")))
        continue;
      std::string rest = m[2];
      std::vector<std::pair<Value, Value>> entries;
      const std::regex entry(R"(^\s*([^ =,]+)\s*=>\s*([^ ,()]+)\s*,?)");
      while (std::regex_search(rest, m, entry)) {
        entries.emplace_back(read_literal(m[1]), read_literal(m[2]));
        rest = m.suffix();
      }
      if (!rest.empty() || entries.empty() || !entries[0].first.is_defined() || !entries[0].second.is_defined())
        continue;
      const Value d = make_dict(entries[0].first.type(), entries[0].second.type());
      size_hint(dict_of(d), static_cast<int64_t>(entries.size()));
      for (const auto& [k, v] : entries) assign(dict_of(d), k, v);
      EXPECT_EQ(display_text(d), output) << record["id"];
      ++checked;
    }
  }
  if (!records("doctests.jsonl").empty()) EXPECT_GE(checked, 9);
}

TEST(JuliaShow, LargeArraysAreElided) {
  std::vector<Value> many;
  for (int64_t i = 1; i <= 100; ++i) many.push_back(number(i));
  const Value v = make_vector(core().int64, many);
  const std::string vector = display_text(v);
  EXPECT_TRUE(vector.starts_with("100-element Vector{Int64}:\n   1\n   2\n")) << vector;
  EXPECT_NE(vector.find("\n  10\n   ⋮\n  92\n"), std::string::npos) << vector;
  EXPECT_TRUE(vector.ends_with("  99\n 100")) << vector;
  // 24 rows less the header, the prompt and a line for each: 20, one of them dots.
  EXPECT_EQ(std::count(vector.begin(), vector.end(), '\n'), 20);
  const std::string matrix = display_text(make_array(core().float64, {30, 40}));
  EXPECT_TRUE(matrix.starts_with("30×40 Matrix{Float64}:\n 0.0  0.0  0.0")) << matrix;
  EXPECT_NE(matrix.find("  …  "), std::string::npos);
  EXPECT_NE(matrix.find("⋱"), std::string::npos);
  std::istringstream lines(matrix);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), 80) << line;
}

TEST(JuliaShow, Wrappers) {
  const Value v = ints({1, 2, 3});
  const Value adjoint = make_struct(applied(core().adjoint, {core().int64, v.type()}), {v});
  EXPECT_EQ(display_text(adjoint), "1×3 adjoint(::Vector{Int64}) with eltype Int64:\n 1  2  3");
  set_module_visible("LinearAlgebra", true);
  const Value diagonal = make_struct(applied(core().diagonal, {core().int64, v.type()}), {v});
  EXPECT_EQ(display_text(diagonal), "3×3 Diagonal{Int64, Vector{Int64}}:\n 1  ⋅  ⋅\n ⋅  2  ⋅\n ⋅  ⋅  3");
  set_module_visible("LinearAlgebra", false);
  const Value undefined = make_array(core().string, {2});
  EXPECT_EQ(display_text(undefined), "2-element Vector{String}:\n #undef\n #undef");
  const Type* element = read_type("Union{Missing,Int}");
  EXPECT_EQ(display_text(make_vector(element, {number(int64_t{1}), missing()})),
            "2-element Vector{Union{Missing, Int64}}:\n 1\n  missing");
}

Value integer(int64_t i) { return number(i); }

Value pair(const Value& a, const Value& b) { return make_struct(applied(core().pair, {a.type(), b.type()}), {a, b}); }

Value matrix(std::initializer_list<int64_t> list, std::vector<int64_t> dims) {
  return reshaped(ints(list), std::move(dims));
}

// Outputs of Julia's documentation, by the record's name.
TEST(JuliaShow, ContainersOfTheDocumentation) {
  // 74b3f155bcd2
  const Value inner = pair(integer(1), integer(4));
  EXPECT_EQ(display_text(make_vector(core().any, {integer(1), inner, pair(inner, integer(9))})),
            "3-element Vector{Any}:\n         1\n        1 => 4\n (1 => 4) => 9");
  // acabc22897a1
  const Value ab[] = {pair(Value::of_symbol("a"), integer(1)), pair(Value::of_symbol("b"), integer(2))};
  EXPECT_EQ(display_text(make_vector(ab[0].type(), {ab[0], ab[1]})),
            "2-element Vector{Pair{Symbol, Int64}}:\n :a => 1\n :b => 2");
  // b0b2d2315f52
  const Value row = ints({1, 1});
  EXPECT_EQ(display_text(make_vector(row.type(), {row, ints({2, 2})})),
            "2-element Vector{Vector{Int64}}:\n [1, 1]\n [2, 2]");
  // 677bf3b3e599
  const Value blocks = make_array(matrix({1, 2, 3, 4}, {2, 2}).type(), {2, 2},
                                  {matrix({1, 3, 2, 4}, {2, 2}), matrix({9, 11, 10, 12}, {2, 2}),
                                   matrix({5, 7, 6, 8}, {2, 2}), matrix({13, 15, 14, 16}, {2, 2})});
  set_module_visible("LinearAlgebra", true);
  const DataType* block =
      array_of(blocks).element->kind == TypeKind::kData ? as<DataType>(array_of(blocks).element) : nullptr;
  const DataType* part = applied(core().transpose, {core().int64, block});
  const Value turned = make_struct(applied(core().transpose, {part, blocks.type()}), {blocks});
  EXPECT_EQ(display_text(turned),
            "2×2 transpose(::Matrix{Matrix{Int64}}) with eltype Transpose{Int64, Matrix{Int64}}:\n"
            " [1 3; 2 4]  [9 11; 10 12]\n [5 7; 6 8]  [13 15; 14 16]");
  set_module_visible("LinearAlgebra", false);
  // 2e412c1be110
  const Value line = make_struct(applied(core().lin_range, {core().float64, core().int64}),
                                 {number(1.5), number(5.5), integer(9), integer(8)});
  EXPECT_EQ(display_text(line), "9-element LinRange{Float64, Int64}:\n 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5");
  // e1b3a424a9cf: union(Set([1, 2]), 2:3)
  const Value set = make_set(core().int64);
  for (const int64_t i : {1, 2, 3}) assign(dict_of_set(set), integer(i), nothing());
  EXPECT_EQ(display_text(set), "Set{Int64} with 3 elements:\n  2\n  3\n  1");
  EXPECT_EQ(show_text(set), "Set([2, 3, 1])");
  // a51bf60b8e0e
  EXPECT_EQ(show_text(make_tuple({number(1.0f), number(4.5f), number(4.1f)})), "(1.0f0, 4.5f0, 4.1f0)");
  // a721c96d10a7: a row of a matrix
  const Value whole = matrix({1, 2, 3, 4, 5, 6}, {2, 3});
  const Type* slice = read_type("Base.Slice{Base.OneTo{Int}}");
  const Value columns =
      make_struct(as<DataType>(slice), {make_struct(applied(core().one_to, {core().int64}), {integer(3)})});
  const DataType* view =
      as<DataType>(read_type("SubArray{Int,1,Matrix{Int},Tuple{Int,Base.Slice{Base.OneTo{Int}}},true}"));
  EXPECT_EQ(display_text(make_struct(view, {whole, make_tuple({integer(1), columns}), integer(0), integer(2)})),
            "3-element view(::Matrix{Int64}, 1, :) with eltype Int64:\n 1\n 3\n 5");
  // 00fc6a056a3e
  TypeName* name = declare_type("MyType", "Main", Flavour::kStruct, {});
  set_super(name, core().any);
  set_fields(name, {"value"}, {core().any});
  EXPECT_EQ(show_text(make_struct(name->primary, {})), "MyType(#undef)");
}

}  // namespace
}  // namespace weft::julia
