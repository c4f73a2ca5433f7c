#include "julia/host/exception.h"

#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/host/method_error.h"
#include "julia/host/show.h"
#include "julia/host/text_view.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

Value symbol_value(Symbol s) { return Value::of_symbol(s); }

const DataType* builtin_data_type(std::string_view name) {
  const Type* t = builtin_type(name);
  const auto* d = t == nullptr ? nullptr : as<DataType>(t);
  if (d == nullptr) throw InternalError("no exception type " + std::string(name));
  return d;
}

std::string text_of_field(const Value& v, const char* name) {
  const Value f = get_field(v, Symbol(name));
  return f.is_defined() ? print_text(f) : "";
}

std::string shown_field(const Value& v, const char* name) {
  const Value f = get_field(v, Symbol(name));
  return f.is_defined() ? show_text(f) : "#undef";
}

/// "a value of type T", or for types "Type{T}".
std::string got_text(const Value& v) {
  return v.is_type() ? "Type{" + type_text(v.as_type()) + "}" : "a value of type " + type_text(v.type());
}

std::string index_text(const Value& index) {
  std::string out;
  if (!index.type()->is_tuple) return show_text(index);
  for (size_t i = 0; i < field_count(index); ++i) out += (i > 0 ? ", " : "") + show_text(get_field(index, i));
  return out;
}

std::string bounds_text(const Value& e) {
  const Value a = get_field(e, Symbol("a")), i = get_field(e, Symbol("i"));
  if (!a.is_defined()) return "BoundsError";
  std::string what;
  if (a.is(core().string)) {
    what = std::to_string(string_of(a).size()) + "-codeunit String";
  } else if (look_at(a)) {
    what = summary(a);
  } else if (number_kind(a)) {
    what = type_text(a.type());
  } else {
    what = type_text(a.type());
  }
  std::string out = "BoundsError: attempt to access " + what;
  if (i.is_defined()) out += " at index [" + index_text(i) + "]";
  return out;
}

std::string inexact_text(const Value& e) {
  const Symbol func = get_field(e, Symbol("func")).as_symbol();
  const Value args = get_field(e, Symbol("args"));
  const Value type = get_field(args, 0), value = get_field(args, 1);
  std::string out = "InexactError: " + func.text() + "(";
  if (type.is_type() && type_text(type.as_type()) != func.text()) out += show_text(type) + ", ";
  return out + show_text(value) + ")";
}

/// With the characters that begin before and after the index.
std::string string_index_text(const Value& e) {
  std::string out = "StringIndexError: invalid index [" + shown_field(e, "index") + "]";
  const auto text = text_view(get_field(e, Symbol("string")));
  const Value index = get_field(e, Symbol("index"));
  if (!text || !index.is(core().int64)) return out;
  const auto wanted = index.get<int64_t>() - 1;
  if (wanted < 0 || wanted >= static_cast<int64_t>(text->size())) return out;
  for (size_t at = 0; at < text->size();) {
    const size_t start = at;
    const Char c = next_char(*text, at);
    if (static_cast<int64_t>(at) <= wanted) continue;
    const auto place = [](size_t i, Char x) { return "[" + std::to_string(i + 1) + "]=>" + char_literal(x); };
    out += ", valid nearby indices " + place(start, c);
    const size_t after = at;
    if (at < text->size()) out += ", " + place(after, next_char(*text, at));
    return out;
  }
  return out;
}

std::string type_error_text(const Value& e) {
  const Symbol func = get_field(e, Symbol("func")).as_symbol();
  const std::string context = text_of_field(e, "context");
  const Value expected = get_field(e, Symbol("expected")), got = get_field(e, Symbol("got"));
  if (expected.is_type() && expected.as_type() == core().bool_ && context.empty() && func == Symbol("if"))
    return "TypeError: non-boolean (" + type_text(got.type()) + ") used in boolean context";
  std::string out = "TypeError: in " + func.text();
  if (!context.empty()) out += ", in " + context;
  return out + ", expected " + show_text(expected) + ", got " + got_text(got);
}

}  // namespace

JuliaError::JuliaError(Value exception, Loc loc)
    : UserError(error_text(exception), loc), value_(std::move(exception)) {}

std::string error_text(const Value& e) {
  if (!e.is_defined()) return "#undef";
  const std::string name = e.type()->name->name.text();
  const bool is_builtin = e.type()->name->module == Symbol("Base");
  if (!is_builtin) return show_text(e);
  if (name == "ErrorException") return text_of_field(e, "msg");
  if (name == "ArgumentError" || name == "DimensionMismatch" || name == "OverflowError" || name == "AssertionError" ||
      name == "MissingException")
    return name + ": " + text_of_field(e, "msg");
  if (name == "DivideError") return "DivideError: integer division error";
  if (name == "UndefRefError") return "UndefRefError: access to undefined reference";
  if (name == "StackOverflowError") return "StackOverflowError:";
  if (name == "OutOfMemoryError") return "OutOfMemoryError()";
  if (name == "InterruptException") return "InterruptException:";
  if (name == "EOFError") return "EOFError: read end of file";
  if (name == "BoundsError") return bounds_text(e);
  if (name == "InexactError") return inexact_text(e);
  if (name == "TypeError") return type_error_text(e);
  if (name == "MethodError") return method_error_text(e);
  if (name == "KeyError") return "KeyError: key " + shown_field(e, "key") + " not found";
  if (name == "UndefKeywordError")
    return "UndefKeywordError: keyword argument `" + text_of_field(e, "var") + "` not assigned";
  if (name == "UndefVarError") {
    const Value scope = get_field(e, Symbol("scope"));
    std::string out = "UndefVarError: `" + text_of_field(e, "var") + "` not defined";
    if (!scope.is_defined()) return out;
    if (scope.is(core().symbol)) {
      const std::string s = scope.as_symbol().text();
      return out + (s == "local"              ? " in local scope"
                    : s == "static_parameter" ? " in static parameter matching"
                                              : " in `" + s + "`");
    }
    return out + " in `" + print_text(scope) + "`";
  }
  if (name == "DomainError") {
    const std::string message = text_of_field(e, "msg");
    const Value val = get_field(e, Symbol("val"));
    ShowContext brief;
    brief.compact = brief.limit = val.is_defined() && look_at(val).has_value();
    std::string shown;
    show(shown, val, brief);
    return "DomainError with " + shown + ":" + (message.empty() ? "" : "\n" + message);
  }
  if (name == "FieldError") {
    const Value type = get_field(e, Symbol("type"));
    const auto* d = as<DataType>(type.as_type());
    std::string out =
        "FieldError: type " + type_name_text(d->name) + " has no field `" + text_of_field(e, "field") + "`";
    const std::vector<Symbol> names = d->field_names();
    if (names.empty()) return out + "; " + type_name_text(d->name) + " has no fields at all.";
    out += ", available fields: ";
    for (size_t i = 0; i < names.size(); ++i) out += (i > 0 ? ", `" : "`") + names[i].text() + "`";
    return out;
  }
  if (name == "StringIndexError") return string_index_text(e);
  if (name == "CanonicalIndexError")
    return "CanonicalIndexError: " + text_of_field(e, "func") + " not defined for " + shown_field(e, "type");
  return show_text(e);
}

Value make_exception(std::string_view type, std::vector<Value> fields) {
  return make_struct(builtin_data_type(type), std::move(fields));
}

void throw_divide_error() { throw JuliaError(make_exception("DivideError")); }
void throw_argument_error(std::string message) {
  throw JuliaError(make_exception("ArgumentError", {make_string(std::move(message))}));
}
void throw_overflow_error(std::string message) {
  throw JuliaError(make_exception("OverflowError", {make_string(std::move(message))}));
}
void throw_domain_error(Value value, std::string message) {
  throw JuliaError(make_exception("DomainError", {std::move(value), make_string(std::move(message))}));
}
void throw_inexact_error(Symbol func, const Type* type, Value value) {
  throw JuliaError(
      make_exception("InexactError", {symbol_value(func), make_tuple({Value::of_type(type), std::move(value)})}));
}
void throw_bounds_error(Value container, Value index) {
  throw JuliaError(make_exception("BoundsError", {std::move(container), std::move(index)}));
}
void throw_dimension_mismatch(std::string message) {
  throw JuliaError(make_exception("DimensionMismatch", {make_string(std::move(message))}));
}
void throw_type_error(Symbol func, std::string context, const Type* expected, Value got) {
  throw JuliaError(make_exception(
      "TypeError", {symbol_value(func), make_string(std::move(context)), Value::of_type(expected), std::move(got)}));
}
void throw_undef_ref_error() { throw JuliaError(make_exception("UndefRefError")); }
void throw_error(std::string message) {
  throw JuliaError(make_exception("ErrorException", {make_string(std::move(message))}));
}

}  // namespace weft::julia
