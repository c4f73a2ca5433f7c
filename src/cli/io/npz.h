// NumPy's .npz archives: a zip file whose members are .npy files.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "weft/tensor.h"

namespace weft::cli {

/// A member: its name without ".npy", and the bytes of the .npy file.
using NpzMember = std::pair<std::string, std::string>;

/// Members in the archive's order, stored or deflated, their checksums verified. Throws UserError naming `path` and the member.
std::vector<NpzMember> read_npz(const std::string& path);

/// The bytes of an archive, members stored as numpy.savez does.
std::string format_npz(const std::vector<NpzMember>& members);

}  // namespace weft::cli
