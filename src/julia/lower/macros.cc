// Macros that are known by name.
#include <filesystem>

#include "julia/host/number.h"
#include "julia/lower/carried_sources.h"
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {
namespace {

bool is_one_of(std::string_view names, const std::string& name) {
  return names.find(" " + name + " ") != std::string_view::npos;
}

/// Advice to Julia's compiler, and what concerns threads: the code is what it is without them.
bool is_transparent(const std::string& name) {
  return is_one_of(
      " inbounds simd inline noinline fastmath muladd turbo avx tturbo polly propagate_inbounds pure constprop "
      "assume_effects boundscheck nospecialize specialize threads batch tthreads sync nospecializeinfer optlevel "
      "static preserve lock ",
      name);
}

/// What tells packages about types whose fields Weft looks into anyway.
bool is_declaration(const std::string& name) { return is_one_of(" functor layer treelike ", name); }

}  // namespace

FormId Lowerer::macro(NodeId id, Use use) {
  NodeId head = child(id, 0);
  if (is(head, Kind::kStringMacroName)) {
    const std::string name = name_value(tree(), head);
    if (const auto f = string_macro(name, id)) return *f;
    return refuse("the string macro " + name);
  }
  if (is(head, Kind::kCmdMacroName)) return refuse("commands: Weft's programs start no others");
  while (is(head, Kind::kDot) && count(head) == 2) head = child(head, 1);
  if (is(head, Kind::kMacroName)) head = child(head, 0);
  while (is(head, Kind::kDot) && count(head) == 2) head = child(head, 1);
  const std::string name(tree().text(head));
  Nodes arguments = children(id).subspan(1);
  if (is_transparent(name)) return arguments.empty() ? form(FormKind::kNothing) : lower(arguments.back(), use);
  if (is_declaration(name)) return form(FormKind::kNothing);
  if (const auto f = code_macro(name, arguments, use)) return *f;
  if (const auto f = place_macro(name, id)) return *f;
  if (const auto f = timing_macro(name, arguments)) return *f;
  if (const auto f = text_macro(name, arguments)) return *f;
  if (const auto f = log_macro(name, id, arguments)) return *f;
  if (const auto f = test_macro(name, id, arguments)) return *f;
  if (name == "eval" && !arguments.empty() && arguments.size() <= 2)
    return evaluated(arguments.back(), arguments.size() == 2 ? lower(arguments[0]) : global("@__MODULE__"));
  if (name == "generated")
    return refuse("@generated: write an ordinary function, which is compiled for each type anyway");
  if (name == "goto" || name == "label") return refuse("@" + name + ": use loops");
  if (name == "spawn" || name == "async" || name == "distributed") return refuse("@" + name + ": Weft has no tasks");
  return refuse("the macro @" + name);
}

/// @compile f(x): the callee and its arguments are evaluated, and the call is compiled instead of made.
FormId Lowerer::compiled_call(const std::string& name, Nodes arguments) {
  for (const NodeId option : arguments.first(arguments.size() - 1)) {
    // Compiled code has run when its call returns.
    const bool is_known = is(option, Kind::kAssign) && tree().text(child(option, 0)) == "sync";
    if (!is_known) return refuse("@" + name + " with the option " + std::string(tree().text(option)));
  }
  const NodeId id = tree().unparen(arguments.back());
  if (!is(id, Kind::kCall) || tree()[id].has(Node::kPostfixOp))
    return refuse("@" + name + " of anything but a call, as in @" + name + " f(x)");
  const auto parts = children(id);
  Arguments given;
  if (tree()[id].has(Node::kInfix)) {
    given.positional = {operator_name(parts[1]), lower(parts[0])};
    for (const FormId f : lower_all(parts.subspan(2))) given.positional.push_back(f);
  } else {
    const FormId callee = operator_name(tree().unparen(parts[0]));
    given = this->arguments(parts.subspan(1));
    given.positional.insert(given.positional.begin(), callee);
  }
  return call_with(package_function("Weft", name == "compile" ? "_compiled" : "_code"), std::move(given));
}

FormId Lowerer::with_flag(bool Lowerer::* flag, NodeId id, Use use) {
  const bool before = std::exchange(this->*flag, true);
  const FormId f = lower(id, use);
  this->*flag = before;
  return f;
}

/// Macros that change what code means.
std::optional<FormId> Lowerer::code_macro(const std::string& name, Nodes arguments, Use use) {
  if (name == "__dot__" || name == "." || name == "..") return with_flag(&Lowerer::dots_, arguments.back(), use);
  if (arguments.empty()) return std::nullopt;
  if (name == "views") return with_flag(&Lowerer::views_, arguments[0], use);
  if (name == "view") return view(tree().unparen(arguments[0]));
  if (name == "doc") return lower(arguments.back(), use);
  if (name == "kwdef" || name == "with_kw") {
    NodeId type = tree().unparen(arguments[0]);
    if (is(type, Kind::kDoc)) type = child(type, 1);
    if (is(type, Kind::kStruct)) return struct_form(type, true);
    return refuse("@" + name + " without a struct");
  }
  if (name == "unpack") return unpack_fields(arguments[0], false);
  if (name == "pack!") return unpack_fields(arguments[0], true);
  if (name == "isdefined" && is_identifier(arguments[0])) return form(FormKind::kIsDefined, 0, {lower(arguments[0])});
  if (name == "assert") return assertion(arguments);
  if (name == "NamedTuple") return named_tuple_type(arguments[0]);
  if (name == "adjoint") return adjoint_rule(arguments[0]);
  if (name == "ignore_derivatives" || name == "ignore") return base_call("_stop_gradient", {lower(arguments[0], use)});
  if (name == "with") {
    std::vector<FormId> forms = lower_all(arguments.first(arguments.size() - 1));
    forms.insert(forms.begin(), thunk(arguments.back()));
    return base_call("_with_values", forms);
  }
  if (name == "thunk") return lower(arguments[0], use);
  if (name == "non_differentiable" || name == "nograd") {
    std::vector<FormId> forms;
    for (const NodeId f : arguments) {
      const FormId declare = package_function("ChainRulesCore", "declare_constant");
      forms.push_back(call(declare, {lower(is(f, Kind::kCall) ? tree().callee(f) : f)}));
    }
    return block(forms);
  }
  if (name == "evalpoly") {
    const FormId at = lower(arguments[0]);
    return base_call("evalpoly", {at, tuple(lower_all(arguments.subspan(1)))});
  }
  if (name == "enum") return enumeration(arguments);
  if (name == "compile" || name == "code_stablehlo" || name == "code_hlo") return compiled_call(name, arguments);
  if (name == "something" || name == "coalesce") {
    const FormId empty = global(name == "something" ? "nothing" : "missing", true);
    FormId result = name == "something" ? base_call("something", {empty}) : empty;
    for (size_t i = arguments.size(); i-- > 0;) {
      const SlotId t = temporary();
      const FormId value = set_local(t, lower(arguments[i]));
      const FormId nothing_there = base_call("===", {value, empty});
      result = form(FormKind::kIf, 0, {nothing_there, result, local(t)});
    }
    return result;
  }
  return std::nullopt;
}

/// @adjoint f(x) = …: a method of Zygote.AdjointOf{typeof(f)}.
FormId Lowerer::adjoint_rule(NodeId definition) {
  const size_t before = code_.methods.size();
  const FormId f = lower(definition);
  for (size_t i = before; i < code_.methods.size(); ++i) {
    MethodForm& m = code_.methods[i];
    if (m.how == MethodForm::Callee::kType || m.how == MethodForm::Callee::kClosure)
      return refuse("@adjoint of a local function or a callable object");
    const FormId type = base_call("typeof", {m.callee});
    m.callee = base_call("apply_type", {package_function("Zygote", "AdjointOf"), type});
    m.how = MethodForm::Callee::kType;
  }
  return f;
}

FormId Lowerer::view(NodeId id) {
  if (!is(id, Kind::kRef)) return refuse("@view of something else than an index");
  const auto ids = children(id).subspan(1);
  std::vector<FormId> before;
  FormId array = lower(child(id, 0));
  if (uses_index_words(ids)) array = stable(array, before);
  CallSite site;
  std::vector<FormId> all = indices(ids, array, site);
  all.insert(all.begin(), array);
  before.push_back(call(global("view", true), all, site));
  return block(before);
}

/// @NamedTuple{a::Int, b} and @NamedTuple begin … end.
FormId Lowerer::named_tuple_type(NodeId id) {
  std::vector<FormId> names, types;
  for (const NodeId c : children(id)) {
    const NodeId name = is(c, Kind::kDeclare) ? child(c, 0) : c;
    if (!is_identifier(name)) return refuse("this @NamedTuple");
    names.push_back(constant(Value::of_symbol(name_of(name))));
    types.push_back(name == c ? constant(Value::of_type(core().any)) : lower(child(c, 1)));
  }
  types.insert(types.begin(), global("Tuple", true));
  return base_call("apply_type", {global("NamedTuple", true), tuple(names), base_call("apply_type", types)});
}

/// @unpack a, b = x and @pack! x = a, b of Parameters.
FormId Lowerer::unpack_fields(NodeId id, bool store_back) {
  id = tree().unparen(id);
  if (!is(id, Kind::kAssign)) return refuse("@unpack without `=`");
  NodeId names = tree().unparen(child(id, store_back ? 1 : 0));
  const NodeId value = child(id, store_back ? 0 : 1);
  std::vector<FormId> forms;
  const FormId object = stable(lower(value), forms);
  const std::vector<NodeId> list = is(names, Kind::kTuple)
                                       ? std::vector<NodeId>(children(names).begin(), children(names).end())
                                       : std::vector<NodeId>{names};
  for (const NodeId n : list) {
    if (!is_identifier(n)) return refuse("this @unpack");
    if (store_back) {
      forms.push_back(form(FormKind::kSetField, symbol_index(name_of(n)), {object, lower(n)}));
    } else {
      forms.push_back(store(n, field(object, name_of(n))));
    }
  }
  forms.push_back(object);
  return block(forms);
}

FormId Lowerer::assertion(Nodes arguments) {
  FormId message = kNoForm;
  if (arguments.size() < 2) {
    message = text_constant(expression_text(tree(), arguments[0]));
  } else {
    message = lower(arguments[1]);
    if (!is(arguments[1], Kind::kStringLiteral)) message = base_call("string", {message});
  }
  const FormId error = base_call("throw", {base_call("AssertionError", {message})});
  return form(FormKind::kIf, 0, {lower(arguments[0]), form(FormKind::kNothing), error});
}

/// @__FILE__ and the like. A file's path is absolute, however the program was named; code that is in no file stands in the working directory.
std::optional<FormId> Lowerer::place_macro(const std::string& name, NodeId id) {
  if (name == "__FILE__" || name == "__DIR__") {
    std::error_code error;
    const bool is_file =
        carried_source(source_->name) != nullptr || std::filesystem::is_regular_file(source_->name, error);
    const auto path = (std::filesystem::current_path() / (is_file ? source_->name : "none")).lexically_normal();
    if (name == "__DIR__") return text_constant(path.parent_path().string());
    return text_constant(is_file ? path.string() : source_->name);
  }
  if (name == "__LINE__") return constant(number(int64_t{source_->line_of(id)}));
  if (name == "__MODULE__") return global("@__MODULE__");
  return std::nullopt;
}

}  // namespace weft::julia
