// Results as files.
#pragma once
#include <string>
#include <vector>

#include "weft/tensor.h"

namespace weft::cli {

/// Writes result0, result1, … to `out`: one archive when it ends in .npz, else a folder of .npy files, made when it is not there.
/// Returns their paths (an archive's members as out.npz:result0). On failure nothing takes the place of what was there.
std::vector<std::string> write_results(const std::string& out, const std::vector<Tensor>& results);

}  // namespace weft::cli
