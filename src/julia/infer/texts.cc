#include "julia/infer/texts.h"

#include <algorithm>
#include <unordered_map>

#include "julia/host/array.h"
#include "julia/host/number.h"
#include "julia/infer/iterable.h"
#include "julia/infer/state.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

/// As it is now: what changes later is another object.
struct Frozen {
  Compiler& c;
  std::unordered_map<uint32_t, uint32_t> copies = {};

  Abstract operator()(const Abstract& given) {
    Abstract a = given;
    if (a.kind == How::kScalar && c.b().type(a.ir).rank() > 0)
      c.fail(Cause::kUnsupported, "a text for each element of a tensor");
    for (Abstract& f : a.fields) f = (*this)(f);
    if (a.kind == How::kObject) a.object = copy(a.object);
    return a;
  }

 private:
  uint32_t copy(uint32_t id) {
    const auto known = copies.find(id);
    if (known != copies.end()) return known->second;
    const auto made = static_cast<uint32_t>(c.heap().objects.size());
    copies[id] = made;
    c.heap().objects.push_back(c.heap().objects[id]);
    std::vector<Abstract> fields = c.heap().objects[id].fields;
    for (Abstract& f : fields) f = (*this)(f);
    c.heap().objects[made].fields = std::move(fields);
    return made;
  }
};

void check_type(Compiler& c, const Type* type, bool plain, std::vector<const Type*>& seen) {
  const auto* d = as<DataType>(type);
  if (d == nullptr || number_kind(d) || std::ranges::find(seen, type) != seen.end()) return;
  seen.push_back(type);
  if (has_own_show(c, type, plain)) {
    c.fail(Cause::kUnsupported,
           "a text with a " + type_text(type) + " in it, which a method of the program's own prints",
           "print it by itself");
  }
  for (const Type* p : d->parameters) check_type(c, p, plain, seen);
  if (d->name->is_opaque) return;
  for (const Type* f : d->field_types()) check_type(c, f, plain, seen);
}

}  // namespace

bool is_text(const Abstract& a) { return a.kind == How::kFields && a.type == core().string; }

Abstract make_text(Compiler& c, std::string_view intrinsic, std::span<const Abstract> arguments) {
  std::vector<Abstract> fields = {Abstract::of_constant(c.evaluator().impl().intrinsic_value(intrinsic))};
  Frozen frozen{c};
  for (const Abstract& a : arguments) {
    check_printable(c, a, false);
    fields.push_back(frozen(a));
  }
  const bool is_known = std::ranges::all_of(fields, [](const Abstract& a) { return a.is_constant(); });
  if (!is_known) return Abstract::of_fields(core().string, std::move(fields));
  std::vector<Value> values;
  for (const Abstract& a : fields) values.push_back(a.constant);
  return Abstract::of_constant(text_value(c.evaluator(), values));
}

Abstract choose_text(const Abstract& is_first, const Abstract& first, const Abstract& second) {
  static constexpr const char* kChoice = "ifelse";
  Abstract out = Abstract::of_fields(
      core().string, {Abstract::of_constant(Value::of_symbol(Symbol(kChoice))), is_first, first, second});
  return out;
}

bool is_same_recipe(const Abstract& a, const Abstract& b) {
  if (!is_text(a) || !is_text(b) || a.fields.size() != b.fields.size()) return false;
  if (!is_identical(a.fields[0].constant, b.fields[0].constant)) return false;
  for (size_t i = 1; i < a.fields.size(); ++i) {
    const Abstract &x = a.fields[i], &y = b.fields[i];
    if (x.type != y.type || x.kind == How::kObject || y.kind == How::kObject) return false;
    const bool holds_others = !number_kind(x.type) && x.type != core().string && !is_same(x, y);
    if (holds_others) return false;
  }
  return true;
}

Value text_value(Evaluator& e, std::span<const Value> fields) {
  if (fields[0].is(core().symbol)) return fields[1].get<bool>() ? fields[2] : fields[3];
  return e.call(fields[0], fields.subspan(1));
}

bool has_own_show(Compiler& c, const Type* type, bool plain) {
  Evaluator& e = c.evaluator();
  const Type* io = e.base().bindings.at(Symbol("stdout"))->value.type();
  for (const char* name : {"show", "print"}) {
    const Value f = e.base_function(name);
    if (is_of_program(e.impl().target_of_types(&f, f.type(), {dispatch_type(f), io, type}))) return true;
  }
  if (!plain) return false;
  const Value f = e.base_function("show");
  const Value mime = e.base().bindings.at(Symbol("MIME"))->value;
  const Type* text_plain =
      apply_type(mime.as_type(), std::vector<const Type*>{make_symbol_constant(Symbol("text/plain"))});
  return is_of_program(e.impl().target_of_types(&f, f.type(), {dispatch_type(f), io, text_plain, type}));
}

void check_printable(Compiler& c, const Abstract& a, bool plain) {
  std::vector<const Type*> seen;
  if (a.is_constant() && a.constant.is_type()) return;
  check_type(c, a.type, plain, seen);
}

}  // namespace weft::julia
