// Types, fields and identity.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/emit/emit.h"
#include "julia/infer/texts.h"
#include "julia/infer/wide.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;
using How = Abstract::Kind;

Abstract type_of(Compiler&, Args a) { return Abstract::of_constant(Value::of_type(a[0].type)); }

Abstract isa(Compiler& c, Args a) {
  if (!a[1].is_constant()) c.fail(Cause::kDispatch, "isa with a type that is known only when the program runs");
  return Abstract::of_constant(boolean(subtype(a[0].dispatched(), c.evaluator().impl().type_of_value(a[1].constant))));
}

IrValue identical_numbers(Compiler& c, const Abstract& a, const Abstract& b) {
  const Num x = num(c, a), y = num(c, b);
  if (!is_float(x.kind)) return compare2(c, x.v, y.v, "EQ");
  const ElementType bits = number_type(x.kind)->layout().size == 8   ? ElementType::kU64
                           : number_type(x.kind)->layout().size == 4 ? ElementType::kU32
                                                                     : ElementType::kU16;
  const auto as_bits = [&](IrValue v) {
    return c.b().make("stablehlo.bitcast_convert", {v}, {}, c.b().type(v).with_element(bits));
  };
  return compare2(c, as_bits(x.v), as_bits(y.v), "EQ");
}

/// Two names of objects: where they may be one, the caller's object that each is decides.
Abstract are_one(Compiler& c, uint32_t a, uint32_t b) {
  const std::vector<HeapObject>& objects = c.heap().objects;
  if (a == b) return Abstract::of_constant(boolean(true));
  std::vector<uint32_t> both;
  for (uint32_t k = 0; k < objects.size(); ++k) {
    if ((k == a || objects[a].can_be(k)) && (k == b || objects[b].can_be(k))) both.push_back(k);
  }
  if (both.empty()) return Abstract::of_constant(boolean(false));
  if (std::ranges::any_of(both, [&](uint32_t k) { return !c.is_of_caller(k); }))
    c.fail(Cause::kUnsupported, "=== of two names that may stand for one new array or object");
  const IrValue first = c.scalar(c.identity_of(objects, a)), second = c.scalar(c.identity_of(objects, b));
  const IrValue is_old = compare2(c, first, c.int_constant(0), "GE");
  return result(NumberKind::kBool, op2(c, "stablehlo.and", is_old, compare2(c, first, second, "EQ")));
}

Abstract identical(Compiler& c, Args args) {
  const Abstract a = c.expanded(args[0]), b = c.expanded(args[1]);
  if (a.type != b.type) return Abstract::of_constant(boolean(false));
  if (a.kind == How::kObject && b.kind == How::kObject) return are_one(c, a.object, b.object);
  if (number_kind(a.type) && !is_wide_integer(a.type)) return result(NumberKind::kBool, identical_numbers(c, a, b));
  if (a.kind == How::kFields && b.kind == How::kFields && !is_text(a)) {
    Abstract all = Abstract::of_constant(boolean(true));
    for (size_t i = 0; i < a.fields.size(); ++i) {
      const Abstract pair[] = {a.fields[i], b.fields[i]};
      const Abstract one = identical(c, pair);
      if (one.is_constant() && !one.constant.get<bool>()) return one;
      if (one.is_constant()) continue;
      all = all.is_constant() ? one : result(NumberKind::kBool, op2(c, "stablehlo.and", c.scalar(all), c.scalar(one)));
    }
    return all;
  }
  if (a.is_constant() && b.is_constant()) return Abstract::of_constant(boolean(is_identical(a.constant, b.constant)));
  c.fail(Cause::kUnsupported, "=== of two values of type " + type_text(a.type));
}

size_t position(Compiler& c, const Abstract& object, const Abstract& field) {
  if (!field.is_constant()) {
    c.fail(Cause::kDispatch, "a field chosen when the program runs",
           "use a loop over constants, or an array instead of a tuple");
  }
  if (field.constant.is(core().symbol)) {
    const int i = object.type->field_index(field.constant.as_symbol());
    if (i >= 0) return static_cast<size_t>(i);
  } else if (field.type == core().int64) {
    const auto i = field.constant.get<int64_t>();
    if (i >= 1 && i <= static_cast<int64_t>(object.type->field_count())) return static_cast<size_t>(i - 1);
  }
  return SIZE_MAX;
}

Abstract get_field_of(Compiler& c, Args a) {
  const bool all_constant = a[0].is_constant() && a[1].is_constant();
  if (all_constant && (a[0].constant.is_type() || module_of(a[0].constant) != nullptr)) {
    return Abstract::of_constant(c.evaluator().impl().get_property(a[0].constant, a[1].constant.as_symbol()));
  }
  const bool is_homogeneous =
      !a[1].is_constant() && a[1].type == core().int64 && a[0].type->is_tuple && a[0].type->field_count() > 0;
  if (is_homogeneous) {
    // A tuple of one type: a choice among its elements.
    const Abstract tuple = c.expanded(a[0]);
    const Type* t = tuple.type->field_types()[0];
    for (const Type* other : tuple.type->field_types()) {
      if (other != t || !number_kind(t))
        c.fail(Cause::kDispatch, "an element of a tuple chosen when the program runs",
               c.library_function("getindex") == Symbol("getindex") ? "use an array in the tuple's place" : "");
    }
    const auto n = static_cast<int64_t>(tuple.fields.size());
    const IrValue i = c.scalar(a[1]);
    IrValue holds =
        op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, int_like(c, i, n), "LE"));
    check_all(c, holds, "BoundsError: attempt to access a tuple");
    IrValue v = c.scalar(tuple.fields.back());
    for (int64_t k = n - 1; k >= 1; --k)
      v = select3(c, compare2(c, i, int_like(c, i, k), "EQ"), c.scalar(tuple.fields[static_cast<size_t>(k - 1)]), v);
    return Abstract::of_scalar(static_cast<const DataType*>(t), v);
  }
  const size_t i = position(c, a[0], a[1]);
  if (i == SIZE_MAX) {
    c.throws(a[1].constant.is(core().symbol) ? "FieldError: type " + type_text(a[0].type) + " has no field `" +
                                                   a[1].constant.as_symbol().text() + "`"
                                             : "BoundsError: attempt to access " + type_text(a[0].type));
    return Abstract::nothing();
  }
  return c.field(a[0], i);
}

Abstract set_field_of(Compiler& c, Args a) {
  const size_t i = position(c, a[0], a[1]);
  if (i == SIZE_MAX) c.fail(Cause::kUnsupported, "setfield! of a field that does not exist");
  c.set_field(a[0], a[0].type->field_names().at(i), a[2]);
  return a[2];
}

Abstract tuple(Compiler& c, Args a) { return c.tuple({a.begin(), a.end()}); }

Abstract is_applicable(Compiler& c, Args a) {
  std::vector<const Type*> types;
  for (const Abstract& x : a) types.push_back(x.dispatched());
  const auto target =
      c.evaluator().impl().target_of_types(a[0].is_constant() ? &a[0].constant : nullptr, a[0].type, types);
  return Abstract::of_constant(boolean(target != nullptr));
}

Abstract new_object(Compiler& c, Args a) {
  const auto* type = a[0].is_constant() && a[0].constant.is_type() ? as<DataType>(a[0].constant.as_type()) : nullptr;
  if (type == nullptr) c.fail(Cause::kDispatch, "an object of a type that is not known");
  return c.construct(type, {a.begin() + 1, a.end()});
}

Abstract apply_type_of(Compiler& c, Args) {
  c.fail(Cause::kDispatch, "a type with a parameter that is known only when the program runs");
}

constexpr Emission kEmissions[] = {
    {"_apply_type", apply_type_of}, {"_typeof", type_of},        {"_isa", isa},     {"_is", identical},
    {"_getfield", get_field_of},    {"_setfield", set_field_of}, {"_tuple", tuple}, {"_applicable", is_applicable},
    {"_new", new_object},
};

}  // namespace

std::span<const Emission> core_emissions() { return kEmissions; }

Abstract (*find_emission(std::string_view name))(Compiler&, std::span<const Abstract>) {
  static const auto& all = *[] {
    auto* map = new std::unordered_map<std::string_view, Abstract (*)(Compiler&, Args)>;
    for (const auto list :
         {core_emissions(),       scalar_emissions(),    float_emissions(),     array_emissions(),
          functional_emissions(), block_emissions(),     complex_emissions(),   algebra_emissions(),
          derivative_emissions(), compare_emissions(),   broadcast_emissions(), random_emissions(),
          text_emissions(),       product_emissions(),   solve_emissions(),     orthogonal_emissions(),
          parts_emissions(),      order_emissions(),     eigen_emissions(),     wide_emissions(),
          character_emissions(),  iteration_emissions(), search_emissions(),    selection_emissions(),
          growth_emissions()}) {
      for (const Emission& e : list) map->emplace(e.name, e.emit);
    }
    return map;
  }();
  const auto it = all.find(name);
  return it == all.end() ? nullptr : it->second;
}

namespace {

/// Of text and types: what neither reads the world nor runs methods of the program.
bool is_pure_text(std::string_view name) {
  static const std::set<std::string_view> kPure = {
      "_parse",         "_tryparse",    "_textwidth", "_float_text",       "_based_text",     "_supertype",
      "_fieldnames",    "_fieldcount",  "_fieldtype", "_hasfield",         "_nfields",        "_type_is",
      "_sizeof_type",   "_typejoin",    "_nameof",    "_promote_typejoin", "_typeintersect",  "_type_without",
      "_is_identifier", "_is_operator", "_type_name", "_module_text",      "_primitive_from", "_primitive_bits"};
  return name.starts_with("_str_") || name.starts_with("_char_") || kPure.contains(name);
}

}  // namespace

bool is_pure_intrinsic(std::string_view name) {
  static const auto& pure = *[] {
    auto* set = new std::set<std::string_view>{"_apply_type", "_typeof",        "_isa",   "_is",
                                               "_subtype",    "_type_property", "_tuple", "_getfield"};
    for (const IntrinsicEntry& e : text_intrinsics()) {
      if (is_pure_text(e.name)) set->insert(e.name);
    }
    for (const auto list : {number_intrinsics(), array_intrinsics(), functional_intrinsics(), algebra_intrinsics()}) {
      for (const IntrinsicEntry& e : list) set->insert(e.name);
    }
    return set;
  }();
  return pure.contains(name);
}

namespace {

bool is_plain_type(const Type* t) {
  if (const auto* u = as<UnionType>(t)) return std::ranges::all_of(u->members, is_plain_type);
  const auto* d = as<DataType>(t);
  if (d == nullptr) return true;
  static const std::set<std::string_view> kModules = {"Core",      "Base",          "Iterators",
                                                      "Broadcast", "LinearAlgebra", "Statistics"};
  static const std::set<std::string_view> kWorldly = {"rand",    "randn", "randexp", "print",   "println",
                                                      "display", "show",  "time",    "time_ns", "invokelatest"};
  if (!d->name->module || !kModules.contains(d->name->module.text()) ||
      (d->name->function && kWorldly.contains(d->name->function.text())))
    return false;
  return std::ranges::all_of(d->parameters, is_plain_type);
}

bool is_plain_value(const Value& v) {
  if (v.is_type()) return is_plain_type(v.as_type());
  const DataType* t = v.type();
  if (!is_plain_type(t)) return false;
  if (number_kind(t) || t->name->is_opaque || t->is_primitive()) return true;
  for (size_t i = 0; i < field_count(v); ++i) {
    const Value f = get_field(v, i);
    if (f.is_defined() && !is_plain_value(f)) return false;
  }
  return true;
}

}  // namespace

bool runs_only_library(std::string_view name, std::span<const Abstract> constants) {
  static const auto& callers = *[] {
    auto* set = new std::set<std::string_view>;
    for (const auto list : {array_intrinsics(), functional_intrinsics(), algebra_intrinsics()}) {
      for (const IntrinsicEntry& e : list) set->insert(e.name);
    }
    for (const std::string_view calls_nothing : {"_tuple", "_getfield", "_tuple_eltype", "_tuple_length", "_tuple_get"})
      set->erase(calls_nothing);
    return set;
  }();
  return !callers.contains(name) ||
         std::ranges::all_of(constants, [](const Abstract& x) { return is_plain_value(x.constant); });
}

}  // namespace weft::julia
