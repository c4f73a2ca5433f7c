#include "native/aot/build_library.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "native/aot/glue.h"
#include "native/aot/toolchain.h"
#include "native/compile.h"

namespace weft {
namespace {

using namespace weft::native;
namespace fs = std::filesystem;

bool is_c_name(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// One object file without names but the exported ones.
void merge_objects(const std::vector<std::string>& inputs, const std::string& symbol, const std::string& cc,
                   const std::string& to, const TemporaryFolder& folder) {
  std::vector<std::string> link = {cc, "-r", "-nostdlib", "-o", to};
  link.insert(link.end(), inputs.begin(), inputs.end());
  run_tool(link, folder);
  std::vector<std::string> strip = {tool_name("OBJCOPY", "objcopy"), "--strip-unneeded"};
  for (const char* name : {"", "_error", "_workspace_bytes", "_set_threads", "_interrupt", "_register_custom_call"})
    strip.push_back("--keep-global-symbol=" + symbol + name);
  strip.push_back(to);
  run_tool(strip, folder);
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
  CompileOptions compile;
  compile.no_libraries = true;
  compile.partitions = kernels.partitions;
  compile.disabled = options.disabled;
  compile.timing = options.timing;
  compile.cache = options.cache;

  const std::string inner = "weft_entry_" + symbol;
  const CompiledProgram program = compile_program(module, entry, compile, kernels, inner, SIZE_MAX);
  const Glue glue = write_glue(program, symbol, inner, kernels.isa, options.cpu);

  const fs::path runtime = find_runtime();
  const TemporaryFolder folder;
  std::vector<std::string> objects;
  for (const std::vector<std::byte>& object : program.objects) {
    objects.push_back("program" + std::to_string(objects.size()) + ".o");
    write_file(folder / objects.back().c_str(), {reinterpret_cast<const char*>(object.data()), object.size()});
  }
  write_file(folder / "glue.c", glue.source);
  const std::string cc = tool_name("CC", "cc");
  run_tool({cc, "-c", "-fPIC", "-O1", "-fvisibility=hidden", "-o", "glue.o", "glue.c"}, folder);
  std::vector<std::string> inputs = {"glue.o"};
  inputs.insert(inputs.end(), objects.begin(), objects.end());
  inputs.push_back(runtime.string());
  const std::string kind = fs::path(options.library).extension();
  std::string made = "library.so";
  if (kind == ".o" || kind == ".a") {
    made = symbol + ".o";
    merge_objects(inputs, symbol, cc, made, folder);
    if (kind == ".a") run_tool({tool_name("AR", "ar"), "rcsD", "library.a", made}, folder);
    if (kind == ".a") made = "library.a";
  } else {
    write_file(folder / "exports", "{ global: " + symbol + "; " + symbol + "_*; local: *; };\n");
    std::vector<std::string> link = {cc,
                                     "-shared",
                                     "-Wl,--version-script=exports",
                                     "-Wl,--exclude-libs,ALL",
                                     "-Wl,--gc-sections",
                                     "-Wl,-s",
                                     "-Wl,--build-id=none",
                                     "-o",
                                     made};
    link.insert(link.end(), inputs.begin(), inputs.end());
    link.insert(link.end(), {"-lm", "-lpthread"});
    run_tool(link, folder);
  }
  // Library and header appear together or not at all.
  std::vector<std::pair<std::string, std::string>> files = {{options.library, read_file(folder / made.c_str())}};
  if (!options.header.empty()) files.emplace_back(options.header, glue.header);
  write_files(files);
}

}  // namespace weft
