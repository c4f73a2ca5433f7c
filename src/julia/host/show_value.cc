#include <algorithm>

#include "julia/host/array.h"
#include "julia/host/array_look.h"
#include "julia/host/dict.h"
#include "julia/host/method_error.h"
#include "julia/host/show_parts.h"
#include "julia/host/text_view.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

constexpr int kDeepest = 200;

bool is_named(const Value& v, const Type* wrapper) {
  return v.type()->name == as<DataType>(unwrap_union_all(wrapper))->name;
}

void show_complex(std::string& out, const Value& v, const ShowContext& c) {
  const Value re = get_field(v, 0), im = get_field(v, 1);
  if (re.is(core().bool_)) {
    const bool is_unit = !re.get<bool>() && im.get<bool>();
    out += is_unit ? "im"
                   : std::string("Complex(") + (re.get<bool>() ? "true" : "false") + "," +
                         (im.get<bool>() ? "true" : "false") + ")";
    return;
  }
  show(out, re, c);
  std::string part;
  show(part, im, c);
  const bool is_negative = part.starts_with('-');
  if (is_negative) part.erase(0, 1);
  out += c.compact ? (is_negative ? "-" : "+") : (is_negative ? " - " : " + ");
  out += part;
  const bool is_plain =
      part.find("Inf") == std::string::npos && part.find("NaN") == std::string::npos && number_kind(im).has_value();
  if (!is_plain) out += '*';
  out += "im";
}

void show_tuple(std::string& out, const Value& v, const ShowContext& c) {
  const size_t n = field_count(v);
  const auto* known = c.typeinfo == nullptr ? nullptr : as<DataType>(c.typeinfo);
  const bool is_known = known != nullptr && known->is_tuple && known->is_concrete && known->parameters.size() == n;
  out += '(';
  for (size_t i = 0; i < n; ++i) {
    if (i > 0) out += ", ";
    ShowContext inner = c;
    inner.typeinfo = is_known ? known->parameters[i] : nullptr;
    show(out, get_field(v, i), inner);
  }
  out += n == 1 ? ",)" : ")";
}

void show_named_tuple(std::string& out, const Value& v, const ShowContext& c) {
  const std::vector<Symbol> names = v.type()->field_names();
  if (names.empty()) {
    out += "NamedTuple()";
    return;
  }
  const auto* known = c.typeinfo == nullptr ? nullptr : as<DataType>(c.typeinfo);
  const bool is_known = known == v.type();
  out += '(';
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) out += ", ";
    out += identifier_text(names[i]) + " = ";
    ShowContext inner = c;
    inner.typeinfo = is_known ? known->field_types()[i] : nullptr;
    show(out, get_field(v, i), inner);
  }
  out += names.size() == 1 ? ",)" : ")";
}

void show_range(std::string& out, const Value& v, const ShowContext& c) {
  const auto show_each = [&](const Value& x) { show(out, x, {}); };
  if (is_named(v, core().one_to)) {
    out += "Base.OneTo(";
    show_each(get_field(v, 0));
    out += ')';
  } else if (is_named(v, core().unit_range)) {
    show_each(get_field(v, 0));
    out += ':';
    show_each(get_field(v, 1));
  } else if (is_named(v, core().step_range)) {
    for (size_t i = 0; i < 3; ++i) {
      if (i > 0) out += ':';
      show_each(get_field(v, i));
    }
  } else if (is_named(v, core().lin_range)) {
    out += "LinRange{" + type_text(v.type()->parameters[0]) + "}(";
    print(out, get_field(v, 0));
    out += ", ";
    print(out, get_field(v, 1));
    out += ", ";
    show_each(get_field(v, 2));
    out += ')';
  } else if (!range_element(v, 0).is_defined()) {
    // Of things that are no numbers: the call that makes it.
    out += "StepRangeLen(";
    for (size_t i = 0; i < 3; ++i) {
      if (i > 0) out += ", ";
      show_each(get_field(v, i));
    }
    out += ')';
  } else {
    show_each(range_element(v, 0));
    out += ':';
    show_each(range_step(v));
    out += ':';
    show_each(range_element(v, range_length(v) - 1));
  }
}

void show_dict(std::string& out, const Value& v, const ShowContext& c) {
  const DictObject& d = dict_of(v);
  const bool is_implicit = d.count > 0 && is_implicit_type(d.key_type) && is_implicit_type(d.value_type);
  const bool is_known = c.typeinfo == v.type();
  out += is_implicit || is_known ? v.type()->name->name.text() : type_text(v.type());
  out += '(';
  ShowContext inner = c;
  inner.typeinfo = applied(core().pair, {d.key_type, d.value_type});
  ++inner.depth;
  int64_t shown = 0;
  for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1)) {
    if (shown > 0) out += ", ";
    if (c.limit && shown == 10) {
      out += "…";
      break;
    }
    show_pair(out, d.keys[static_cast<size_t>(i)], d.values[static_cast<size_t>(i)], d.key_type, d.value_type, inner);
    ++shown;
  }
  out += ')';
}

void show_set(std::string& out, const Value& v, const ShowContext& c) {
  const DictObject& d = dict_of_set(v);
  if (d.count == 0) {
    out += c.typeinfo == v.type() ? "Set()" : type_text(v.type()) + "()";
    return;
  }
  out += "Set(";
  std::vector<Value> elements;
  for (int64_t i = next_slot(d, 0); i >= 0; i = next_slot(d, i + 1)) elements.push_back(d.keys[static_cast<size_t>(i)]);
  show_list(out, elements, d.key_type, c);
  out += ')';
}

void show_struct(std::string& out, const Value& v, const ShowContext& c) {
  out += type_text(v.type());
  out += '(';
  ShowContext inner = c;
  inner.typeinfo = nullptr;
  ++inner.depth;
  for (size_t i = 0; i < field_count(v); ++i) {
    if (i > 0) out += ", ";
    show(out, get_field(v, i), inner);
  }
  out += ')';
}

}  // namespace

Value range_step(const Value& range) {
  Value step = get_field(range, 1);
  if (step.type()->name->name.text() != "TwicePrecision") return step;
  const auto kind = number_kind(range.type()->parameters[0]);
  const Value sum = number(get_field(step, 0).get<double>() + get_field(step, 1).get<double>());
  return kind ? convert_number(*kind, sum) : sum;
}

bool is_implicit_type(const Type* t) {
  const CoreTypes& c = core();
  const auto* d = as<DataType>(t);
  if (d == nullptr || !d->is_concrete) return false;
  if (d == c.float64 || d == c.int64 || d == c.char_ || d == c.string || d == c.symbol || d->is_singleton())
    return true;
  const auto all = [](const std::vector<const Type*>& types) {
    return std::all_of(types.begin(), types.end(), is_implicit_type);
  };
  if (d->name == as<DataType>(unwrap_union_all(c.array))->name) return is_implicit_type(d->parameters[0]);
  if (d->is_tuple || d->name == c.named_tuple_name) return all(d->field_types());
  if (d->name == as<DataType>(unwrap_union_all(c.pair))->name ||
      d->name == as<DataType>(unwrap_union_all(c.dict))->name)
    return all(d->parameters);
  return false;
}

bool is_pair(const Value& v) { return v.is_defined() && is_named(v, core().pair); }

bool is_delimited(const Value& v, const ShowContext& c) {
  if (!v.is_defined() || !is_pair(v)) return true;
  const bool is_tight =
      get_field(v, 0).type() == v.type()->parameters[0] && get_field(v, 1).type() == v.type()->parameters[1];
  return !is_tight && c.typeinfo != v.type();
}

void show_pair(std::string& out, const Value& key, const Value& value, const Type* key_type, const Type* value_type,
               const ShowContext& c) {
  ShowContext inner = c;
  const auto part = [&](const Value& v, const Type* t) {
    inner.typeinfo = t;
    const bool delimited = is_delimited(v, inner);
    if (!delimited) out += '(';
    show(out, v, inner);
    if (!delimited) out += ')';
  };
  part(key, key_type);
  out += c.compact ? "=>" : " => ";
  part(value, value_type);
}

bool is_irrational(const Value& v) {
  static const Type* const irrational = builtin_type("Irrational");
  return is_named(v, irrational) && v.type()->parameters[0]->kind == TypeKind::kConstant;
}

std::string callable_name(const Value& v) {
  if (!v.is_defined()) return {};
  const TypeName& type = *v.type()->name;
  if (type.function) return type.function.text();
  // Closures: #1, or the f of #f#2.
  const std::string& name = type.name.text();
  if (type.super != core().function || !name.starts_with('#')) return {};
  const size_t end = name.rfind('#');
  return end == 0 ? name : name.substr(1, end - 1);
}

void show(std::string& out, const Value& v, const ShowContext& c) {
  if (!v.is_defined()) {
    out += "#undef";
    return;
  }
  if (c.depth > kDeepest) {
    out += "…";
    return;
  }
  if (c.overridden && c.overridden(out, v, c, false)) return;
  const CoreTypes& t = core();
  const DataType* type = v.type();
  if (number_kind(v)) {
    out += number_text(v, c);
  } else if (const auto text = text_view(v)) {
    out += quoted(*text);
  } else if (type == t.symbol) {
    out += symbol_text(v.as_symbol());
  } else if (type == t.nothing) {
    out += "nothing";
  } else if (type == t.missing) {
    out += "missing";
  } else if (type == t.char_) {
    out += char_literal({v.get<uint32_t>()});
  } else if (type == t.type_var) {
    const auto* variable = static_cast<const TypeVar*>(v.as_type());
    if (!is_bottom(variable->lower)) out += type_text(variable->lower) + "<:";
    out += variable->name.text();
    if (variable->upper != t.any) out += "<:" + type_text(variable->upper);
  } else if (v.is_type()) {
    out += type_text(v.as_type());
  } else if (const std::string name = callable_name(v); !name.empty()) {
    out += name;
  } else if (type->is_tuple) {
    show_tuple(out, v, c);
  } else if (type->name == t.named_tuple_name) {
    show_named_tuple(out, v, c);
  } else if (is_irrational(v)) {
    out += as<Constant>(type->parameters[0])->symbol.text();
  } else if (is_named(v, t.complex)) {
    show_complex(out, v, c);
  } else if (is_named(v, t.rational)) {
    ShowContext inner = c;
    inner.typeinfo = type->parameters[0];
    show(out, get_field(v, 0), inner);
    out += "//";
    show(out, get_field(v, 1), inner);
  } else if (is_pair(v)) {
    if (is_delimited(v, c)) show_struct(out, v, c);
    else show_pair(out, get_field(v, 0), get_field(v, 1), type->parameters[0], type->parameters[1], c);
  } else if (is_dict(v)) {
    show_dict(out, v, c);
  } else if (is_named(v, t.set)) {
    show_set(out, v, c);
  } else if (is_range(v)) {
    show_range(out, v, c);
  } else if (type->name->name == Symbol("CartesianIndices")) {
    // A range from one is its length.
    out += "CartesianIndices((";
    const Value ranges = get_field(v, 0);
    for (size_t i = 0; i < field_count(ranges); ++i) {
      const Value r = get_field(ranges, i);
      if (i > 0) out += ", ";
      show(out, is_named(r, t.one_to) ? get_field(r, 0) : r, {});
    }
    out += field_count(ranges) == 1 ? ",))" : "))";
  } else if (type->name->name == Symbol("Slice") || type->name->name == Symbol("IdentityUnitRange")) {
    out += "Base." + type->name->name.text() + "(";
    show(out, get_field(v, 0), {});
    out += ')';
  } else if (type->name->name == Symbol("Colon")) {
    out += "Colon()";
  } else if (type->name->name == Symbol("CartesianIndex")) {
    out += "CartesianIndex";
    const Value index = get_field(v, 0);
    ShowContext plain;
    std::string text;
    show(text, index, plain);
    if (text.ends_with(",)")) text.erase(text.size() - 2, 1);
    out += text;
  } else if (type == t.module && module_name_of()) {
    out += module_name_of()(v);
  } else if (v.is_reference() && v.object()->kind == ObjectKind::kHost) {
    out += host_text() ? host_text()(v) : type_text(type) + "(…)";
  } else if (const std::optional<ArrayLook> look = look_at(v)) {
    show_array(out, *look, c);
  } else {
    show_struct(out, v, c);
  }
}

std::function<std::string(const Value&)>& module_name_of() {
  static thread_local std::function<std::string(const Value&)> name;
  return name;
}

void print(std::string& out, const Value& v, const ShowContext& c) {
  if (!v.is_defined()) {
    out += "#undef";
    return;
  }
  const CoreTypes& t = core();
  if (const auto text = text_view(v)) {
    out += *text;
  } else if (v.is(t.char_)) {
    out += char_text({v.get<uint32_t>()});
  } else if (v.is(t.symbol)) {
    out += v.as_symbol().text();
  } else if (v.is(t.float32)) {
    out += float_text(v.get<float>(), c.compact, false, 'e');
  } else if (v.is(t.float16)) {
    out += float_text(v.get<f16>(), c.compact, false);
  } else if (const auto kind = number_kind(v); kind && is_unsigned(*kind)) {
    out += visit_number(*kind, [&]<class T>(T) -> std::string {
      if constexpr (kIsFloat<T>) return {};
      else return unsigned_text(static_cast<UInt128>(v.get<T>()));
    });
  } else {
    show(out, v, c);
  }
}

std::string print_text(const Value& v) {
  std::string out;
  print(out, v);
  return out;
}

std::string show_text(const Value& v) {
  std::string out;
  show(out, v);
  return out;
}

std::string display_text(const Value& v) {
  std::string out;
  ShowContext c;
  c.limit = true;
  display(out, v, c);
  return out;
}

}  // namespace weft::julia
