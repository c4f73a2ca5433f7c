#include <charconv>
#include <limits>

#include "text/parser.h"

namespace weft::text {

namespace {

// A type larger than this cannot be meant, and its size in bytes must not overflow.
constexpr int64_t kMaxBytes = int64_t{1} << 56;

}  // namespace

Type Parser::type() {
  const NestingGuard guard(*this);
  const size_t start = (cursor.skip_space(), cursor.offset());
  if (cursor.accept('!')) {
    const std::string_view name = cursor.suffix_name("a type");
    if (const auto alias = type_aliases_.find(name); alias != type_aliases_.end()) {
      return read_alias(alias->second, [&] { return type(); });
    }
    if (name == "stablehlo.token") return Type::token();
    if (name == "stablehlo.future") {
      cursor.expect('<', "a future type");
      std::vector<Type> elements;
      while (cursor.peek() != '>') {
        if (!elements.empty()) cursor.expect(',', "a future type");
        const size_t at = (cursor.skip_space(), cursor.offset());
        elements.push_back(type());
        if (!elements.back().is_tensor()) {
          cursor.fail_at(at, cursor.offset() - at,
                         "a future's element type must be a ranked tensor: got " + elements.back().str());
        }
      }
      cursor.expect('>', "a future type");
      return Type::future(elements);
    }
    if (name == "weft.stack") {
      cursor.expect('<', "a stack type");
      const Type element = type();
      if (element.is_token()) cursor.fail_at(start, 1, "a stack of tokens");
      std::vector<int64_t> lanes;
      if (cursor.accept(',')) lanes = int_list("a stack type");
      for (int64_t n : lanes) {
        if (n < 0) cursor.fail_at(start, 1, "a stack type's lane counts must not be negative");
      }
      cursor.expect('>', "a stack type");
      return Type::stack(element, lanes);
    }
    return foreign_type(start);
  }
  const std::string_view word = cursor.peek_word();
  if (word == "tensor") return tensor_type();
  if (word == "tuple") {
    cursor.word();
    cursor.expect('<', "a tuple type");
    std::vector<Type> elements;
    while (cursor.peek() != '>') {
      if (!elements.empty()) cursor.expect(',', "a tuple type");
      elements.push_back(type());
    }
    cursor.expect('>', "a tuple type");
    return Type::tuple(elements);
  }
  if (word == "vector" || word == "memref" || word == "none" || element_type_from_name(word) || word == "complex") {
    return foreign_type(start);
  }
  cursor.fail_expected("a type", "a type");
}

Type Parser::tensor_type() {
  const size_t start = cursor.offset();
  cursor.expect_word("tensor", "a tensor type");
  cursor.expect('<', "a tensor type");
  if (cursor.peek() == '*') return foreign_type(start);
  std::vector<int64_t> shape;
  while (true) {
    const char c = cursor.peek();
    if (c == '?') {
      cursor.accept('?');
      shape.push_back(kDynamic);
    } else if (c >= '0' && c <= '9') {
      shape.push_back(cursor.integer("a tensor's shape"));
    } else {
      break;
    }
    if (shape.size() > 64) cursor.fail("a tensor of more than 64 dimensions");
    cursor.expect('x', "a tensor's shape");
  }
  if (cursor.peek() == '!') {
    cursor.accept('!');
    const std::string_view name = cursor.suffix_name("a type");
    if (const auto alias = type_aliases_.find(name); alias != type_aliases_.end()) {
      // Of a quantized element; another one makes the whole type foreign.
      const Type t =
          read_alias(alias->second, [&] { return cursor.accept("!quant.uniform") ? quantized_tensor(shape) : Type(); });
      return t ? encoded(t) : foreign_type(start);
    }
    if (name == "quant.uniform") return encoded(quantized_tensor(shape));
    return foreign_type(start);
  }
  const size_t element_at = cursor.offset();
  std::string name(cursor.word());
  if (name == "complex") {
    cursor.expect('<', "a complex type");
    name += "<" + std::string(cursor.word()) + ">";
    cursor.expect('>', "a complex type");
  }
  const auto element = element_type_from_name(name);
  if (!element) {
    if (name.empty()) cursor.fail_expected("an element type", "a tensor type");
    if (name == "tuple" || name == "vector") return foreign_type(start);
    cursor.fail_at(element_at, name.size(), "there is no element type " + name);
  }
  int64_t bytes = static_cast<int64_t>(byte_size(*element));
  for (int64_t d : shape) {
    if (d == kDynamic || d == 0) continue;
    if (d > kMaxBytes / bytes)
      cursor.fail_at(start, cursor.offset() - start, "this tensor type is too large for any memory");
    bytes *= d;
  }
  return encoded(Type::tensor(*element, shape));
}

Type Parser::encoded(Type tensor) {
  if (cursor.accept(',')) {
    const size_t at = (cursor.skip_space(), cursor.offset());
    const Attr attr = attribute();
    const auto* opaque = attr.get_if<OpaqueAttr>();
    const std::string written = opaque ? opaque->text : std::string(cursor.text().substr(at, cursor.offset() - at));
    // Through an alias only: with the type's closing bracket it would read as an arrow.
    if (written.ends_with('-')) cursor.fail_at(at, cursor.offset() - at, "a tensor type's encoding that ends in '-'");
    Cursor inner(written, nullptr);
    const bool list_in_brackets = inner.accept("#stablehlo.type_extensions<");
    if (list_in_brackets || inner.accept("#stablehlo.bounds<")) {
      if (list_in_brackets) {
        inner.expect_word("bounds", "a tensor type's bounds");
        inner.expect("=", "a tensor type's bounds");
        inner.expect("[", "a tensor type's bounds");
      }
      std::vector<int64_t> bounds;
      while (inner.peek() != '>' && inner.peek() != ']') {
        if (!bounds.empty()) inner.expect(',', "a tensor type's bounds");
        // -1 is the older spelling of "no bound", INT64_MIN what some printers make of it.
        int64_t bound = kDynamic;
        if (!inner.accept('?')) bound = inner.integer("a tensor type's bounds");
        bounds.push_back(bound < 0 ? kDynamic : bound);
      }
      if (bounds.size() != tensor.shape().size()) {
        cursor.fail_at(at, cursor.offset() - at,
                       "bounds of " + std::to_string(bounds.size()) + " dimensions for a tensor of rank " +
                           std::to_string(tensor.rank()));
      }
      for (size_t i = 0; i < bounds.size(); ++i) {
        if (bounds[i] != kDynamic && tensor.shape()[i] != kDynamic) {
          cursor.fail_at(at, cursor.offset() - at,
                         "a bound of dimension " + std::to_string(i) + ", whose extent is static");
        }
      }
      tensor = tensor.with_bounds(bounds);
    } else {
      tensor = tensor.with_encoding(written);
    }
  }
  cursor.expect('>', "a tensor type");
  return tensor;
}

Type Parser::foreign_type(size_t start) {
  cursor.seek(start);
  cursor.accept('!');
  const std::string_view name = cursor.suffix_name("a type");
  if (cursor.offset() < cursor.text().size() && cursor.text()[cursor.offset()] == '<') {
    cursor.accept('<');
    cursor.skip_balanced('>');
  } else if (name == "tensor" || name == "memref" || name == "vector" || name == "complex") {
    cursor.expect('<', "a type");
  }
  return Type::foreign(expand_aliases(cursor.text().substr(start, cursor.offset() - start)));
}

double Parser::plain_float() {
  const size_t at = (cursor.skip_space(), cursor.offset());
  const bool negative = cursor.accept('-');
  const std::string_view rest = cursor.rest();
  double value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || negative) cursor.fail_at(at, 1, "a scale must be a positive number");
  cursor.seek(cursor.offset() + static_cast<size_t>(end - rest.data()));
  return value;
}

// !quant.uniform<i8<-127:127>:f32:0, {0.1:3, 0.2}>: storage with its range, expressed type, axis, scales with zero points.
Type Parser::quantized_tensor(std::span<const int64_t> shape) {
  const std::string context = "a quantized type";
  const size_t start = cursor.offset();
  cursor.expect('<', context);
  const size_t storage_at = (cursor.skip_space(), cursor.offset());
  std::string storage_name(cursor.word());
  if (!storage_name.empty() && storage_name[0] == 'u' && storage_name.substr(0, 2) != "ui") storage_name.insert(1, "i");
  const auto storage = element_type_from_name(storage_name);
  if (!storage || !is_integer(*storage) || bit_width(*storage) > 32) {
    cursor.fail_at(storage_at, storage_name.size(),
                   "storage type of a quantized type: got " + storage_name + ", expected an integer of 2 to 32 bits");
  }
  Quantization q;
  const int bits = bit_width(*storage);
  q.storage_min = is_unsigned_integer(*storage) ? 0 : -(int64_t{1} << (bits - 1));
  q.storage_max = q.storage_min + (int64_t{1} << bits) - 1;
  if (cursor.accept('<')) {
    const int64_t low = q.storage_min, high = q.storage_max;
    q.storage_min = cursor.integer(context);
    cursor.expect(':', context);
    q.storage_max = cursor.integer(context);
    cursor.expect('>', context);
    if (q.storage_min < low || q.storage_max > high || q.storage_min >= q.storage_max) {
      cursor.fail_at(storage_at, storage_name.size(),
                     "storage range of a quantized type: got " + std::to_string(q.storage_min) + " to " +
                         std::to_string(q.storage_max) + ", expected a range within " + std::to_string(low) + " to " +
                         std::to_string(high));
    }
  }
  cursor.expect(':', context);
  const size_t expressed_at = (cursor.skip_space(), cursor.offset());
  const std::string_view expressed_name = cursor.word();
  const auto expressed = element_type_from_name(expressed_name);
  if (!expressed || !is_float(*expressed)) {
    cursor.fail_at(
        expressed_at, expressed_name.size(),
        "expressed type of a quantized type: got " + std::string(expressed_name) + ", expected a float type");
  }
  q.expressed = *expressed;
  if (cursor.accept(':')) {
    q.axis = cursor.integer(context);
    if (q.axis < 0)
      cursor.fail_at(start, 1, "quantization dimension must not be negative: got " + std::to_string(q.axis));
  }
  cursor.expect(',', context);
  const auto parameters = [&] {
    q.scales.push_back(plain_float());
    q.zero_points.push_back(cursor.accept(':') ? cursor.integer(context) : 0);
  };
  if (q.per_axis()) {
    cursor.expect('{', context);
    do { parameters(); } while (cursor.accept(','));
    cursor.expect('}', context);
  } else {
    parameters();
  }
  cursor.expect('>', context);
  return Type::quantized(*storage, q, shape);
}

std::vector<Type> Parser::types_in_parentheses() {
  cursor.expect('(', "a list of types");
  std::vector<Type> out;
  while (cursor.peek() != ')') {
    if (!out.empty()) cursor.expect(',', "a list of types");
    out.push_back(type());
  }
  cursor.expect(')', "a list of types");
  return out;
}

TypeClause Parser::type_clause() {
  cursor.expect(':', "an op");
  TypeClause clause;
  cursor.skip_space();
  clause.offset = cursor.offset();
  if (cursor.peek() == '(') {
    clause.operands = types_in_parentheses();
    cursor.expect("->", "an op's type");
    clause.has_arrow = true;
  } else {
    clause.operands.push_back(type());
    while (cursor.accept(',')) clause.operands.push_back(type());
    clause.has_arrow = cursor.accept("->");
  }
  if (!clause.has_arrow) return clause;
  if (cursor.peek() == '(') {
    clause.results = types_in_parentheses();
  } else {
    clause.results.push_back(type());
  }
  return clause;
}

}  // namespace weft::text
