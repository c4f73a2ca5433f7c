#include "base/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "weft/error.h"

namespace weft {
namespace {

struct Close {
  void operator()(FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, Close>;

}  // namespace

std::string read_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw UserError("cannot read " + path + ": " + std::strerror(errno));
  std::string out;
  char block[1 << 16];
  size_t n = 0;
  while ((n = std::fread(block, 1, sizeof block, file.get())) > 0) out.append(block, n);
  if (std::ferror(file.get())) throw UserError("cannot read " + path + ": " + std::strerror(errno));
  return out;
}

void write_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) throw UserError("cannot write " + temporary + ": " + std::strerror(errno));
  const bool wrote =
      std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size() && std::fflush(file.get()) == 0;
  file.reset();
  if (!wrote || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    throw UserError("cannot write " + path + ": " + why);
  }
}

}  // namespace weft
