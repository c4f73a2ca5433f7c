#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/dict.h"
#include "julia/host/show_parts.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

std::string name_of(const Value& v) { return v.type()->name->name.text(); }

std::string dims_text(const std::vector<int64_t>& dims) {
  if (dims.empty()) return "0-dimensional";
  if (dims.size() == 1) return std::to_string(dims[0]) + "-element";
  std::string out;
  for (size_t i = 0; i < dims.size(); ++i) out += (i > 0 ? "×" : "") + std::to_string(dims[i]);
  return out;
}

/// An array as an argument of the call that made the one around it: `view(::Vector{Int64}, 1:2)`.
std::string argument_text(const Value& v, bool is_outermost) {
  const std::string name = name_of(v);
  std::string call;
  const auto inner = [&] { return argument_text(get_field(v, 0), false); };
  if (name == "SubArray") {
    call = "view(" + inner();
    const Value indices = get_field(v, 1);
    for (size_t i = 0; i < field_count(indices); ++i) {
      const Value index = get_field(indices, i);
      call += ", " + (name_of(index) == "Slice" ? ":" : show_text(index));
    }
    call += ")";
  } else if (name == "Adjoint" || name == "Transpose") {
    call = (name == "Adjoint" ? "adjoint(" : "transpose(") + inner() + ")";
  } else if (name == "ReshapedArray") {
    call = "reshape(" + inner();
    const Value dims = get_field(v, 1);
    for (size_t i = 0; i < field_count(dims); ++i) call += ", " + show_text(get_field(dims, i));
    call += ")";
  } else if (name == "PermutedDimsArray") {
    call = "PermutedDimsArray(" + inner() + ", " + type_text(v.type()->parameters[2]) + ")";
  } else {
    return (is_outermost ? "" : "::") + type_text(v.type());
  }
  return is_outermost ? call + " with eltype " + type_text(v.type()->parameters[0]) : call;
}

void display_slices(std::string& out, const ArrayLook& a, const ShowContext& c) {
  const size_t rank = a.dims.size();
  std::vector<int64_t> index(rank, 0);
  const auto is_hidden = [&](size_t d) {
    return c.limit && a.dims[d] > 10 && index[d] > 2 && index[d] < a.dims[d] - 3;
  };
  while (true) {
    bool skip = false, marks = false;
    for (size_t d = 2; d < rank; ++d) {
      if (!is_hidden(d)) continue;
      skip = true;
      // Dots once, for the first of the slices left out.
      marks = index[d] == 3 && std::all_of(index.begin() + 2, index.begin() + static_cast<ptrdiff_t>(d),
                                           [](int64_t i) { return i == 0; });
      for (size_t e = d + 1; e < rank; ++e) marks = marks && !is_hidden(e);
      break;
    }
    bool is_last = true;
    for (size_t d = 2; d < rank; ++d) is_last = is_last && index[d] + 1 == a.dims[d];
    if (marks) out += "...\n\n";
    if (!skip) {
      out += "[:, :";
      for (size_t d = 2; d < rank; ++d) out += ", " + std::to_string(index[d] + 1);
      out += "] =\n";
      ArrayLook slice;
      slice.dims = {a.dims[0], a.dims[1]};
      slice.element = a.element;
      slice.at = [&a, index](const int64_t* x) {
        std::vector<int64_t> full = index;
        full[0] = x[0], full[1] = x[1];
        return a.at(full.data());
      };
      print_matrix(out, slice, c);
      if (!is_last) out += "\n\n";
    }
    if (is_last) return;
    size_t d = 2;
    while (++index[d] == a.dims[d]) index[d++] = 0;
  }
}

void display_array(std::string& out, const Value& v, const ArrayLook& a, const ShowContext& c) {
  const int64_t n = a.length();
  if (n == 0 && (c.compact || a.dims.size() == 1)) return show(out, v, c);
  out += summary(v, c);
  if (n == 0) return;
  out += ':';
  ShowContext inner = c;
  inner.compact = c.compact || (a.dims.size() > 1 && a.dims[1] > 1);
  if (c.limit && c.rows - 4 <= 0) {
    out += " …";
    return;
  }
  out += '\n';
  inner.typeinfo = a.element;
  ++inner.depth;
  if (a.dims.empty()) {
    show(out, a.at(nullptr), inner);
  } else if (a.dims.size() <= 2) {
    print_matrix(out, a, inner);
  } else {
    display_slices(out, a, inner);
  }
}

/// A text cut to a width, with … as its last column.
std::string shortened(const std::string& text, int width) {
  if (text_width(text) <= width) return text;
  std::string out;
  int used = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const int w = char_width(code_point(next_char(text, at)));
    if (used + w > width - 1) break;
    used += w;
    out += text.substr(start, at - start);
  }
  return out + "…";
}

void display_entries(std::string& out, const Value& v, const DictObject& d, bool is_set, const ShowContext& c) {
  out += summary(v, c);
  if (d.count == 0) return;
  out += ':';
  const int rows = c.limit ? std::max(c.rows - 4, 1) : INT32_MAX;
  const bool is_cut = d.count > rows;
  const int64_t shown = is_cut ? rows - 1 : d.count;
  ShowContext inner = c;
  inner.compact = true;
  ++inner.depth;
  std::vector<std::string> keys, values;
  for (int64_t i = next_slot(d, 0); i >= 0 && static_cast<int64_t>(keys.size()) < shown; i = next_slot(d, i + 1)) {
    std::string key, value;
    inner.typeinfo = d.key_type;
    show(key, d.keys[static_cast<size_t>(i)], inner);
    inner.typeinfo = d.value_type;
    if (!is_set) show(value, d.values[static_cast<size_t>(i)], inner);
    keys.push_back(std::move(key));
    values.push_back(std::move(value));
  }
  int widest = 0;
  for (const std::string& k : keys) widest = std::max(widest, text_width(k));
  if (c.limit && !is_set) { widest = std::min(widest, c.columns / 2); }
  for (size_t i = 0; i < keys.size(); ++i) {
    out += "\n  ";
    if (is_set) {
      out += c.limit ? shortened(keys[i], c.columns - 3) : keys[i];
      continue;
    }
    const std::string key = c.limit ? shortened(keys[i], widest) : keys[i];
    out += key + std::string(static_cast<size_t>(std::max(0, widest - text_width(key))), ' ') + " => ";
    out += c.limit ? shortened(values[i], c.columns - 6 - widest) : values[i];
  }
  if (is_cut) {
    if (is_set) out += "\n  ⋮ ";
    else out += "\n  " + std::string(static_cast<size_t>(std::max(0, widest - 1)), ' ') + "⋮ => ⋮";
  }
}

/// "ASCII/Unicode U+0061 (category Ll: Letter, lowercase)".
std::string char_description(Char ch) {
  const uint32_t u = code_point(ch);
  char hex[16];
  std::snprintf(hex, sizeof hex, "%04X", u);
  const auto in = [&](uint32_t a, uint32_t b) { return u >= a && u <= b; };
  std::string category = "So: Symbol, other";
  if (in('a', 'z') || u == 0xb5 || in(0xdf, 0xf6) || in(0xf8, 0xff) || in(0x3ac, 0x3ce) || in(0x430, 0x45f))
    category = "Ll: Letter, lowercase";
  else if (in('A', 'Z') || in(0xc0, 0xd6) || in(0xd8, 0xde) || in(0x391, 0x3a9) || in(0x400, 0x42f))
    category = "Lu: Letter, uppercase";
  else if (in('0', '9')) category = "Nd: Number, decimal digit";
  else if (u < 0x20 || in(0x7f, 0x9f)) category = "Cc: Other, control";
  else if (u == ' ' || u == 0xa0) category = "Zs: Separator, space";
  else if (u == '+' || u == '<' || u == '=' || u == '>' || u == '|' || u == '~' || in(0x2200, 0x22ff))
    category = "Sm: Symbol, math";
  else if (u == '$' || in(0x20a0, 0x20c0)) category = "Sc: Symbol, currency";
  else if (u == '^' || u == '`') category = "Sk: Symbol, modifier";
  else if (u == '_') category = "Pc: Punctuation, connector";
  else if (u == '-' || in(0x2010, 0x2015)) category = "Pd: Punctuation, dash";
  else if (u == '(' || u == '[' || u == '{') category = "Ps: Punctuation, open";
  else if (u == ')' || u == ']' || u == '}') category = "Pe: Punctuation, close";
  else if (u < 0x80) category = "Po: Punctuation, other";
  else if (in(0x4e00, 0x9fff) || in(0x3041, 0x30fe)) category = "Lo: Letter, other";
  return std::string(u < 0x80 ? "ASCII/" : "") + "Unicode U+" + hex + " (category " + category + ")";
}

/// The first 15 characters of the number, as the REPL shows Base's constants.
std::string irrational_digits(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kDigits[] = {{"π", "3.1415926535897"},
                                                                              {"ℯ", "2.7182818284590"},
                                                                              {"γ", "0.5772156649015"},
                                                                              {"φ", "1.6180339887498"},
                                                                              {"catalan", "0.9159655941772"}};
  for (const auto& [known, digits] : kDigits) {
    if (known == name) return " = " + std::string(digits) + "...";
  }
  return "";
}

}  // namespace

std::string summary(const Value& v, const ShowContext& c) {
  if (is_dict(v)) {
    const int64_t n = dict_of(v).count;
    return type_text(v.type()) + (n == 0 ? "()" : " with " + std::to_string(n) + (n == 1 ? " entry" : " entries"));
  }
  if (name_of(v) == "Set") {
    const int64_t n = dict_of_set(v).count;
    return type_text(v.type()) + (n == 0 ? "()" : " with " + std::to_string(n) + (n == 1 ? " element" : " elements"));
  }
  if (const std::optional<ArrayLook> look = look_at(v)) return dims_text(look->dims) + " " + argument_text(v, true);
  return type_text(v.type());
}

void display(std::string& out, const Value& v, const ShowContext& c) {
  if (!v.is_defined()) return show(out, v, c);
  if (c.overridden && c.overridden(out, v, c, true)) return;
  if (const std::string name = callable_name(v); !name.empty()) {
    const int n = c.method_count ? c.method_count(v) : 0;
    out += name + " (generic function with " + std::to_string(n) + (n == 1 ? " method)" : " methods)");
  } else if (v.is(core().char_)) {
    show(out, v, c);
    const Char ch = {v.get<uint32_t>()};
    if (!c.compact)
      out += is_valid(ch) ? ": " + char_description(ch) : ": Malformed UTF-8 (category Ma: Malformed, bad data)";
  } else if (is_irrational(v)) {
    show(out, v, c);
    if (!c.compact) out += irrational_digits(as<Constant>(v.type()->parameters[0])->symbol.text());
  } else if (is_dict(v)) {
    display_entries(out, v, dict_of(v), false, c);
  } else if (name_of(v) == "Set") {
    display_entries(out, v, dict_of_set(v), true, c);
  } else if (name_of(v) == "LinRange" && is_range(v)) {
    out += summary(v, c) + ":\n ";
    for (int64_t i = 0, n = range_length(v); i < n; ++i) {
      ShowContext inner = c;
      inner.compact = true;
      if (i > 0) out += ", ";
      show(out, range_element(v, i), inner);
    }
  } else if (is_range(v)) {
    show(out, v, c);
  } else if (const std::optional<ArrayLook> look = look_at(v)) {
    display_array(out, v, *look, c);
  } else {
    show(out, v, c);
  }
}

}  // namespace weft::julia
