#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "base/float_format.h"
#include "text/attribute_names.h"
#include "text/literals.h"
#include "text/parser.h"

namespace weft::text {

namespace {

constexpr size_t npos = std::string_view::npos;

bool all_ints(const AttrList& list) {
  for (const Attr& a : list) {
    if (!a.get_if<int64_t>()) return false;
  }
  return true;
}

/// The attribute as an op's schema wants it; unchanged when it cannot be (the schema check then says so).
Attr adapt(Attr value, AttrKind kind) {
  switch (kind) {
    case AttrKind::kInts: {
      if (const auto* list = value.get_if<std::shared_ptr<const AttrList>>(); list && all_ints(**list)) {
        Attr::Ints ints;
        for (const Attr& a : **list) ints.push_back(*a.get_if<int64_t>());
        return ints;
      }
      if (const auto* l = value.get_if<Literal>()) {
        const ElementType e = l->type.element_type();
        if (!is_integer(e) && !is_boolean(e) && !is_index(e)) return value;
        // A splat may stand for more elements than there is memory.
        if (l->type.num_elements() > (int64_t{1} << 20)) return value;
        const size_t bytes = byte_size(e);
        Attr::Ints ints;
        for (int64_t i = 0; i < l->type.num_elements(); ++i) {
          uint64_t bits = 0;
          std::memcpy(&bits, l->element(i), bytes);
          const int shift = 64 - static_cast<int>(bytes) * 8;
          ints.push_back(is_signed_integer(e) ? static_cast<int64_t>(bits << shift) >> shift
                                              : static_cast<int64_t>(bits));
        }
        return ints;
      }
      return value;
    }
    case AttrKind::kBool:
      if (const auto* i = value.get_if<int64_t>(); i && (*i == 0 || *i == 1)) return *i == 1;
      if (value.get_if<std::monostate>()) return true;
      return value;
    case AttrKind::kInt:
      if (const auto* b = value.get_if<bool>()) return static_cast<int64_t>(*b);
      return value;
    case AttrKind::kText:
      if (const auto* o = value.get_if<OpaqueAttr>()) {
        if (o->text.size() > 1 && o->text[0] == '@') return Cursor(o->text, nullptr).symbol();
      }
      return value;
    default: return value;
  }
}

/// The specification's constraint on the shape of an op's padding.
std::string padding_constraint(std::string_view mnemonic) {
  return mnemonic == "stablehlo.convolution"     ? "convolution_c4"
         : mnemonic == "stablehlo.reduce_window" ? "reduce_window_c12"
                                                 : "select_and_scatter_c8";
}

}  // namespace

Attr Parser::attribute() {
  const NestingGuard guard(*this);
  const char c = cursor.peek();
  const size_t start = cursor.offset();
  if (c == '"') {
    std::string s = cursor.string();
    if (cursor.accept(':')) return opaque_rest(start);
    return s;
  }
  if (c == '-' || (c >= '0' && c <= '9')) return number_attribute();
  if (c == '[') {
    cursor.accept('[');
    AttrList list;
    while (cursor.peek() != ']') {
      if (!list.empty()) cursor.expect(',', "a list");
      list.push_back(attribute());
    }
    cursor.expect(']', "a list");
    return list;
  }
  if (c == '{') {
    AttrEntries entries;
    for (auto& [name, value] : plain_dictionary()) entries.emplace_back(std::move(name), std::move(value));
    return entries;
  }
  if (c == '#') return hash_attribute();
  if (c == '@') {
    cursor.symbol();
    while (cursor.accept("::")) cursor.symbol();
    return OpaqueAttr{std::string(cursor.text().substr(start, cursor.offset() - start))};
  }
  const std::string_view word = cursor.peek_word();
  if (word == "true" || word == "false" || word == "unit") {
    cursor.word();
    if (word == "unit") return Attr();
    return word == "true";
  }
  if (word == "dense") return dense_attribute();
  if (word == "dense_resource") return dense_resource_attribute();
  if (word == "array") return dense_array_attribute();
  if (word == "tensor" || word == "tuple" || c == '!') {
    Type t = type();
    if (!cursor.looking_at("->")) return t;
  }
  if (c == '(' || !word.empty() || c == '!') return opaque_rest(start);
  cursor.fail_expected("an attribute", "an attribute");
}

Attr Parser::opaque_rest(size_t start) {
  cursor.seek(start);
  size_t end = start;
  while (!cursor.at_end()) {
    const char c = cursor.peek();
    if (c == ',' || c == ')' || c == ']' || c == '}' || c == '>') break;
    if (c == '"') {
      cursor.raw_string();
    } else if (!cursor.accept("->")) {
      cursor.seek(cursor.offset() + 1);
      if (c == '(') cursor.skip_balanced(')');
      if (c == '[') cursor.skip_balanced(']');
      if (c == '{') cursor.skip_balanced('}');
      if (c == '<') cursor.skip_balanced('>');
    }
    end = cursor.offset();
  }
  if (end == start) cursor.fail_expected("an attribute", "an attribute");
  return OpaqueAttr{expand_aliases(cursor.text().substr(start, end - start))};
}

void Parser::charge(std::string_view alias) {
  expanded_ += alias.size() + 1;
  // Reading stays linear in the text.
  if (expanded_ > (size_t{1} << 20) + 64 * cursor.text().size())
    cursor.fail("aliases that expand to much more than the text");
}

std::string Parser::expand_aliases(std::string_view written) {
  std::string out;
  size_t i = 0;
  while (i < written.size()) {
    const char c = written[i];
    if (c == '"') {
      size_t end = i + 1;
      while (end < written.size() && written[end] != '"') end += written[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, written.size());
      out += written.substr(i, end - i);
      i = end;
      continue;
    }
    if (c == '/' && written.substr(i, 2) == "//") {
      // Printed text has its own lines: a comment would swallow what follows it.
      i = std::min(written.find('\n', i), written.size());
      continue;
    }
    if (c == '#' || c == '!') {
      size_t end = i + 1;
      while (end < written.size() && is_word_char(written[end])) ++end;
      const auto& aliases = c == '#' ? attribute_aliases_ : type_aliases_;
      if (const auto alias = aliases.find(written.substr(i + 1, end - i - 1)); alias != aliases.end()) {
        const NestingGuard guard(*this);
        charge(alias->second);
        out += expand_aliases(alias->second);
        i = end;
        continue;
      }
    }
    out += c;
    ++i;
  }
  out.erase(out.find_last_not_of(" \n\t\r") + 1);
  return out;
}

Attr Parser::number_attribute(bool typed) {
  const bool negative_sign = cursor.peek() == '-';
  const size_t start = cursor.offset();
  const std::string_view rest = cursor.rest();
  size_t length = negative_sign ? 1 : 0;
  const bool hex = rest.substr(length, 2) == "0x";
  bool is_float_number = false;
  while (length < rest.size()) {
    const char c = rest[length];
    const bool exponent_sign =
        !hex && (c == '+' || c == '-') && length > 0 && (rest[length - 1] == 'e' || rest[length - 1] == 'E');
    if (!exponent_sign && !is_word_char(c)) break;
    if (!hex && (c == '.' || c == 'e' || c == 'E')) is_float_number = true;
    ++length;
  }
  const std::string token(rest.substr(0, length));
  cursor.seek(start + length);
  std::string_view type_name;
  if (typed && cursor.accept(':')) {
    type_name = cursor.word();
    if (type_name.empty()) cursor.fail_expected("a type", "a number");
  }
  const auto element = element_type_from_name(type_name);
  const bool as_float = is_float_number || (element && is_float(*element));
  const char* begin = token.data();
  const char* end = begin + token.size();
  if (hex) {
    const bool negative = token[0] == '-';
    uint64_t bits = 0;
    const auto read = std::from_chars(begin + (negative ? 3 : 2), end, bits, 16);
    if (read.ec != std::errc() || read.ptr != end) cursor.fail_at(start, length, "a number was expected: got " + token);
    if (as_float) return decode_float(*element, bits);
    return static_cast<int64_t>(negative ? ~bits + 1 : bits);
  }
  if (as_float) {
    double value = 0;
    const auto read = std::from_chars(begin, end, value);
    if (read.ec == std::errc::result_out_of_range) {
      value = std::strtod(token.c_str(), nullptr);
    } else if (read.ec != std::errc() || read.ptr != end) {
      cursor.fail_at(start, length, "a number was expected: got " + token);
    }
    return value;
  }
  int64_t value = 0;
  const auto read = std::from_chars(begin, end, value);
  if (read.ec == std::errc::result_out_of_range) {
    // The upper half of the unsigned range is kept by its bits.
    uint64_t bits = 0;
    if (std::from_chars(begin, end, bits).ptr == end && token[0] != '-' &&
        std::from_chars(begin, end, bits).ec == std::errc()) {
      return static_cast<int64_t>(bits);
    }
    cursor.fail_at(start, length, "this integer does not fit 64 bits");
  }
  if (read.ec != std::errc() || read.ptr != end) cursor.fail_at(start, length, "a number was expected: got " + token);
  return value;
}

Attr Parser::dense_attribute() {
  cursor.skip_space();
  const size_t start = cursor.offset();
  cursor.expect_word("dense", "a constant");
  cursor.expect('<', "a constant");
  // The type stands behind the elements: find it first.
  cursor.skip_space();
  const size_t content = cursor.offset();
  size_t close = content;
  if (cursor.peek() == '"') {
    cursor.raw_string();
    cursor.skip_space();
    close = cursor.offset();
  } else {
    close = cursor.text().find('>', content);
    if (close == npos) cursor.fail_at(content, 1, "the constant that begins here does not end");
    cursor.seek(close);
  }
  cursor.expect('>', "a constant");
  cursor.expect(':', "a constant (its type follows)");
  cursor.skip_space();
  const size_t type_at = cursor.offset();
  // Tensors of index are mostly layouts of custom calls: kept as they are written.
  const std::string_view rest = cursor.text().substr(type_at);
  const size_t stop = rest.find('>');
  if (!reads_index && rest.starts_with("tensor<") && stop != npos && rest.substr(0, stop).ends_with("index")) {
    cursor.seek(type_at + stop + 1);
    return OpaqueAttr{std::string(cursor.text().substr(start, cursor.offset() - start))};
  }
  const Type t = type();
  const size_t end = cursor.offset();
  // Elements of another dialect (strings, …) stay as they are written.
  if (t.is_foreign() && t.str().starts_with("tensor<"))
    return OpaqueAttr{std::string(cursor.text().substr(start, end - start))};
  if (!t.is_tensor() || !t.is_static()) {
    cursor.fail_at(type_at, end - type_at, "a constant's type must be a tensor of known shape: got " + t.str());
  }
  cursor.seek(content);
  Literal literal = parse_dense_content(cursor, t);
  cursor.skip_space();
  if (cursor.offset() != close) cursor.fail_expected("'>'", "a constant");
  cursor.seek(end);
  return literal;
}

Attr Parser::dense_resource_attribute() {
  const size_t start = cursor.offset();
  cursor.expect_word("dense_resource", "a constant");
  cursor.expect('<', "a constant");
  const std::string name = cursor.peek() == '"' ? cursor.string() : std::string(cursor.suffix_name("a resource"));
  cursor.expect('>', "a constant");
  cursor.expect(':', "a constant (its type follows)");
  const Type t = type();
  if (!t.is_tensor() || !t.is_static())
    cursor.fail_at(start, 1, "a constant's type must be a tensor of known shape: got " + t.str());
  const size_t end = cursor.offset();
  resources();
  const auto found = resources_.find(name);
  if (found == resources_.end())
    cursor.fail_at(start, end - start, "there is no resource named " + name + " at the end of this text");
  return literal_from_blob(cursor, found->second.first, found->second.second, t);
}

void Parser::resources() {
  if (resources_read_) return;
  resources_read_ = true;
  const size_t back = cursor.offset();
  const size_t section = cursor.text().rfind("{-#");
  if (section == npos) return;
  // {-# dialect_resources: { builtin: { name: "0x…", … } } #-}: names and blobs are all that matters.
  cursor.seek(section + 3);
  std::string name;
  while (!cursor.at_end() && !cursor.looking_at("#-}")) {
    if (cursor.peek() == '"') {
      const size_t at = cursor.offset();
      const std::string_view blob = cursor.raw_string();
      if (cursor.peek() == ':') {
        name = std::string(blob);
      } else {
        resources_[name] = {blob, at};
      }
      continue;
    }
    if (const std::string_view word = cursor.word(); !word.empty()) {
      name = std::string(word);
      continue;
    }
    cursor.seek(cursor.offset() + 1);
  }
  cursor.seek(back);
}

Attr Parser::dense_array_attribute() {
  const size_t start = cursor.offset();
  cursor.expect_word("array", "an array");
  cursor.expect('<', "an array");
  const std::string_view element = cursor.word();
  Attr::Ints values;
  if (element == "i1") {
    if (cursor.accept(':')) {
      while (cursor.peek() != '>') {
        if (!values.empty()) cursor.expect(',', "an array");
        values.push_back(boolean("an array") ? 1 : 0);
      }
    }
  } else if (element == "i64" || element == "i32" || element == "i16" || element == "i8") {
    if (cursor.accept(':')) {
      while (cursor.peek() != '>') {
        if (!values.empty()) cursor.expect(',', "an array");
        values.push_back(cursor.integer("an array"));
      }
    }
  } else {
    return opaque_rest(start);
  }
  cursor.expect('>', "an array");
  return values;
}

std::vector<int64_t> Parser::int_list(std::string_view context) {
  cursor.expect('[', context);
  std::vector<int64_t> out;
  while (cursor.peek() != ']') {
    if (!out.empty()) cursor.expect(',', context);
    out.push_back(cursor.integer(context));
  }
  cursor.expect(']', context);
  return out;
}

std::vector<int64_t> Parser::pair_list(std::string_view context) {
  cursor.expect('[', context);
  std::vector<int64_t> out;
  while (cursor.peek() != ']') {
    if (!out.empty()) cursor.expect(',', context);
    cursor.skip_space();
    const size_t at = cursor.offset();
    const auto pair = int_list(context);
    if (pair.size() != 2)
      cursor.fail_at(at, 1,
                     std::string(context) + ": got " + std::to_string(pair.size()) + " numbers, expected [low, high]");
    out.insert(out.end(), pair.begin(), pair.end());
  }
  cursor.expect(']', context);
  return out;
}

bool Parser::boolean(std::string_view context) {
  if (cursor.accept_word("true")) return true;
  if (cursor.accept_word("false")) return false;
  const char c = cursor.peek();
  if (c != '0' && c != '1') cursor.fail_expected("true or false", context);
  return cursor.integer(context) != 0;
}

std::vector<std::pair<std::string, Attr>> Parser::plain_dictionary() {
  std::vector<std::pair<std::string, Attr>> out;
  cursor.expect('{', "a dictionary");
  while (cursor.peek() != '}') {
    if (!out.empty()) cursor.expect(',', "a dictionary");
    std::string name = cursor.peek() == '"' ? cursor.string() : std::string(cursor.word());
    if (name.empty()) cursor.fail_expected("an attribute's name", "a dictionary");
    Attr value;
    cursor.skip_space();
    if (cursor.accept('=')) {
      cursor.skip_space();
      const size_t start = cursor.offset();
      value = attribute();
      value = keep(std::move(value), cursor.text().substr(start, cursor.offset() - start));
    }
    out.emplace_back(std::move(name), std::move(value));
  }
  cursor.expect('}', "a dictionary");
  return out;
}

Attrs Parser::kept_dictionary() {
  cursor.skip_space();
  const size_t start = cursor.offset();
  Attrs attrs;
  for (auto& [name, value] : plain_dictionary()) {
    if (attrs.has(name)) cursor.fail_at(start, 1, "attribute '" + name + "' is given twice");
    attrs.set(name, std::move(value));
  }
  return attrs;
}

Attr Parser::keep(Attr value, std::string_view written) {
  // What these kinds print is what was written; anything else (typed numbers, dialect attributes) is kept as text.
  if (value.get_if<std::string>() && written.front() == '"') return value;
  if (value.get_if<bool>() || value.get_if<std::monostate>() || value.get_if<OpaqueAttr>() || value.get_if<Type>())
    return value;
  if (value.get_if<Attr::Ints>() && written.substr(0, 9) == "array<i64") return value;
  if (value.get_if<Literal>() || value.get_if<std::shared_ptr<const AttrEntries>>()) {
    if (written.front() != '#') return value;
  }
  if (value.get_if<int64_t>()) {
    const std::string text = expand_aliases(written);
    const bool is_i64 = text.find(':') == npos || text.ends_with("i64");
    if (is_i64 && text.find('x') == npos && written.front() != '#') return value;
  }
  return OpaqueAttr{expand_aliases(written)};
}

void Parser::attribute_dictionary(OpParts& op) {
  reads_index = op.record->mnemonic == "stablehlo.constant";
  if (cursor.peek() != '{') return;
  cursor.expect('{', "attributes");
  bool first = true;
  while (cursor.peek() != '}') {
    if (!first) cursor.expect(',', "attributes");
    first = false;
    cursor.skip_space();
    const size_t at = cursor.offset();
    const std::string name = cursor.peek() == '"' ? cursor.string() : std::string(cursor.word());
    if (name.empty()) cursor.fail_expected("an attribute's name", "attributes");
    Attr value;
    std::string_view written = "unit";
    if (cursor.accept('=')) {
      cursor.skip_space();
      const size_t start = cursor.offset();
      value = attribute();
      written = cursor.text().substr(start, cursor.offset() - start);
    }
    set_attribute(op, name, at, std::move(value), written);
  }
  cursor.expect('}', "attributes");
}

void Parser::set_attribute(OpParts& op, std::string_view name, size_t at, Attr value, std::string_view written) {
  const auto set = [&](std::string_view to, Attr v) {
    if (op.attrs.has(to)) cursor.fail_at(at, name.size(), "attribute '" + std::string(to) + "' is given twice");
    op.attrs.set(to, std::move(v));
  };
  const std::string_view mnemonic = op.record->mnemonic;
  if (const StructAttribute* s = find_struct(mnemonic, name)) {
    const auto* entries = value.get_if<std::shared_ptr<const AttrEntries>>();
    if (entries == nullptr || (*entries)->empty()) {
      cursor.fail_at(
          at, name.size(),
          "[" + std::string(mnemonic) + "] " + std::string(name) + ": expected #" + std::string(s->tag) + "<…>");
    }
    for (const auto& [field, v] : **entries) set(field, v);
    return;
  }
  // The name of a struct's field, given beside the struct, means nothing to MLIR.
  if (find_struct_of_field(mnemonic, name) != nullptr) return;
  if (written_as(mnemonic, name).form == Written::kPairs) {
    const auto* l = value.get_if<Literal>();
    if (l != nullptr && l->type.num_elements() != 0 && (l->type.rank() != 2 || l->type.dim(1) != 2)) {
      cursor.fail_at(at, name.size(),
                     "[" + std::string(mnemonic) + "] " + std::string(name) + ": got a " + l->type.str() +
                         ", expected [low, high] for each dimension (" + padding_constraint(mnemonic) + ")");
    }
  }
  if (written_as(mnemonic, name).form == Written::kEnumList) {
    // One form whatever the notation: the bare names.
    set(name, std::move(value));
    return;
  }
  for (const AttrSpec& spec : op.record->schema) {
    if (spec.name != name) continue;
    set(name, adapt(std::move(value), spec.kind));
    return;
  }
  set(name, keep(std::move(value), written));
}

}  // namespace weft::text
