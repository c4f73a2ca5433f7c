#include <charconv>

#include "base/float_format.h"
#include "text/attribute_names.h"
#include "text/cursor.h"
#include "text/literals.h"
#include "text/printer.h"

namespace weft::text {

namespace {

bool is_said(std::string_view name, std::initializer_list<std::string_view> said) {
  for (std::string_view s : said) {
    if (s == name) return true;
  }
  return false;
}

bool is_known(const OpView& op, std::string_view name) {
  for (const AttrSpec& spec : record(op).schema) {
    if (spec.name == name) return true;
  }
  return written_as(op.def().mnemonic, name).form != Written::kPlain ||
         find_struct_of_field(op.def().mnemonic, name) != nullptr;
}

}  // namespace

bool is_bare(std::string_view s) {
  if (s.empty() || !is_word_start(s[0])) return false;
  for (char c : s) {
    if (!is_word_char(c)) return false;
  }
  return true;
}

void append_int(std::string& out, int64_t v) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, v).ptr);
}

void Printer::string(std::string_view s) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  out += '"';
  for (char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u == 0x7f) {
      out += '\\';
      out += kDigits[u >> 4];
      out += kDigits[u & 15];
    } else {
      out += c;
    }
  }
  out += '"';
}

void Printer::symbol(std::string_view name) {
  out += '@';
  if (is_bare(name)) {
    out += name;
  } else {
    string(name);
  }
}

void Printer::attribute(const Attr& value) {
  if (const auto* b = value.get_if<bool>()) {
    out += *b ? "true" : "false";
  } else if (const auto* i = value.get_if<int64_t>()) {
    append_int(out, *i);
    out += " : i64";
  } else if (const auto* d = value.get_if<double>()) {
    append_element(out, ElementType::kF64, reinterpret_cast<const std::byte*>(d));
    out += " : f64";
  } else if (const auto* s = value.get_if<std::string>()) {
    string(*s);
  } else if (const auto* ints = value.get_if<Attr::Ints>()) {
    out += "array<i64";
    for (size_t k = 0; k < ints->size(); ++k) {
      out += k ? ", " : ": ";
      append_int(out, (*ints)[k]);
    }
    out += '>';
  } else if (const auto* t = value.get_if<Type>()) {
    type(*t);
  } else if (const auto* l = value.get_if<Literal>()) {
    append_dense(out, *l);
    out += " : ";
    type(l->type);
  } else if (const auto* list = value.get_if<std::shared_ptr<const AttrList>>()) {
    out += '[';
    for (size_t k = 0; k < (*list)->size(); ++k) {
      if (k) out += ", ";
      attribute((**list)[k]);
    }
    out += ']';
  } else if (const auto* entries = value.get_if<std::shared_ptr<const AttrEntries>>()) {
    out += '{';
    for (size_t k = 0; k < (*entries)->size(); ++k) {
      if (k) out += ", ";
      entry((**entries)[k].first, (**entries)[k].second);
    }
    out += '}';
  } else if (const auto* o = value.get_if<OpaqueAttr>()) {
    out += o->text;
  } else {
    out += "unit";
  }
}

void Printer::attribute_as_written(std::string_view mnemonic, std::string_view name, const Attr& value) {
  const WrittenAs& w = written_as(mnemonic, name);
  const auto* ints = value.get_if<Attr::Ints>();
  const auto* text = value.get_if<std::string>();
  const auto* number = value.get_if<int64_t>();
  const std::string_view dialect = mnemonic.starts_with("chlo.") ? "#chlo<" : "#stablehlo<";
  switch (w.form) {
    case Written::kPairs:
      if (ints == nullptr) break;
      out += "dense<";
      if (!ints->empty()) pair_list(*ints);
      out += "> : tensor<";
      append_int(out, static_cast<int64_t>(ints->size() / 2));
      out += "x2xi64>";
      return;
    case Written::kInts32:
      if (ints == nullptr) break;
      out += "array<i32";
      for (size_t i = 0; i < ints->size(); ++i) {
        out += i ? ", " : ": ";
        append_int(out, (*ints)[i]);
      }
      out += '>';
      return;
    case Written::kBooleans:
      if (ints == nullptr) break;
      out += "array<i1";
      for (size_t i = 0; i < ints->size(); ++i) {
        out += i ? ", " : ": ";
        out += (*ints)[i] ? "true" : "false";
      }
      out += '>';
      return;
    case Written::kEnum:
      if (text == nullptr) break;
      *this << dialect << w.enum_name << " " << *text << ">";
      return;
    case Written::kEnumList: {
      const auto* list = value.get_if<std::shared_ptr<const AttrList>>();
      if (list == nullptr) break;
      bool are_words = true;
      for (const Attr& a : **list) are_words &= a.get_if<std::string>() != nullptr && is_bare(*a.get_if<std::string>());
      if (!are_words) break;
      out += '[';
      for (size_t i = 0; i < (*list)->size(); ++i) {
        if (i) out += ", ";
        *this << dialect << w.enum_name << " " << *(**list)[i].get_if<std::string>() << ">";
      }
      out += ']';
      return;
    }
    case Written::kSymbol:
      if (text == nullptr) break;
      symbol(*text);
      return;
    case Written::kInt32:
      if (number == nullptr) break;
      append_int(out, *number);
      out += " : i32";
      return;
    case Written::kFloat32: {
      const auto* real = value.get_if<double>();
      if (real == nullptr) break;
      const auto single = static_cast<float>(*real);
      append_element(out, ElementType::kF32, reinterpret_cast<const std::byte*>(&single));
      out += " : f32";
      return;
    }
    case Written::kPlain:
    case Written::kUnit:
    case Written::kOfResult: break;
  }
  attribute(value);
}

void Printer::number_of(ElementType type, const Attr& value) {
  if (const auto* real = value.get_if<double>(); real != nullptr && is_float(type)) {
    const uint64_t bits = encode_float(type, *real);
    append_element(out, type, reinterpret_cast<const std::byte*>(&bits));
  } else if (const auto* whole = value.get_if<int64_t>()) {
    append_int(out, *whole);
  } else {
    return attribute(value);
  }
  *this << " : " << name(type);
}

void Printer::entry(std::string_view name, const Attr& value) {
  if (is_bare(name)) {
    out += name;
  } else {
    string(name);
  }
  if (value.get_if<std::monostate>()) return;
  out += " = ";
  attribute(value);
}

void Printer::dictionary(const Attrs& attrs) {
  out += '{';
  bool first = true;
  for (const auto& [name, value] : attrs.entries()) {
    if (!first) out += ", ";
    first = false;
    entry(name, value);
  }
  out += '}';
}

bool Printer::convolution_dimensions(const Attrs& attrs) {
  const auto append = [&](const char* first, const char* second, std::string_view a, std::string_view b,
                          std::string_view spatial) {
    const Attr* x = attrs.find(a);
    const Attr* y = attrs.find(b);
    const Attr* s = attrs.find(spatial);
    if (!x || !y || !s || !x->get_if<int64_t>() || !y->get_if<int64_t>() || !s->get_if<Attr::Ints>()) return false;
    const auto& spatial_dims = *s->get_if<Attr::Ints>();
    std::vector<std::string> names(spatial_dims.size() + 2);
    const auto put = [&](int64_t at, std::string text) {
      if (at < 0 || at >= static_cast<int64_t>(names.size()) || !names[static_cast<size_t>(at)].empty()) return false;
      names[static_cast<size_t>(at)] = std::move(text);
      return true;
    };
    if (!put(*x->get_if<int64_t>(), first) || !put(*y->get_if<int64_t>(), second)) return false;
    for (size_t i = 0; i < spatial_dims.size(); ++i) {
      if (!put(spatial_dims[i], std::to_string(i))) return false;
    }
    out += '[';
    for (size_t i = 0; i < names.size(); ++i) out += (i ? ", " : "") + names[i];
    out += ']';
    return true;
  };
  const size_t start = out.size();
  if (!append("b", "f", "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions")) {
    out.resize(start);
    return false;
  }
  out += 'x';
  if (!append("i", "o", "kernel_input_feature_dimension", "kernel_output_feature_dimension",
              "kernel_spatial_dimensions")) {
    out.resize(start);
    return false;
  }
  out += "->";
  if (!append("b", "f", "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions")) {
    out.resize(start);
    return false;
  }
  return true;
}

void Printer::struct_attribute(const Attrs& attrs, const StructAttribute& s, bool with_tag) {
  if (with_tag) *this << "#" << s.tag;
  out += '<';
  if (s.tag == "stablehlo.conv") {
    convolution_dimensions(attrs);
  } else {
    bool first = true;
    for (const StructField& f : s.fields) {
      const Attr* value = attrs.find(f.name);
      if (value == nullptr) continue;
      const auto* ints = value->get_if<Attr::Ints>();
      const auto* number = value->get_if<int64_t>();
      if (s.fill && ((ints && ints->empty()) || (number && *number == 0))) continue;
      if (!first) out += ", ";
      first = false;
      *this << f.name << " = ";
      if (ints) {
        int_list(*ints);
      } else if (number) {
        append_int(out, *number);
      } else if (const auto* text = value->get_if<std::string>()) {
        out += *text;
      } else {
        attribute(*value);
      }
    }
  }
  out += '>';
}

std::vector<std::pair<std::string, std::string>> Printer::entries_of(const OpView& op, const Attrs& attrs,
                                                                     std::initializer_list<std::string_view> said,
                                                                     bool known, bool unknown) {
  std::vector<std::pair<std::string, std::string>> entries;
  std::string saved;
  saved.swap(out);
  const std::string_view mnemonic = op.def().mnemonic;
  for (const auto& [name, value] : attrs.entries()) {
    // The empty name is that of a foreign op's properties.
    if (name.empty() || is_said(name, said) || !(is_known(op, name) ? known : unknown)) continue;
    std::string_view shown = name;
    out.clear();
    if (const StructAttribute* s = find_struct_of_field(mnemonic, name)) {
      bool is_done = false;
      for (const auto& [other, text] : entries) is_done |= other == s->attribute;
      if (is_done) continue;
      shown = s->attribute;
      struct_attribute(attrs, *s);
    } else if (const Written form = written_as(mnemonic, name).form; form == Written::kUnit && value.get_if<bool>()) {
      if (!*value.get_if<bool>()) continue;
    } else if (form == Written::kOfResult) {
      // Of an unranked tensor, tensor<*xf32>, the element's name is all there is.
      const Type t = op.result_type();
      constexpr std::string_view kUnranked = "tensor<*x";
      const std::string spelling = t.str();
      const auto element = t.is_tensor() ? std::optional(t.element_type())
                           : spelling.starts_with(kUnranked)
                               ? element_type_from_name(std::string_view(spelling).substr(
                                     kUnranked.size(), spelling.size() - kUnranked.size() - 1))
                               : std::nullopt;
      if (element) {
        number_of(*element, value);
      } else {
        attribute(value);
      }
    } else if (!value.get_if<std::monostate>()) {
      attribute_as_written(mnemonic, name, value);
    }
    entries.emplace_back(std::string(shown), out);
  }
  saved.swap(out);
  return entries;
}

void Printer::other_attributes(const OpView& op, std::initializer_list<std::string_view> said) {
  if (op.attrs().entries().empty()) return;
  braced(entries_of(op, op.attrs(), said, true, true));
}

void Printer::attributes(const OpView& op, const Attrs& attrs) { braced(entries_of(op, attrs, {}, true, true)); }

void Printer::braced(const std::vector<std::pair<std::string, std::string>>& entries) {
  if (entries.empty()) return;
  out += " {";
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i) out += ", ";
    if (is_bare(entries[i].first)) {
      out += entries[i].first;
    } else {
      string(entries[i].first);
    }
    if (!entries[i].second.empty()) *this << " = " << entries[i].second;
  }
  out += '}';
}

}  // namespace weft::text
