// Data of a library that no compiler sees: an object file that holds bytes under names, and the file of weights.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weft/tensor.h"

namespace weft::native {

struct DataBlob {
  std::string name;  // of the C array
  Tensor data;
};

/// A relocatable ELF file of read-only data, each at a multiple of 64, with one global hidden symbol a blob. Takes the time of writing the
/// bytes; what compilers and assemblers make of large arrays takes minutes and many times their memory. Throws UserError when it cannot be written.
void write_data_object(const std::string& path, const std::vector<DataBlob>& blobs);

/// Where each constant lies in a file of weights (aot_runtime/weft_rt_weights.h).
struct WeightsLayout {
  std::vector<uint64_t> offsets;
  uint64_t file_bytes = 0;
  std::array<uint64_t, 2> hash{};
};
WeightsLayout write_weights(const std::string& path, const std::vector<DataBlob>& blobs);

}  // namespace weft::native
