#include "julia/host/literal.h"

#include "julia/host/number.h"
#include "julia/syntax/literals.h"

namespace weft::julia {
namespace {

Value integer(const IntegerLiteral& literal) {
  switch (literal.type) {
    case IntegerType::kInt64: return number(static_cast<int64_t>(literal.bits));
    case IntegerType::kInt128: return number(static_cast<Int128>(literal.bits));
    case IntegerType::kUInt8: return number(static_cast<uint8_t>(literal.bits));
    case IntegerType::kUInt16: return number(static_cast<uint16_t>(literal.bits));
    case IntegerType::kUInt32: return number(static_cast<uint32_t>(literal.bits));
    case IntegerType::kUInt64: return number(static_cast<uint64_t>(literal.bits));
    case IntegerType::kUInt128: return number(static_cast<UInt128>(literal.bits));
    case IntegerType::kBigInt: break;
  }
  throw Unsupported("an integer beyond Int128 is a BigInt, which Weft does not have");
}

}  // namespace

Value literal_value(const Tree& tree, NodeId id) {
  switch (tree.kind(id)) {
    case Kind::kBool: return boolean(tree.text(id) == "true");
    case Kind::kInteger:
    case Kind::kBinInt:
    case Kind::kHexInt:
    case Kind::kOctInt: return integer(integer_value(tree, id));
    case Kind::kFloat: return number(float_value(tree, id).value);
    case Kind::kFloat32: return number(static_cast<float>(float_value(tree, id).value));
    case Kind::kCharLiteral: {
      const std::string text = char_value(tree, tree.child(id, 0));
      size_t at = 0;
      const Char c = next_char(text, at);
      return Value::from_bits(core().char_, &c);
    }
    case Kind::kStringLiteral: {
      std::string text;
      for (const NodeId piece : tree.children(id)) {
        if (!tree.is(piece, Kind::kString)) return {};
        text += string_value(tree, piece);
      }
      return make_string(std::move(text));
    }
    case Kind::kQuoteExpr: {
      if (!tree[id].has(Node::kForm) || tree.count(id) != 1) return {};
      const NodeId inner = tree.unparen(tree.child(id, 0));
      return is_name(tree.kind(inner)) || tree.is(inner, Kind::kVarName) ? Value::of_symbol(name_value(tree, inner))
                                                                         : Value();
    }
    default: return {};
  }
}

}  // namespace weft::julia
