#include <algorithm>

#include "text/attribute_names.h"
#include "text/forms.h"

namespace weft::text {

namespace {

/// [DEFAULT, HIGHEST]
void parse_precision(Parser& p, OpParts& op) {
  p.cursor.expect('[', "precision");
  AttrList words;
  while (p.cursor.peek() != ']') {
    if (!words.empty()) p.cursor.expect(',', "precision");
    const std::string_view w = p.cursor.word();
    if (w.empty()) p.cursor.fail_expected("DEFAULT, HIGH or HIGHEST", "precision");
    words.push_back(std::string(w));
  }
  p.cursor.expect(']', "precision");
  op.attrs.set("precision_config", std::move(words));
}

bool print_precision(Printer& p, const Attr& value) {
  const auto* list = value.get_if<std::shared_ptr<const AttrList>>();
  if (list == nullptr) return false;
  p << "[";
  for (size_t i = 0; i < (*list)->size(); ++i) {
    const auto* word = (**list)[i].get_if<std::string>();
    if (word == nullptr || !is_bare(*word)) return false;
    if (i) p << ", ";
    p << *word;
  }
  p << "]";
  return true;
}

// stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = […], algorithm = <…> : (t, t) -> t
void parse_dot_general(Parser& p, OpParts& op) {
  p.operands(op);
  for (const std::string_view name : {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                      "lhs_contracting_dimensions", "rhs_contracting_dimensions"}) {
    op.attrs.set(name, Attr::Ints{});
  }
  while (p.cursor.accept(',')) {
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    const std::string_view clause = p.cursor.word();
    p.cursor.expect('=', "stablehlo.dot_general");
    if (clause == "batching_dims" || clause == "contracting_dims") {
      const std::string what = clause == "batching_dims" ? "batching_dimensions" : "contracting_dimensions";
      op.attrs.set("lhs_" + what, p.int_list(clause));
      p.cursor.expect_word("x", clause);
      op.attrs.set("rhs_" + what, p.int_list(clause));
    } else if (clause == "precision") {
      parse_precision(p, op);
    } else if (clause == "algorithm") {
      p.cursor.expect('<', "algorithm");
      for (auto& [name, value] : p.struct_fields(*find_struct("stablehlo.dot_general", "algorithm")))
        op.attrs.set(name, std::move(value));
      p.cursor.expect('>', "algorithm");
    } else {
      p.cursor.fail_at(at, clause.size(),
                       "[stablehlo.dot_general] expected batching_dims, contracting_dims, precision or algorithm");
    }
  }
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

// stablehlo.dot %a, %b, precision = [DEFAULT, DEFAULT] : (t, t) -> t
void parse_dot(Parser& p, OpParts& op) {
  p.operands(op);
  if (p.cursor.accept(',')) {
    p.cursor.expect_word("precision", "stablehlo.dot");
    p.cursor.expect('=', "stablehlo.dot");
    parse_precision(p, op);
  }
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_dot(Printer& p, const OpView& op) {
  p << "stablehlo.dot ";
  p.values(op.operands());
  if (const Attr* precision = op.attrs().find("precision_config")) {
    p << ", precision = ";
    if (!print_precision(p, *precision)) return false;
  }
  p.other_attributes(op, {"precision_config"});
  p.functional_type(op);
  return true;
}

bool print_dot_general(Printer& p, const OpView& op) {
  const Attrs& a = op.attrs();
  p << "stablehlo.dot_general ";
  p.values(op.operands());
  if (!a.ints("lhs_batching_dimensions").empty() || !a.ints("rhs_batching_dimensions").empty()) {
    p << ", batching_dims = ";
    p.int_list(a.ints("lhs_batching_dimensions"));
    p << " x ";
    p.int_list(a.ints("rhs_batching_dimensions"));
  }
  p << ", contracting_dims = ";
  p.int_list(a.ints("lhs_contracting_dimensions"));
  p << " x ";
  p.int_list(a.ints("rhs_contracting_dimensions"));
  if (const Attr* precision = a.find("precision_config")) {
    p << ", precision = ";
    if (!print_precision(p, *precision)) return false;
  }
  if (a.has("lhs_component_count") || a.has("lhs_precision_type")) {
    p << ", algorithm = ";
    p.struct_attribute(a, *find_struct("stablehlo.dot_general", "algorithm"), false);
  }
  Attrs rest = a;
  for (const std::string_view tag : {"dot_dimension_numbers", "algorithm"}) {
    for (const StructField& f : find_struct("stablehlo.dot_general", tag)->fields) rest.erase(f.name);
  }
  rest.erase("precision_config");
  p.attributes(op, rest);
  p.functional_type(op);
  return true;
}

/// window = {stride = [..], pad = [[..]], lhs_dilate = [..], rhs_dilate = [..], reverse = [..]}
void parse_window(Parser& p, OpParts& op) {
  p.cursor.expect('{', "window");
  bool first = true;
  std::vector<std::string_view> seen;
  while (p.cursor.peek() != '}') {
    if (!first) p.cursor.expect(',', "window");
    first = false;
    p.cursor.skip_space();
    const size_t at = p.cursor.offset();
    const std::string_view word = p.cursor.word();
    if (std::ranges::find(seen, word) != seen.end())
      p.cursor.fail_at(at, word.size(), "[stablehlo.convolution] window: " + std::string(word) + " is given twice");
    seen.push_back(word);
    p.cursor.expect('=', "window");
    if (word == "stride") {
      op.attrs.set("window_strides", p.int_list(word));
    } else if (word == "pad") {
      op.attrs.set("padding", p.pair_list(word));
    } else if (word == "lhs_dilate") {
      op.attrs.set("lhs_dilation", p.int_list(word));
    } else if (word == "rhs_dilate") {
      op.attrs.set("rhs_dilation", p.int_list(word));
    } else if (word == "reverse") {
      Attr::Ints flags;
      p.cursor.expect('[', word);
      while (p.cursor.peek() != ']') {
        if (!flags.empty()) p.cursor.expect(',', word);
        flags.push_back(p.boolean(word) ? 1 : 0);
      }
      p.cursor.expect(']', word);
      op.attrs.set("window_reversal", std::move(flags));
    } else {
      p.cursor.fail_at(at, word.size(),
                       "[stablehlo.convolution] expected stride, pad, lhs_dilate, rhs_dilate or reverse");
    }
  }
  p.cursor.expect('}', "window");
}

// stablehlo.convolution(%a, %b) dim_numbers = […]x[…]->[…], window = {…} {…} : (t, t) -> t
void parse_convolution(Parser& p, OpParts& op) {
  p.cursor.expect('(', "stablehlo.convolution");
  p.operands(op);
  p.cursor.expect(')', "stablehlo.convolution");
  p.cursor.expect_word("dim_numbers", "stablehlo.convolution");
  p.cursor.expect('=', "stablehlo.convolution");
  for (auto& [name, value] : p.convolution_dimensions()) op.attrs.set(name, std::move(value));
  p.cursor.expect(',', "stablehlo.convolution");
  p.cursor.expect_word("window", "stablehlo.convolution");
  p.cursor.expect('=', "stablehlo.convolution");
  parse_window(p, op);
  p.attribute_dictionary(op);
  p.elementwise_types(op);
}

bool print_convolution(Printer& p, const OpView& op) {
  const Attrs& a = op.attrs();
  p << "stablehlo.convolution(";
  p.values(op.operands());
  p << ") dim_numbers = ";
  if (!p.convolution_dimensions(a)) return false;
  p << ", window = {";
  bool first = true;
  const auto clause = [&](std::string_view word, std::string_view name) {
    if (!a.has(name)) return;
    p << (first ? "" : ", ") << word << " = ";
    first = false;
    if (word == "pad") {
      p.pair_list(a.ints(name));
    } else if (word == "reverse") {
      p << "[";
      for (size_t i = 0; i < a.ints(name).size(); ++i) p << (i ? ", " : "") << (a.ints(name)[i] ? "true" : "false");
      p << "]";
    } else {
      p.int_list(a.ints(name));
    }
  };
  clause("stride", "window_strides");
  clause("pad", "padding");
  clause("lhs_dilate", "lhs_dilation");
  clause("rhs_dilate", "rhs_dilation");
  clause("reverse", "window_reversal");
  p << "}";
  Attrs rest = a;
  for (const StructField& f : find_struct("stablehlo.convolution", "dimension_numbers")->fields) rest.erase(f.name);
  for (const std::string_view name : {"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal"})
    rest.erase(name);
  p.attributes(op, rest);
  p.functional_type(op);
  return true;
}

constexpr Form kForms[] = {
    {"stablehlo.dot", parse_dot, print_dot},
    {"stablehlo.dot_general", parse_dot_general, print_dot_general},
    {"stablehlo.convolution", parse_convolution, print_convolution},
};

}  // namespace

std::span<const Form> contraction_forms() { return kForms; }

}  // namespace weft::text
