#include "native/aot/build_library.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/file.h"
#include "native/aot/convolution_calls.h"
#include "native/aot/data_object.h"
#include "native/aot/extents_function.h"
#include "native/aot/gemm_calls.h"
#include "native/aot/glue.h"
#include "native/aot/library_header.h"
#include "native/aot/open_glue.h"
#include "native/aot/toolchain.h"
#include "native/compile.h"
#include "native/lower/static_shapes.h"
#include "native/open/compile_open.h"
#include "native/open/own_code.h"

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

std::unique_ptr<LibraryKernel> describe_onednn(const OpView& op, std::string& note) {
  return op.def().mnemonic == "stablehlo.convolution" ? describe_convolution(op, note) : describe_gemm(op, note);
}

std::string extents_symbol(const LibraryNames& names) { return "weft_extents_" + names.symbol; }

/// What a program with open extents is compiled to.
struct OpenLibrary {
  CompiledOpenProgram open;
  CompiledProgram extents;
  size_t num_given = 0;
};

bool has_open_signature(const Function& f) {
  const auto is_open = [](Type t) { return t.is_tensor() && !t.is_static(); };
  return std::ranges::any_of(f.arg_types(), is_open) || std::ranges::any_of(f.result_types(), is_open);
}

/// The open program, and in `program` what any library has of it.
OpenLibrary compile_open_parts(const Module& module, const std::string& entry, const CompileOptions& options,
                               const codegen::KernelOptions& kernels, const LibraryNames& names,
                               CompiledProgram& program) {
  OpenLibrary out;
  try {
    out.open = compile_open_library(module, entry, options, kernels, names.inner, kExternalConstant);
  } catch (const NeedsOwnCode& reason) {
    throw Unsupported("@" + entry +
                          ": a library is one code for all extents, and this program needs code for each set: " +
                          reason.text + "; make its extents static with weft transform --refine",
                      module.get(entry).loc());
  }
  const ExtentsFunction extents = write_extents_function(*out.open.program);
  out.num_given = extents.num_given;
  const std::unique_ptr<Module> shaped = with_static_shapes(*extents.module);
  CompileOptions plain;
  plain.no_libraries = true;
  out.extents = compile_program(shaped ? *shaped : *extents.module, "extents", plain, kernels, extents_symbol(names));
  program.function = out.open.program->function();
  program.arg_types = out.open.program->source().arg_types();
  program.result_types = out.open.program->source().result_types();
  program.sites = out.open.sites;
  program.host_ops = out.open.host_ops;
  program.constants = out.open.constants;
  program.objects.push_back(std::move(out.open.object));
  for (auto& object : out.extents.objects) program.objects.push_back(std::move(object));
  return out;
}

}  // namespace

BuiltLibrary build_library(const Module& module, const std::string& entry, const BuildOptions& options) {
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

  const LibraryNames names = {symbol,
                              "weft_entry_" + symbol,
                              options.cpu,
                              fs::path(options.weights).filename().string(),
                              options.with_lapack,
                              has_open_signature(module.get(entry)),
                              options.argument_notes,
                              options.result_notes};
  CompiledProgram program;
  std::optional<OpenLibrary> parts;
  if (names.is_open) {
    parts = compile_open_parts(module, entry, compile, kernels, names, program);
  } else {
    const DescribeLibraryCall describe = options.with_onednn ? describe_onednn : DescribeLibraryCall{};
    const std::unique_ptr<Module> shaped = with_static_shapes(module);
    program =
        compile_program(shaped ? *shaped : module, entry, compile, kernels, names.inner, kExternalConstant, describe);
  }
  std::optional<OpenParts> open;
  if (parts)
    open.emplace(OpenParts{parts->open, parts->extents, extents_symbol(names), parts->num_given, kernels.partitions});
  const fs::path runtime = find_runtime();
  const TemporaryFolder folder;

  std::vector<size_t> constant_of;
  const std::vector<DataBlob> constants = external_constants(program, constant_of);
  std::optional<WeightsLayout> layout;
  if (!options.weights.empty()) layout = write_weights(folder / "weights", constants);
  const Glue glue = write_glue(program, names, kernels.isa, constants, constant_of, layout ? &*layout : nullptr,
                               open ? &*open : nullptr);

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
  const std::string header = library_header(program, names, open ? &*open : nullptr);
  std::vector<std::pair<std::string, std::string_view>> files = {{options.library, library.bytes()}};
  if (!options.header.empty()) files.emplace_back(options.header, header);
  std::optional<MappedFile> weights;
  if (layout) files.emplace_back(options.weights, weights.emplace(folder / "weights").bytes());
  write_files(files);
  return open ? BuiltLibrary{given_extents(*open)} : BuiltLibrary{};
}

}  // namespace weft
