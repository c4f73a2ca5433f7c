#include "julia/infer/diagnose/top_level.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/border/samples.h"
#include "julia/run/effects.h"
#include "julia/run/evaluated.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"

namespace weft::julia {

using How = Abstract::Kind;

TopLevel::TopLevel(Evaluator& evaluator, Diagnoses& diagnoses)
    : evaluator_(evaluator),
      function_("top_level"),
      builder_(function_, function_.body(), &program_),
      compiler_(evaluator, program_) {
  diagnoses.at_top_level = true;
  compiler_.set_diagnoses(&diagnoses);
  compiler_.set_builder(&builder_);
}

void TopLevel::run_file(std::string text, const std::string& file, Module& module) {
  std::vector<Diagnostic> diagnostics;
  LowerOptions options;
  options.file = file;
  options.closures = evaluator_.impl().closures;
  std::unique_ptr<Code> code = lower_source(std::move(text), options, diagnostics);
  if (!code) return;  // said by who checks the syntax
  auto& codes = evaluator_.impl().codes;
  codes.push_back(std::move(code));
  files_.push_back(file);
  sources.push_back(codes.back()->source);
  run(*codes.back(), module);
  files_.pop_back();
}

void TopLevel::run(const Code& code, Module& module) {
  Evaluator::Impl& impl = evaluator_.impl();
  const Evaluator::Impl::Mark mark(impl);
  const size_t at = impl.top;
  if (at + code.slots.size() > impl.stack_size) impl.throw_stack_overflow();
  impl.top = at + code.slots.size();
  Frame frame{code, module, impl.stack + at, impl.frame};
  const Evaluator::Impl::Running running(impl, frame);
  Activation a;
  a.code = &code;
  a.module = &module;
  a.top_level = this;
  a.slots.resize(code.slots.size());
  compiler_.set_jump(a, kFalls);
  frames_[&a] = &frame;
  Activation* before = compiler_.activation();
  compiler_.set_activation(&a);
  const Form& body = code.forms[code.body];
  if (body.kind == FormKind::kBlock) {
    for (const FormId id : code.children_of(code.body)) statement(id, a);
  } else {
    statement(code.body, a);
  }
  compiler_.set_activation(before);
  frames_.erase(&a);
}

void TopLevel::statement(FormId id, Activation& a) {
  constexpr int kMostAttempts = 64;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    try {
      compiler_.exec(id, a);
      break;
    } catch (const Recursion& r) { compiler_.known_recursive_.emplace(r.code, r.types); } catch (const NeedsGlobal&) {
      break;
    } catch (const NotCompiled&) { break; } catch (const InternalError&) {
      break;
    }
  }
  a.is_dead = a.surely_leaves = false;
  compiler_.set_jump(a, kFalls);
}

/// By the host: names, methods, types and modules are what a program is made of.
void TopLevel::define(FormId id, Activation& a) {
  Frame& frame = *frames_.at(&a);
  Samples samples(compiler_.heap());
  for (size_t i = 0; i < a.slots.size() && i < a.code->slots.size(); ++i) {
    std::optional<Value> v = samples.of(a.slots[i]);
    if (v) frame.slots[i] = std::move(*v);
  }
  const NoEffects without_effects;
  const Form& form = a.code->forms[id];
  try {
    evaluator_.impl().eval(id, frame);
  } catch (const InternalError&) { throw; } catch (const OutOfScope& e) {
    a.node = form.node;
    throw host_failure(e);
  } catch (const Error& e) { failed.push_back({{a.code->source, form.node, "top-level scope"}, e.what()}); }
}

void TopLevel::assign(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  const bool only_declares = a.code->forms[child[0]].has(Form::kMissing);
  Abstract v = only_declares ? Abstract::nothing() : compiler_.exec(child[0], a);
  Binding& b = own_binding(*a.module, a.code->globals[form.a].name);
  if (form.count > 1 && !a.code->forms[child[1]].has(Form::kMissing)) {
    const Abstract type = compiler_.exec(child[1], a);
    if (type.is_constant() && type.constant.is_type()) b.declared = type.constant.as_type();
  }
  if (only_declares || !v.is_defined()) return;
  if (b.declared != nullptr && is_concrete(b.declared)) v = compiler_.convert(b.declared, v);
  Samples samples(compiler_.heap());
  const std::optional<Value> sample = samples.of(v);
  b.value = sample ? *sample : Value();
  // A constant whose value is not known is like a variable: nothing may be computed with what stands for it.
  b.is_const = form.has(Form::kConst) && v.is_constant();
  compiler_.globals_[&b] = std::move(v);
}

bool TopLevel::include(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  const Form& callee = a.code->forms[child[0]];
  if (form.count != 2 || callee.kind != FormKind::kGlobal) return false;
  if (a.code->globals[callee.a].name != Symbol("include")) return false;
  const Abstract name = compiler_.exec(child[1], a);
  if (!name.is_constant() || name.type != core().string) return true;
  namespace fs = std::filesystem;
  fs::path path = string_of(name.constant);
  if (path.is_relative() && !files_.empty()) path = fs::path(files_.back()).parent_path() / path;
  std::string text;
  try {
    text = read_file(path.string());
  } catch (const Error& e) {
    failed.push_back({{a.code->source, form.node, "top-level scope"}, e.what()});
    return true;
  }
  run_file(std::move(text), path.string(), *a.module);
  return true;
}

/// eval of code: it is followed as if it were written there.
bool TopLevel::evaluate(const Form& form, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  if (!is_evaluation(a.code->forms[child[0]], a)) return false;
  Samples samples(compiler_.heap());
  std::vector<Value> arguments;
  for (uint32_t i = 1; i < form.count; ++i) {
    const Abstract v = compiler_.exec(child[i], a);
    const std::optional<Value> sample = v.is_unknown() ? std::nullopt : samples.of(v);
    if (!sample) return true;
    arguments.push_back(*sample);
  }
  try {
    EvaluatedCode code = evaluated_code(evaluator_, arguments);
    run_file(std::move(code.text), code.file, *code.module);
  } catch (const JuliaError& e) { failed.push_back({{a.code->source, form.node, "top-level scope"}, e.what()}); }
  return true;
}

bool TopLevel::is_evaluation(const Form& callee, const Activation& a) {
  return callee.kind == FormKind::kGlobal && a.code->globals[callee.a].name == Symbol("_eval_code");
}

/// Whether code is evaluated in a form, as in a loop that defines a method for each of several names.
bool TopLevel::evaluates(FormId id, const Activation& a) {
  const Form& form = a.code->forms[id];
  if (form.kind == FormKind::kCall && is_evaluation(a.code->forms[a.code->children[form.first]], a)) return true;
  return std::ranges::any_of(a.code->children_of(id), [&](FormId c) { return evaluates(c, a); });
}

/// The first elements of what is known stand for all, but for those that code is made of.
void TopLevel::loop(const Form& form, const Abstract& iterable, Activation& a) {
  const FormId* child = a.code->children.data() + form.first;
  std::vector<Value> elements;
  constexpr size_t kFew = 3, kMany = 1000;
  const size_t most = evaluates(child[1], a) ? kMany : kFew;
  try {
    const NoEffects without_effects;
    evaluator_.for_each(iterable.constant, [&](const Value& v) {
      elements.push_back(v);
      return elements.size() < most;
    });
  } catch (const Error&) { return; }
  for (const Value& v : elements) {
    a.slots[form.a] = Abstract();
    compiler_.write_slot(form.a, Abstract::of_constant(v), a);
    compiler_.exec(child[1], a);
    a.is_dead = a.surely_leaves = false;
    compiler_.set_jump(a, kFalls);
  }
}

std::optional<Abstract> TopLevel::exec(FormId id, Activation& a) {
  const Form& form = a.code->forms[id];
  const FormId* child = a.code->children.data() + form.first;
  switch (form.kind) {
    case FormKind::kSetGlobal: assign(form, a); return Abstract::nothing();
    case FormKind::kMethod:
    case FormKind::kStruct:
    case FormKind::kAbstract:
    case FormKind::kPrimitive:
    case FormKind::kImport: define(id, a); return Abstract::nothing();
    case FormKind::kTypeVar:
    case FormKind::kWhere: {
      const NoEffects without_effects;
      const Value v = evaluator_.impl().eval(id, *frames_.at(&a));
      return v.is_defined() ? Abstract::of_constant(v) : compiler_.unknown();
    }
    case FormKind::kModule: {
      const ModuleForm& inner = a.code->modules[form.a];
      Module& m = evaluator_.impl().make_module(inner.name, a.module, inner.is_bare);
      Binding& b = own_binding(*a.module, inner.name);
      b.value = m.value;
      b.is_const = true;
      run(*inner.body, m);
      return Abstract::nothing();
    }
    case FormKind::kFor: {
      const Abstract iterable = compiler_.exec(child[0], a);
      if (iterable.is_constant()) loop(form, iterable, a);
      else compiler_.exec_for_over(form, iterable, a);
      return Abstract::nothing();
    }
    case FormKind::kWhile: {
      compiler_.exec(child[0], a);
      compiler_.exec(child[1], a);
      a.is_dead = a.surely_leaves = false;
      compiler_.set_jump(a, kFalls);
      return Abstract::nothing();
    }
    case FormKind::kCall:
      if (include(form, a) || evaluate(form, a)) return Abstract::nothing();
      return std::nullopt;
    default: return std::nullopt;
  }
}

}  // namespace weft::julia
