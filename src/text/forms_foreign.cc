// Pretty forms of ops of arith, tensor, shape and builtin that stand between StableHLO's in its own tests and in exported
// programs. They are read; printing says such ops in generic form, which every dialect reads.
#include <array>

#include "ops/foreign/foreign.h"
#include "text/forms.h"

namespace weft::text {
namespace {

enum class Shape : uint8_t {
  kCast,      // %a, … : t, … to u, …
  kArrow,     // %a, … : t, … -> u
  kSame,      // %a, … : t, of operands and result
  kConstant,  // value : t
  kExtents,   // [1, 2] : t
  kDim,       // %tensor, %i : t
  kElements,  // %a, … : t, of the result; operands are its elements
  kExtract,   // %tensor[%i, …] : t
};

struct ForeignForm {
  std::string_view mnemonic;
  Shape shape;
};

constexpr std::array kForms = {
    ForeignForm{"arith.addi", Shape::kSame},
    ForeignForm{"arith.constant", Shape::kConstant},
    ForeignForm{"arith.divsi", Shape::kSame},
    ForeignForm{"arith.index_cast", Shape::kCast},
    ForeignForm{"arith.maxsi", Shape::kSame},
    ForeignForm{"arith.minsi", Shape::kSame},
    ForeignForm{"arith.muli", Shape::kSame},
    ForeignForm{"arith.subi", Shape::kSame},
    ForeignForm{"bufferization.to_buffer", Shape::kCast},
    ForeignForm{"bufferization.to_tensor", Shape::kCast},
    ForeignForm{"builtin.unrealized_conversion_cast", Shape::kCast},
    ForeignForm{"memref.cast", Shape::kCast},
    ForeignForm{"shape.broadcast", Shape::kArrow},
    ForeignForm{"shape.const_shape", Shape::kExtents},
    ForeignForm{"shape.num_elements", Shape::kArrow},
    ForeignForm{"shape.shape_of", Shape::kArrow},
    ForeignForm{"tensor.cast", Shape::kCast},
    ForeignForm{"tensor.dim", Shape::kDim},
    ForeignForm{"tensor.extract", Shape::kExtract},
    ForeignForm{"tensor.from_elements", Shape::kElements},
};

std::vector<Type> types(Parser& p) {
  std::vector<Type> out;
  do { out.push_back(p.type()); } while (p.cursor.accept(','));
  return out;
}

Type index_type() { return Type::foreign("index"); }

/// The type of a value taken out of a tensor.
Type element_of(Parser& p, Type tensor, size_t at) {
  if (!tensor.is_tensor()) p.cursor.fail_at(at, 1, "a tensor type was expected: got " + tensor.str());
  return Type::foreign(tensor.element_str());
}

/// An attribute that says its own type at its end; returns the type.
Type typed_attribute(Parser& p, OpParts& op, std::string_view name) {
  p.cursor.skip_space();
  const size_t start = p.cursor.offset();
  const Attr value = p.attribute();
  const size_t end = p.cursor.offset();
  const std::string_view written = p.cursor.text().substr(start, end - start);
  const bool has_a_type = value.get_if<Literal>() || value.get_if<bool>() || value.get_if<int64_t>() ||
                          value.get_if<double>() || value.get_if<OpaqueAttr>();
  if (!has_a_type) {
    p.cursor.fail_at(start, end - start,
                     "a number or a dense literal was expected: got " + std::string(written.substr(0, 40)));
  }
  Type type;
  if (const auto* literal = value.get_if<Literal>()) {
    type = literal->type;
  } else if (value.get_if<bool>()) {
    type = Type::foreign("i1");
  } else if (const size_t colon = written.rfind(':'); colon != std::string_view::npos) {
    p.cursor.seek(start + colon + 1);
    type = p.type();
    p.cursor.seek(end);
  } else {
    // MLIR's defaults for numbers without a type.
    type = Type::foreign(value.get_if<double>() ? "f64" : "i64");
  }
  AttrEntries properties;
  if (value.get_if<Literal>() || value.get_if<bool>()) {
    properties.emplace_back(name, value);
  } else {
    const bool has_type = written.find(':') != std::string_view::npos;
    properties.emplace_back(name, OpaqueAttr{std::string(written) + (has_type ? "" : " : " + type.str())});
  }
  op.attrs.set(kForeignProperties, properties);
  return type;
}

void read_extents(Parser& p, OpParts& op) {
  const std::vector<int64_t> extents = p.int_list(op.record->mnemonic);
  p.attribute_dictionary(op);
  p.cursor.expect(':', op.record->mnemonic);
  op.results = {p.type()};
  std::string text = "dense<[";
  for (size_t i = 0; i < extents.size(); ++i) text += (i ? ", " : "") + std::to_string(extents[i]);
  text = (extents.empty() ? "dense<" : text + "]") + "> : tensor<" + std::to_string(extents.size()) + "xindex>";
  op.attrs.set(kForeignProperties, AttrEntries{{"shape", OpaqueAttr{text}}});
}

void read_extract(Parser& p, OpParts& op) {
  p.operand(op);
  p.cursor.expect('[', op.record->mnemonic);
  p.operands(op);
  p.cursor.expect(']', op.record->mnemonic);
  p.attribute_dictionary(op);
  p.cursor.expect(':', op.record->mnemonic);
  const size_t at = (p.cursor.skip_space(), p.cursor.offset());
  std::vector<Type> operand_types(op.operands.size(), index_type());
  operand_types[0] = p.type();
  op.results = {element_of(p, operand_types[0], at)};
  p.check_operand_types(op, operand_types, at);
}

}  // namespace

void foreign_form(Parser& p, OpParts& op) {
  const std::string_view mnemonic = op.record->mnemonic;
  const ForeignForm* form = nullptr;
  for (const ForeignForm& f : kForms) {
    if (f.mnemonic == mnemonic) form = &f;
  }
  if (form == nullptr) {
    throw Unsupported("[" + std::string(mnemonic) + "] is skipped because pretty forms of dialect " +
                          std::string(mnemonic.substr(0, mnemonic.find('.'))) +
                          " are not known: expected the generic form, \"" + std::string(mnemonic) + "\"(…) : (…) -> …",
                      op.loc);
  }
  if (form->shape == Shape::kConstant) {
    p.attribute_dictionary(op);
    op.results = {typed_attribute(p, op, "value")};
    return;
  }
  if (form->shape == Shape::kExtents) return read_extents(p, op);
  if (form->shape == Shape::kExtract) return read_extract(p, op);
  p.operands(op);
  p.attribute_dictionary(op);
  p.cursor.expect(':', mnemonic);
  const size_t at = (p.cursor.skip_space(), p.cursor.offset());
  std::vector<Type> said = types(p);
  switch (form->shape) {
    case Shape::kCast:
      p.cursor.expect_word("to", mnemonic);
      op.results = types(p);
      break;
    case Shape::kArrow:
      p.cursor.expect("->", mnemonic);
      op.results = types(p);
      break;
    case Shape::kDim:
      op.results = {index_type()};
      said.push_back(index_type());
      break;
    case Shape::kElements:
      op.results = {said[0]};
      said.assign(op.operands.size(), element_of(p, said[0], at));
      break;
    default:
      op.results = {said[0]};
      said.assign(op.operands.size(), said[0]);
      break;
  }
  p.check_operand_types(op, said, at);
}

}  // namespace weft::text
