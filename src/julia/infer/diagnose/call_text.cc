#include "julia/infer/diagnose/call_text.h"

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/host/show.h"
#include "julia/infer/border/reader.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

std::string argument_text(const Value& v, Constants constants) {
  if (v.is_type()) return "Type{" + type_text(v.as_type()) + "}";
  const bool is_constant = (constants != Constants::kNone && v.is(core().int64)) ||
                           (constants == Constants::kNumbers && is_machine_float(v.type()));
  if (is_constant) return show_text(v);
  if (v.type()->is_tuple && constants != Constants::kNone) {
    std::string out = "(";
    for (size_t i = 0; i < field_count(v); ++i) out += (i > 0 ? ", " : "") + argument_text(get_field(v, i), constants);
    return out + (field_count(v) == 1 ? ",)" : ")");
  }
  std::string out = type_text(v.type());
  if (!is_array(v)) return out;
  const std::vector<int64_t>& dims = array_of(v).dims;
  for (size_t k = 0; k < dims.size(); ++k) out += (k > 0 ? ", " : "(") + std::to_string(dims[k]);
  return out + ")";
}

}  // namespace

std::string call_text(Evaluator& e, const Value& f, std::span<const Value> arguments, std::span<const Keyword> keywords,
                      Constants constants) {
  std::string out = string_of(e.call_base("string", {f})) + "(";
  for (size_t i = 0; i < arguments.size(); ++i) out += (i > 0 ? ", " : "") + argument_text(arguments[i], constants);
  for (size_t i = 0; i < keywords.size(); ++i)
    out += (i == 0 ? "; " : ", ") + keywords[i].name.text() + " = " + argument_text(keywords[i].value, constants);
  return out + ")";
}

}  // namespace weft::julia
