#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <span>

#include "base/memory.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/julia.h"
#include "cli/julia_check.h"
#include "cli/julia_entry.h"
#include "cli/julia_program.h"
#include "cli/julia_run.h"
#include "cli/nearest.h"
#include "cli/test_record.h"

namespace weft::cli {
namespace {

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
    if (const auto kind = step_kind(name)) {
      begin(*kind);
    } else if (name == "--chunk") {
      current.chunk = std::stoll(value);
      has_ahead |= steps.empty();
    } else if (name == "--axes") {
      current.axes = value;
      has_ahead |= steps.empty();
    } else if (name == "--memory") {
      current.memory = static_cast<int64_t>(parse_memory_size(value, name));
      has_ahead |= steps.empty();
    } else if (name == "--recompute") {
      current.recompute = std::stoll(value);
      has_ahead |= steps.empty();
    } else if (name == "--forward" || name == "--reverse") {
      current.direction = name.substr(2);
      has_ahead |= steps.empty();
    } else if (name == "--arg-types") {
      current.arg_types = value;
      has_ahead |= steps.empty();
    } else if (name == "--lanes") {
      current.lanes = value;
      has_ahead |= steps.empty();
    } else if (name == "--strict") {
      current.strict = true;
      has_ahead |= steps.empty();
    } else if (name == "--level") {
      current.level = value;
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
std::vector<std::string> reversed_arguments(std::span<const std::string> words) {
  std::vector<std::string> out;
  for (size_t i = words.size(); i-- > 0;) {
    std::string text = words[i];
    if (text.starts_with("[")) text.insert(0, " ");
    if (text.starts_with("--input=[")) text.insert(std::string_view("--input=").size(), " ");
    out.push_back(std::move(text));
  }
  return out;
}

/// What the options of all commands are written into.
struct Parsed {
  std::string file, entry, target = "native";
  std::vector<std::string> files;
  std::string compile_julia;
  bool report_julia = false;
  std::string emit;  // of fmt
  bool generic = false, in_place = false, sexpr = false;
  RunOptions run;
  JuliaCheckOptions check;
  ExplainOptions explain;
  BenchOptions bench;
  DiffOptions diff;
  BuildOptions build;
  TopologyBuildOptions topology;  // of build
  CompileFlags compile;           // of build
  TestOptions test;
  // The steps of transform are read from the order of the options; these only receive them.
  std::vector<std::string> words;
  std::vector<int64_t> lanes;
  bool flag = false;
};

/// What is wrong with a number of lanes; empty when nothing is.
std::string number_or_open(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number || text == "?" ? "" : "got " + text + ", expected a number or ?";
}

CLI::Option* repeated(CLI::Option* option) {
  return option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->expected(1);
}

/// A name that `find` knows; what it throws is the complaint.
template <class Find>
CLI::Validator named(Find find) {
  return {[find](const std::string& name) -> std::string {
            try {
              find(name);
              return {};
            } catch (const UserError& error) { return error.what(); }
          },
          "NAME"};
}

void add_file(CLI::App* command, Parsed& p) {
  command->add_option("FILE", p.file, "a program; - is standard input")->required();
}
void add_entry(CLI::App* command, Parsed& p) {
  command->add_option(
      "--entry", p.entry,
      "the function (default: main, or the only one); of Julia sources a call: f(Matrix{Float32}(3, 4))");
}
void add_target(CLI::App* command, Parsed& p) {
  command->add_option("--target", p.target, "native (default): compiled for this CPU; eval: the reference evaluator")
      ->check(named(get_target));
}

void add_fp(CLI::App* command, std::string& fp) {
  command
      ->add_option("--fp", fp,
                   "strict (default): each op rounds; contract: a product and a sum may round once together")
      ->check(CLI::IsMember({"strict", "contract"}));
}

void add_compile_flags(CLI::App* command, CompileFlags& flags) {
  command->add_flag("--timings", flags.timings, "print how long each stage of compiling took");
  command->add_option("--cache", flags.cache,
                      "the folder that keeps generated code, or off (default: weft in XDG_CACHE_HOME or ~/.cache)");
  add_fp(command, flags.fp);
}

/// What julia_options reads: here for the help, and for those who give it to a StableHLO program.
void add_julia(CLI::App* command, Parsed& p) {
  command->add_option("--compile", p.compile_julia, "of Julia programs: never, auto (default) or always");
  command->add_flag("--report", p.report_julia, "of Julia programs: say at the end what was compiled, and why not");
  if (command->get_name() == "run")
    command->add_option("-e,--eval", p.compile_julia, "Julia code to run instead of a file");
}

void add_run(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("run", "run a function and print or save its results, or a Julia program");
  c->footer(help::kRun);
  add_file(c, p);
  add_entry(c, p);
  repeated(c->add_option("--input", p.run.inputs, "an argument's value; once for each"));
  add_target(c, p);
  c->add_option("--out", p.run.out,
                "a folder for result0.npy, result1.npy, ..., or one .npz file, instead of printing");
  c->add_flag("--full", p.run.full, "print every element of large results");
  c->add_option("--memory-limit", p.run.memory_limit,
                "bytes that a call may need: 500M, 2G (default: WEFT_MEMORY_LIMIT)");
  c->add_flag("--specialize", p.run.specialize, "compile a program with open extents for the shapes of the inputs");
  c->add_flag("--json", p.run.json, "print one JSON object: types, shapes and exact values, or with --out the files");
  add_compile_flags(c, p.run.compile);
  add_julia(c, p);
}

void add_repl(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("repl", "a prompt for Julia");
  c->footer(help::kRepl);
  add_julia(c, p);
}

void add_transform(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("transform", "StableHLO in, StableHLO out");
  c->footer(help::kTransform);
  add_file(c, p);
  repeated(c->add_option("--jvp", p.words, "f or f:0,1: forward derivative by these arguments"));
  repeated(c->add_option("--vjp", p.words, "f or f:0,1: reverse derivative by these arguments"));
  repeated(c->add_option("--jacobian", p.words, "f or f:0,1: all results by these arguments"));
  repeated(
      c->add_option("--batch-jacobian", p.words, "f or f:0,1: as --jacobian, of each example along axis 0 by itself"));
  repeated(c->add_option("--hessian", p.words, "f:0,1: second derivatives of the scalar result"));
  repeated(c->add_option("--hvp", p.words, "f:0,1: the Hessian times a vector"));
  repeated(c->add_option("--grad", p.words, "f:0,1: gradient of the scalar result by these arguments"));
  repeated(c->add_option("--clipped-grad", p.words,
                         "f:0,1: sum over examples of gradients clipped to a bound, the last argument"));
  repeated(c->add_option(
      "--axes", p.words,
      "_,0: axis of the examples in each argument of the --clipped-grad before (default: 0, _ for those named)"));
  repeated(
      c->add_option("--sparse-grad", p.words, "f:0,1: gradient by tables of which f reads rows, as indices and rows"));
  repeated(c->add_option("--vectorize", p.words, "f:0,_: lane axis of each argument, _ = the same for all lanes"));
  repeated(c->add_option("--refine", p.words, "f: shapes made static from the arguments' types"));
  repeated(c->add_option("--portable", p.words, "f: StableHLO only, for other compilers: no calls, no ops of Weft"));
  c->add_flag("--simplify", p.flag, "fold and clean up");
  repeated(c->add_option("--chunk", p.lanes,
                         "lanes, or columns or rows of the Jacobian, of the step before that are computed at once"));
  repeated(c->add_option(
      "--memory", p.words,
      "bytes for those at once, if no --chunk says how many, or for what a loop of --grad keeps: 500M, 2G"));
  c->add_flag("--forward", p.flag, "the Jacobian before by columns, an element of the arguments each");
  c->add_flag("--reverse", p.flag, "the Jacobian before by rows, an element of the results each");
  repeated(
      c->add_option("--lanes", p.words, "number of lanes of the step before; ? = as many as a call's arguments have")
          ->check(number_or_open, "N or ?"));
  c->add_flag("--strict", p.flag, "refuse the --vectorize before where lanes would run one after another");
  repeated(c->add_option("--level", p.words, "what ops inside call these lanes, for lanes within lanes"));
  repeated(
      c->add_option("--arg-types", p.words, "argument types of the --refine before: 'tensor<2x3xf32>, tensor<f32>'"));
  repeated(c->add_option("--recompute", p.lanes,
                         "the --grad or --vjp before keeps so many trips of a loop and runs those in between again"));
  c->add_flag("--with-value", p.flag, "the --grad or --vjp before also returns the value");
  repeated(c->add_option("--as", p.words, "name of the result of the step before"));
  c->add_option("--entry", p.entry, "of Julia sources: a call such as f(Matrix{Float32}(3, 4)); the steps name its f");
  c->add_flag("--generic", p.generic, "print in MLIR's generic form");
}

void add_build(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("build", "compile ahead of time to a shared library; of Julia sources programs too");
  c->footer(help::kBuild);
  add_file(c, p);
  add_entry(c, p);
  c->add_option(
       "-o", p.build.library,
       "the file to write: .so, .o or .a; with --pjrt-topology code for its devices; of FILE.jl without --entry "
       "a program")
      ->required();
  c->add_option("--pjrt-topology", p.topology.topology,
                "compile for devices that need not be here, by a PJRT plugin's name for them: v5e:2x2");
  c->add_option("--pjrt-plugin", p.topology.plugin,
                "the plugin that compiles, PLUGIN[,option=value...] (default: tpu)");
  c->add_option("--header", p.build.header, "a C header to write");
  c->add_option("--weights", p.build.weights,
                "a file for constants of 64 KiB and more, which the library maps at its first call");
  c->add_flag("--with-onednn", p.build.with_onednn,
              "large products of f32: by libdnnl, opened when this one is loaded");
  c->add_flag("--no-libraries{false}", p.build.with_onednn, "generated loops only (the default)");
  c->add_flag("--with-lapack", p.build.with_lapack,
              "linear algebra that JAX calls LAPACK for: by a LAPACK library, opened when this one is loaded");
  c->add_option("--cpu", p.build.cpu, "the CPU to compile for: native or a name like x86-64-v3");
  c->add_option("--symbol", p.build.symbol, "the C name (default: the function's)");
  c->add_option("--partitions", p.build.partitions, "parts that parallel loops are cut into (default: cores)");
  add_compile_flags(c, p.compile);
  add_julia(c, p);
}

void add_explain(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("explain", "what the target makes of the program");
  c->footer(help::kExplain);
  add_file(c, p);
  add_entry(c, p);
  add_target(c, p);
  c->add_option("--html", p.explain.html, "a file for a page with graph, kernels, choices and memory");
  c->add_option("--dump", p.explain.dump, "print a stage instead: input, inlined, simplified, llvm, asm")
      ->check(CLI::IsMember({"input", "inlined", "simplified", "llvm", "asm"}));
  c->add_option("--kernel", p.explain.kernel, "of --dump llvm or asm: only the function of this name");
  add_compile_flags(c, p.explain.compile);
}

void add_bench(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("bench", "time the program, step by step");
  c->footer(help::kBench);
  add_file(c, p);
  add_entry(c, p);
  add_target(c, p);
  repeated(c->add_option("--input", p.bench.inputs, "an argument's value; none: random ones"));
  c->add_option("--seconds", p.bench.seconds, "how long to call it")->check(CLI::Range(0.01, 3600.0));
  c->add_flag("--no-fuse", p.bench.no_fuse, "also without fusion: time, bytes moved and temporaries");
  c->add_option("--profile", p.bench.profile, "a file for a trace that Chrome and Perfetto show");
  c->add_flag("--json", p.bench.json, "print one JSON object");
  add_fp(c, p.bench.fp);
}

void add_diff(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("diff", "the same inputs on several targets: the first op that differs");
  c->footer(help::kDiff);
  add_file(c, p);
  add_entry(c, p);
  repeated(c->add_option("--input", p.diff.inputs, "an argument's value; none: random ones"));
  c->add_option("--targets", p.diff.targets, "two or more, with a mode after a colon: eval,native,native:no-fuse")
      ->delimiter(',')
      ->required();
  c->add_option("--seed", p.diff.seed, "of the random inputs");
  c->add_option("--seconds", p.diff.seconds, "how long to make the reproducer smaller")->check(CLI::Range(0.0, 3600.0));
  c->add_option("--out", p.diff.out, "a file for the reproducer");
}

void add_test(CLI::App& app, Parsed& p) {
  CLI::App* c = app.add_subcommand("test", "run test programs and manifests");
  c->footer(help::kTest);
  TestOptions& o = p.test;
  c->add_option("PATH", o.paths, "programs, or folders of programs and manifest*.jsonl");
  add_target(c, p);
  c->add_option("--mode", o.mode, "a verification mode")->check(named(mode_of));
  c->add_flag("--list-modes", o.list_modes, "print the modes of the target");
  c->add_flag("--strict", o.strict, "count by the strict score");
  c->add_flag(
      "--derive", o.derive,
      "only derivatives and lanes of exported programs, derived here from the program they were exported beside");
  c->add_flag("--verbose", o.verbose, "also list what passed or was skipped");
  c->add_option("--json", o.json, "a file for the scores by op");
  c->add_option("--filter", o.filter, "only records whose name contains this");
  c->add_option("--jobs", o.jobs, "processes")->check(CLI::Range(1, 256));
  c->add_option("--seconds", o.seconds, "time limit of one record")->check(CLI::Range(1, 3600));
}

void add_commands(CLI::App& app, Parsed& p) {
  app.footer(help::kMain);
  app.set_help_all_flag("--help-all", "help for every command");
  app.set_version_flag("--version", std::string("weft ") + WEFT_VERSION);
  add_run(app, p);
  add_repl(app, p);
  CLI::App* c =
      app.add_subcommand("check", "read and verify: types, shapes, diagnostics; of Julia sources what compiles");
  c->footer(help::kCheck);
  c->add_option("FILE", p.files, "programs; - is standard input")->required();
  c->add_option("--entry", p.check.entries,
                "of Julia sources: a call such as f(Matrix{Float32}(3, 4)) to check as well; may be given again");
  c->add_option("--explain-types", p.check.explain,
                "of a Julia source: the types of this function's variables and expressions");
  c->add_flag("--run", p.check.run, "of Julia sources: run the program, and check the calls that it makes");
  c->add_flag("--json", p.check.json, "of Julia sources: print one JSON object (docs/julia.md)");
  c = app.add_subcommand("fmt", "print the program");
  c->footer(help::kFmt);
  c->add_option("FILE", p.files, "programs; - is standard input")->required();
  c->add_flag("--generic", p.generic, "every op in MLIR's generic form");
  CLI::Option* in_place = c->add_flag("-i", p.in_place, "put the text in the file's place instead of printing it");
  c->add_flag("--sexpr", p.sexpr, "of Julia sources: the syntax tree")->excludes(in_place);
  c->add_option("--emit", p.emit,
                "of Julia sources: the program of an entry as stablehlo (default) or, with Weft's own ops, weft")
      ->check(CLI::IsMember({"stablehlo", "weft"}))
      ->excludes(in_place);
  c->add_option("--entry", p.entry, "of Julia sources: a call such as f(Matrix{Float32}(3, 4), Float64)")
      ->excludes(in_place);
  add_transform(app, p);
  add_build(app, p);
  add_explain(app, p);
  add_bench(app, p);
  add_diff(app, p);
  add_test(app, p);
}

/// Options that change a step belong to one kind of step.
void expect_fitting(const std::vector<TransformStep>& steps) {
  const auto expect = [](bool fits, const std::string& option, const char* step) {
    if (!fits) throw UsageError("weft transform: " + option + " belongs to a " + step + " before it");
  };
  for (const TransformStep& step : steps) {
    const bool is_matrix = step.kind == TransformStep::kJacobian || step.kind == TransformStep::kBatchJacobian ||
                           step.kind == TransformStep::kHessian;
    const bool is_reverse = step.kind == TransformStep::kGrad || step.kind == TransformStep::kVjp;
    expect(!step.with_value || is_reverse, "--with-value", "--grad");
    expect(step.recompute == 0 || is_reverse, "--recompute", "--grad or --vjp");
    expect(step.chunk == 0 || is_matrix || step.kind == TransformStep::kVectorize, "--chunk",
           "--vectorize, --jacobian or --hessian");
    expect(!step.strict || step.kind == TransformStep::kVectorize, "--strict", "--vectorize");
    expect(step.level.empty() || step.kind == TransformStep::kVectorize, "--level", "--vectorize");
    expect(step.memory == 0 || is_matrix || is_reverse, "--memory", "--jacobian, --hessian, --grad or --vjp");
    expect(step.direction.empty() || is_matrix, "--" + step.direction, "--jacobian or --hessian");
    expect(step.lanes.empty() || step.kind == TransformStep::kVectorize || step.kind == TransformStep::kClippedGrad,
           "--lanes", "--vectorize");
    expect(step.axes.empty() || step.kind == TransformStep::kClippedGrad, "--axes", "--clipped-grad");
    expect(step.arg_types.empty() || step.kind == TransformStep::kRefine, "--arg-types", "--refine");
    expect(step.as.empty() || step.kind != TransformStep::kSimplify, "--as", "step with a function");
  }
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> out = {"help"};
  for (const CLI::App* c : app.get_subcommands({})) out.push_back(c->get_name());
  return out;
}

/// CLI11's complaint in our words: which word, of which command, and what was near.
UsageError usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::string called = chosen.empty() ? "weft" : "weft " + command.get_name();
  const std::string hint = " (" + called + " --help lists the options)";
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return UsageError(called + ": " + error.what() + hint);
  const std::vector<std::string> rest = app.remaining(true);
  const std::string word = rest.empty() ? "" : rest.front();
  if (!word.starts_with("-")) return UsageError(called + ": one argument too many: got " + word + hint);
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    for (const std::string& name : option->get_snames()) known.push_back("-" + name);
  }
  return UsageError(called + ": there is no option " + word + did_you_mean(word.substr(0, word.find('=')), known) +
                    hint);
}

/// A Julia source without an entry: the whole program.
int build_program(const CLI::App& app, const Parsed& p) {
  if (!p.entry.empty()) {
    throw UsageError("weft build: the entry of a Julia source is a call, --entry 'f(Matrix{Float32}(3, 4))': got " +
                     p.entry);
  }
  const std::string& output = p.build.library;
  for (const char* library : {".so", ".o", ".a"}) {
    if (output.ends_with(library)) {
      throw UsageError(
          "weft build: a library is made of one call of a Julia source: --entry 'f(Float64)'; without it " + output +
          " would be a program");
    }
  }
  for (const CLI::Option* option : app.get_subcommand("build")->parse_order()) {
    const std::string name = option->get_name();
    if (name != "FILE" && name != "-o" && name != "--compile")
      throw UsageError("weft build: " + name + " is for libraries: " + p.file + " without --entry becomes a program");
  }
  return build_julia_program(p.file, output, compile_mode(p.compile_julia.empty() ? "auto" : p.compile_julia));
}

int call(const CLI::App& app, Parsed& p) {
  const auto is = [&](const char* name) { return app.got_subcommand(name); };
  std::optional<JuliaEntry> julia;
  if (is_julia_entry(p.file, p.entry)) {
    // A device's compiler reads StableHLO only.
    julia.emplace(p.file, p.entry, is("build") && !p.topology.topology.empty());
    p.file = julia->file();
    p.entry = julia->name();
    p.build.argument_notes = julia->notes().arguments;
    p.build.result_notes = julia->notes().results;
  }
  if (is("run")) {
    if (is_julia(p.file))
      throw UsageError(
          "weft run: a Julia program takes --compile, --target, --report, --timings and --cache, in front of " +
          p.file + "; one call of it --entry 'f(Float64)' and --input");
    if (!p.compile_julia.empty() || p.report_julia)
      throw UsageError("weft run: --compile, --report and --eval are for Julia programs: got " + p.file);
    p.run.file = p.file;
    p.run.entry = p.entry;
    p.run.target = p.target;
    return run(p.run);
  }
  if (is("check")) return check(p.files, p.check);
  if (is("fmt")) {
    if (p.in_place && std::ranges::find(p.files, "-") != p.files.end())
      throw UsageError("weft fmt: -i needs files: got -, which is standard input");
    if (!p.emit.empty() || !p.entry.empty()) {
      if (p.files.size() != 1 || !is_julia_entry(p.files[0], p.entry))
        throw UsageError(
            "weft fmt: --emit and --entry are for a call in one Julia source: weft fmt FILE.jl --emit stablehlo "
            "--entry \'f(Matrix{Float32}(3, 4))\'");
      const JuliaEntry entry(p.files[0], p.entry, p.emit != "weft");
      return fmt({entry.file()}, p.generic, false);
    }
    return p.sexpr ? fmt_sexpr(p.files) : fmt(p.files, p.generic, p.in_place);
  }
  if (is("transform")) {
    const std::vector<TransformStep> steps = steps_of(*app.get_subcommand("transform"));
    if (steps.empty()) throw UsageError("weft transform: no step is given (weft transform --help lists them)");
    expect_fitting(steps);
    if (!julia && !p.entry.empty())
      throw UsageError(
          "weft transform: --entry is for a call in a Julia source; a step names its function: --grad f:0");
    return transform(p.file, steps, p.generic);
  }
  if (is("build")) {
    if (is_julia(p.file)) { return build_program(app, p); }
    if (p.topology.topology.empty()) {
      if (!p.topology.plugin.empty()) throw UsageError("weft build: --pjrt-plugin belongs to --pjrt-topology");
      return build(p.file, p.entry, p.build, p.compile);
    }
    if (!p.build.header.empty() || !p.build.weights.empty())
      throw UsageError(
          "weft build: --pjrt-topology writes one file for a device: got --header or --weights, which belong to "
          "libraries");
    p.topology.output = p.build.library;
    return build_for_topology(p.file, p.entry, p.topology);
  }
  if (is("explain")) {
    p.explain.file = p.file;
    p.explain.entry = p.entry;
    p.explain.target = p.target;
    if (!p.explain.kernel.empty() && p.explain.dump != "llvm" && p.explain.dump != "asm")
      throw UsageError("weft explain: --kernel belongs to --dump llvm or --dump asm");
    return explain(p.explain);
  }
  if (is("bench")) {
    p.bench.file = p.file;
    p.bench.entry = p.entry;
    p.bench.target = p.target;
    return bench(p.bench);
  }
  if (is("diff")) {
    p.diff.file = p.file;
    p.diff.entry = p.entry;
    return diff(p.diff);
  }
  if (!p.test.list_modes && p.test.paths.empty()) throw UsageError("weft test: PATH is required");
  p.test.target = p.target;
  return test(p.test);
}

}  // namespace

int dispatch(std::vector<std::string> words) {
  CLI::App app{"Weft compiles whole tensor programs: StableHLO text in, machine code out.", "weft"};
  app.require_subcommand(1);
  Parsed parsed;
  add_commands(app, parsed);
  if (words.empty()) throw UsageError(app.help());
  if (const std::vector<std::string> names = command_names(app);
      !words[0].starts_with("-") && std::ranges::find(names, words[0]) == names.end()) {
    throw UsageError("weft: there is no command " + words[0] + did_you_mean(words[0], names) +
                     " (weft --help lists the commands)");
  }
  // `weft help run` is `weft run --help`.
  if (words[0] == "help") {
    words.erase(words.begin());
    words.resize(std::min<size_t>(words.size(), 1));
    words.emplace_back("--help");
    return dispatch(words);
  }
  if (words[0] == "run" || words[0] == "repl") {
    if (const auto options = julia_options(words))
      return words[0] == "run" ? run_julia(*options) : repl_julia(*options);
  }
  try {
    app.parse(reversed_arguments(words));
  } catch (const CLI::Success& help) { return app.exit(help); } catch (const CLI::ParseError& error) {
    throw usage_error(app, error);
  }
  return call(app, parsed);
}

}  // namespace weft::cli
