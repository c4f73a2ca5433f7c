// How the command answers when it is called wrongly or asked for help, and how exceptions become exit codes.
#include "cli/exit_codes.h"
#include "tests/cli/command.h"

namespace {

using namespace weft::cli_test;
using Usage = Command;

const char* const kCommands[] = {"run", "check", "fmt", "transform", "build", "explain", "bench", "diff", "test"};

TEST_F(Usage, UnknownCommandsNameTheNearest) {
  const struct {
    const char *given, *answer;
  } kRows[] = {{"rnu", "there is no command rnu; did you mean run?"},
               {"chekc x.mlir", "there is no command chekc; did you mean check?"},
               {"trans x.mlir", "there is no command trans; did you mean transform?"},
               {"frobnicate", "there is no command frobnicate (weft --help"}};
  for (const auto& row : kRows) {
    const Answer answer = weft(row.given);
    EXPECT_EQ(answer.code, 2) << row.given;
    EXPECT_EQ(answer.out, "");
    EXPECT_HAS(answer.error, row.answer);
  }
}

TEST_F(Usage, UnknownOptionsNameTheNearest) {
  const std::string program = identity({"tensor<f32>"});
  const struct {
    std::string given;
    const char* answer;
  } rows[] = {{"run " + program + " --inptu 1.0", "weft run: there is no option --inptu; did you mean --input?"},
              {"run " + program + " --jsn --input 1.0", "did you mean --json?"},
              {"run " + program + " --trget=eval", "there is no option --trget=eval; did you mean --target?"},
              {"transform " + program + " --grads main:0", "did you mean --grad?"},
              {"fmt --generics " + program, "did you mean --generic?"},
              {"check --xyzzyxyzzy " + program, "weft check: there is no option --xyzzyxyzzy (weft check --help"},
              {"explain a b", "weft explain: one argument too many: got b"},
              {"check", "weft check: FILE is required"},
              {"run " + program + " --input", "weft run: --input"},
              {"run " + program + " --target nativ", "weft run: --target: there is no target \"nativ\""},
              {"test x --mode fast", "weft test: --mode: there is no mode fast"},
              {"transform " + program + " --vectorize main --lanes many", "weft transform: "},
              {"transform " + program + " --jvp main --with-value", "--with-value belongs to a --grad before it"},
              {"transform " + program + " --grad main --lanes 4", "--lanes belongs to a --vectorize before it"},
              {"transform " + program + " --simplify --as x", "--as belongs to a step with a function before it"},
              {"test", "weft test: PATH is required"},
              {"test x --jobs 0", "weft test: --jobs"},
              {"transform " + program, "weft transform: no step is given"},
              {"fmt -i -", "-i needs files: got -"},
              {"", "Weft compiles whole tensor programs"}};
  for (const auto& row : rows) {
    const Answer answer = weft(row.given);
    EXPECT_EQ(answer.code, 2) << row.given;
    EXPECT_EQ(answer.out, "") << row.given;
    EXPECT_HAS(answer.error, row.answer);
  }
}

TEST_F(Usage, HelpTeaches) {
  const Answer main = weft("--help");
  EXPECT_EQ(main.code, 0);
  EXPECT_EQ(main.error, "");
  EXPECT_HAS(main.out, "Exit codes:");
  for (const char* code : {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  70 "}) EXPECT_HAS(main.out, code);
  for (const std::string command : kCommands) {
    EXPECT_HAS(main.out, command);
    const Answer help = weft(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_EQ(help.error, "") << command;
    EXPECT_HAS(help.out, "Usage: weft " + command);
    // An example: a line that calls this command.
    EXPECT_TRUE(help.out.find("  weft " + command + " ") != std::string::npos ||
                help.out.find("$ weft " + command + " ") != std::string::npos)
        << help.out;
    EXPECT_EQ(weft("help " + command).out, help.out);
  }
  EXPECT_TRUE(weft("--version").out.starts_with("weft "));
}

TEST_F(Usage, TheExamplesOfHelpHold) {
  // The program and the answer that `weft run --help` shows.
  const std::string help = weft("run --help").out;
  const size_t begin = help.find("func.func"), end = help.find("$ weft run twice.mlir", begin);
  ASSERT_NE(end, std::string::npos) << help;
  const std::string program = file("twice.mlir", help.substr(begin, end - begin));
  const Answer answer = weft("run " + program + " --input '[1.0, 2.5]'");
  ASSERT_EQ(answer.code, 0) << answer.error;
  EXPECT_HAS(help, answer.out);
  // What `weft check --help` shows.
  const std::string bad =
      "func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n  %0 = stablehlo.add %x, %y : "
      "(tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n";
  std::string error = weft("check " + file("bad.mlir", bad)).error;
  error = error.substr(error.find("bad.mlir"));
  std::string shown, line;
  std::istringstream lines(weft("check --help").out);
  while (std::getline(lines, line))
    shown += line.substr(std::min<size_t>(line.size(), line.starts_with("  ") ? 2 : 0)) + "\n";
  EXPECT_HAS(shown, error);
}

TEST(Verdict, ExceptionsBecomeExitCodes) {
  using namespace weft;
  using namespace weft::cli;
  const auto verdict = [](const auto& error) {
    return verdict_on(std::make_exception_ptr(error), "weft run 'a b.mlir'");
  };
  EXPECT_EQ(verdict(UserError("[op] wrong")).code, 1);
  EXPECT_EQ(verdict(UserError("[op] wrong")).message, "error: [op] wrong\n");
  EXPECT_EQ(verdict(UsageError("usage")).code, 2);
  EXPECT_EQ(verdict(Unsupported("[op] not yet")).code, 3);
  EXPECT_EQ(verdict(Unsupported("[op] not yet")).message, "unsupported: [op] not yet\n");
  EXPECT_EQ(verdict(std::bad_alloc()).code, 1);
  EXPECT_EQ(verdict(std::bad_alloc()).message, "error: out of memory\n");
  EXPECT_EQ(verdict(fs::filesystem_error("cannot open", std::make_error_code(std::errc::permission_denied))).code, 1);
  for (const Verdict& fault : {verdict(InternalError("broken")), verdict(std::logic_error("broken"))}) {
    EXPECT_EQ(fault.code, 70);
    EXPECT_TRUE(fault.message.starts_with("internal error: broken\n")) << fault.message;
    EXPECT_TRUE(fault.message.ends_with("Reproduce it with:\n  weft run 'a b.mlir'\n")) << fault.message;
  }
}

TEST(Verdict, CommandLinesReadBackInAShell) {
  for (const std::string word :
       {"plain/path.mlir", "--input=1", "[1.0, 2.0]", "it's", "", "$HOME", "a\nb", "*", "\"\\"}) {
    const std::string command = "printf %s " + weft::cli::shell_quoted(word);
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    char text[64] = {};
    const size_t n = std::fread(text, 1, sizeof text, pipe);
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(std::string(text, n), word);
  }
}

}  // namespace
