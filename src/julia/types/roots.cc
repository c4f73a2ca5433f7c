#include "julia/types/roots.h"

#include <atomic>

namespace weft::julia {
namespace {

TypeName* name_of(Symbol name, Flavour flavour, std::vector<const TypeVar*> vars = {}) {
  auto* n = new TypeName;
  n->name = name;
  n->module = "Core";
  n->flavour = flavour;
  n->vars = std::move(vars);
  return n;
}

/// While the roots are made, roots() already answers with what there is.
constinit Roots storage{};
constinit std::atomic<bool> is_made = false;

const TypeVar* plain_var(Symbol name, const Roots& r) { return make_type_var(name, r.bottom, r.any); }

void make_roots() {
  Roots& r = storage;
  r.any_name = name_of("Any", Flavour::kAbstract);
  r.any = intern_data_type(r.any_name, {});
  r.any_name->primary = r.any;
  r.any_name->wrapper = r.any;
  r.any->super_ = r.any;
  r.bottom = static_cast<const UnionType*>(make_union({}));

  r.tuple_name = name_of("Tuple", Flavour::kStruct);
  r.tuple_name->super = r.any;
  const Type* any_tail[] = {make_vararg(r.any)};
  r.tuple_name->primary = make_tuple_type(any_tail);
  r.tuple_name->wrapper = r.tuple_name->primary;

  const auto declare = [&](Symbol name, Flavour flavour, std::vector<const TypeVar*> vars) {
    TypeName* n = name_of(name, flavour, std::move(vars));
    n->super = r.any;
    n->primary = intern_data_type(n, {n->vars.begin(), n->vars.end()});
    n->wrapper = wrap_free(n->primary, n->vars);
    return n;
  };
  r.type_name = declare("Type", Flavour::kAbstract, {plain_var("T", r)});
  r.named_tuple_name = declare("NamedTuple", Flavour::kStruct,
                               {plain_var("names", r), make_type_var("T", r.bottom, r.tuple_name->wrapper)});
  // As a name only: applied to parameters it is a Vararg node.
  r.vararg_name = declare("Vararg", Flavour::kAbstract, {plain_var("T", r), plain_var("N", r)});
  TypeName* symbol = declare("Symbol", Flavour::kMutable, {});
  symbol->is_opaque = true;
  r.symbol = symbol->primary;

  // Int64's own supertypes come first.
  TypeName* number = declare("Number", Flavour::kAbstract, {});
  TypeName* real = declare("Real", Flavour::kAbstract, {});
  real->super = number->primary;
  TypeName* integer = declare("Integer", Flavour::kAbstract, {});
  integer->super = real->primary;
  TypeName* sign = declare("Signed", Flavour::kAbstract, {});
  sign->super = integer->primary;
  TypeName* int64 = declare("Int64", Flavour::kPrimitive, {});
  int64->super = sign->primary;
  int64->bits = 64;
  r.int64 = int64->primary;
}

}  // namespace

const Roots& roots() {
  if (is_made.load(std::memory_order_acquire)) return storage;
  static thread_local bool inside = false;
  if (inside) return storage;
  static const bool done = [] {
    inside = true;
    make_roots();
    inside = false;
    is_made.store(true, std::memory_order_release);
    return true;
  }();
  (void)done;
  return storage;
}

}  // namespace weft::julia
