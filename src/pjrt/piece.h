// Which part of an array in the host's memory one device holds.
#pragma once
#include <vector>

#include "ir/type.h"
#include "ops/distribution/sharding.h"

namespace weft::pjrt {

struct Piece {
  size_t array = 0;  // number of the array that it is a part of
  Type whole, part;
  std::vector<int64_t> starts;  // of the part in the whole
};

/// All of an array.
Piece whole_piece(size_t array, Type type);
/// A device's part of an array that is cut so. The sharding has no fault.
Piece piece_of_device(size_t array, Type type, const Sharding& sharding, int64_t device);

/// Bytes from the array's beginning to the part's, where the part lies in one run of bytes; else -1.
int64_t offset_of_run(const Piece& piece);
/// Copies the part out of the whole, or into it.
void cut(const Piece& piece, const void* whole, void* part);
void paste(const Piece& piece, const void* part, void* whole);

}  // namespace weft::pjrt
