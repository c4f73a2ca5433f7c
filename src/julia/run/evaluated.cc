#include "julia/run/evaluated.h"

#include <algorithm>
#include <cmath>

#include "julia/host/number.h"
#include "julia/host/show.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

class Writer {
 public:
  Writer(Evaluator& evaluator, Module& module) : evaluator_(evaluator), module_(module) {}

  std::string text;

  void add_list(const Value& values) {
    bool is_first = true;
    evaluator_.for_each(values, [&](const Value& v) {
      if (!is_first) text += ", ";
      is_first = false;
      add(v);
      return true;
    });
  }

  void add(const Value& v) {
    if (v.is(core().symbol)) return add_name(v.as_symbol());
    if (v.type()->name->name == Symbol("QuoteNode") && field_count(v) == 1 && get_field(v, 0).is(core().symbol)) {
      text += symbol_text(get_field(v, 0).as_symbol());
    } else if (is_literal(v)) {
      text += "(" + show_text(v) + ")";
    } else {
      text += constant_name(v);
    }
  }

 private:
  /// A name in the place of `$`. Operators stand in parentheses, behind a dot as symbols: Base.:(+).
  void add_name(Symbol name) {
    if (!is_operator_name(name.text())) {
      text += identifier_text(name);
      return;
    }
    if (text.ends_with('.')) text += ":";
    text += "(" + name.text() + ")";
  }

  static bool is_literal(const Value& v) {
    if (v.is(core().float64)) return std::isfinite(v.get<double>());
    return v.is(core().int64) || v.is(core().bool_) || v.is(core().char_) || v.is(core().string) ||
           v.is(core().nothing);
  }

  /// The name that a type or function has in the module, or that of a new constant.
  std::string constant_name(const Value& v) {
    if (v.is_type()) {
      const std::string name = type_text(v.as_type());
      const Binding* known = is_identifier(name) ? find_binding(module_, name) : nullptr;
      if (known != nullptr && known->is_const && known->value.is_defined() && is_identical(known->value, v))
        return name;
    }
    for (int n = 1;; ++n) {
      const Symbol name("##value#" + std::to_string(n));
      if (find_binding(module_, name) != nullptr) continue;
      Binding& made = own_binding(module_, name);
      made.value = v;
      made.is_const = true;
      return "var\"" + name.text() + "\"";
    }
  }

  Evaluator& evaluator_;
  Module& module_;
};

}  // namespace

EvaluatedCode evaluated_code(Evaluator& evaluator, std::span<const Value> arguments) {
  EvaluatedCode out;
  out.module = module_of(arguments[0]);
  if (out.module == nullptr) throw_type_error("eval", "", core().module, arguments[0]);
  out.file = string_of(arguments[1]);
  const auto line = static_cast<size_t>(arguments[2].get<int64_t>());
  const std::string kinds = string_of(arguments[4]);
  Writer writer(evaluator, *out.module);
  writer.text = std::string(line - 1, '\n') + string_of(get_field(arguments[3], 0));
  for (size_t i = 0; i < kinds.size(); ++i) {
    const Value& v = arguments[5 + i];
    if (kinds[i] == '*') writer.add_list(v);
    else writer.add(v);
    writer.text += string_of(get_field(arguments[3], i + 1));
  }
  out.text = std::move(writer.text);
  return out;
}

}  // namespace weft::julia
