// Machine numbers, against the assertions of Julia's own tests that need no more than builtin operations.
#include <gtest/gtest.h>

#include "tests/julia/evaluate.h"
#include "tests/julia/records.h"

namespace weft::julia {
namespace {

TEST(JuliaNumbers, AssertionsOfJuliasTests) {
  int checked = 0, unknown = 0;
  for (const nlohmann::json& record : records("selftests.jsonl")) {
    const std::string source = record["source"], id = record["id"];
    const bool throws = source.starts_with("@test_throws ");
    if (!throws && !source.starts_with("@test ")) continue;
    std::string expression = source.substr(throws ? 13 : 6), expected;
    if (throws) {
      const size_t end = expression.find(' ');
      if (end == std::string::npos) continue;
      expected = expression.substr(0, end);
      expression = expression.substr(end + 1);
    }
    try {
      const Value v = evaluate(expression);
      if (throws) {
        ADD_FAILURE() << id << " " << source << ": nothing thrown, " << show_text(v);
      } else {
        EXPECT_TRUE(v.is(core().bool_) && v.get<bool>()) << id << " " << source;
      }
      ++checked;
    } catch (const Unknown&) { ++unknown; } catch (const JuliaError& e) {
      EXPECT_TRUE(throws && e.value().type()->name->name.text() == expected) << id << " " << source << ": " << e.what();
      ++checked;
    } catch (const Unsupported&) { ++unknown; } catch (const UserError& e) {
      EXPECT_TRUE(throws && expected == "TypeError") << id << " " << source << ": " << e.what();
      ++checked;
    }
  }
  RecordProperty("checked", checked);
  if (!records("selftests.jsonl").empty()) EXPECT_GE(checked, 750) << unknown << " not known";
}

TEST(JuliaNumbers, Messages) {
  const auto message = [](const std::string& expression) -> std::string {
    try {
      evaluate(expression);
    } catch (const JuliaError& e) { return e.what(); }
    return "nothing thrown";
  };
  // The error examples of Julia's documentation.
  EXPECT_EQ(message("div(2, 0)"), "DivideError: integer division error");  // e1ad788eb07b
  EXPECT_EQ(message("convert(Int, 3.5)"), "InexactError: Int64(3.5)");     // b813239b35c6
  EXPECT_EQ(message("Int8(128)"), "InexactError: trunc(Int8, 128)");       // 013bf9a6447e
  EXPECT_EQ(message("Int8(3.14)"), "InexactError: Int8(3.14)");            // 013bf9a6447e
  EXPECT_EQ(message("Int8(128.0)"), "InexactError: Int8(128.0)");          // 013bf9a6447e
  EXPECT_TRUE(message("3^(-1)").starts_with(
      "DomainError with -1:\nCannot raise an integer x to a negative power -1."));  // 13b970ebc543
  EXPECT_EQ(message("parse(Int, \"123456789123.4\")"),
            "ArgumentError: invalid base 10 digit '.' in \"123456789123.4\"");
  EXPECT_EQ(message("parse(Int, \"\")"), "ArgumentError: input string is empty or only contains whitespace");
}

}  // namespace
}  // namespace weft::julia
