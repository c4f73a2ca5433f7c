// Macros that say something: strings with a prefix, @show, @printf, @time, logging.
#include "julia/host/number.h"
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

/// raw"", b"", v"" and the like.
std::optional<FormId> Lowerer::string_macro(const std::string& name, NodeId id) {
  std::string raw, text;
  if (!is(child(id, 1), Kind::kStringLiteral)) return std::nullopt;
  for (const NodeId piece : children(child(id, 1))) raw += string_value(tree(), piece);
  if (name == "@raw_str") return text_constant(raw);
  if (name == "@b_str") {
    if (!unescape(raw, text)) return std::nullopt;
    return base_call("codeunits", {text_constant(text)});
  }
  if (name == "@html_str") return base_call("HTML", {text_constant(raw)});
  if (name == "@text_str") return base_call("Text", {text_constant(raw)});
  if (name == "@int128_str") return base_call("parse", {global("Int128", true), text_constant(raw)});
  if (name == "@uint128_str") return base_call("parse", {global("UInt128", true), text_constant(raw)});
  if (name == "@v_str") return base_call("VersionNumber", {text_constant(raw)});
  if (name == "@MIME_str") return base_call("apply_type", {global("MIME", true), constant(Value::of_symbol(raw))});
  if (name == "@r_str") return refuse("regular expressions: use occursin, split, startswith with strings");
  if (name == "@big_str") return refuse("BigInt and BigFloat");
  return std::nullopt;
}

FormId Lowerer::package_function(Symbol package, Symbol name) { return field(global(package, true), name); }

/// LINE and FILE.
void Lowerer::add_place(NodeId id, Arguments& to) {
  to.positional.push_back(text_constant(source_->name));
  to.positional.push_back(constant(number(int64_t{source_->line_of(id)})));
}

/// @show x, y: prints each as `x = 1`; the value of the last.
FormId Lowerer::show_values(Nodes arguments) {
  std::vector<FormId> forms;
  FormId value = form(FormKind::kNothing);
  for (const NodeId a : arguments) {
    const SlotId t = temporary();
    const FormId shown = base_call("repr", {set_local(t, lower(a))});
    forms.push_back(base_call("println", {text_constant(expression_text(tree(), a) + " = "), shown}));
    value = local(t);
  }
  forms.push_back(value);
  return block(forms);
}

std::optional<FormId> Lowerer::text_macro(const std::string& name, Nodes arguments) {
  if (name == "show") return show_values(arguments);
  if (name == "printf" || name == "sprintf") {
    const bool to_stream = name == "printf" && !arguments.empty() && !is(arguments[0], Kind::kStringLiteral);
    const size_t at = to_stream ? 1 : 0;
    if (arguments.size() <= at || !is(arguments[at], Kind::kStringLiteral))
      return refuse("@" + name + " whose format is no literal string");
    const Symbol function = name == "sprintf" ? "_sprintf" : to_stream ? "_printf_to" : "_printf";
    return call(package_function("Printf", function), lower_all(arguments));
  }
  return std::nullopt;
}

/// @time and its kin: the expression stands in place, so that what it assigns stays.
std::optional<FormId> Lowerer::timing_macro(const std::string& name, Nodes arguments) {
  if (arguments.empty()) return std::nullopt;
  const bool time = name == "time" || name == "showtime" || name == "timev";
  if (time || name == "elapsed") {
    const SlotId start = temporary(), value = temporary();
    std::vector<FormId> forms;
    const FormId message = time && arguments.size() > 1 ? lower(arguments[0]) : constant(nothing());
    forms.push_back(set_local(start, base_call("time_ns", {})));
    forms.push_back(set_local(value, lower(arguments.back())));
    if (time) {
      forms.push_back(base_call("_time_report", {local(start), message}));
      forms.push_back(local(value));
    } else {
      forms.push_back(base_call("_elapsed_since", {local(start)}));
    }
    return block(forms);
  }
  if (name == "timed") return base_call("_timed", {thunk(arguments.back())});
  if (name == "allocated" || name == "allocations") {
    const FormId value = lower(arguments.back());
    return block(std::vector<FormId>{value, constant(number(int64_t{0}))});
  }
  if (name == "btime" || name == "benchmark" || name == "belapsed" || name == "benchmarkable")
    return refuse("@" + name + ": BenchmarkTools measures Julia; use @time");
  if (name == "which" || name.starts_with("code_") || name == "less" || name == "edit")
    return refuse("@" + name + ": it looks into Julia itself");
  return std::nullopt;
}

/// @info message key = value …
std::optional<FormId> Lowerer::log_macro(const std::string& name, NodeId id, Nodes arguments) {
  static constexpr std::pair<std::string_view, std::string_view> levels[] = {
      {"info", "Info"}, {"warn", "Warn"}, {"error", "Error"}, {"debug", "Debug"}};
  for (const auto& [macro, level] : levels) {
    if (name != macro || arguments.empty()) continue;
    const std::vector<NodeId> entries(arguments.begin() + 1, arguments.end());
    Arguments a;
    a.positional = {constant(Value::of_symbol(level)), thunk(arguments[0])};
    const auto write = [entries](Lowerer& inner, SlotId) {
      std::vector<Symbol> names;
      std::vector<FormId> values;
      for (const NodeId e : entries) {
        const bool named = inner.is(e, Kind::kAssign) && inner.is_identifier(inner.child(e, 0));
        names.push_back(named ? inner.name_of(inner.child(e, 0)) : Symbol(expression_text(inner.tree(), e)));
        values.push_back(inner.lower(named ? inner.child(e, 1) : e));
      }
      return inner.form(FormKind::kNamedTuple, inner.name_list(names), values);
    };
    a.positional.push_back(hidden_closure(id, entries, {}, write, false));
    a.positional.push_back(text_constant("Main"));
    add_place(id, a);
    return call_with(global("_log", true), std::move(a));
  }
  return std::nullopt;
}

/// @enum Name a = 1 b c, or with begin … end.
FormId Lowerer::enumeration(Nodes arguments) {
  StructForm type;
  NodeId head = arguments[0];
  FormId base = constant(Value::of_type(core().int32));
  int bits = 32;
  if (is(head, Kind::kDeclare) && tree()[head].has(Node::kInfix)) {
    const std::string_view of = tree().text(child(head, 1));
    base = lower(child(head, 1));
    bits = of.ends_with("128")                 ? 128
           : of.ends_with("64") || of == "Int" ? 64
           : of.ends_with("16")                ? 16
           : of.ends_with("8")                 ? 8
                                               : 32;
    head = child(head, 0);
  }
  if (!is_identifier(head)) return refuse("this @enum");
  type.name = name_of(head);
  type.bits = bits;
  type.super = base_call("apply_type", {global("Enum", true), base});
  code_.structs.push_back(std::move(type));
  std::vector<FormId> forms{form(FormKind::kPrimitive, static_cast<uint32_t>(code_.structs.size() - 1))};
  std::vector<NodeId> members(arguments.begin() + 1, arguments.end());
  if (members.size() == 1 && is(members[0], Kind::kBlock)) {
    const NodeId b = members[0];
    members.assign(children(b).begin(), children(b).end());
  }
  std::vector<FormId> names, values;
  FormId next = constant(number(int64_t{0}));
  for (const NodeId m : members) {
    const bool given = is(m, Kind::kAssign);
    const NodeId name = given ? child(m, 0) : m;
    if (!is_identifier(name)) return refuse("this member of an @enum");
    const SlotId t = temporary();
    forms.push_back(set_local(t, given ? lower(child(m, 1)) : next));
    next = base_call("+", {local(t), constant(number(int64_t{1}))});
    names.push_back(constant(Value::of_symbol(name_of(name))));
    values.push_back(local(t));
    const FormId value = base_call("_enum_value", {global(name_of(head)), local(t)});
    forms.push_back(form(FormKind::kSetGlobal, global_index(name_of(name), false), {value}, Form::kConst));
  }
  forms.push_back(base_call("_enum", {global(name_of(head)), tuple(names), tuple(values)}));
  return block(forms);
}

}  // namespace weft::julia
