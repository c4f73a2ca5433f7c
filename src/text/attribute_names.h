// Where MLIR's StableHLO dialect writes attributes otherwise than the specification names them, as data.
#pragma once
#include <span>
#include <string_view>

namespace weft::text {

/// A struct attribute whose fields are attributes of their own in the IR.
enum class FieldKind : unsigned char { kList, kInt, kBool, kWord };
struct StructField {
  std::string_view name;  // inside #stablehlo.gather<…>, and of the op's attribute
  FieldKind kind = FieldKind::kList;
};
struct StructAttribute {
  std::string_view mnemonic;
  std::string_view attribute;  // "dimension_numbers"
  std::string_view tag;        // "stablehlo.gather"
  std::span<const StructField> fields;
  bool fill = true;  // fields left out have their empty value, and empty values are left out
};
/// Null when the attribute is not a struct. By the op's attribute, or by the field's name in the IR.
const StructAttribute* find_struct(std::string_view mnemonic, std::string_view attribute);
const StructAttribute* find_struct_of_field(std::string_view mnemonic, std::string_view field);
/// By tag, whatever the op.
const StructAttribute* find_struct_by_tag(std::string_view tag);

/// How a value of an attribute that an op knows is written in generic form.
enum class Written : unsigned char {
  kPlain,     // by its kind
  kPairs,     // dense<[[low, high], …]> : tensor<nx2xi64>
  kBooleans,  // array<i1: …>
  kEnum,      // #stablehlo<comparison_direction LT>
  kEnumList,  // [#stablehlo<precision DEFAULT>, …]
  kSymbol,    // @f
  kInt32,     // 1 : i32
  kInts32,    // array<i32: …>
  kFloat32,   // 0.5 : f32
  kUnit,      // the name alone when true, nothing when false
  kOfResult,  // a number of the result's element type
};
struct WrittenAs {
  std::string_view mnemonic;
  std::string_view attribute;
  Written form;
  std::string_view enum_name = {};
};
/// kPlain when there is no row.
const WrittenAs& written_as(std::string_view mnemonic, std::string_view attribute);

/// Pretty forms of the shape `op %a, %b, word = value, … : types`.
struct Clause {
  std::string_view word;
  std::string_view attribute;
  bool is_list = true;
};
struct ClauseForm {
  std::string_view mnemonic;
  std::span<const Clause> clauses;
};
/// Whether MLIR reads one type in place of "(types) -> type" when operands and result are alike.
bool takes_one_type(std::string_view mnemonic);
const ClauseForm* find_clauses(std::string_view mnemonic);

}  // namespace weft::text
