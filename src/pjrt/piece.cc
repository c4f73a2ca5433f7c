#include "pjrt/piece.h"

#include <cstddef>
#include <cstring>

namespace weft::pjrt {
namespace {

/// Calls run(bytes from the whole's beginning, bytes from the part's, length) for each run of bytes that both have in one piece.
template <class Run>
void for_each_run(const Piece& p, Run run) {
  const auto rank = static_cast<size_t>(p.whole.rank());
  if (p.part.num_elements() == 0) return;
  // Dimensions that are whole from `inner` on make one run together with the one before them.
  size_t inner = rank;
  while (inner > 0 && p.part.shape()[inner - 1] == p.whole.shape()[inner - 1]) --inner;
  const size_t outer = inner == 0 ? 0 : inner - 1;
  size_t bytes = byte_size(p.whole.element_type());
  for (size_t d = outer; d < rank; ++d) bytes *= static_cast<size_t>(p.part.shape()[d]);
  std::vector<size_t> strides(rank, byte_size(p.whole.element_type()));
  for (size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * static_cast<size_t>(p.whole.shape()[d]);
  std::vector<int64_t> index(outer, 0);
  for (size_t at = 0;; at += bytes) {
    size_t from = 0;
    for (size_t d = 0; d < rank; ++d)
      from += static_cast<size_t>(p.starts[d] + (d < outer ? index[d] : 0)) * strides[d];
    run(from, at, bytes);
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == p.part.shape()[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

Piece whole_piece(size_t array, Type type) {
  return {array, type, type, std::vector<int64_t>(static_cast<size_t>(type.rank()), 0)};
}

Piece piece_of_device(size_t array, Type type, const Sharding& sharding, int64_t device) {
  Piece out{array, type, part_type(sharding, type), parts_of_device(sharding, device)};
  for (size_t d = 0; d < out.starts.size(); ++d) out.starts[d] *= out.part.shape()[d];
  return out;
}

int64_t offset_of_run(const Piece& piece) {
  int64_t offset = 0;
  size_t runs = 0;
  for_each_run(piece, [&](size_t from, size_t, size_t) {
    if (runs++ == 0) offset = static_cast<int64_t>(from);
  });
  return runs <= 1 ? offset : -1;
}

void cut(const Piece& piece, const void* whole, void* part) {
  for_each_run(piece, [&](size_t from, size_t at, size_t bytes) {
    std::memcpy(static_cast<std::byte*>(part) + at, static_cast<const std::byte*>(whole) + from, bytes);
  });
}

void paste(const Piece& piece, const void* part, void* whole) {
  for_each_run(piece, [&](size_t from, size_t at, size_t bytes) {
    std::memcpy(static_cast<std::byte*>(whole) + from, static_cast<const std::byte*>(part) + at, bytes);
  });
}

}  // namespace weft::pjrt
