#include "native/aot/build_library.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/file.h"
#include "native/aot/data_object.h"
#include "native/aot/gemm_calls.h"
#include "native/aot/glue.h"
#include "native/aot/library_header.h"
#include "native/aot/toolchain.h"
#include "native/compile.h"
#include "native/lower/static_shapes.h"

namespace weft {
namespace {

using namespace weft::native;
namespace fs = std::filesystem;

bool is_c_name(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// One object file without names but the exported ones.
void merge_objects(const std::vector<std::string>& inputs, const LibraryNames& names, const std::string& to,
                   const TemporaryFolder& folder) {
  std::vector<std::string> link = {tool_name("CC", "cc"), "-r", "-nostdlib", "-o", to};
  link.insert(link.end(), inputs.begin(), inputs.end());
  run_tool(link, folder);
  std::vector<std::string> strip = {tool_name("OBJCOPY", "objcopy"), "--strip-unneeded"};
  for (const std::string& name : names.functions()) strip.push_back("--keep-global-symbol=" + name);
  strip.push_back(to);
  run_tool(strip, folder);
}

/// The name of the file that it makes: an object (".o"), an archive (".a"), else a shared library.
std::string link_library(const std::vector<std::string>& inputs, const LibraryNames& names, const std::string& kind,
                         const TemporaryFolder& folder) {
  if (kind == ".o" || kind == ".a") {
    std::string object = names.symbol + ".o";
    merge_objects(inputs, names, object, folder);
    if (kind == ".o") return object;
    run_tool({tool_name("AR", "ar"), "rcsD", "library.a", object}, folder);
    return "library.a";
  }
  std::string exports;
  for (const std::string& name : names.functions()) exports += name + "; ";
  write_file(folder / "exports", "{ global: " + exports + "local: *; };\n");
  std::vector<std::string> link = {
      tool_name("CC", "cc"), "-shared", "-Wl,--version-script=exports", "-Wl,--exclude-libs,ALL",
      "-Wl,--gc-sections",   "-Wl,-s",  "-Wl,--build-id=none",          "-o",
      "library.so"};
  link.insert(link.end(), inputs.begin(), inputs.end());
  link.insert(link.end(), {"-lm", "-lpthread"});
  run_tool(link, folder);
  return "library.so";
}

/// The constants that stay outside of the code, each once; `order`: which each of the program's is.
std::vector<DataBlob> external_constants(const CompiledProgram& program, std::vector<size_t>& order) {
  std::vector<DataBlob> out;
  std::map<std::pair<const void*, size_t>, size_t> known;
  for (const Site& site : program.constants) {
    const Tensor& data = site.view().attrs().literal("value").elements;
    const auto [at, is_new] = known.try_emplace({data.raw(), data.size_bytes()}, out.size());
    if (is_new) out.push_back({"weft_constant_" + std::to_string(out.size()), data});
    order.push_back(at->second);
  }
  return out;
}

/// A library's buffers have the sizes that its header states.
void expect_static(const Function& f) {
  const auto expect = [&](const std::string& what, Type t) {
    if (t.is_tensor() && !t.is_static())
      throw Unsupported("@" + f.name() + ": " + what + " is a " + t.str() +
                            ": libraries need static extents; make them so with weft transform --refine",
                        f.loc());
  };
  const std::vector<Type> args = f.arg_types(), results = f.result_types();
  for (size_t i = 0; i < args.size(); ++i) expect("argument " + std::to_string(i), args[i]);
  for (size_t i = 0; i < results.size(); ++i) expect("result " + std::to_string(i), results[i]);
}

}  // namespace

void build_library(const Module& module, const std::string& entry, const BuildOptions& options) {
  expect_static(module.get(entry));
  const std::string symbol = options.symbol.empty() ? entry : options.symbol;
  if (!is_c_name(symbol)) throw UserError("the entry's C name must be an identifier: got \"" + symbol + "\"");
  codegen::KernelOptions kernels;
  kernels.isa = options.cpu == "native" ? codegen::Isa::host() : codegen::Isa::named(options.cpu);
  kernels.partitions = options.partitions > 0 ? options.partitions : weft_rt_cpu_count();
  kernels.contract = options.contract;
  CompileOptions compile;
  compile.no_libraries = true;
  compile.partitions = kernels.partitions;
  compile.disabled = options.disabled;
  compile.timing = options.timing;
  compile.cache = options.cache;

  const LibraryNames names = {symbol, "weft_entry_" + symbol, options.cpu,
                              fs::path(options.weights).filename().string(), options.with_lapack};
  const DescribeLibraryCall describe = options.with_onednn ? describe_gemm : DescribeLibraryCall{};
  const std::unique_ptr<Module> shaped = with_static_shapes(module);
  const CompiledProgram program =
      compile_program(shaped ? *shaped : module, entry, compile, kernels, names.inner, kExternalConstant, describe);
  const fs::path runtime = find_runtime();
  const TemporaryFolder folder;

  std::vector<size_t> constant_of;
  const std::vector<DataBlob> constants = external_constants(program, constant_of);
  std::optional<WeightsLayout> layout;
  if (!options.weights.empty()) layout = write_weights(folder / "weights", constants);
  const Glue glue = write_glue(program, names, kernels.isa, constants, constant_of, layout ? &*layout : nullptr);

  // No C name has a hyphen: what is linked is never called like what comes out.
  std::vector<std::string> inputs = {"in-glue.o"};
  for (const std::vector<std::byte>& object : program.objects) {
    inputs.push_back("in-program" + std::to_string(inputs.size()) + ".o");
    write_file(folder / inputs.back().c_str(), {reinterpret_cast<const char*>(object.data()), object.size()});
  }
  if (!glue.data.empty()) {
    inputs.emplace_back("in-data.o");
    write_data_object(folder / "in-data.o", glue.data);
  }
  inputs.push_back(runtime.string());
  write_file(folder / "glue.c", glue.source);
  run_tool({tool_name("CC", "cc"), "-c", "-fPIC", "-O1", "-fvisibility=hidden", "-o", "in-glue.o", "glue.c"}, folder);
  const MappedFile library(folder / link_library(inputs, names, fs::path(options.library).extension(), folder).c_str());
  // All files appear together or not at all.
  const std::string header = library_header(program, names);
  std::vector<std::pair<std::string, std::string_view>> files = {{options.library, library.bytes()}};
  if (!options.header.empty()) files.emplace_back(options.header, header);
  std::optional<MappedFile> weights;
  if (layout) files.emplace_back(options.weights, weights.emplace(folder / "weights").bytes());
  write_files(files);
}

}  // namespace weft
