#include "julia/host/method_error.h"

#include <algorithm>

#include "julia/host/array_look.h"
#include "julia/host/show.h"
#include "julia/types/method_table.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

constexpr size_t kCandidatesShown = 3;

/// What stands before the parenthesis of a call of f: "f", "Point{Float64}", "(::Foo)".
std::string callee_text(const Value& f) {
  if (f.is_type()) return type_text(f.as_type());
  if (f.type()->name->function) return f.type()->name->function.text();
  return "(::" + type_text(f.type()) + ")";
}

std::string argument_types_text(const Value& arguments) {
  std::string out;
  for (size_t i = 0; i < field_count(arguments); ++i) {
    const Value a = get_field(arguments, i);
    out += (i > 0 ? ", ::" : "::") + type_text(dispatch_type(a));
  }
  return out;
}

std::string where_text(const Method& m) {
  const std::vector<const TypeVar*> vars = m.variables();
  if (vars.empty()) return "";
  std::string out = vars.size() > 1 ? " where {" : " where ";
  for (size_t i = 0; i < vars.size(); ++i) {
    if (i > 0) out += ", ";
    if (!is_bottom(vars[i]->lower)) out += type_text(vars[i]->lower) + "<:";
    out += vars[i]->name.text();
    if (vars[i]->upper != core().any) out += "<:" + type_text(vars[i]->upper);
  }
  return out + (vars.size() > 1 ? "}" : "");
}

std::string callee_of_signature(const Method& m) {
  const Type* callee = m.tuple()->parameters.at(0);
  const Type* constructed = type_of_type(unwrap_union_all(callee));
  if (constructed != nullptr)
    return type_text(constructed->kind == TypeKind::kVar ? static_cast<const TypeVar*>(constructed)->upper
                                                         : constructed);
  const auto* d = as<DataType>(callee);
  if (d != nullptr && d->name->function) return d->name->function.text();
  return "(::" + type_text(callee) + ")";
}

struct Candidate {
  std::string text;
  int score;
};

/// How well a method fits a call, and its signature with the arguments that do not fit marked.
Candidate candidate(const Method& m, std::vector<const Type*> arguments) {
  const std::vector<const TypeVar*> vars = m.variables();
  const auto& all = m.tuple()->parameters;
  const std::vector<const Type*> wanted(all.begin() + 1, all.end());
  const auto text_of = [](const Type* t) {
    const auto* tail = as<Vararg>(t);
    return tail != nullptr ? type_text(tail->element) + "..." : type_text(t);
  };
  std::string out = "  " + callee_of_signature(m) + "(";
  int matches = 0;
  const size_t n = std::min(arguments.size(), wanted.size());
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) out += ", ";
    const bool is_tail = wanted[i]->kind == TypeKind::kVararg;
    const size_t upto = is_tail ? arguments.size() : i + 1;
    const Type* mine = wrap_free(make_tuple_type(std::span(wanted).first(i + 1)), vars);
    const Type* given = make_tuple_type(std::span(arguments).first(upto));
    const bool fits = !is_bottom(intersect(mine, wrap_free(given, vars)));
    out += (fits ? "::" : "!Matched::") + text_of(wanted[i]);
    if (fits) matches += is_tail ? 0 : 1;
    else if (!is_tail) arguments[i] = wanted[i];
  }
  if (!wanted.empty() && wanted.back()->kind == TypeKind::kVararg && arguments.size() >= wanted.size()) {
    const Type* tail = wrap_free(as<Vararg>(wanted.back())->element, vars);
    for (size_t i = wanted.size() - 1; i < arguments.size(); ++i)
      matches += arguments[i]->is_closed() && subtype(arguments[i], tail) ? 1 : 0;
  }
  for (size_t i = n; i < wanted.size(); ++i) {
    if (i > 0) out += ", ";
    const bool is_open = i == n && wanted[i]->kind == TypeKind::kVararg;
    out += (is_open ? "::" : "!Matched::") + text_of(wanted[i]);
  }
  for (size_t i = 0; i < m.keywords.size(); ++i) out += (i == 0 ? "; " : ", ") + m.keywords[i].text();
  out += ")" + where_text(m) + "\n   @ " + m.module.text() + " " + m.file + ":" + std::to_string(m.line);
  return {out, -(matches * 2 + (arguments.size() < 2 ? 1 : 0))};
}

std::string candidates_text(const MethodTable& table, const Value& arguments) {
  std::vector<const Type*> types;
  for (size_t i = 0; i < field_count(arguments); ++i) types.push_back(dispatch_type(get_field(arguments, i)));
  std::vector<Candidate> all;
  for (const Method* m : table.methods()) all.push_back(candidate(*m, types));
  if (all.empty()) return "";
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  std::string out = "\n\nClosest candidates are:";
  for (size_t i = 0; i < all.size(); ++i) {
    out += "\n" + (i < kCandidatesShown ? all[i].text : std::string("  ..."));
    if (i == kCandidatesShown) break;
  }
  return out + "\n";
}

std::string ambiguity_text(const Value& f, const Value& arguments, const Dispatch& found) {
  std::string out =
      "MethodError: " + callee_text(f) + "(" + argument_types_text(arguments) + ") is ambiguous.\n\nCandidates:";
  const Type* both = nullptr;
  for (const Method* m : found.ambiguous) {
    out += "\n  " + callee_of_signature(*m) + "(";
    const auto& types = m->tuple()->parameters;
    for (size_t i = 1; i < types.size(); ++i) {
      if (i > 1) out += ", ";
      const bool named = i - 1 < m->argument_names.size();
      const auto* tail = as<Vararg>(types[i]);
      const Type* t = tail != nullptr ? tail->element : types[i];
      out += named ? m->argument_names[i - 1].text() : "";
      if (t != core().any || !named) out += "::" + type_text(t);
      if (tail != nullptr) out += "...";
    }
    out += ")" + where_text(*m) + "\n    @ " + m->module.text() + " " + m->file + ":" + std::to_string(m->line);
    both = both == nullptr ? m->signature : intersect(both, m->signature);
  }
  const auto* fix = both == nullptr ? nullptr : as<DataType>(unwrap_union_all(both));
  if (fix != nullptr && fix->is_tuple && fix->parameters.size() > 1) {
    out += "\n\nPossible fix, define\n  " + callee_text(f) + "(";
    for (size_t i = 1; i < fix->parameters.size(); ++i) out += (i > 1 ? ", ::" : "::") + type_text(fix->parameters[i]);
    out += ")";
  }
  return out + "\n";
}

/// Of a call whose keywords no method takes: the arguments are the keywords, the callee and its positional arguments.
std::string keyword_error_text(const Value& call) {
  const Value keywords = get_field(call, 0), f = get_field(call, 1), arguments = get_field(call, 2);
  const std::vector<Symbol> names = keywords.type()->field_names();
  std::string out = "MethodError: no method matching " + callee_text(f) + "(" + argument_types_text(arguments);
  for (size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "; " : ", ") + names[i].text() + "::" + type_text(dispatch_type(get_field(keywords, i)));
  out += ")\nThe " + std::string(f.is_type() ? "type" : "function") + " `" + callee_text(f) +
         "` exists, but no method is defined for this combination of argument types.";
  MethodTable* table = method_table_of() ? method_table_of()(f) : nullptr;
  if (table == nullptr) return out;
  std::string candidates = candidates_text(*table, arguments);
  for (const Symbol s : names) {
    const size_t end = candidates.find("\n   @ ");
    if (end != std::string::npos) candidates.insert(end, " got unsupported keyword argument \"" + s.text() + "\"");
  }
  return out + candidates;
}

}  // namespace

MethodTableOf& method_table_of() {
  static thread_local MethodTableOf find;
  return find;
}

HostText& host_text() {
  static thread_local HostText text = nullptr;
  return text;
}

std::string method_error_text(const Value& e) {
  const Value f = get_field(e, Symbol("f")), arguments = get_field(e, Symbol("args"));
  if (!f.is_defined() || !arguments.is_defined()) return "MethodError";
  if (f.type()->name->function == Symbol("kwcall") && field_count(arguments) == 3) return keyword_error_text(arguments);
  const bool is_function = f.type()->name->function || subtype(f.type(), core().function);
  const bool is_convert = f.type()->name->function == Symbol("convert");
  if (is_convert && field_count(arguments) == 2 && get_field(arguments, 0).is_type()) {
    const Value from = get_field(arguments, 1);
    return "MethodError: Cannot `convert` an object of type " +
           type_text(from.is_type() ? dispatch_type(from) : from.type()) + " to an object of type " +
           type_text(get_field(arguments, 0).as_type());
  }
  MethodTable* table = method_table_of() ? method_table_of()(f) : nullptr;
  if (!is_function && !f.is_type() && (table == nullptr || table->methods().empty())) {
    std::string out = "MethodError: objects of type " + type_text(f.type()) + " are not callable";
    if (look_at(f)) out += "\nUse square brackets [] for indexing an Array.";
    return out;
  }
  if (table != nullptr) {
    std::vector<const Type*> types = {dispatch_type(f)};
    for (size_t i = 0; i < field_count(arguments); ++i) types.push_back(dispatch_type(get_field(arguments, i)));
    const Dispatch& found = table->find(types);
    if (!found.ambiguous.empty()) return ambiguity_text(f, arguments, found);
  }
  std::string out = "MethodError: no method matching " + callee_text(f) + "(" + argument_types_text(arguments) + ")";
  if (f.is_type())
    out += "\nThe type `" + type_text(f.as_type()) +
           "` exists, but no method is defined for this combination of argument types when trying to construct it.";
  else
    out += "\nThe function `" + callee_text(f) +
           "` exists, but no method is defined for this combination of argument types.";
  return table == nullptr ? out : out + candidates_text(*table, arguments);
}

}  // namespace weft::julia
