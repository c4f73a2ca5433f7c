#include "julia/infer/diagnose/call_text.h"

#include "julia/host/array.h"
#include "julia/types/type_show.h"

namespace weft::julia {

std::string call_text(Evaluator& e, const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords,
                      bool fixed_integers) {
  std::string out = string_of(e.call_base("string", {f})) + "(";
  const auto add = [&](const Value& v) {
    if (v.is_type()) out += "Type{" + type_text(v.as_type()) + "}";
    else if (fixed_integers && v.is(core().int64)) out += std::to_string(v.get<int64_t>());
    else out += type_text(v.type());
    if (!is_array(v)) return;
    const std::vector<int64_t>& dims = array_of(v).dims;
    for (size_t k = 0; k < dims.size(); ++k) out += (k > 0 ? ", " : "(") + std::to_string(dims[k]);
    out += ")";
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i > 0) out += ", ";
    add(arguments[i]);
  }
  for (size_t i = 0; i < keywords.size(); ++i) {
    out += (i == 0 ? "; " : ", ") + keywords[i].name.text() + " = ";
    add(keywords[i].value);
  }
  return out + ")";
}

}  // namespace weft::julia
