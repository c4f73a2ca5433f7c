#include "julia/infer/border/constants.h"

#include <unordered_set>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/border/reader.h"

namespace weft::julia {
namespace {

/// Which numbers the reader would take for constants, as it goes through values.
struct Numbers {
  bool has_integers = false, has_floats = false;
  std::unordered_set<const Object*> seen = {};

  void add(const Value& v) {
    if (!v.is_defined()) return;
    const DataType* t = v.type();
    has_integers = has_integers || t == core().int64;
    has_floats = has_floats || is_machine_float(t);
    if (number_kind(t) || v.is_type() || is_array(v) || t->is_singleton() || t->is_primitive() || t->name->is_opaque ||
        t == core().symbol || t == core().string)
      return;
    if (v.is_reference() && (v.object()->kind == ObjectKind::kHost || !seen.insert(v.object()).second)) return;
    for (size_t i = 0; i < field_count(v); ++i) add(get_field(v, i));
  }
};

}  // namespace

void set_constants(CompileCallOptions& options, Constants what) {
  options.fixed_integers = what != Constants::kNone;
  options.fixed_floats = what == Constants::kNumbers;
}

KeyOf key_of(Constants what) {
  switch (what) {
    case Constants::kNone: return KeyOf::kExtents;
    case Constants::kIntegers: return KeyOf::kIntegers;
    case Constants::kNumbers: return KeyOf::kNumbers;
  }
  return KeyOf::kExtents;
}

std::optional<Constants> more_constants(const NotCompiled& why, Constants now, const Value& callee,
                                        std::span<const Value> arguments, std::span<const Keyword> keywords,
                                        const std::set<size_t>& unfixed) {
  // A size may depend on both (0:step:1); an index that decides what is called is an integer.
  const bool is_size = why.cause == Cause::kShape;
  if (now == Constants::kNumbers || !(is_size || why.cause == Cause::kDispatch)) return std::nullopt;
  Numbers numbers;
  numbers.add(callee);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!unfixed.contains(i)) numbers.add(arguments[i]);
  }
  for (size_t i = 0; i < keywords.size(); ++i) {
    if (!unfixed.contains(arguments.size() + i)) numbers.add(keywords[i].value);
  }
  if (now == Constants::kNone && numbers.has_integers) return Constants::kIntegers;
  if (is_size && numbers.has_floats) return Constants::kNumbers;
  return std::nullopt;
}

}  // namespace weft::julia
