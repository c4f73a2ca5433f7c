#include "julia/infer/derive/host_derivatives.h"

#include <algorithm>
#include <set>

#include "julia/host/number_ops.h"
#include "julia/infer/border/reader.h"
#include "julia/infer/derive/tape.h"
#include "julia/infer/kept.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Value>;

/// A run of a function, and where the numbers of its arguments and its value are on the tape.
struct Recorded {
  std::unique_ptr<Tape> tape;
  Value value;  // as a constant
  Places result;
  std::vector<Places> arguments;
};

Recorded record(Evaluator& e, const Value& f, Args given) {
  Recorded r;
  r.tape = std::make_unique<Tape>(e);
  std::vector<Value> arguments;
  for (const Value& v : given) {
    arguments.push_back(r.tape->variable(v));
    r.arguments.push_back(source_of(arguments.back()));
  }
  const Value value = e.call(f, arguments);
  r.result = source_of(value);
  r.value = Untracked().of(value);
  r.tape->stop();
  return r;
}

/// With integers as floats, unless the function needs them as integers.
Recorded record_call(Evaluator& e, const Value& f, Args given) {
  std::vector<Value> floats;
  bool differs = false;
  for (const Value& v : given) {
    floats.push_back(as_floats(v));
    differs = differs || floats.back().type() != v.type();
  }
  if (!differs) return record(e, f, given);
  try {
    return record(e, f, floats);
  } catch (const JuliaError&) { return record(e, f, given); }
}

std::vector<Value> gradients_of(Evaluator& e, const Recorded& r, Cotangents& c) {
  r.tape->sweep(c);
  std::vector<Value> out;
  for (const Places& s : r.arguments) out.push_back(gradient_at(e, s, c));
  return out;
}

/// Who listens.
struct Told {
  std::function<void(const std::string&)> tell;
  std::set<std::string> said;
};

}  // namespace

Value host_gradient(Evaluator& e, Args call, bool of_first) {
  const Recorded r = record_call(e, call[0], call.subspan(1));
  const bool is_first = of_first && r.result.kind == Places::Kind::kFields && !r.result.parts.empty();
  const Places& loss = is_first ? r.result.parts[0] : r.result;
  const DataType* type = is_first ? get_field(r.value, 0).type() : r.value.type();
  std::vector<Value> out = {r.value};
  if (type->name->name == Symbol("Complex")) throw_error("Output is complex, so the gradient is not defined.");
  if (!number_kind(type))
    throw_error("Output should be scalar; gradients are not defined for output of type " + type_text(type));
  if (!is_float(*number_kind(type))) {
    out.resize(call.size(), nothing());
    return make_tuple(std::move(out));
  }
  Cotangents c = r.tape->start();
  c.add(loss.places[0], 1.0);
  std::ranges::move(gradients_of(e, r, c), std::back_inserter(out));
  return make_tuple(std::move(out));
}

Value host_gradient_by_params(Evaluator& e, Args call) {
  const ArrayObject& params = array_of(call[1]);
  Recorded r;
  r.tape = std::make_unique<Tape>(e);
  for (int64_t i = 0; i < params.length; ++i) {
    const Value p = get_element(params, i);
    if (!is_array(p)) throw_argument_error("Params must be arrays, not a " + type_text(p.type()));
    r.tape->make_variable(p);
    r.arguments.push_back(source_of(p));
  }
  const Value value = e.call(call[0], {});
  r.result = source_of(value);
  r.value = Untracked().of(value);
  r.tape->stop();
  std::vector<Value> gradients(r.arguments.size(), nothing());
  if (r.result.kind == Places::Kind::kNumber) {
    Cotangents c = r.tape->start();
    c.add(r.result.places[0], 1.0);
    gradients = gradients_of(e, r, c);
  } else if (!number_kind(r.value.type())) {
    throw_error("Output should be scalar; gradients are not defined for output of type " + type_text(r.value.type()));
  }
  return make_tuple({r.value, make_tuple(std::move(gradients))});
}

Value host_jacobian(Evaluator& e, Args call) {
  const Recorded r = record_call(e, call[0], call.subspan(1));
  using Sort = Places::Kind;
  const auto is_real = [](const Places& s) {
    const auto* d = as<DataType>(s.element);
    return s.kind == Sort::kNumber || (s.kind == Sort::kNumbers && d != nullptr && number_kind(d));
  };
  if (!is_real(r.result))
    throw_error("jacobian expected a function that returns an array of real numbers, or one number");
  const auto rows = static_cast<int64_t>(r.result.places.size());
  std::vector<Value> matrices;
  for (const Places& s : r.arguments) {
    const DataType* type = s.kind == Sort::kNumber ? s.type : as<DataType>(s.element);
    matrices.push_back(is_real(s) ? make_array(type, {rows, static_cast<int64_t>(s.places.size())}) : nothing());
  }
  for (int64_t i = 0; i < rows; ++i) {
    Cotangents c = r.tape->start();
    c.add(r.result.places[static_cast<size_t>(i)], 1.0);
    r.tape->sweep(c);
    for (size_t k = 0; k < matrices.size(); ++k) {
      if (matrices[k].is(core().nothing)) continue;
      ArrayObject& m = array_of(matrices[k]);
      const std::vector<uint64_t>& places = r.arguments[k].places;
      for (size_t j = 0; j < places.size(); ++j)
        set_element(m, static_cast<int64_t>(j) * rows + i,
                    convert_number(*number_kind(m.flat), number(c.of[places[j]])));
    }
  }
  return make_tuple(std::move(matrices));
}

Value host_pullback(Evaluator& e, Args call) {
  auto r = std::make_shared<Recorded>(record_call(e, call[1], call.subspan(2)));
  const Value value = r->value;
  return make_tuple({value, Value::of_object(as<DataType>(call[0].as_type()), new HostObject(std::move(r)))});
}

Value host_pullback_apply(Evaluator& e, Args call) {
  const auto& r = *static_cast<const Recorded*>(static_cast<const HostObject*>(call[0].object())->contents.get());
  Cotangents c = r.tape->start();
  add_gradient(e, r.result, call[1], c);
  return make_tuple(gradients_of(e, r, c));
}

std::string name_of_callee(const Value& f) {
  const TypeName* name = f.type()->name;
  return name->function ? name->function.text() : name->name.text();
}

void say_left_to_host(Evaluator& e, const std::string& what) {
  auto& told = kept_with<Told>(e);
  if (told.tell && told.said.insert(what).second) told.tell(what);
}

void on_left_to_host(Evaluator& e, std::function<void(const std::string&)> told) {
  kept_with<Told>(e).tell = std::move(told);
}

}  // namespace weft::julia
