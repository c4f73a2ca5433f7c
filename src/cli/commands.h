// The commands of `weft`, one function each. They return the exit code or throw; main.cc turns errors into messages and codes.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/compile_flags.h"
#include "cli/julia_check.h"
#include "ir/target.h"
#include "native/aot/build_library.h"

namespace weft::cli {

/// --entry as given; else main, else the only function.
std::string entry_of(const Module& module, const std::string& given);

struct RunOptions {
  std::string file, entry, target, out;
  std::vector<std::string> inputs;  // as cli/io/inputs.h reads them
  bool json = false, full = false;
  std::string memory_limit;  // "2G"; empty: CompileOptions::memory_limit's default
  bool specialize = false;   // compiles for the shapes of the inputs
  CompileFlags compile;
};
int run(const RunOptions& options);
int check(const std::vector<std::string>& files, const JuliaCheckOptions& options);
/// Prints the programs, or puts what it would print in their place.
int fmt(const std::vector<std::string>& files, bool generic, bool in_place);
/// Prints the syntax trees of Julia sources.
int fmt_sexpr(const std::vector<std::string>& files);

struct ExplainOptions {
  std::string file, entry, target;
  std::string html;    // a file for the page
  std::string dump;    // a stage to print instead: input, inlined, simplified, llvm, asm
  std::string kernel;  // of llvm and asm: only this function
  CompileFlags compile;
};
int explain(const ExplainOptions& options);

struct BenchOptions {
  std::string file, entry, target;
  std::vector<std::string> inputs;
  double seconds = 2;
  bool no_fuse = false, json = false;
  std::string profile;  // a file for the trace
  std::string fp;       // "contract": as CompileOptions::contract
};
int bench(const BenchOptions& options);

struct DiffOptions {
  std::string file, entry, out;
  std::vector<std::string> inputs, targets;
  double seconds = 20;  // for making the reproducer small
  uint64_t seed = 1;
};
/// 0 when all targets agree, else 1.
int diff(const DiffOptions& options);

int build(const std::string& file, const std::string& entry, const BuildOptions& options, const CompileFlags& compile);

struct TopologyBuildOptions {
  std::string topology;  // as the plugin names it: "v5e:2x2"
  std::string plugin;    // PLUGIN[,option=value…]; empty: tpu
  std::string output;
};
int build_for_topology(const std::string& file, const std::string& entry, const TopologyBuildOptions& options);

/// A program that was compiled for devices, loaded on one.
struct DeviceProgram {
  std::shared_ptr<const Module> signature;  // its entry, without a body
  std::string entry;
  std::unique_ptr<Executable> executable;
};
/// `bytes`: the contents of options.file.
DeviceProgram load_device_program(const std::string& bytes, const RunOptions& options);

/// One step of `weft transform`, in command-line order.
struct TransformStep {
  enum Kind {
    kJvp,
    kVjp,
    kGrad,
    kJacobian,
    kBatchJacobian,
    kHessian,
    kHvp,
    kClippedGrad,
    kSparseGrad,
    kVectorize,
    kSimplify,
    kRefine,
    kPortable
  } kind = kSimplify;
  std::string function;
  std::vector<std::string> positions;  // of --grad f:0,1 and --vectorize f:0,_
  std::string lanes;    // of --vectorize and --clipped-grad: a number, or ? of the former (as a call's arguments have)
  std::string level;    // … the name of the lanes
  bool strict = false;  // … refuse where lanes would run one after another
  std::string axes;     // of --clipped-grad: as the positions of --vectorize
  int64_t chunk = 0;    // so many lanes at once; 0: all, and of Jacobians and Hessians as many as `memory` holds
  int64_t memory = 0;   // … bytes; 0: chosen. Of --grad and --vjp: bytes that a loop may keep
  std::string direction;  // … "forward", "reverse"; empty: chosen
  bool with_value = false;
  int64_t recompute = 0;  // of --grad and --vjp: trips of a loop that are kept; 0: all
  std::string as;
  std::string arg_types;  // of --refine: "tensor<2x3xf32>, tensor<f32>"; empty: as declared
};
/// The step that an option begins; nothing when it is no step.
std::optional<TransformStep::Kind> step_kind(std::string_view option);
/// "f:0,1" → function and positions.
void parse_step(TransformStep& step, const std::string& text);
int transform(const std::string& file, const std::vector<TransformStep>& steps, bool generic);
/// The text with each line "// transform: --grad f:0 --as g" carried out: what stands above the line is parsed, transformed and
/// printed in its place, so that what stands below can use it.
std::string transformed_text(const std::string& text, const std::string& file);

struct TestOptions {
  std::vector<std::string> paths;
  std::string target, mode;
  bool strict = false, list_modes = false, verbose = false;
  bool derive = false;  // only derivatives and lanes of exported programs, derived from these
  std::string json;     // file for the summary by op
  int jobs = 1;
  int seconds = 60;  // a record that takes longer fails
  std::string filter;
};
int test(const TestOptions& options);

}  // namespace weft::cli
