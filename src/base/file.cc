#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/memory.h"
#include "weft/error.h"

namespace weft {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, Close>;

[[noreturn]] void cannot(const std::string& verb, const std::string& path, int error) {
  throw UserError("cannot " + verb + " " + path + ": " + std::strerror(error));
}

/// A file under a temporary name; removed unless it was moved to its place.
class PendingFile {
 public:
  PendingFile(const std::string& path, std::string_view bytes) : path_(path), written_(path) {
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
      const fs::path target = fs::weakly_canonical(path, ignored);
      if (!ignored) path_ = written_ = target.string();
    }
    struct stat there{};
    const bool exists = ::stat(path_.c_str(), &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) cannot("write", path, EISDIR);
    is_temporary_ = !exists || S_ISREG(there.st_mode);
    if (is_temporary_) written_ = path_ + ".tmp" + std::to_string(getpid());
    File file(std::fopen(written_.c_str(), "wb"));
    if (!file) {
      const int error = errno;
      is_temporary_ = false;
      cannot("write", path, error);
    }
    if (exists && is_temporary_) (void)::fchmod(::fileno(file.get()), there.st_mode & 07777);
    errno = 0;
    bool good = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
    int error = errno;
    // Closing writes what is buffered, and some file systems report only then that they are full.
    if (std::fclose(file.release()) != 0 && good) {
      good = false;
      error = errno;
    }
    if (!good) {
      discard();
      cannot("write", path, error);
    }
  }
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile() { discard(); }

  void commit() {
    if (!is_temporary_) return;
    if (std::rename(written_.c_str(), path_.c_str()) != 0) cannot("write", path_, errno);
    is_temporary_ = false;
  }

 private:
  void discard() {
    if (is_temporary_) std::remove(written_.c_str());
    is_temporary_ = false;
  }
  std::string path_, written_;
  bool is_temporary_ = false;
};

}  // namespace

std::string read_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) cannot("read", path, errno);
  std::string out;
  char block[1 << 16];
  size_t n = 0;
  while ((n = std::fread(block, 1, sizeof block, file.get())) > 0) {
    // A device may never end; growing doubles what is there.
    if (out.size() + n > out.capacity()) expect_memory(2 * out.capacity(), path);
    out.append(block, n);
  }
  if (std::ferror(file.get())) cannot("read", path, errno);
  return out;
}

void write_file(const std::string& path, std::string_view bytes) { PendingFile(path, bytes).commit(); }

void write_files(std::span<const std::pair<std::string, std::string>> files) {
  const std::vector<std::pair<std::string, std::string_view>> views(files.begin(), files.end());
  write_files(views);
}

void write_files(std::span<const std::pair<std::string, std::string_view>> files) {
  std::vector<std::unique_ptr<PendingFile>> pending;
  for (const auto& [path, bytes] : files) pending.push_back(std::make_unique<PendingFile>(path, bytes));
  for (const auto& file : pending) file->commit();
}

}  // namespace weft
