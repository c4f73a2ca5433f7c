#include "julia/host/text_view.h"

namespace weft::julia {

std::optional<std::string_view> text_view(const Value& v) {
  if (!v.is_defined()) return std::nullopt;
  if (v.is(core().string)) return string_of(v);
  static const DataType* type = applied(builtin_type("SubString"), {core().string});
  if (!v.is(type)) return std::nullopt;
  // The String lives on in the SubString.
  const Value whole = get_field(v, 0);
  return std::string_view(string_of(whole))
      .substr(static_cast<size_t>(get_field(v, 1).get<int64_t>()), static_cast<size_t>(get_field(v, 2).get<int64_t>()));
}

}  // namespace weft::julia
