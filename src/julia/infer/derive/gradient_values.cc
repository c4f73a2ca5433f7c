// Gradients as Zygote gives them, from what a tape says of the numbers in a value, and back.
#include "julia/host/dict.h"
#include "julia/host/number_ops.h"
#include "julia/infer/derive/tape.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

using Sort = Places::Kind;

Places source_of(const Value& v) {
  Places s;
  if (!v.is_defined()) return s;
  s.type = v.type();
  if (const auto kind = number_kind(s.type)) {
    if (!is_float(*kind)) return s;
    s.kind = Sort::kNumber;
    s.places = {tracked::place_of(v)};
    return s;
  }
  if (v.is_type() || s.type->is_primitive()) return s;
  if (is_array(v)) {
    const ArrayObject& a = array_of(v);
    s.element = a.element;
    s.dims = a.dims;
    const auto* d = as<DataType>(a.element);
    if (d != nullptr && element_type(d)) {
      if (number_kind(d) && !is_float(*number_kind(d))) return s;
      s.kind = Sort::kNumbers;
      for (int64_t i = 0; i < a.length; ++i) append_places(get_element(a, i), s.places);
      return s;
    }
    s.kind = Sort::kElements;
    for (int64_t i = 0; i < a.length; ++i) s.parts.push_back(source_of(get_element(a, i)));
    return s;
  }
  if (is_dict(v)) {
    s.kind = Sort::kEntries;
    const DictObject& d = dict_of(v);
    for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1)) {
      s.keys.push_back(d.keys[static_cast<size_t>(i)]);
      s.parts.push_back(source_of(d.values[static_cast<size_t>(i)]));
    }
    return s;
  }
  if (s.type->name->is_opaque || (v.is_reference() && v.object()->kind == ObjectKind::kHost)) return s;
  if (element_type(s.type)) {
    s.kind = Sort::kComplex;
    append_places(v, s.places);
    return s;
  }
  s.kind = Sort::kFields;
  for (size_t i = 0; i < field_count(v); ++i) s.parts.push_back(source_of(get_field(v, i)));
  return s;
}

namespace {

bool any_reached(const Places& s, const Cotangents& c) {
  for (const uint64_t p : s.places) {
    if (p != 0 && c.reached[p]) return true;
  }
  return false;
}

Value number_of(const DataType* type, double x) { return convert_number(*number_kind(type), number(x)); }

Value complex_of(const DataType* type, double re, double im) {
  const auto* part = static_cast<const DataType*>(type->parameters[0]);
  return make_struct(type, {number_of(part, re), number_of(part, im)});
}

}  // namespace

Value gradient_at(Evaluator& e, const Places& s, const Cotangents& c) {
  const auto at = [&](size_t i) { return s.places[i] == 0 ? 0.0 : c.of[s.places[i]]; };
  const auto of_parts = [&](std::vector<Value>& values) {
    bool any = false;
    for (const Places& p : s.parts) {
      values.push_back(gradient_at(e, p, c));
      any = any || !values.back().is(core().nothing);
    }
    return any;
  };
  std::vector<Value> values;
  switch (s.kind) {
    case Sort::kNone: return nothing();
    case Sort::kNumber: return any_reached(s, c) ? number_of(s.type, at(0)) : nothing();
    case Sort::kComplex: return any_reached(s, c) ? complex_of(s.type, at(0), at(1)) : nothing();
    case Sort::kNumbers: {
      if (!any_reached(s, c)) return nothing();
      const auto* type = static_cast<const DataType*>(s.element);
      const size_t each = number_kind(type) ? 1 : 2;
      for (size_t i = 0; i < s.places.size(); i += each)
        values.push_back(each == 1 ? number_of(type, at(i)) : complex_of(type, at(i), at(i + 1)));
      return make_array(type, s.dims, std::move(values));
    }
    case Sort::kElements: {
      if (!of_parts(values)) return nothing();
      const Type* element = values[0].type();
      for (const Value& v : values) {
        if (v.type() != element) element = core().any;
      }
      return make_array(element, s.dims, std::move(values));
    }
    case Sort::kEntries: {
      if (!of_parts(values)) return nothing();
      Value out = make_dict(s.type->parameters[0], core().any);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!values[i].is(core().nothing)) assign(dict_of(out), s.keys[i], values[i]);
      }
      return out;
    }
    case Sort::kFields: {
      if (!of_parts(values)) return nothing();
      if (s.type->is_tuple) return make_tuple(std::move(values));
      return make_named_tuple(s.type->field_names(), std::move(values));
    }
  }
  return nothing();
}

namespace {

[[noreturn]] void throw_misfit() { throw_dimension_mismatch("a derivative has another size than its argument"); }

bool is_nothing(const Value& g) {
  const std::string& name = g.type()->name->name.text();
  return g.is(core().nothing) || name == "NoTangent" || name == "ZeroTangent";
}

}  // namespace

void add_gradient(Evaluator& e, const Places& s, const Value& given, Cotangents& c) {
  Value g = given;
  if (is_nothing(g)) return;
  const auto real = [&](const Value& x) { return e.convert(core().float64, e.call_base("real", {x})).get<double>(); };
  const auto imaginary = [&](const Value& x) {
    return e.convert(core().float64, e.call_base("imag", {x})).get<double>();
  };
  switch (s.kind) {
    case Sort::kNone: return;
    case Sort::kNumber: return c.add(s.places[0], real(g));
    case Sort::kComplex: c.add(s.places[0], real(g)); return c.add(s.places[1], imaginary(g));
    case Sort::kNumbers: {
      if (!is_array(g)) g = e.call_base("collect", {g});
      const ArrayObject& a = array_of(g);
      const size_t each = number_kind(static_cast<const DataType*>(s.element)) ? 1 : 2;
      if (static_cast<size_t>(a.length) * each != s.places.size()) throw_misfit();
      for (size_t i = 0; i < s.places.size(); i += each) {
        const Value x = get_element(a, static_cast<int64_t>(i / each));
        if (is_nothing(x)) continue;
        c.add(s.places[i], real(x));
        if (each == 2) c.add(s.places[i + 1], imaginary(x));
      }
      return;
    }
    case Sort::kElements: {
      const ArrayObject& a = array_of(g);
      if (static_cast<size_t>(a.length) != s.parts.size()) throw_misfit();
      for (size_t i = 0; i < s.parts.size(); ++i)
        add_gradient(e, s.parts[i], get_element(a, static_cast<int64_t>(i)), c);
      return;
    }
    case Sort::kEntries:
      for (size_t i = 0; i < s.parts.size(); ++i) {
        const int64_t at = find(dict_of(g), s.keys[i]);
        if (at >= 0) add_gradient(e, s.parts[i], dict_of(g).values[static_cast<size_t>(at)], c);
      }
      return;
    case Sort::kFields: {
      if (s.type->is_tuple) {
        if (field_count(g) != s.parts.size()) throw_misfit();
        for (size_t i = 0; i < s.parts.size(); ++i) add_gradient(e, s.parts[i], get_field(g, i), c);
        return;
      }
      const std::vector<Symbol> names = s.type->field_names();
      for (size_t i = 0; i < s.parts.size(); ++i) {
        const Value part = get_field(g, names[i]);
        if (part.is_defined()) add_gradient(e, s.parts[i], part, c);
      }
      return;
    }
  }
}

}  // namespace weft::julia
