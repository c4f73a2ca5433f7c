// Calls: the method is chosen by types as the host chooses it, and its code is written in place; what calls itself becomes a function.
#include <algorithm>
#include <ranges>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/diagnose/diagnoses.h"
#include "julia/infer/emit/ruled_calls.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/infer/wide.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

Abstract Compiler::call_base(std::string_view name, std::vector<Abstract> arguments) {
  return call(Abstract::of_constant(evaluator_.base_function(name)), std::move(arguments));
}

namespace {

/// A call one of whose arguments may be `nothing`: both ways. `at` is its place, the callee's is 0.
Abstract call_both_ways(Compiler& c, size_t at, std::vector<Abstract> all,
                        const std::vector<std::pair<Symbol, Abstract>>& keywords) {
  const Abstract maybe = all[at];
  Abstract there, absent;
  const auto with = [&](const Abstract& x) {
    all[at] = x;
    return c.call(all[0], {all.begin() + 1, all.end()}, keywords);
  };
  const IrValue flag = c.scalar(maybe.fields[0]);
  Abstract v =
      c.choose(flag, [&] { return there = with(maybe.fields[1]); }, [&] { return absent = with(Abstract::nothing()); });
  // Tests for `nothing` are the flag itself.
  const bool are_known = v.is_defined() && v.type == core().bool_ && there.is_constant() && absent.is_constant() &&
                         there.type == core().bool_ && absent.type == core().bool_;
  if (!are_known || there.constant.get<bool>() == absent.constant.get<bool>()) return v;
  return Abstract::of_scalar(core().bool_, there.constant.get<bool>() ? flag : c.b().logical_not(flag));
}

}  // namespace

Abstract Compiler::call(const Abstract& callee, std::vector<Abstract> arguments,
                        const std::vector<std::pair<Symbol, Abstract>>& keywords) {
  Evaluator::Impl& impl = evaluator_.impl();
  const auto is_unknown = [](const Abstract& x) { return x.is_unknown(); };
  if (diagnoses_ != nullptr && (callee.is_unknown() || std::ranges::any_of(arguments, is_unknown) ||
                                std::ranges::any_of(keywords, is_unknown, &std::pair<Symbol, Abstract>::second)))
    return call_of_unknown(callee, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_maybe(arguments[i])) continue;
    std::vector<Abstract> all = {callee};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return call_both_ways(*this, i + 1, std::move(all), keywords);
  }
  std::vector<const Type*> types = {callee.dispatched()};
  for (const Abstract& x : arguments) types.push_back(x.dispatched());
  std::vector<Abstract> all = {callee};
  all.insert(all.end(), arguments.begin(), arguments.end());
  if (is_differentiated_) {
    if (const auto rule = rule_for(evaluator_, callee.is_constant() ? &callee.constant : nullptr, types)) {
      if (std::optional<Abstract> v = call_by_rule(*this, *rule, callee, arguments, keywords)) return std::move(*v);
    }
  }
  const bool all_known = std::ranges::all_of(all, [](const Abstract& x) { return x.is_constant(); });
  const auto find = [&] {
    return impl.target_of_types(callee.is_constant() ? &callee.constant : nullptr, callee.type, types,
                                !keywords.empty());
  };
  std::shared_ptr<const Target> target = find();
  if (!target && impl.load_standard_packages()) target = find();
  if (!target) {
    std::string text = "MethodError: no method matching ";
    text += callee.is_constant() && callee.constant.is_type() ? type_text(callee.constant.as_type())
            : callee.type->name->function                     ? callee.type->name->function.text()
                                                              : type_text(callee.type);
    text += "(";
    for (size_t i = 0; i < arguments.size(); ++i)
      text += (i > 0 ? ", ::" : "::") + type_text(arguments[i].dispatched());
    throws(text + ")");
    return Abstract::nothing();
  }
  if (target->intrinsic != nullptr) {
    const std::vector<Abstract>& given = target->takes_callee ? all : arguments;
    const std::string_view name = target->intrinsic->name;
    if (name == "_throw") {
      throws(arguments[0].is_constant() ? error_text(arguments[0].constant) : type_text(arguments[0].type));
      return Abstract::nothing();
    }
    // What is known now is computed now; what has an identity is made when the program runs.
    const auto has_identity = [](const Value& v) {
      return v.is_reference() && v.type()->is_mutable() && !v.is(core().string);
    };
    const bool folds = all_known && is_pure_intrinsic(name) && runs_only_library(name, given) &&
                       std::ranges::none_of(given, [&](const Abstract& x) { return has_identity(x.constant); });
    if (folds) {
      std::vector<Value> values;
      for (const Abstract& x : given) values.push_back(x.constant);
      try {
        const Value v = target->intrinsic->function(evaluator_, values);
        if (!has_identity(v)) return Abstract::of_constant(v);
      } catch (const JuliaError& e) {
        throws(e.what());
        return Abstract::nothing();
      }
    }
    const auto is_wide = [](const Abstract& x) {
      if (!x.is_defined()) return false;
      return is_wide_integer(x.is_constant() && x.constant.is_type() ? x.constant.as_type() : x.type);
    };
    if (std::ranges::any_of(given, is_wide)) {
      if (const Binding* form = find_binding(evaluator_.base(), Symbol("_wide" + std::string(name))))
        return call(Abstract::of_constant(form->value), given);
    }
    // Where iterate is a method of the program, the intrinsic is a loop written in Julia.
    static const std::map<std::string_view, size_t> kIterates = {{"_foldl_from", 3}, {"_any", 1},           {"_all", 1},
                                                                 {"_count", 1},      {"_collect_typed", 2}, {"_in", 1}};
    if (const auto of = kIterates.find(name);
        of != kIterates.end() && of->second < given.size() && iterates_itself(*this, given[of->second]))
      return call(
          Abstract::of_constant(find_binding(evaluator_.base(), Symbol("_iterated" + std::string(name)))->value),
          given);
    const auto stored = find_stored_emission(*this, name, given);
    const auto emit = stored != nullptr ? stored : find_emission(name);
    if (emit == nullptr) {
      // Some are written in Julia for compiled code.
      if (const Binding* form = find_binding(evaluator_.base(), Symbol("_compiled" + std::string(name))))
        return call(Abstract::of_constant(form->value), given);
      fail(Cause::kUnsupported,
           "`" + library_function(target->method == nullptr ? Symbol(name) : target->method->name).text() +
               "` has no compiled form (" + std::string(name) + ")");
    }
    return emit(*this, given);
  }
  return run_target(*target, std::move(all), keywords);
}

Symbol Compiler::library_function(Symbol inner) const {
  for (const Running& r : std::views::reverse(running_)) {
    if (r.activation == nullptr || !r.activation->module->is_library) break;
    if (!r.activation->code->name.text().starts_with('#')) inner = r.activation->code->name;
  }
  return inner;
}

Abstract Compiler::run_target(const Target& target, std::vector<Abstract> all,
                              const std::vector<std::pair<Symbol, Abstract>>& keywords) {
  MethodBody& body = *target.body;
  if (body.native) {
    // Default constructors.
    const Value* callee = known(all[0]);
    if (callee == nullptr || !callee->is_type()) fail(Cause::kUnsupported, "a method of the host itself");
    const auto* type = as<DataType>(callee->as_type());
    std::vector<Abstract> fields(all.begin() + 1, all.end());
    if (type == nullptr) {
      std::vector<const Type*> parameters;
      for (const Value& v : target.parameters) parameters.push_back(evaluator_.impl().type_of_value(v));
      type = as<DataType>(apply_type(callee->as_type(), parameters));
    }
    return construct(type, std::move(fields));
  }
  const Code& code = body.body->code();
  std::vector<const Type*> types;
  for (const Abstract& x : all) types.push_back(x.dispatched());
  if (known_recursive_.contains({&code, types}) && keywords.empty())
    return call_recursive(target, code, *body.module, all);
  for (const Running& r : running_) {
    if (r.code == &code && r.types == types) throw Recursion{&code, types};
  }
  constexpr size_t kDeepest = 400;
  if (running_.size() > kDeepest) fail(Cause::kUnsupported, "calls nested deeper than " + std::to_string(kDeepest));
  return inline_code(target, code, *body.module, std::move(all), keywords);
}

Abstract Compiler::inline_code(const Target& target, const Code& code, Module& module, std::vector<Abstract> all,
                               const std::vector<std::pair<Symbol, Abstract>>& keywords, bool* dead) {
  Activation a;
  a.code = &code;
  a.module = &module;
  set_jump(a, kFalls);
  a.slots.resize(code.slots.size());
  std::vector<const Type*> types;
  for (const Abstract& x : all) types.push_back(x.dispatched());
  const std::vector<Abstract> given = diagnoses_ == nullptr ? std::vector<Abstract>() : all;
  if (code.has_vararg) {
    std::vector<Abstract> rest(all.begin() + static_cast<ptrdiff_t>(code.arguments), all.end());
    all.resize(code.arguments);
    all.push_back(tuple(std::move(rest)));
  }
  for (size_t i = 0; i < all.size(); ++i) a.slots[i] = all[i];
  for (size_t i = 0; i < code.type_parameters.size(); ++i) {
    const int index = target.body->parameter_index[i];
    if (index >= 0 && target.parameters[static_cast<size_t>(index)].is_defined())
      a.slots[code.type_parameters[i]] = Abstract::of_constant(target.parameters[static_cast<size_t>(index)]);
  }
  for (size_t i = 0; i < code.captures.size(); ++i) a.slots[code.captures[i]] = field(all[0], i);
  for (const SlotId s : code.boxed_arguments) {
    const Abstract v = a.slots[s];
    a.slots[s] = Abstract();
    write_slot(s, v, a);
  }
  Activation* before = activation_;
  struct Back {
    Compiler& c;
    Activation* before;
    ~Back() {
      c.activation_ = before;
      c.running_.pop_back();
    }
  } back{*this, before};
  activation_ = &a;
  running_.push_back({&code, types, &a});
  if (diagnoses_ != nullptr && !module.is_library) diagnoses_->enter(*this, a, given, keywords);
  try {
    bind_keywords(a, keywords);
    Abstract v = a.is_dead ? Abstract::nothing() : exec(code.body, a);
    v = finish(a, std::move(v));
    if (dead != nullptr) *dead = a.is_dead;
    if (a.explained != nullptr) {
      // After a cause an exception may only be what follows from it.
      const std::string dead_end = diagnoses_->found.empty() ? "throws" : "?";
      a.explained->result = a.is_dead ? dead_end : abstract_text(heap_, v, true);
    }
    if (a.is_dead && before != nullptr) {
      before->is_dead = true;
      before->failure = a.failure;
    }
    return v;
  } catch (NotCompiled& e) {
    if (e.places.size() < 50) e.places.push_back({code.source, a.node, code.name, module.is_library, types});
    throw;
  }
}

void Compiler::bind_keywords(Activation& a, const std::vector<std::pair<Symbol, Abstract>>& given) {
  const Code& code = *a.code;
  std::vector<bool> used(given.size(), false);
  for (const KeywordParameter& p : code.keywords) {
    const Abstract* value = nullptr;
    for (size_t i = 0; i < given.size(); ++i) {
      if (given[i].first != p.name) continue;
      used[i] = true;
      value = &given[i].second;
    }
    if (value != nullptr) {
      write_slot(p.slot, *value, a);
    } else if (p.default_value != kNoForm) {
      write_slot(p.slot, exec(p.default_value, a), a);
    } else {
      throws("UndefKeywordError: keyword argument `" + p.name.text() + "` not assigned");
      return;
    }
  }
  std::vector<Symbol> names;
  std::vector<Abstract> values;
  for (size_t i = 0; i < given.size(); ++i) {
    if (used[i]) continue;
    names.push_back(given[i].first);
    values.push_back(given[i].second);
  }
  if (code.rest_keywords != kNoForm) {
    write_slot(code.rest_keywords, call_base("pairs", {named_tuple(names, std::move(values))}), a);
  } else if (!names.empty()) {
    throws("MethodError: no method matching " + code.name.text() + " with keyword argument `" + names[0].text() + "`");
  }
}

/// What the activation gives back: its returned value, or that of its last form.
Abstract Compiler::finish(Activation& a, Abstract value) {
  if (a.is_dead) return Abstract::nothing();
  if (a.jump.is_constant()) return a.jump.constant.get<int64_t>() == kReturns ? a.result : value;
  // One of two, by a flag.
  Abstract result = a.result;
  result.maybe_undefined = false;
  if (a.surely_leaves) return result;
  const IrValue returned = b().compare(scalar(a.jump), int_constant(kReturns), "EQ");
  Abstract fallen = std::move(value);
  return exec_branch(
      returned, [&](Activation&) { return result; }, [&](Activation&) { return std::move(fallen); }, nullptr, a);
}

}  // namespace weft::julia
