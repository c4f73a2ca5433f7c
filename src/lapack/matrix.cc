#include "lapack/matrix.h"

#include <climits>
#include <cstdlib>
#include <cstring>

namespace weft::lapack {

MatrixShape::MatrixShape(const Shape& shape) {
  const size_t rank = shape.size();
  if (rank < 2) throw UserError("[stablehlo.custom_call] a matrix was expected: got rank " + std::to_string(rank));
  if (shape[rank - 2] > INT_MAX || shape[rank - 1] > INT_MAX)
    throw UserError("[stablehlo.custom_call] a matrix of more than 2^31 rows or columns");
  rows = static_cast<int>(shape[rank - 2]);
  columns = static_cast<int>(shape[rank - 1]);
  for (size_t d = 0; d + 2 < rank; ++d) count *= shape[d];
}

void refuse(const OpView& op, const std::string& what) {
  throw Unsupported("[stablehlo.custom_call] @" + op.attrs().text("call_target_name") + ": " + what, op.loc());
}

int64_t config(const OpView& op, std::string_view name, int64_t fallback) {
  const Attr* dictionary = op.attrs().find("mhlo.backend_config");
  const auto* entries = dictionary ? dictionary->get_if<std::shared_ptr<const AttrEntries>>() : nullptr;
  if (entries == nullptr) return fallback;
  for (const auto& [key, value] : **entries) {
    if (key != name) continue;
    if (const auto* i = value.get_if<int64_t>()) return *i;
    if (const auto* claim = value.get_if<bool>()) return *claim ? 1 : 0;
    // "83 : ui8": typed numbers are kept as they are written.
    if (const auto* o = value.get_if<OpaqueAttr>()) return std::strtoll(o->text.c_str(), nullptr, 10);
  }
  return fallback;
}

char letter(const OpView& op, std::string_view name, char fallback) {
  return static_cast<char>(config(op, name, fallback));
}

}  // namespace weft::lapack
