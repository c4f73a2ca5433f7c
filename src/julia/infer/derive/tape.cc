#include "julia/infer/derive/tape.h"

#include <algorithm>
#include <atomic>
#include <string_view>

#include "julia/host/dict.h"
#include "julia/host/number_ops.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/derive/differentiable.h"
#include "julia/infer/derive/rules.h"
#include "julia/infer/derive/tape_entries.h"
#include "julia/infer/kept.h"
#include "julia/types/type_show.h"
#include "transform/gradient.h"

namespace weft::julia {

namespace {

using Args = std::span<const Value>;

/// So many elements are worth a program.
constexpr int64_t kManyElements = 64;

int64_t elements_in(const Value& v, int depth = 4) {
  if (is_array(v)) return array_of(v).length;
  if (!v.is_reference() || v.object()->kind != ObjectKind::kFields || depth == 0) return 0;
  int64_t n = 0;
  for (const Value& f : static_cast<const FieldsObject*>(v.object())->fields)
    n = std::max(n, elements_in(f, depth - 1));
  return n;
}

/// Whether a value could carry a derivative: it holds a number of floats.
bool holds_floats(const Value& v) {
  if (!v.is_defined() || v.is_type()) return false;
  if (const auto kind = number_kind(v.type())) return is_float(*kind);
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    const auto* d = as<DataType>(a.element);
    if (d != nullptr && number_kind(d)) return is_float(*number_kind(d));
    if (a.flat != nullptr) return a.flat->field_count() > 0;
    return std::ranges::any_of(*a.boxes, holds_floats);
  }
  if (v.is(core().string) || v.is(core().symbol)) return false;
  if (v.type()->name->is_opaque) return true;
  for (size_t i = 0; i < field_count(v); ++i) {
    if (holds_floats(get_field(v, i))) return true;
  }
  return false;
}

struct KeptDerivative {
  std::shared_ptr<const IntrinsicDerivative> made;
  std::string why;  // when there is none
  std::vector<Binding*> globals;
};

/// Recording stops while the object lives.
class Paused {
 public:
  Paused() : recorder_(std::exchange(recorder, nullptr)), recording_(std::exchange(tracked::recording, 0)) {}
  ~Paused() {
    recorder = recorder_;
    tracked::recording = recording_;
  }
  Paused(const Paused&) = delete;
  Paused& operator=(const Paused&) = delete;

 private:
  Recorder* recorder_;
  uint64_t recording_;
};

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Unsupported("the derivative of a function that is not compiled and calls `" + name + "`, " + why);
}

}  // namespace

Tape::Tape(Evaluator& e) : e_(e) {
  if (recorder != nullptr) throw Unsupported("a derivative inside of a derivative, of functions that are not compiled");
  static std::atomic<uint64_t> serial{0};
  tracked::recording = ++serial << tracked::kPlaceBits;
  recorder = this;
}

void Tape::stop() {
  if (!is_running_) return;
  is_running_ = false;
  tracked::recording = 0;
  recorder = nullptr;
  tracked::unbox_all();
}

Value Tape::variable(const Value& v) {
  if (!v.is_defined()) return v;
  const DataType* t = v.type();
  if (const auto kind = number_kind(t)) return is_float(*kind) ? tracked::with_place(v, next_++) : v;
  if (v.is_type() || t->is_primitive() || t == core().string || t == core().symbol) return v;
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    if (a.flat != nullptr && !holds_floats(v)) return v;
    std::vector<Value> elements;
    for (int64_t i = 0; i < a.length; ++i) elements.push_back(variable(get_element(a, i)));
    Value out = copied(v);
    for (int64_t i = 0; i < a.length; ++i) set_element(array_of(out), i, elements[static_cast<size_t>(i)]);
    return out;
  }
  if (is_dict(v)) {
    auto* d = new DictObject(*static_cast<const DictObject*>(v.object()));
    d->references = 1;
    for (Value& x : d->values) x = variable(x);
    return Value::of_object(t, d);
  }
  if (t->name->is_opaque || (v.is_reference() && v.object()->kind == ObjectKind::kHost)) return v;
  std::vector<Value> fields;
  bool changes = false;
  for (size_t i = 0; i < field_count(v); ++i) {
    fields.push_back(variable(get_field(v, i)));
    changes = changes || fields.back().is_reference() || tracked::is_tracked(fields.back());
  }
  if (!changes) return v;
  if (t->is_bits()) return make_struct(t, std::move(fields));
  return Value::of_object(t, new FieldsObject(std::move(fields)));
}

void Tape::make_variable(const Value& array) {
  ArrayObject& a = array_of(array);
  for (int64_t i = 0; i < a.length; ++i) set_element(a, i, variable(get_element(a, i)));
}

Value Tape::call_intrinsic(const IntrinsicEntry& intrinsic, Args arguments) {
  const std::string_view name = intrinsic.name;
  if (name == "_stop_gradient") return Untracked().of(arguments[0]);
  const bool hands_on = hands_values_on(name);
  const bool may_be_whole = is_of_elements(name) && std::ranges::any_of(arguments, [&](const Value& v) {
                              return elements_in(v) >= kManyElements || name == "_pfor";
                            });
  if (hands_on && !may_be_whole) return intrinsic.function(e_, arguments);
  TrackedFinder finder;
  if (std::ranges::none_of(arguments, [&](const Value& v) { return finder.has(v); }))
    return intrinsic.function(e_, arguments);
  const Value f = e_.impl().intrinsic_value(name);
  const std::string shown(name.substr(1));
  if (!may_be_whole) return record(intrinsic, f, arguments, shown);
  try {
    return record(intrinsic, f, arguments, shown);
  } catch (const Unsupported&) {
    if (name == "_pfor") return nothing();  // lane after lane
  }
  return intrinsic.function(e_, arguments);
}

std::shared_ptr<const IntrinsicDerivative> Tape::derivative_of(const Value& f, Args arguments,
                                                               const std::vector<std::vector<uint64_t>>& places,
                                                               bool fixed_integers) {
  CompileCallOptions options;
  options.fixed_integers = fixed_integers;
  options.fixed_characters = true;
  options.differentiated = true;
  auto d = std::make_shared<IntrinsicDerivative>();
  d->call = trace_call(e_, f, arguments, {}, options);
  for (size_t i = 0; i < d->call.types.size(); ++i) {
    const bool is_tracked = i < places.size() && std::ranges::any_of(places[i], [](uint64_t p) { return p != 0; });
    if (is_tracked && has_derivatives(d->call.types[i])) d->by.push_back(i);
  }
  if (d->by.empty() || std::ranges::none_of(d->call.results.types, has_derivatives)) return d;
  const std::string as = "derivative";
  vjp(*d->call.program, d->call.entry, d->by, as);
  d->code = get_target(e_.impl().compile_target).compile(d->call.program, as, {});
  return d;
}

std::shared_ptr<const IntrinsicDerivative> Tape::known_derivative(const Value& f, Args given, Args arguments,
                                                                  LeafPlaces& places, bool fixed, std::string* why) {
  // Code for each way in which arguments are tracked.
  auto& made = kept_with<CallCache<KeptDerivative>>(e_);
  made.renew(e_.impl().generation);
  CallKey key = call_key(f, arguments, {}, fixed ? KeyOf::kIntegers : KeyOf::kExtents);
  key.push_back(fixed ? 1 : 0);
  const KeptDerivative* found = nullptr;
  try {
    places.read(f);
    for (const Value& v : given) places.read(v);
    for (const auto& leaf : places.leaves)
      key.push_back(std::ranges::any_of(leaf, [](uint64_t p) { return p != 0; }) ? 1 : 0);
    const Paused paused;
    found = made.find(key, [&] {
      auto kept = std::make_unique<KeptDerivative>();
      try {
        kept->made = derivative_of(f, arguments, places.leaves, fixed);
        kept->globals = kept->made->call.globals;
      } catch (const NotCompiled& e) { kept->why = e.message; }
      return kept;
    });
  } catch (const NotCompiled& e) {  // of a value that compiled code cannot take
    *why = e.message;
    return nullptr;
  }
  made.keep(e_.impl().generation);
  *why = found->why;
  return found->made;
}

Value Tape::record_without_code(const IntrinsicEntry& intrinsic, const Untracked& untracked, Args arguments,
                                const std::string& name, const std::string& why) {
  std::vector<Value> before;
  for (const Value& v : arguments) before.push_back(is_array(v) ? copied(v) : v);
  Value result;
  {
    const Paused paused;
    result = intrinsic.function(e_, arguments);
  }
  if (holds_floats(result)) refuse(name, "of which there is no derivative: " + why);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is_array(arguments[i]) || !holds_floats(arguments[i])) continue;
    const ArrayObject &a = array_of(before[i]), &b = array_of(arguments[i]);
    bool same = a.dims == b.dims;
    for (int64_t k = 0; same && k < a.length; ++k) same = is_identical(get_element(a, k), get_element(b, k));
    if (!same) refuse(name, "of which there is no derivative: " + why);
  }
  if (untracked.changed().is_defined()) refuse(name, "of which there is no derivative: " + why);
  return result;
}

Value Tape::record(const IntrinsicEntry& intrinsic, const Value& f, Args given, const std::string& name) {
  Untracked untracked;
  std::vector<Value> arguments;
  for (const Value& v : given) arguments.push_back(untracked.of(v));
  const bool is_whole = is_of_elements(intrinsic.name);
  // Integers are constants where the code needs them.
  bool fixed = false;
  std::string why;
  LeafPlaces places(false);
  std::shared_ptr<const IntrinsicDerivative> d = known_derivative(f, given, arguments, places, fixed, &why);
  if (!d) {
    fixed = true;
    places = LeafPlaces(true);
    d = known_derivative(f, given, arguments, places, fixed, &why);
  }
  if (d && std::ranges::any_of(d->call.globals, [](const Binding* g) { return TrackedFinder().has(g->value); }))
    refuse(name, "with a global that is differentiated by");
  if (!d) {
    if (is_whole) refuse(name, why);
    return record_without_code(intrinsic, untracked, arguments, name, why);
  }
  ArgumentReader reader;
  reader.fixed_integers = fixed;
  reader.fixed_characters = true;
  reader.read(f);
  for (const Value& v : arguments) reader.read(v);
  reader.fixed_integers = false;
  for (const Binding* g : d->call.globals) reader.read(g->value);
  Entry entry;
  entry.code = d;
  for (size_t i = 0; i < reader.bytes.size() && d->code; ++i) {
    const weft::Type type = d->call.types[i];
    Tensor t(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
    if (t.size_bytes() > 0) std::memcpy(t.raw(), reader.bytes[i], t.size_bytes());
    entry.leaves.push_back(std::move(t));
  }
  Value result;
  {
    const Paused paused;
    result = intrinsic.function(e_, arguments);
  }
  if (d->call.changed.empty() && (!d->code || !holds_floats(result))) return untracked.original(result);
  Placing placing(next_, untracked, reader.objects, d->call.changed);
  const Value out = placing.of(result);
  for (const uint32_t i : d->call.changed) placing.of(reader.objects[i]);
  if (placing.counts.size() != d->call.results.types.size())
    throw InternalError("a derivative of " + name + " with other results than the call has");
  for (const size_t i : d->by) entry.places.push_back(std::move(places.leaves[i]));
  entry.counts = std::move(placing.counts);
  entry.first = next_;
  next_ = placing.next();
  if (d->code) entries_.push_back(std::move(entry));
  return out;
}

std::optional<Value> Tape::call_method(Args all, std::span<const Keyword> keywords) {
  std::vector<const Type*> types;
  for (const Value& v : all) types.push_back(dispatch_type(v));
  const std::optional<DerivativeRule> rule = rule_for(e_, &all[0], types);
  if (!rule) return std::nullopt;
  TrackedFinder finder;
  if (std::ranges::none_of(all, [&](const Value& v) { return finder.has(v); })) return std::nullopt;
  Untracked untracked;
  std::vector<Value> arguments;
  for (const Value& v : all) arguments.push_back(untracked.of(v));
  const Value callee = arguments[0];
  if (!rule->takes_callee) arguments.erase(arguments.begin());
  Value both;
  {
    const Paused paused;
    if (!rule->function.is_defined()) return e_.call(callee, arguments, keywords);
    both = e_.call(rule->function, arguments, keywords);
  }
  if (both.is(core().nothing)) return std::nullopt;  // the rule declines
  auto made = std::make_shared<CustomRule>();
  made->has_callee = rule->takes_callee;
  made->back = get_field(both, 1);
  for (const Value& v : all) made->arguments.push_back(source_of(v));
  Entry entry;
  entry.first = next_;
  Value out = variable(get_field(both, 0));
  made->result = source_of(out);
  entry.rule = std::move(made);
  entries_.push_back(std::move(entry));
  return out;
}

}  // namespace weft::julia
