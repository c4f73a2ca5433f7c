// Strings, characters, commands, numbers and names, and their values.
#include "julia/syntax/literals.h"
#include "tests/julia/syntax/table.h"

namespace weft::julia {
namespace {

TEST(Syntax, Strings) {
  expect_trees({
      {R"_("a")_", R"_((string "a"))_"},
      {R"_("")_", R"_((string ""))_"},
      {R"_("a $b c")_", R"_((string "a " b " c"))_"},
      {R"_("$(a + b)")_", R"_((string (parens (call-i a + b))))_"},
      {R"_("$("x $y")")_", R"_((string (parens (string "x " y))))_"},
      {R"_("$a.b")_", R"_((string a ".b"))_"},
      {R"_("\$a")_", R"_((string "\$a"))_"},
      {R"_("a\nb")_", R"_((string "a\nb"))_"},
      {R"_("\x41\u3b1\101")_", R"_((string "AαA"))_"},
      {"\"a\\\n   b\"", R"_((string "a" "b"))_"},
      {R"_(raw"a\b$c")_", R"_((macrocall @raw_str (string-r "a\\b\$c")))_"},
      {R"_(raw"a\"b")_", R"_((macrocall @raw_str (string-r "a\"b")))_"},
      {R"_(r"a"im)_", R"_((macrocall @r_str (string-r "a") "im"))_"},
      {R"_(A.r"a")_", R"_((macrocall (. A @r_str) (string-r "a")))_"},
      {R"_(`ls $x`)_", R"_((cmdstring-r "ls \$x"))_"},
      {R"_(var"a b")_", R"_((var a b))_"},
      {R"_("a" * "b")_", R"_((call-i (string "a") * (string "b")))_"},
      {R"_(f("a")["b"])_", R"_((ref (call f (string "a")) (string "b")))_"},
  });
}

TEST(Syntax, TripleQuotes) {
  expect_trees({
      {"\"\"\"a\"\"\"", R"_((string-s "a"))_"},
      {"\"\"\"\n  a\n  b\n  \"\"\"", R"_((string-s "a\n" "b\n"))_"},
      {"\"\"\"\n  a\n    b\n  \"\"\"", R"_((string-s "a\n" "  b\n"))_"},
      {"\"\"\"\n    a\n  b\n    \"\"\"", R"_((string-s "  a\n" "b\n" "  "))_"},
      {"\"\"\"\n  a\n\"\"\"", R"_((string-s "  a\n"))_"},
      {"\"\"\"a\n  b\"\"\"", R"_((string-s "a\n" "b"))_"},
      {"\"\"\"\n  a \"b\" c\"\"\"", R"_((string-s "a \"b\" c"))_"},
      {"\"\"\"\n  $a\n  b\"\"\"", R"_((string-s a "\n" "b"))_"},
      {"```\n  a\n  b```", R"_((cmdstring-s-r "a\n" "b"))_"},
  });
}

TEST(Syntax, Characters) {
  expect_trees({
      {"'a'", "(char 'a')"},
      {"'\\n'", "(char '\\n')"},
      {"'\\''", "(char '\\'')"},
      {"'\"'", "(char '\"')"},
      {"'∀'", "(char '∀')"},
      {"'\\u2200'", "(char '∀')"},
      {"x == 'a'", "(call-i x == (char 'a'))"},
      {"f('a', b')", "(call f (char 'a') (call-post b '))"},
  });
  expect_faults("''", {{"", "empty character literal"}});
  expect_faults("'\\k'", {{"\\k", "invalid escape sequence"}});
}

TEST(Syntax, Numbers) {
  expect_trees({
      {"1_000", "1000"},
      {"0x1F", "0x1f"},
      {"0x0001", "0x0001"},
      {"0b101", "0x05"},
      {"0o777", "0x01ff"},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"5.", "5.0"},
      {"1e3", "1000.0"},
      {"1e-7", "1.0e-7"},
      {"1.5f0", "1.5f0"},
      {"1f-3", "0.001f0"},
      {"0x1p4", "16.0"},
      {"0x.8p1", "1.0"},
      {"1e22", "1.0e22"},
      {"123456.789", "123456.789"},
      {"1234567.0", "1.234567e6"},
      {"9223372036854775808", "9223372036854775808"},
      {"1:2", "(call-i 1 : 2)"},
      {"1..2", "(call-i 1 .. 2)"},
      {"1.0.^2", "(dotcall-i 1.0 ^ 2)"},
      {"true", "true"},
      {"x1e5", "x1e5"},
      {"2e", "(juxtapose 2 e)"},
  });
  expect_faults("1.+2",
                {{"1.", "ambiguous `.` syntax; add whitespace to clarify (eg `1.+2` might be `1.0+2` or `1 .+ 2`)"}});
  expect_faults("0xg", {{"0xg", "invalid numeric constant"}});
  expect_faults("1.2.3", {{"1.2.", "invalid numeric constant"}, {"3", "extra tokens after end of expression"}});
  expect_faults("1e1000", {{"1e1000", "overflow in floating point literal"}});
}

IntegerLiteral integer_of(std::string_view source) {
  const Parsed parsed = parse(source);
  return integer_value(parsed.tree, parsed.tree.child(parsed.tree.root(), 0));
}

TEST(Syntax, IntegerTypes) {
  // Julia's manual: decimal by value; the others by their digits, leading zeros included; octal ones also by value.
  using enum IntegerType;
  struct Row {
    const char* source;
    IntegerType type;
  };
  for (const auto& [source, type] : std::initializer_list<Row>{
           {"0", kInt64},
           {"9223372036854775807", kInt64},
           {"-9223372036854775808", kInt64},
           {"9223372036854775808", kInt128},
           {"170141183460469231731687303715884105727", kInt128},
           {"170141183460469231731687303715884105728", kBigInt},
           {"0xff", kUInt8},
           {"0x0ff", kUInt16},
           {"0x00000", kUInt32},
           {"0x123456789", kUInt64},
           {"0x11112222333344445", kUInt128},
           {"0x111122223333444455556666777788889", kBigInt},
           {"0b11111111", kUInt8},
           {"0b111111111", kUInt16},
           {"0o377", kUInt8},
           {"0o400", kUInt16},
           {"0o0377", kUInt16},
           {"0o1777777777777777777777", kUInt64},
           {"0o2000000000000000000000", kUInt128},
       })
    EXPECT_EQ(integer_of(source).type, type) << source;
  EXPECT_EQ(static_cast<int64_t>(integer_of("-42").bits), -42);
  EXPECT_EQ(static_cast<uint64_t>(integer_of("0xdead_beef").bits), 0xdeadbeefU);
  EXPECT_EQ(static_cast<uint64_t>(integer_of("170141183460469231731687303715884105727").bits >> 64), ~uint64_t{0} >> 1);
}

TEST(Syntax, FloatValues) {
  EXPECT_EQ(float_value("0.1").value, 0.1);
  EXPECT_EQ(float_value("0.1f0").value, static_cast<double>(0.1F));
  EXPECT_TRUE(float_value("0.1f0").is_float32);
  EXPECT_EQ(float_value("1_0.2_5").value, 10.25);
  EXPECT_EQ(float_value("0x1.8p-1").value, 0.75);
  EXPECT_EQ(float_value("\u22121.5").value, -1.5);
  EXPECT_EQ(float_value("5e-324").value, 5e-324);
  EXPECT_FALSE(float_value("5e-324").underflows);
  EXPECT_TRUE(float_value("1e-400").underflows);
  EXPECT_TRUE(float_value("1e39").value == 1e39 && float_value("1f39").overflows);
}

std::string name_of(std::string_view source) {
  const Parsed parsed = parse(source);
  return name_value(parsed.tree, parsed.tree.child(parsed.tree.root(), 0));
}

TEST(Syntax, Names) {
  EXPECT_EQ(name_of("ɛ"), "ε");
  EXPECT_EQ(name_of("µ"), "μ");
  EXPECT_EQ(name_of("ℏ"), "ħ");
  EXPECT_EQ(name_of("e\u0301t"), "\u00e9t") << "composed";
  EXPECT_EQ(name_of("q\u0307\u0323"), "q\u0323\u0307") << "marks in order of their classes";
  EXPECT_EQ(name_of("\u1100\u1161\u11a8"), "\uac01") << "Hangul";
  EXPECT_EQ(name_of("α₁′!"), "α₁′!");
  expect_trees({{"a · b", "(call-i a ⋅ b)"},
                {"a − b", "(call-i a - b)"},
                {"🐢 = ∇f", "(= 🐢 ∇f)"},
                {"x̂ + 变量", "(call-i x̂ + 变量)"}});
}

}  // namespace
}  // namespace weft::julia
