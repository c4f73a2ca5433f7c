// @eval and eval of quoted code. Code is no value here: it goes to the host as its text, with the values of what is interpolated, and is read
// anew when the program comes there.
#include <algorithm>

#include "julia/host/number.h"
#include "julia/lower/lowerer.h"

namespace weft::julia {
namespace {

/// What is interpolated into quoted code, in the order of the text. Code that is quoted inside keeps its own.
void find_interpolated(const Tree& tree, NodeId id, std::vector<NodeId>& out) {
  if (tree.is(id, Kind::kInterpolate)) return out.push_back(id);
  if (tree.is(id, Kind::kQuoteExpr)) return;
  for (const NodeId c : tree.children(id)) find_interpolated(tree, c, out);
}

}  // namespace

/// :(code) and quote … end, but for a quoted name or number.
bool Lowerer::is_quoted_code(NodeId id) const {
  if (!is(id, Kind::kQuoteExpr) || count(id) != 1) return false;
  const NodeId inner = tree().unparen(child(id, 0));
  return !is_leaf(kind(inner)) && !is(inner, Kind::kVarName) && !is(inner, Kind::kCharLiteral) &&
         !is(inner, Kind::kStringLiteral);
}

/// The code in a module, as a call of the host: _eval_code(module, file, line, texts, kinds, values…). A kind says of each value whether it is a
/// list of several.
FormId Lowerer::evaluated(NodeId code, FormId module) {
  if (!is_top_level_) return refuse("eval of code inside of a function: evaluate it at top level");
  std::vector<NodeId> interpolated;
  find_interpolated(tree(), code, interpolated);
  // Nodes of a call with parameters do not stand in the order of the text.
  std::ranges::sort(interpolated, {}, [&](NodeId n) { return tree()[n].begin; });
  std::vector<FormId> texts, values;
  std::string kinds;
  // Of quote … end, what is between the words.
  const bool has_words = is(code, Kind::kBlock) && tree().text(code).starts_with("quote");
  if (has_words && count(code) == 0) return form(FormKind::kNothing);
  uint32_t at = has_words ? tree()[child(code, 0)].begin : tree()[code].begin;
  const uint32_t end = has_words ? tree()[children(code).back()].end : tree()[code].end;
  const int line = source_->line_of(has_words ? child(code, 0) : code);
  for (const NodeId n : interpolated) {
    texts.push_back(text_constant(source_->text.substr(at, tree()[n].begin - at)));
    at = tree()[n].end;
    const NodeId value = tree().unparen(child(n, 0));
    const bool is_list = is(value, Kind::kSplat);
    kinds += is_list ? '*' : '1';
    values.push_back(lower(is_list ? child(value, 0) : value));
  }
  texts.push_back(text_constant(source_->text.substr(at, end - at)));
  std::vector<FormId> all = {module, text_constant(source_->name), constant(number(int64_t{line})), tuple(texts),
                             text_constant(kinds)};
  all.insert(all.end(), values.begin(), values.end());
  return base_call("_eval_code", all);
}

/// eval(code), M.eval(code) and Core.eval(M, code).
std::optional<FormId> Lowerer::eval_call(NodeId callee, Nodes arguments) {
  FormId module = kNoForm;
  if (is_identifier(callee) && !is_local(callee) && name_of(callee) == Symbol("eval") && arguments.size() == 1) {
    module = global("@__MODULE__");
  } else if (is(callee, Kind::kDot) && count(callee) == 2 && is_identifier(child(callee, 1)) &&
             name_of(child(callee, 1)) == Symbol("eval") && (arguments.size() == 1 || arguments.size() == 2)) {
    module = lower(arguments.size() == 2 ? arguments[0] : child(callee, 0));
  } else {
    return std::nullopt;
  }
  const NodeId code = tree().unparen(arguments.back());
  if (is_quoted_code(code)) return evaluated(child(code, 0), module);
  // A symbol is evaluated to what it names, another value to itself.
  const FormId texts = tuple(std::vector<FormId>{text_constant(""), text_constant("")});
  return base_call("_eval_code",
                   {module, text_constant(source_->name), constant(number(int64_t{source_->line_of(code)})), texts,
                    text_constant("1"), lower(code)});
}

}  // namespace weft::julia
