// Files of data sets, compressed or not.
#include <zlib.h>

#include "julia/host/array.h"
#include "julia/host/exception.h"
#include "julia/run/evaluator.h"

namespace weft::julia {
namespace {

/// The bytes of a file, unpacked when it is a .gz; a Vector{UInt8}.
Value read_bytes(Evaluator&, std::span<const Value> a) {
  const std::string path = string_of(a[0]);
  const gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw_argument_error("cannot open " + path + ": there is no such file, or it cannot be read");
  std::string bytes;
  char block[1 << 16];
  int n = 0;
  while ((n = gzread(file, block, sizeof block)) > 0) bytes.append(block, static_cast<size_t>(n));
  const bool failed = n < 0;
  gzclose(file);
  if (failed) throw_argument_error(path + " is damaged: its compressed bytes cannot be unpacked");
  const Value out = make_array(core().uint8, {static_cast<int64_t>(bytes.size())});
  std::memcpy(array_of(out).data(), bytes.data(), bytes.size());
  return out;
}

constexpr IntrinsicEntry kEntries[] = {{"_read_bytes", read_bytes, 1, 1}};

}  // namespace

std::span<const IntrinsicEntry> data_intrinsics() { return kEntries; }

}  // namespace weft::julia
