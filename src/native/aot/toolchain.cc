#include "native/aot/toolchain.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "weft/error.h"

extern char** environ;

namespace weft::native {

namespace fs = std::filesystem;

MappedFile::MappedFile(const fs::path& path) {
  const size_t size = fs::file_size(path);
  if (size == 0) return;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* data = fd < 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (fd >= 0) close(fd);
  if (data == MAP_FAILED) throw UserError("cannot read " + path.string());
  bytes_ = {static_cast<const char*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

void run_tool(const std::vector<std::string>& command, const TemporaryFolder& folder) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const fs::path log = folder / "log";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.path().c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    throw UserError(
        "cannot run " + command[0] +
        ": a library is linked by a C compiler and binutils; CC, OBJCOPY and AR name others than cc, objcopy and ar");
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw UserError(command[0] + " failed:\n" + read_file(log));
}

namespace {

/// Folders where libweft_rt.a may lie: beside this library, beside the program, in the build or install tree.
std::vector<fs::path> search_folders() {
  std::vector<fs::path> out;
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&run_tool), &info) != 0 && info.dli_fname != nullptr) {
    out.push_back(fs::absolute(info.dli_fname).parent_path());
  }
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) {
    out.push_back(program.parent_path());
    out.push_back(program.parent_path().parent_path());
    out.push_back(program.parent_path().parent_path() / WEFT_LIBDIR);
  }
  return out;
}

}  // namespace

fs::path find_runtime() {
  if (const char* given = std::getenv("WEFT_RT_LIBRARY")) {
    if (fs::exists(given)) return fs::absolute(given);
    throw UserError("WEFT_RT_LIBRARY names " + std::string(given) + ", which does not exist");
  }
  std::string looked;
  for (const fs::path& folder : search_folders()) {
    if (fs::exists(folder / "libweft_rt.a")) return folder / "libweft_rt.a";
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  throw UserError("libweft_rt.a was not found in " + looked + "; set WEFT_RT_LIBRARY to its path");
}

std::string tool_name(const char* variable, const char* otherwise) {
  const char* given = std::getenv(variable);
  return given != nullptr && *given != 0 ? given : otherwise;
}

}  // namespace weft::native
