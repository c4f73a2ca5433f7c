#include "native/aot/build_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "native/aot/glue.h"
#include "native/compile.h"

extern char** environ;

namespace weft {
namespace {

using namespace weft::native;
namespace fs = std::filesystem;

/// A folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "weft-build-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw UserError("cannot make a temporary folder " + pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  fs::path operator/(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// Folders where libweft_rt.a and weft_rt.h may lie: beside this library, beside the program, in the build or install tree.
std::vector<fs::path> search_folders() {
  std::vector<fs::path> out;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&build_library), &info) != 0 && info.dli_fname != nullptr) {
    out.push_back(fs::absolute(info.dli_fname).parent_path());
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    out.push_back(program.parent_path());
    out.push_back(program.parent_path().parent_path());
    out.push_back(program.parent_path().parent_path() / "lib");
  }
  return out;
}

fs::path find_runtime() {
  if (const char* given = std::getenv("WEFT_RT_LIBRARY")) {
    if (fs::exists(given)) return given;
    throw UserError("WEFT_RT_LIBRARY names " + std::string(given) + ", which does not exist");
  }
  std::string looked;
  for (const fs::path& folder : search_folders()) {
    if (fs::exists(folder / "libweft_rt.a")) return folder / "libweft_rt.a";
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  throw UserError("libweft_rt.a was not found in " + looked + "; set WEFT_RT_LIBRARY to its path");
}

void run_linker(const std::vector<std::string>& command, const fs::path& log) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw UserError("cannot run " + command[0] + ": a C compiler is needed to link a library; set CC to its name");
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw UserError(command[0] + " could not link the library:\n" + read_file(log));
}

bool is_c_name(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

void build_library(const Module& module, const std::string& entry, const BuildOptions& options) {
  module.get(entry);
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
    objects.push_back(folder / ("program" + std::to_string(objects.size()) + ".o").c_str());
    write_file(objects.back(), {reinterpret_cast<const char*>(object.data()), object.size()});
  }
  write_file(folder / "glue.c", glue.source);
  const std::string made = folder / "library.so";
  const char* compiler = std::getenv("CC");
  std::vector<std::string> command = {compiler != nullptr ? compiler : "cc",
                                      "-shared",
                                      "-fPIC",
                                      "-O1",
                                      "-fvisibility=hidden",
                                      "-Wl,--exclude-libs,ALL",
                                      "-Wl,--gc-sections",
                                      "-Wl,-s",
                                      "-o",
                                      made,
                                      (folder / "glue.c").string()};
  command.insert(command.end(), objects.begin(), objects.end());
  command.insert(command.end(), {runtime.string(), "-lm", "-lpthread"});
  run_linker(command, folder / "log");
  // Library and header appear together or not at all.
  std::vector<std::pair<std::string, std::string>> files = {{options.library, read_file(made)}};
  if (!options.header.empty()) files.emplace_back(options.header, glue.header);
  write_files(files);
}

}  // namespace weft
