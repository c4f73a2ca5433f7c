#include "base/file_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

namespace weft {
namespace {

namespace fs = std::filesystem;

constexpr char kMagic[8] = {'W', 'E', 'F', 'T', 'O', 'B', 'J', '1'};
constexpr const char* kSuffix = ".weftcode";
constexpr size_t kDefaultLimit = size_t{512} << 20;
/// A larger program would throw most others out.
constexpr size_t kLargestShare = 4;

struct Header {
  char magic[8];
  Hash key;
  uint64_t bytes;  // that follow
  Hash checksum;   // of these
};

Hash checksum_of(std::string_view text) {
  Hasher h;
  h.add(text);
  return h.value();
}

/// A file that is closed with the object.
class File {
 public:
  File(const std::string& path, int flags, mode_t mode = 0) : fd_(open(path.c_str(), flags | O_CLOEXEC, mode)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  bool read_all(std::string& out) const {
    struct stat s;
    if (fstat(fd_, &s) != 0 || s.st_size < 0) return false;
    out.resize(static_cast<size_t>(s.st_size));
    for (size_t at = 0; at < out.size();) {
      const ssize_t n = read(fd_, out.data() + at, out.size() - at);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      at += static_cast<size_t>(n);
    }
    return true;
  }
  bool write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

 private:
  const int fd_;
};

/// Code from a folder that others may write to is not run.
bool is_safe(const std::string& folder) {
  struct stat s;
  return stat(folder.c_str(), &s) == 0 && S_ISDIR(s.st_mode) && (s.st_uid == geteuid() || s.st_uid == 0) &&
         (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace

std::string default_cache_folder() {
  // An empty or relative XDG_CACHE_HOME counts as none (XDG Base Directory Specification).
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/weft";
  const char* home = std::getenv("HOME");
  if (home == nullptr || home[0] != '/') return {};
  return std::string(home) + "/.cache/weft";
}

std::optional<FileCache> FileCache::of(const std::string& given) {
  std::string folder = given;
  if (folder.empty()) {
    const char* named = std::getenv("WEFT_CACHE_DIR");
    if (named != nullptr) folder = named;
  }
  if (folder.empty() || folder == "off") return std::nullopt;
  size_t limit = kDefaultLimit;
  if (const char* mib = std::getenv("WEFT_CACHE_MIB")) {
    const unsigned long long n = std::strtoull(mib, nullptr, 10);
    if (n > 0 && n < (1u << 30)) limit = static_cast<size_t>(n) << 20;
  }
  return FileCache(std::move(folder), limit);
}

std::string FileCache::path_of(const Hash& key) const { return folder_ + '/' + hash_text(key) + kSuffix; }

std::optional<std::string> FileCache::load(const Hash& key) const {
  problem_ = "not there";
  const File file(path_of(key), O_RDONLY);
  if (!file.is_open()) return std::nullopt;
  if (!is_safe(folder_)) {
    problem_ = "others may write to " + folder_;
    return std::nullopt;
  }
  problem_ = kDamaged;
  std::string text;
  Header header;
  if (!file.read_all(text) || text.size() < sizeof header) return std::nullopt;
  std::memcpy(&header, text.data(), sizeof header);
  text.erase(0, sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key != key || header.bytes != text.size() ||
      header.checksum != checksum_of(text))
    return std::nullopt;
  futimens(file.fd(), nullptr);  // used now; does nothing in a folder that is read only
  problem_.clear();
  return text;
}

void FileCache::store(const Hash& key, std::string_view body) const {
  problem_.clear();
  if (body.size() > limit_ / kLargestShare) {
    problem_ = "too large to be kept";
    return;
  }
  std::error_code error;
  fs::create_directories(folder_, error);
  // What was made by a wider umask is narrowed when it is ours; see is_safe.
  if (!error && !is_safe(folder_)) fs::permissions(folder_, fs::perms::owner_all, error);
  Header header;
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.key = key;
  header.bytes = body.size();
  header.checksum = checksum_of(body);
  static std::atomic<unsigned> counter = 0;
  const std::string temporary =
      folder_ + "/.new." + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1));
  bool is_written = false;
  {
    const File file(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (!file.is_open()) {
      problem_ = "cannot write to " + folder_ + ": " + std::strerror(errno);
      return;
    }
    is_written = file.write_all({reinterpret_cast<const char*>(&header), sizeof header}) && file.write_all(body);
  }
  if (!is_written || std::rename(temporary.c_str(), path_of(key).c_str()) != 0) {
    problem_ = "cannot write to " + folder_ + ": " + std::strerror(errno);
    unlink(temporary.c_str());
    return;
  }
  evict();
}

void FileCache::evict() const {
  struct Found {
    fs::file_time_type used;
    size_t bytes;
    fs::path path;
  };
  std::vector<Found> files;
  size_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (auto it = fs::directory_iterator(folder_, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code gone;  // another process may evict as well
    const std::string name = it->path().filename().string();
    const auto used = it->last_write_time(gone);
    const size_t bytes = gone ? 0 : it->file_size(gone);
    if (gone) continue;
    // What a process left that died while it wrote.
    if (name.starts_with(".new.") && now - used > std::chrono::hours(1)) fs::remove(it->path(), gone);
    if (!name.ends_with(kSuffix)) continue;
    files.push_back({used, bytes, it->path()});
    total += bytes;
  }
  if (total <= limit_) return;
  std::ranges::sort(files, {}, &Found::used);
  for (const Found& f : files) {
    if (total <= limit_) break;
    std::error_code gone;
    fs::remove(f.path, gone);
    total -= f.bytes;
  }
}

}  // namespace weft
