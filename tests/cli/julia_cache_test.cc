// Compiled Julia code that a folder keeps from run to run (WEFT_CACHE_DIR).
#include "tests/cli/command.h"

namespace weft::cli_test {
namespace {

class JuliaCache : public Command {
 protected:
  std::string cache() const { return (folder_ / "cache").string(); }
  Answer run(const std::string& program) {
    return weft("run --compile=always " + program, "WEFT_CACHE_DIR=" + cache());
  }
  std::vector<fs::path> entries() const {
    std::vector<fs::path> out;
    for (const auto& e : fs::recursive_directory_iterator(cache())) {
      if (e.is_regular_file()) out.push_back(e.path());
    }
    return out;
  }
  static std::string program(const std::string& factor) {
    return "const factor = " + factor +
           "\nfunction total(v)\n  s = 0.0\n  for x in v\n    s += factor * x\n  end\n  s\nend\nprintln(total([1.0, "
           "2.0, 3.0]))\n";
  }
};

TEST_F(JuliaCache, ASecondRunStoresNothingNew) {
  const std::string f = file("a.jl", program("2.0"));
  EXPECT_EQ(run(f).out, "12.0\n");
  const size_t made = entries().size();
  EXPECT_GT(made, 0u);
  EXPECT_EQ(run(f).out, "12.0\n");
  EXPECT_EQ(entries().size(), made);
}

TEST_F(JuliaCache, AnotherConstantOrAnotherBodyIsOtherCode) {
  EXPECT_EQ(run(file("a.jl", program("2.0"))).out, "12.0\n");
  EXPECT_EQ(run(file("a.jl", program("3.0"))).out, "18.0\n");
  std::string body = program("2.0");
  body.replace(body.find("s += factor * x"), 15, "s += factor + x");
  EXPECT_EQ(run(file("a.jl", body)).out, "12.0\n");
  body.replace(body.find("factor + x"), 10, "factor - x");
  EXPECT_EQ(run(file("a.jl", body)).out, "0.0\n");
}

TEST_F(JuliaCache, DamagedEntriesAreMadeAnew) {
  const std::string f = file("a.jl", program("2.0"));
  EXPECT_EQ(run(f).out, "12.0\n");
  for (const fs::path& e : entries()) write(e, read(e).substr(0, fs::file_size(e) / 2));
  EXPECT_EQ(run(f).out, "12.0\n");
  for (const fs::path& e : entries()) {
    std::string content = read(e);
    content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
    write(e, content);
  }
  const Answer last = run(f);
  EXPECT_EQ(last.out, "12.0\n");
  EXPECT_EQ(last.code, 0);
}

TEST_F(JuliaCache, ProcessesAtTheSameTimeShareAFolder) {
  const std::string f = file("a.jl", program("2.0"));
  const std::string one = std::string(WEFT_BINARY_DIR) + "/weft run --compile=always " + f;
  const Answer all = weft("run --compile=always " + f + " & wait",
                          "export WEFT_CACHE_DIR=" + cache() + "; " + one + " & " + one + " &");
  EXPECT_EQ(all.out, "12.0\n12.0\n12.0\n");
  EXPECT_EQ(run(f).out, "12.0\n");
}

}  // namespace
}  // namespace weft::cli_test
