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
      const size_t back = cursor.offset();
      charge(alias->second);
      cursor.seek(static_cast<size_t>(alias->second.data() - cursor.text().data()));
      const Type t = type();
      cursor.seek(back);
      return t;
    }
    if (name == "stablehlo.token") return Type::token();
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
    throw Unsupported("type !" + std::string(name) + " is not known to Weft", cursor.loc(start, name.size() + 1));
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
  if (word == "index" || word == "vector" || word == "memref" || word == "none" || element_type_from_name(word) ||
      word == "complex") {
    throw Unsupported("type " + std::string(word) + ": values are tensors, tokens, tuples and stacks",
                      cursor.loc(start, word.size()));
  }
  cursor.fail_expected("a type", "a type");
}

Type Parser::tensor_type() {
  const size_t start = cursor.offset();
  cursor.expect_word("tensor", "a tensor type");
  cursor.expect('<', "a tensor type");
  if (cursor.peek() == '*') throw Unsupported("unranked tensors: the rank must be known", cursor.here());
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
    const size_t at = cursor.offset();
    cursor.accept('!');
    const std::string_view name = cursor.suffix_name("a type");
    throw Unsupported("tensors of !" + std::string(name), cursor.loc(at, name.size() + 1));
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
    if (name == "index" || name == "tuple" || name == "vector") {
      throw Unsupported("tensors of " + name, cursor.loc(element_at, name.size()));
    }
    cursor.fail_at(element_at, name.size(), "there is no element type " + name);
  }
  if (cursor.accept(',')) throw Unsupported("tensor types with an encoding (bounds, sparsity)", cursor.here());
  cursor.expect('>', "a tensor type");
  int64_t bytes = static_cast<int64_t>(byte_size(*element));
  for (int64_t d : shape) {
    if (d == kDynamic || d == 0) continue;
    if (d > kMaxBytes / bytes)
      cursor.fail_at(start, cursor.offset() - start, "this tensor type is too large for any memory");
    bytes *= d;
  }
  return Type::tensor(*element, shape);
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
