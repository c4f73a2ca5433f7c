// The `weft` command: options in, exit codes out (0 done, 1 the user's program is wrong, 2 usage, 3 unsupported, 70 our fault).
#include <CLI/CLI.hpp>
#include <iostream>
#include <map>

#include "base/diagnostic.h"
#include "cli/commands.h"

namespace weft::cli {
namespace {

constexpr int kUser = 1, kUsage = 2, kUnsupported = 3, kInternal = 70;

std::string command_line(int argc, char** argv) {
  std::string out;
  for (int i = 0; i < argc; ++i) out += (i ? " " : "") + std::string(argv[i]);
  return out;
}

/// Options that make a step or change the one before them (or, at the very front, the one after), in the order they were written.
std::vector<TransformStep> steps_of(const CLI::App& app) {
  std::vector<TransformStep> steps;
  TransformStep ahead;
  bool has_ahead = false;
  std::map<const CLI::Option*, size_t> seen;
  for (const CLI::Option* option : app.parse_order()) {
    const std::string name = option->get_name();
    const size_t nth = seen[option]++;
    const std::string value = nth < option->results().size() ? option->results()[nth] : "";
    const auto begin = [&](TransformStep::Kind kind) {
      TransformStep step = has_ahead ? ahead : TransformStep();
      has_ahead = false;
      step.kind = kind;
      if (kind != TransformStep::kSimplify) parse_step(step, value);
      steps.push_back(std::move(step));
    };
    TransformStep& current = steps.empty() ? ahead : steps.back();
    if (name == "--jvp") {
      begin(TransformStep::kJvp);
    } else if (name == "--grad") {
      begin(TransformStep::kGrad);
    } else if (name == "--vectorize") {
      begin(TransformStep::kVectorize);
    } else if (name == "--simplify") {
      begin(TransformStep::kSimplify);
    } else if (name == "--refine") {
      begin(TransformStep::kRefine);
    } else if (name == "--arg-types") {
      current.arg_types = value;
      has_ahead |= steps.empty();
    } else if (name == "--lanes") {
      current.lanes = std::stoll(value);
      has_ahead |= steps.empty();
    } else if (name == "--with-value") {
      current.with_value = true;
      has_ahead |= steps.empty();
    } else if (name == "--as") {
      current.as = value;
      has_ahead |= steps.empty();
    }
  }
  return steps;
}

/// CLI11 reads a value in brackets as a list of values and takes its arguments last first. A blank keeps `--input [1.0, 2.0]` whole.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> out;
  for (int i = argc - 1; i > 0; --i) {
    std::string text = argv[i];
    if (text.starts_with("[")) text.insert(0, " ");
    if (text.starts_with("--input=[")) text.insert(std::string_view("--input=").size(), " ");
    out.push_back(std::move(text));
  }
  return out;
}

int dispatch(int argc, char** argv) {
  CLI::App app{"Weft compiles whole tensor programs: StableHLO text in, machine code out."};
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help for every command");

  std::string file, entry, target = "native";
  bool generic = false;
  const auto with_file = [&](CLI::App* command) { command->add_option("FILE", file, "a .mlir program")->required(); };

  CLI::App* run_command = app.add_subcommand("run", "run a function and print or save its results");
  RunOptions run_options;
  with_file(run_command);
  run_command->add_option("--entry", entry, "the function (default: main, or the only one)");
  run_command
      ->add_option("--input", run_options.inputs,
                   "an argument: a .npy file, or elements like 2.0 or [1.0, 2.0]; once for each")
      ->take_all()
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run_command->add_option("--target", target, "eval or native");
  run_command->add_option("--out", run_options.out, "a folder for result0.npy, result1.npy, … instead of printing");

  CLI::App* check_command = app.add_subcommand("check", "types, shapes and diagnostics only");
  with_file(check_command);

  CLI::App* fmt_command = app.add_subcommand("fmt", "print the program");
  with_file(fmt_command);
  fmt_command->add_flag("--generic", generic, "every op in MLIR's generic form");

  CLI::App* transform_command =
      app.add_subcommand("transform", "StableHLO in, StableHLO out; steps are applied left to right");
  with_file(transform_command);
  const auto many = [](CLI::Option* option) {
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1);
  };
  std::vector<std::string> jvps, grads, vectorizations, names, refinements, types;
  std::vector<int64_t> lanes;
  bool with_value = false, simplifies = false;  // read from the order of the options
  many(transform_command->add_option("--jvp", jvps, "f or f:0,1: forward derivative"));
  many(transform_command->add_option("--grad", grads, "f:0,1: gradient of the scalar result by these arguments"));
  many(transform_command->add_option("--vectorize", vectorizations,
                                     "f:0,_: lane axis of each argument, _ = the same for all lanes"));
  many(transform_command->add_option("--refine", refinements, "f: shapes made static from the arguments' types"));
  many(transform_command->add_option("--arg-types", types,
                                     "argument types of the step before: \"tensor<2x3xf32>, tensor<f32>\""));
  many(transform_command->add_option("--lanes", lanes, "number of lanes of the step before"));
  many(transform_command->add_option("--as", names,
                                     "name of the result of the step before (default: it replaces the function)"));
  transform_command->add_flag("--with-value", with_value, "the gradient step before also returns the value");
  transform_command->add_flag("--simplify", simplifies, "fold and clean up");
  transform_command->add_flag("--generic", generic, "print in MLIR's generic form");

  CLI::App* build_command = app.add_subcommand("build", "compile ahead of time to a shared library");
  BuildOptions build_options;
  with_file(build_command);
  build_command->add_option("--entry", entry, "the function (default: main, or the only one)");
  build_command->add_option("-o", build_options.library, "the library to write")->required();
  build_command->add_option("--header", build_options.header, "a C header to write");
  build_command->add_option("--cpu", build_options.cpu, "the CPU to compile for: native or a name like x86-64-v3");
  build_command->add_option("--symbol", build_options.symbol, "the C name (default: the function's)");
  build_command->add_option("--partitions", build_options.partitions,
                            "parts that parallel loops are cut into (default: cores)");

  CLI::App* explain_command = app.add_subcommand("explain", "what the target makes of the program");
  with_file(explain_command);
  explain_command->add_option("--entry", entry, "the function (default: main, or the only one)");
  explain_command->add_option("--target", target, "eval or native");

  CLI::App* test_command =
      app.add_subcommand("test", "run test programs and manifests; last line: N passed, N failed, N skipped");
  TestOptions test_options;
  test_command->add_option("PATH", test_options.paths, "programs, or folders of programs and manifest*.jsonl");
  test_command->add_option("--target", target, "eval or native");
  test_command->add_option("--mode", test_options.mode, "a verification mode (--list-modes)");
  test_command->add_flag("--list-modes", test_options.list_modes, "print the modes of the target");
  test_command->add_flag("--strict", test_options.strict, "count by the strict score");
  test_command->add_flag("--verbose", test_options.verbose, "also list what passed or was skipped");
  test_command->add_option("--json", test_options.json, "a file for the scores by op");
  test_command->add_option("--filter", test_options.filter, "only records whose name contains this");
  test_command->add_option("--jobs", test_options.jobs, "processes")->check(CLI::Range(1, 256));
  test_command->add_option("--seconds", test_options.seconds, "time limit of one record")->check(CLI::Range(1, 3600));

  try {
    app.parse(arguments(argc, argv));
  } catch (const CLI::ParseError& error) { return app.exit(error) == 0 ? 0 : kUsage; }
  if (*run_command) {
    run_options.file = file;
    run_options.entry = entry;
    run_options.target = target;
    return run(run_options);
  }
  if (*check_command) return check(file);
  if (*fmt_command) return fmt(file, generic);
  if (*transform_command) return transform(file, steps_of(*transform_command), generic);
  if (*build_command) { return build(file, entry, build_options); }
  if (*explain_command) return explain(file, entry, target);
  if (!test_options.list_modes && test_options.paths.empty()) {
    std::cerr << "weft test: PATH is required\n";
    return kUsage;
  }
  test_options.target = target;
  return test(test_options);
}

}  // namespace

int main_with_errors(int argc, char** argv) {
  try {
    return dispatch(argc, argv);
  } catch (const UserError& error) {
    std::cerr << render(error);
    return kUser;
  } catch (const Unsupported& error) {
    std::cerr << render("unsupported", error.what(), error.loc());
    return kUnsupported;
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory\n";
    return kUser;
  } catch (const Error& error) {
    std::cerr << render("internal error", error.what(), error.loc()) << "reproduce with: " << command_line(argc, argv)
              << "\n";
    return kInternal;
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << "\nreproduce with: " << command_line(argc, argv) << "\n";
    return kInternal;
  }
}

}  // namespace weft::cli

int main(int argc, char** argv) { return weft::cli::main_with_errors(argc, argv); }
