#include "julia/infer/emit/ruled_calls.h"

#include <algorithm>
#include <ranges>

#include "julia/host/array.h"
#include "julia/infer/border/packed.h"
#include "julia/infer/derive/differentiable.h"
#include "julia/infer/emit/arrays.h"
#include "julia/types/type_show.h"
#include "ops/control_flow/derivative_rule.h"

namespace weft::julia {

/// A function of the module with a rule for its derivative.
struct Compiler::Ruled {
  Abstract callee;
  Packed arguments;
  std::shared_ptr<Outlined> function;  // null: it is being written
  std::vector<bool> has_derivative;    // by argument: whether the rule gives one
  bool is_plain_next = false;          // the next call of it is what `function` becomes
  bool declines = false;               // the rule gives nothing for these arguments
};

namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;
using Keywords = std::vector<std::pair<Symbol, Abstract>>;

/// f as a function with a rule. A rule that calls f again calls this function.
const Compiler::Outlined& ruled_function(Compiler& c, const Abstract& f, const Abstract& rule,
                                         const std::vector<Abstract>& arguments) {
  Packer packer{c};
  for (const Abstract& a : arguments) packer.add(a);
  for (const auto& known : c.ruled()) {
    if (known->function && is_same(known->callee, f) && same_shape(known->arguments, packer.out))
      return *known->function;
  }
  auto made = std::make_shared<Compiler::Ruled>();
  made->callee = f;
  made->arguments = packer.out;
  made->function = c.outline(f, arguments, "ruled");
  c.ruled().push_back(made);
  // The rule's arguments: those, and as many tangents, arrays of their own.
  std::vector<Abstract> all = arguments;
  for (const Abstract& a : arguments) {
    if (a.kind != How::kObject) {
      all.push_back(Abstract::of_scalar(a.type, c.scalar(a)));
      continue;
    }
    const HeapObject o = c.object(a);
    all.push_back(c.new_array(o.type, o.dims, o.leaves));
  }
  const auto derivative = c.outline(rule, all, "rule");
  set_derivative_rule(*c.module().find(made->function->name), {.jvp = derivative->name});
  return *made->function;
}

Abstract call_of_function(Compiler& c, const Compiler::Outlined& f, const Packed& arguments) {
  const std::vector<IrValue> results =
      c.b().create("func.call", arguments.leaves, Attrs{{"callee", f.name}}, f.results.types);
  std::vector<uint32_t> ids;
  return unpacked(f.results, results, c.heap(), ids).front();
}

// ---- rules of the program

[[noreturn]] void refuse(Compiler& c, const std::string& why) {
  c.fail(Cause::kUnsupported, "a function with a rule of the program's own for its derivative, " + why);
}

bool is_real_number(const Type* t) { return number_kind(t) && is_float(*number_kind(t)); }

/// What rules are written for in IR: real numbers and arrays of them, and whatever has no derivative.
void check_argument(Compiler& c, const Abstract& a) {
  if (!a.is_defined()) refuse(c, "with an argument that may have no value");
  if (a.is_constant() && !is_array(a.constant)) return;
  const Abstract x = c.expanded(a);
  const HeapObject* o = x.kind == How::kObject ? &c.object(x) : nullptr;
  const Type* number = o != nullptr && o->is_array ? o->element : x.type;
  if (!number_kind(number)) refuse(c, "called with a " + type_text(x.type));
}

/// Writes go into a function of its own, with a heap of its own, while the object lives.
class Elsewhere {
 public:
  Elsewhere(Compiler& c, OpBuilder& inner) : c_(c) {
    c.share_written();
    builder_ = &c.b();
    heap_ = std::exchange(c.heap(), {});
    c.set_builder(&inner);
  }
  ~Elsewhere() {
    c_.set_builder(builder_);
    c_.heap() = std::move(heap_);
  }
  Elsewhere(const Elsewhere&) = delete;
  Elsewhere& operator=(const Elsewhere&) = delete;

 private:
  Compiler& c_;
  OpBuilder* builder_ = nullptr;
  Heap heap_;
};

/// A rule's two functions: forward: arguments → the value, then what backward needs; backward: that and the value's derivative → one for each
/// argument that has one.
class RuleWriter {
 public:
  RuleWriter(Compiler& c, const DerivativeRule& rule, const Compiler::Outlined& function)
      : c_(c), rule_(rule), function_(function) {}

  std::vector<bool> has_derivative;  // by argument

  /// False: the rule declines.
  bool write(const Abstract& callee, const std::vector<Abstract>& arguments) {
    std::vector<Abstract> given = arguments;
    if (rule_.takes_callee) given.insert(given.begin(), callee);
    both_ = c_.outline(Abstract::of_constant(rule_.function), given, "with_pullback");
    const Abstract& both = both_->results.values.front();
    if (both.is_constant() && both.type == core().nothing) return false;
    if (both.kind != How::kFields || !both.type->is_tuple || both.fields.size() != 2)
      refuse(c_, "which gives something else than a value and a pullback");
    if (both_->arguments.types != function_.arguments.types) refuse(c_, "which takes other numbers than the function");
    value_ = leaf_of_value();
    weft::DerivativeRule names;
    names.forward = forward();
    names.backward = backward();
    set_derivative_rule(*c_.module().find(function_.name), names);
    return true;
  }

 private:
  /// The value's place among what `both_` gives. It must be what the function itself gives.
  size_t leaf_of_value() {
    const Abstract& own = function_.results.values.front();
    const Abstract& v = both_->results.values.front().fields[0];
    if (own.kind == How::kScalar && is_real_number(own.type)) {
      if (v.kind == How::kScalar && v.type == own.type) return v.ir.index - kPlaceholders;
    } else if (own.kind == How::kObject && function_.results.objects[own.object].is_array) {
      const HeapObject& o = function_.results.objects[own.object];
      const HeapObject* given = v.kind == How::kObject ? &both_->results.objects[v.object] : nullptr;
      if (is_real_number(o.element) && given != nullptr && given->type == o.type && given->dims == o.dims)
        return given->leaves[0].index - kPlaceholders;
    }
    refuse(c_, "which gives no real number or array of them, as its rule does");
  }

  std::string forward() {
    auto f = new_function("forward");
    std::vector<IrValue> arguments;
    for (const weft::Type t : function_.arguments.types) arguments.push_back(f->add_arg(f->body(), t));
    OpBuilder b(*f, f->body(), &c_.module());
    const std::vector<IrValue> given =
        b.create("func.call", arguments, Attrs{{"callee", both_->name}}, both_->results.types);
    std::vector<IrValue> results = {given[value_]};
    results.insert(results.end(), given.begin(), given.end());
    results.insert(results.end(), arguments.begin(), arguments.end());
    b.yield(results);
    return added(std::move(f));
  }

  std::string backward() {
    auto f = new_function("backward");
    const auto added_arguments = [&](const std::vector<weft::Type>& types) {
      std::vector<IrValue> out;
      for (const weft::Type t : types) out.push_back(f->add_arg(f->body(), t));
      return out;
    };
    const std::vector<IrValue> kept = added_arguments(both_->results.types);
    const std::vector<IrValue> arguments = added_arguments(function_.arguments.types);
    const IrValue cotangent = f->add_arg(f->body(), function_.results.types[0]);
    OpBuilder b(*f, f->body(), &c_.module());
    const Elsewhere elsewhere(c_, b);
    std::vector<uint32_t> ids;
    std::vector<Abstract> given = {unpacked(both_->results, kept, c_.heap(), ids).front()};
    const Abstract& value = function_.results.values.front();
    const HeapObject* o = value.kind == How::kObject ? &function_.results.objects[value.object] : nullptr;
    given.push_back(o != nullptr ? c_.new_array(o->type, o->dims, {cotangent})
                                 : Abstract::of_scalar(value.type, cotangent));
    ids.clear();
    const std::vector<Abstract> all = unpacked(function_.arguments, arguments, c_.heap(), ids);
    given.insert(given.end(), all.begin() + 1, all.end());
    const char* by = rule_.takes_callee ? "_derivatives_behind_callee" : "_derivatives_by_arguments";
    const auto back = c_.outline(Abstract::of_constant(c_.evaluator().base_function(by)), given, "pullback");
    const std::vector<IrValue> made =
        b.create("func.call", back->arguments.leaves, Attrs{{"callee", back->name}}, back->results.types);
    b.yield(derivatives(b, *back, made));
    return added(std::move(f));
  }

  /// For each argument that has one, in order: what the pullback gives, or zeros.
  std::vector<IrValue> derivatives(OpBuilder& b, const Compiler::Outlined& back, const std::vector<IrValue>& made) {
    const auto leaf_of = [](const Packed& p, const Abstract& a) {
      const IrValue v = a.kind == How::kObject ? p.objects[a.object].leaves[0] : a.ir;
      return v.index - kPlaceholders;
    };
    std::vector<IrValue> out;
    const Abstract& given = back.results.values.front();
    for (size_t i = 1; i < function_.arguments.values.size(); ++i) {
      const Abstract& a = function_.arguments.values[i];
      has_derivative.push_back(false);
      if (a.is_constant()) continue;
      const weft::Type type = function_.arguments.types[leaf_of(function_.arguments, a)];
      if (!has_derivatives(type)) continue;
      if (given.kind == How::kFields ? i > given.fields.size() : !given.is_constant())
        refuse(c_, "whose pullback does not give a derivative for each argument");
      if (given.is_constant() || given.fields[i - 1].is_constant()) {
        out.push_back(b.zeros(type));
        continue;
      }
      has_derivative.back() = true;
      out.push_back(made[leaf_of(back.results, given.fields[i - 1])]);
    }
    return out;
  }

  std::unique_ptr<Function> new_function(const std::string& what) {
    auto f = std::make_unique<Function>(c_.module().unique_name(function_.name + "_" + what));
    f->set_public(false);
    return f;
  }

  std::string added(std::unique_ptr<Function> f) {
    f->set_name(c_.module().unique_name(f->name()));
    std::string name = f->name();
    c_.module().add(std::move(f));
    return name;
  }

  Compiler& c_;
  const DerivativeRule& rule_;
  const Compiler::Outlined& function_;
  std::shared_ptr<Compiler::Outlined> both_;
  size_t value_ = 0;
};

/// Arguments for which the rule gives nothing are constants.
Abstract call_of_ruled(Compiler& c, const Compiler::Ruled& ruled, Packed arguments) {
  for (size_t i = 0; i < ruled.has_derivative.size(); ++i) {
    const Abstract& a = arguments.values[i + 1];
    if (a.is_constant() || ruled.has_derivative[i]) continue;
    const IrValue place = a.kind == How::kObject ? arguments.objects[a.object].leaves[0] : a.ir;
    IrValue& leaf = arguments.leaves[place.index - kPlaceholders];
    if (has_derivatives(c.b().type(leaf))) leaf = c.b().make("weft.stop_gradient", {leaf});
  }
  return call_of_function(c, *ruled.function, arguments);
}

/// @non_differentiable: what the function gives is a constant.
Abstract call_of_constant(Compiler& c, const Abstract& callee, const std::vector<Abstract>& arguments,
                          const Keywords& keywords) {
  c.share_written();
  const std::vector<HeapObject> before = c.heap().objects;
  const Abstract v = [&] {
    const Differentiated not_so(c, false);
    return c.call(callee, arguments, keywords);
  }();
  for (size_t i = 0; i < before.size(); ++i) {
    if (changes(before[i], c.heap().objects[i])) refuse(c, "which changes what it is given");
  }
  if (v.kind == How::kObject && v.object < before.size()) refuse(c, "which returns what it is given");
  return v.is_defined() ? without_derivative(c, v) : v;
}

}  // namespace

Abstract with_rule(Compiler& c, Args a) {
  std::vector<Abstract> arguments(a.begin() + 2, a.end());
  if (!c.is_differentiated()) return c.call(a[0], std::move(arguments));
  if (c.is_on_whole()) c.fail(Cause::kUnsupported, "a rule for a derivative on whole tensors");
  for (Abstract& x : arguments) {
    x = number_kind(x.type) ? Abstract::of_scalar(x.type, c.scalar(x)) : array_argument(c, x);
    const HeapObject* o = x.kind == How::kObject ? &c.object(x) : nullptr;
    const auto* element = o != nullptr ? as<DataType>(o->element) : x.type;
    if (!has_derivatives(weft::Type::scalar(*element_type(element))))
      c.fail(Cause::kUnsupported, "a rule for the derivative by a " + type_text(x.type));
  }
  const Compiler::Outlined& f = ruled_function(c, a[0], a[1], arguments);
  Packer packer{c};
  packer.add(a[0]);
  for (const Abstract& x : arguments) packer.add(x);
  return call_of_function(c, f, packer.out);
}

std::optional<Abstract> call_by_rule(Compiler& c, const DerivativeRule& rule, const Abstract& callee,
                                     const std::vector<Abstract>& arguments, const Keywords& keywords) {
  if (!rule.function.is_defined()) return call_of_constant(c, callee, arguments, keywords);
  if (!keywords.empty()) refuse(c, "called with keywords");
  if (c.is_on_whole()) refuse(c, "on whole tensors");
  if (!callee.is_constant() || !callee.type->is_singleton()) refuse(c, "which is an object with fields");
  for (const Abstract& a : arguments) check_argument(c, a);
  c.share_written();
  Packer packer{c};
  packer.add(callee);
  for (const Abstract& a : arguments) packer.add(a);
  for (const auto& known : c.ruled()) {
    if (!is_same(known->callee, callee) || !same_shape(known->arguments, packer.out)) continue;
    if (known->declines || std::exchange(known->is_plain_next, false)) return std::nullopt;
    if (!known->function) refuse(c, "which calls itself");
    return call_of_ruled(c, *known, packer.out);
  }
  const auto made = std::make_shared<Compiler::Ruled>();
  made->callee = callee;
  made->arguments = packer.out;
  made->is_plain_next = true;
  c.ruled().push_back(made);
  try {
    made->function = c.outline(callee, arguments, "ruled");
    RuleWriter writer(c, rule, *made->function);
    made->declines = !writer.write(callee, arguments);
    made->has_derivative = std::move(writer.has_derivative);
  } catch (...) {
    std::erase(c.ruled(), made);
    throw;
  }
  if (made->declines) return std::nullopt;
  return call_of_ruled(c, *made, packer.out);
}

Abstract without_derivative(Compiler& c, const Abstract& v) {
  if (v.kind == How::kScalar) return Abstract::of_scalar(v.type, c.b().make("weft.stop_gradient", {v.ir}));
  if (v.kind == How::kFields) {
    std::vector<Abstract> fields;
    for (const Abstract& f : v.fields) fields.push_back(without_derivative(c, f));
    return Abstract::of_fields(v.type, std::move(fields));
  }
  if (v.kind != How::kObject) return v;
  const HeapObject o = c.object(v);
  if (!o.is_array) c.fail(Cause::kUnsupported, "ignore_derivatives of a mutable " + type_text(o.type));
  std::vector<IrValue> leaves;
  for (const IrValue leaf : o.leaves) leaves.push_back(c.b().make("weft.stop_gradient", {leaf}));
  const Abstract out = c.new_array(o.type, o.dims, std::move(leaves));
  c.writable(out).element = o.element;
  return out;
}

}  // namespace weft::julia
