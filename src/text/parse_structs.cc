// Attributes of the StableHLO dialect: #stablehlo.gather<…>, #stablehlo.conv<…>, #stablehlo<comparison_direction LT>.
#include "text/attribute_names.h"
#include "text/parser.h"

namespace weft::text {

Attr Parser::hash_attribute() {
  const size_t start = cursor.offset();
  cursor.expect('#', "an attribute");
  std::string_view name = cursor.suffix_name("an attribute");
  if (const auto alias = attribute_aliases_.find(name); alias != attribute_aliases_.end()) {
    return read_alias(alias->second, [&] { return attribute(); });
  }
  // Another dialect's attribute ends with its bracket; a type may follow.
  const auto fail_over = [&]() -> Attr {
    cursor.seek(start);
    cursor.accept('#');
    cursor.suffix_name("an attribute");
    if (cursor.looking_at("<")) {
      cursor.accept('<');
      cursor.skip_balanced('>');
    }
    const size_t end = cursor.offset();
    if (cursor.peek() == ':') return opaque_rest(start);
    return OpaqueAttr{expand_aliases(cursor.text().substr(start, end - start))};
  };
  if ((name == "stablehlo" || name == "chlo") && cursor.accept('<')) {
    // #stablehlo<comparison_direction LT>, #stablehlo<dot …> of the older printers.
    cursor.word();
    const std::string_view value = cursor.word();
    if (!value.empty() && cursor.accept('>')) return std::string(value);
    return fail_over();
  }
  if (name == "stablehlo.result_accuracy") {
    check_result_accuracy();
    return fail_over();
  }
  const StructAttribute* known = find_struct_by_tag(name);
  if (known == nullptr) {
    // #stablehlo.precision<HIGHEST>
    if (name.starts_with("stablehlo.") && cursor.accept('<')) {
      const std::string_view value = cursor.word();
      if (!value.empty() && cursor.accept('>')) return std::string(value);
    }
    return fail_over();
  }
  cursor.expect('<', "a struct attribute");
  AttrEntries entries;
  if (name == "stablehlo.conv") {
    entries = convolution_dimensions();
  } else {
    entries = struct_fields(*known);
  }
  cursor.expect('>', "a struct attribute");
  return entries;
}

/// <atol = 0.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<DEFAULT>>: tolerances go with mode TOLERANCE only.
void Parser::check_result_accuracy() {
  cursor.expect('<', "result_accuracy");
  const size_t at = cursor.offset();
  bool has_tolerance = false;
  std::string mode = "DEFAULT";
  bool first = true;
  while (cursor.peek() != '>') {
    if (!first) cursor.expect(',', "result_accuracy");
    first = false;
    const std::string_view field = cursor.word();
    cursor.expect('=', "result_accuracy");
    if (field == "mode") {
      const Attr value = attribute();
      if (const auto* word = value.get_if<std::string>()) mode = *word;
    } else {
      const Attr value = untyped_number();
      const auto* d = value.get_if<double>();
      const double tolerance = d ? *d : static_cast<double>(*value.get_if<int64_t>());
      if (tolerance < 0)
        cursor.fail_at(at, 1, "result_accuracy: " + std::string(field) + " must not be negative: got " + value.str());
      has_tolerance |= tolerance != 0;
    }
  }
  if (mode != "DEFAULT" && mode != "HIGHEST" && mode != "TOLERANCE")
    cursor.fail_at(at, 1, "result_accuracy: mode: got " + mode + ", expected DEFAULT, HIGHEST or TOLERANCE");
  if (has_tolerance && mode != "TOLERANCE")
    cursor.fail_at(at, 1, "result_accuracy: tolerances with mode " + mode + " must be zero");
  cursor.expect('>', "result_accuracy");
}

AttrEntries Parser::struct_fields(const StructAttribute& s) {
  AttrEntries entries;
  while (cursor.peek() != '>') {
    if (!entries.empty()) cursor.expect(',', s.tag);
    if (cursor.peek() == '>') break;  // MLIR takes a comma after the last field
    cursor.skip_space();
    const size_t at = cursor.offset();
    const std::string_view field = cursor.word();
    const StructField* found = nullptr;
    for (const StructField& f : s.fields) {
      if (f.name == field) found = &f;
    }
    if (found == nullptr)
      cursor.fail_at(at, field.size(), "#" + std::string(s.tag) + " has no field '" + std::string(field) + "'");
    for (const auto& [seen, value] : entries) {
      if (seen == field) cursor.fail_at(at, field.size(), "field '" + std::string(field) + "' is given twice");
    }
    cursor.expect('=', s.tag);
    Attr value;
    switch (found->kind) {
      case FieldKind::kList: value = int_list(field); break;
      case FieldKind::kInt: value = cursor.integer(field); break;
      case FieldKind::kBool: value = boolean(field); break;
      case FieldKind::kWord: value = std::string(cursor.word()); break;
    }
    entries.emplace_back(std::string(field), std::move(value));
  }
  if (!s.fill) return entries;
  for (const StructField& f : s.fields) {
    bool seen = false;
    for (const auto& [n, value] : entries) seen |= n == f.name;
    if (!seen)
      entries.emplace_back(std::string(f.name), f.kind == FieldKind::kList ? Attr(Attr::Ints{}) : Attr(int64_t{0}));
  }
  return entries;
}

AttrEntries Parser::convolution_dimensions() {
  AttrEntries out;
  const auto part = [&](char first, char second, std::string_view a, std::string_view b, std::string_view spatial) {
    cursor.expect('[', "dim_numbers");
    int64_t at_first = -1, at_second = -1, at = 0;
    std::vector<int64_t> spatial_at;
    cursor.skip_space();
    const size_t start = cursor.offset();
    while (cursor.peek() != ']') {
      if (at > 0) cursor.expect(',', "dim_numbers");
      const char c = cursor.peek();
      if (c == first || c == second) {
        cursor.accept(c);
        int64_t& slot = c == first ? at_first : at_second;
        if (slot >= 0) cursor.fail(std::string("dim_numbers: '") + c + "' is given twice");
        slot = at;
      } else if (c >= '0' && c <= '9') {
        const int64_t n = cursor.integer("dim_numbers");
        if (n > 63) cursor.fail("dim_numbers: spatial dimension " + std::to_string(n) + " is out of range");
        if (spatial_at.size() <= static_cast<size_t>(n)) spatial_at.resize(static_cast<size_t>(n) + 1, -1);
        if (spatial_at[static_cast<size_t>(n)] >= 0)
          cursor.fail("dim_numbers: spatial dimension " + std::to_string(n) + " is given twice");
        spatial_at[static_cast<size_t>(n)] = at;
      } else {
        cursor.fail_expected(std::string("'") + first + "', '" + second + "' or a number", "dim_numbers");
      }
      ++at;
    }
    for (int64_t s : spatial_at) {
      if (s < 0) cursor.fail_at(start, 1, "dim_numbers: a spatial dimension is missing");
    }
    if (at_first < 0 || at_second < 0)
      cursor.fail_at(start, 1, std::string("dim_numbers: expected '") + first + "' and '" + second + "'");
    cursor.expect(']', "dim_numbers");
    out.emplace_back(std::string(a), at_first);
    out.emplace_back(std::string(b), at_second);
    out.emplace_back(std::string(spatial), spatial_at);
  };
  if (cursor.peek_word() == "raw") {
    cursor.word();
    return struct_fields(*find_struct("stablehlo.convolution", "dimension_numbers"));
  }
  part('b', 'f', "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions");
  cursor.expect('x', "dim_numbers");
  part('i', 'o', "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions");
  cursor.expect("->", "dim_numbers");
  part('b', 'f', "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions");
  return out;
}

}  // namespace weft::text
