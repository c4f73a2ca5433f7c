#include "julia/intrinsics/text.h"

#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/host/text_view.h"

namespace weft::julia {
namespace {

const DataType* substring_type() {
  static const DataType* type = applied(builtin_type("SubString"), {core().string});
  return type;
}

}  // namespace

bool is_text(const Value& v) { return text_view(v).has_value(); }

std::string_view text_of(const Value& v) {
  const std::optional<std::string_view> text = text_view(v);
  if (!text) throw Unsupported("strings of type " + v.type()->name->name.text());
  return *text;
}

Value substring_of(const Value& text, size_t offset, size_t count) {
  if (text.is(core().string))
    return make_struct(substring_type(),
                       {text, integer(static_cast<int64_t>(offset)), integer(static_cast<int64_t>(count))});
  const auto before = get_field(text, 1).get<int64_t>();
  return make_struct(substring_type(), {get_field(text, 0), integer(before + static_cast<int64_t>(offset)),
                                        integer(static_cast<int64_t>(count))});
}

Value substring_vector(std::vector<Value> pieces) { return make_vector(substring_type(), std::move(pieces)); }

int64_t int_of(const Value& v) {
  const auto kind = number_kind(v);
  if (!kind || !is_integer(*kind)) throw_type_error("typeassert", "", core().integer, v);
  return convert_number(NumberKind::kInt64, v).get<int64_t>();
}

Char char_of_value(const Value& v) {
  if (!v.is(core().char_)) throw_type_error("typeassert", "", core().char_, v);
  return {v.get<uint32_t>()};
}

Value char_value(Char c) { return Value::from_bits(core().char_, &c); }

bool is_named(const Value& v, std::string_view name) {
  return v.is_defined() && v.type()->name->name.text() == name && v.type()->name->module != Symbol("Main");
}

size_t character_start(std::string_view text, size_t i) {
  if (i >= text.size() || begins_character(text[i])) return i;
  for (size_t back = 1; back <= 3 && back <= i; ++back) {
    if (!begins_character(text[i - back])) continue;
    size_t end = i - back;
    next_char(text, end);
    return end > i ? i - back : i;
  }
  return i;
}

int64_t character_count(std::string_view text) {
  int64_t n = 0;
  for (size_t at = 0; at < text.size(); ++n) next_char(text, at);
  return n;
}

std::span<const IntrinsicEntry> text_intrinsics() {
  static const std::vector<IntrinsicEntry>& all = *[] {
    auto* list = new std::vector<IntrinsicEntry>;
    for (const auto part :
         {string_intrinsics(), search_intrinsics(), character_intrinsics(), show_intrinsics(), stream_intrinsics(),
          file_intrinsics(), printf_intrinsics(), dict_intrinsics(), reflection_intrinsics()})
      list->insert(list->end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace weft::julia
