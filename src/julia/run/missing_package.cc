// Packages that programs ask for and Weft does not have: what to write instead.
#include <string_view>
#include <unordered_map>

#include "julia/run/library.h"
#include "julia/run/out_of_scope.h"

namespace weft::julia {
namespace {

constexpr const char* kConnections = "Weft opens no connections";
constexpr const char* kProcesses = "Weft runs in one process; pfor of Weft calls a function of many examples";
constexpr const char* kBuiltIn = "Weft's own packages are always there; leave out what installs or activates others";
constexpr const char* kText = "write text: println, writedlm of DelimitedFiles";
constexpr const char* kSmall = "it is not there";

const std::unordered_map<std::string_view, const char*>& of_standard_library() {
  static const std::unordered_map<std::string_view, const char*> all{
      {"Artifacts", kBuiltIn},
      {"Base64", kSmall},
      {"CRC32c", "hash is in Base"},
      {"Dates", "time, @time and @elapsed measure; calendars are not there"},
      {"Distributed", kProcesses},
      {"Downloads", kConnections},
      {"FileWatching", "Weft has no tasks; isfile asks once"},
      {"Future", kSmall},
      {"InteractiveUtils", "`weft check` says what compiles, and with --explain-types the types"},
      {"LazyArtifacts", kBuiltIn},
      {"LibGit2", kConnections},
      {"Libdl", "Weft calls no C libraries"},
      {"Markdown", "print plain text"},
      {"Mmap", "read the file: read, readlines, readdlm of DelimitedFiles"},
      {"NetworkOptions", kConnections},
      {"Pkg", kBuiltIn},
      {"Profile", "`weft run --timings` says what each function costs"},
      {"REPL", "`weft repl` is the prompt"},
      {"SHA", "hash is in Base; digests are not there"},
      {"Serialization", kText},
      {"SharedArrays", "Weft runs in one process; use an Array"},
      {"Sockets", kConnections},
      {"SparseArrays", "use a Matrix, or Diagonal, Tridiagonal and the like of LinearAlgebra"},
      {"StyledStrings", "print plain text"},
      {"SuiteSparse", "use a Matrix, or Diagonal, Tridiagonal and the like of LinearAlgebra"},
      {"TOML", "read the lines and split them"},
      {"Tar", kSmall},
      {"UUIDs", "rand(UInt128) gives 128 random bits"},
      {"Unicode", "uppercase, lowercase, isletter and the like are in Base; normal forms are not there"},
  };
  return all;
}

constexpr const char* kPlots = "Weft draws nothing; write the numbers with writedlm of DelimitedFiles";
constexpr const char* kTables = "readdlm of DelimitedFiles reads tables of numbers";
constexpr const char* kDerivatives = "Zygote is there: gradient, jacobian, hessian";
constexpr const char* kDevices = "use arrays of Base; `--target pjrt:PLUGIN` runs them on an accelerator";
constexpr const char* kLayers = "write layers as structs and train them with gradient of Zygote";
constexpr const char* kBenchmarks = "use @time or @elapsed";

/// Of the packages that numeric programs use most.
const std::unordered_map<std::string_view, const char*>& of_others() {
  static const std::unordered_map<std::string_view, const char*> all{
      {"AMDGPU", kDevices},
      {"ArgParse", "the words of the command line are ARGS"},
      {"BenchmarkTools", kBenchmarks},
      {"CSV", kTables},
      {"CUDA", kDevices},
      {"CairoMakie", kPlots},
      {"DataFrames", kTables},
      {"Distributions", "rand, randn and randexp draw; write densities as functions"},
      {"Enzyme", kDerivatives},
      {"FiniteDiff", kDerivatives},
      {"Flux", kLayers},
      {"GLMakie", kPlots},
      {"JLD2", kText},
      {"KernelAbstractions", kDevices},
      {"LoopVectorization", "leave it out; loops are compiled whole, and @turbo changes nothing"},
      {"Lux", kLayers},
      {"Makie", kPlots},
      {"Metal", kDevices},
      {"NNlib", kLayers},
      {"Optimisers", "write the update as code: W .-= rate .* gradient"},
      {"Plots", kPlots},
      {"ProgressMeter", "print the progress"},
      {"PyPlot", kPlots},
      {"Reactant", "Weft compiles without it; `--target pjrt:PLUGIN` runs on an accelerator"},
      {"ReverseDiff", kDerivatives},
      {"StaticArrays", "use arrays or tuples; compiled code knows the sizes of both"},
      {"Tracker", kDerivatives},
      {"UnicodePlots", kPlots},
  };
  return all;
}

std::string why_missing(Symbol package) {
  const std::string& name = package.text();
  if (const auto it = of_standard_library().find(name); it != of_standard_library().end())
    return name + " of Julia's standard library: " + it->second;
  if (const auto it = of_others().find(name); it != of_others().end()) return "the package " + name + ": " + it->second;
  std::string own;
  for (const std::string& p : library_packages()) own += (own.empty() ? "" : ", ") + p;
  return "the package " + name + ": Weft has its own alone (" + own + "); a module of the program is `using ." + name +
         "` after its file is included";
}

}  // namespace

MissingPackage::MissingPackage(Symbol package) : OutOfScope(why_missing(package)), package_(package) {}

}  // namespace weft::julia
