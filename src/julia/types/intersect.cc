#include <algorithm>
#include <map>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"
#include "julia/types/subtype.h"

// Intersection by unification: the variables of both sides are opened, equal positions bind them, and what remains unbound is
// put back around the result. Where that is not exact the answer is too large, never too small.
namespace weft::julia {
namespace {

class Unifier {
 public:
  const Type* meet(const Type* a, const Type* b) {
    a = resolved(a), b = resolved(b);
    if (a == b || b == roots().any) return a;
    if (a == roots().any) return b;
    if (is_bottom(a) || is_bottom(b)) return roots().bottom;
    if (a->is_closed() && b->is_closed()) {
      if (subtype(a, b)) return a;
      if (subtype(b, a)) return b;
    }
    if (const auto* u = as<UnionType>(a)) return meet_members(u, b);
    if (const auto* u = as<UnionType>(b)) return meet_members(u, a);
    if (const auto* u = as<UnionAll>(a)) return meet(open(u), b);
    if (const auto* u = as<UnionAll>(b)) return meet(a, open(u));
    if (const auto* v = as<TypeVar>(a)) return meet_var(v, b);
    if (const auto* v = as<TypeVar>(b)) return meet_var(v, a);
    const auto *x = as<DataType>(a), *y = as<DataType>(b);
    if (x == nullptr || y == nullptr) return roots().bottom;
    if (x->is_tuple && y->is_tuple) return meet_tuples(x, y);
    if (x->name == roots().type_name && is_kind(y))
      return kind_of(x->parameters[0]) == y || x->parameters[0]->kind == TypeKind::kVar
                 ? x
                 : static_cast<const Type*>(roots().bottom);
    if (y->name == roots().type_name && is_kind(x)) return meet(y, x);
    if (const Type* t = meet_up(x, y)) return t;
    if (const Type* t = meet_up(y, x)) return t;
    return roots().bottom;
  }

  const Type* closed(const Type* t) {
    t = settled(t, 0);
    // Around the result, innermost first; a variable's bounds may name earlier ones.
    for (size_t i = opened_.size(); i-- > 0;) t = make_union_all(opened_[i], t);
    return t;
  }

 private:
  const Type* open(const UnionAll* u) {
    const TypeVar* v = make_type_var(u->var->name, u->var->lower, u->var->upper);
    opened_.push_back(v);
    return substitute(u->body, u->var, v);
  }

  const Type* resolved(const Type* t) {
    for (auto it = values_.find(t); it != values_.end(); it = values_.find(t)) t = it->second;
    return t;
  }

  const Type* settled(const Type* t, int depth) {
    if (depth > 20) return t;
    for (const auto& [var, value] : values_) {
      if (mentions(t, static_cast<const TypeVar*>(var)))
        return settled(substitute(t, static_cast<const TypeVar*>(var), value), depth + 1);
    }
    return t;
  }

  const Type* meet_members(const UnionType* u, const Type* b) {
    std::vector<const Type*> out;
    for (const Type* m : u->members) {
      const auto saved = values_;
      const Type* t = meet(m, b);
      if (!is_bottom(t)) out.push_back(settled(t, 0));
      values_ = saved;
    }
    return make_union(out);
  }

  bool is_opened(const Type* t) const { return std::find(opened_.begin(), opened_.end(), t) != opened_.end(); }

  /// A variable in covariant position: it narrows to what its bound shares with t.
  const Type* meet_var(const TypeVar* v, const Type* t) {
    if (t->kind == TypeKind::kConstant) return unify(v, t) ? t : roots().bottom;
    if (!is_opened(v)) return meet(v->upper, t);
    const Type* narrowed = meet(v->upper, t);
    if (is_bottom(narrowed)) return narrowed;
    if (narrowed->kind == TypeKind::kVar || narrowed == v->upper) return narrowed == v->upper ? v : narrowed;
    if (is_concrete(narrowed)) {
      values_[v] = narrowed;
      return narrowed;
    }
    const TypeVar* bounded = make_type_var(v->name, v->lower, narrowed);
    values_[v] = bounded;
    opened_.push_back(bounded);
    return bounded;
  }

  const Type* meet_tuples(const DataType* x, const DataType* y) {
    const auto split = [](const DataType* d) {
      return !d->parameters.empty() ? as<Vararg>(d->parameters.back()) : nullptr;
    };
    const auto *tx = split(x), *ty = split(y);
    const size_t nx = x->parameters.size() - (tx != nullptr), ny = y->parameters.size() - (ty != nullptr);
    if ((tx == nullptr && ny > nx) || (ty == nullptr && nx > ny)) return roots().bottom;
    std::vector<const Type*> out;
    const size_t n = std::max(nx, ny);
    if (tx != nullptr && tx->count != nullptr && ty == nullptr)
      unify(tx->count, make_int(static_cast<int64_t>(ny - nx)));
    if (ty != nullptr && ty->count != nullptr && tx == nullptr)
      unify(ty->count, make_int(static_cast<int64_t>(nx - ny)));
    for (size_t i = 0; i < n; ++i) {
      const Type* t = meet(i < nx ? x->parameters[i] : tx->element, i < ny ? y->parameters[i] : ty->element);
      if (is_bottom(t)) return t;
      out.push_back(t);
    }
    if (tx != nullptr && ty != nullptr) {
      const Type* t = meet(tx->element, ty->element);
      if (!is_bottom(t)) out.push_back(make_vararg(t, tx->count != nullptr ? tx->count : ty->count));
    }
    return make_tuple_type(out);
  }

  /// x, which is declared below y's declaration, with parameters such that both hold; null: it is not below.
  const Type* meet_up(const DataType* x, const DataType* y) {
    const DataType* up = x;
    while (up->name != y->name) {
      if (up == roots().any) return nullptr;
      up = up->super();
    }
    if (up->parameters.size() != y->parameters.size()) return nullptr;
    for (size_t i = 0; i < up->parameters.size(); ++i) {
      if (!unify(up->parameters[i], y->parameters[i])) return roots().bottom;
    }
    return settled(x, 0);
  }

  /// Makes two types in invariant position equal; false when they cannot be.
  bool unify(const Type* a, const Type* b) {
    a = resolved(a), b = resolved(b);
    if (a == b) return true;
    const auto *va = as<TypeVar>(a), *vb = as<TypeVar>(b);
    if (va != nullptr && !is_opened(va)) va = nullptr;
    if (vb != nullptr && !is_opened(vb)) vb = nullptr;
    if (va != nullptr && vb != nullptr) {
      const Type* upper = meet(va->upper, vb->upper);
      if (is_bottom(upper)) {  // Complex{<:Integer} and Complex{<:Rational} share Complex{Union{}}
        values_[va] = values_[vb] = upper;
      } else if (upper == va->upper) {
        values_[vb] = va;
      } else if (upper == vb->upper) {
        values_[va] = vb;
      } else {
        const TypeVar* both = make_type_var(va->name, nullptr, upper);
        opened_.push_back(both);
        values_[va] = values_[vb] = both;
      }
      return true;
    }
    if (va == nullptr && vb != nullptr) return unify(b, a);
    if (va != nullptr) {
      if (mentions(b, va)) return false;
      if (b->kind != TypeKind::kConstant && b->is_closed() && va->upper->is_closed() && !subtype(b, va->upper))
        return false;
      if (b->kind != TypeKind::kConstant && va->lower->is_closed() && b->is_closed() && !subtype(va->lower, b))
        return false;
      if (b->kind == TypeKind::kConstant && va->upper != roots().any) return false;
      values_[va] = b;
      return true;
    }
    if (a->is_closed() && b->is_closed()) return types_equal(a, b);
    if (a->kind == TypeKind::kConstant || b->kind == TypeKind::kConstant) {
      const auto *ca = as<Constant>(a), *cb = as<Constant>(b);
      if (ca == nullptr || cb == nullptr || ca->elements.size() != cb->elements.size())
        return a->kind == TypeKind::kVar || b->kind == TypeKind::kVar;
      for (size_t i = 0; i < ca->elements.size(); ++i) {
        if (!unify(ca->elements[i], cb->elements[i])) return false;
      }
      return true;
    }
    const auto *x = as<DataType>(a), *y = as<DataType>(b);
    if (x != nullptr && y != nullptr) {
      if (x->name != y->name) return false;
      if (x->is_tuple) return x->parameters.size() != y->parameters.size() || unify_all(x->parameters, y->parameters);
      return x->parameters.size() == y->parameters.size() && unify_all(x->parameters, y->parameters);
    }
    return !is_bottom(meet(a, b));
  }

  bool unify_all(const std::vector<const Type*>& as, const std::vector<const Type*>& bs) {
    for (size_t i = 0; i < as.size(); ++i) {
      if (as[i]->kind == TypeKind::kVararg || bs[i]->kind == TypeKind::kVararg) continue;
      if (!unify(as[i], bs[i])) return false;
    }
    return true;
  }

  std::map<const Type*, const Type*> values_;
  std::vector<const TypeVar*> opened_;
};

/// The supertype of t, or t itself, that is an application of `name`; null: t is not below it.
const DataType* above(const DataType* t, const TypeName* name) {
  while (t->name != name) {
    if (t == roots().any) return nullptr;
    t = t->super();
  }
  return t;
}

const Type* join_tuples(const DataType* a, const DataType* b) {
  const auto& xs = a->parameters;
  const auto& ys = b->parameters;
  const auto tail = [](const std::vector<const Type*>& ps) { return !ps.empty() ? as<Vararg>(ps.back()) : nullptr; };
  const size_t nx = xs.size() - (tail(xs) != nullptr), ny = ys.size() - (tail(ys) != nullptr);
  std::vector<const Type*> out;
  for (size_t i = 0; i < std::min(nx, ny); ++i) out.push_back(type_join(xs[i], ys[i]));
  if (nx != ny || tail(xs) != nullptr || tail(ys) != nullptr) {
    const Type* rest = roots().bottom;
    for (size_t i = std::min(nx, ny); i < nx; ++i) rest = type_join(rest, xs[i]);
    for (size_t i = std::min(nx, ny); i < ny; ++i) rest = type_join(rest, ys[i]);
    if (tail(xs) != nullptr) rest = type_join(rest, tail(xs)->element);
    if (tail(ys) != nullptr) rest = type_join(rest, tail(ys)->element);
    out.push_back(make_vararg(rest));
  }
  return make_tuple_type(out);
}

}  // namespace

const Type* intersect(const Type* a, const Type* b) {
  if (subtype(a, b)) return a;
  if (subtype(b, a)) return b;
  Unifier u;
  const Type* t = u.meet(a, b);
  return is_bottom(t) ? t : u.closed(t);
}

const Type* type_join(const Type* a, const Type* b) {
  if (const auto* v = as<TypeVar>(a)) return type_join(v->upper, b);
  if (const auto* v = as<TypeVar>(b)) return type_join(a, v->upper);
  if (a->kind == TypeKind::kConstant || b->kind == TypeKind::kConstant) return a == b ? a : roots().any;
  if (subtype(a, b)) return b;
  if (subtype(b, a)) return a;
  if (const auto* u = as<UnionAll>(a)) return make_union_all(u->var, type_join(u->body, b));
  if (const auto* u = as<UnionAll>(b)) return make_union_all(u->var, type_join(a, u->body));
  const auto fold = [](const UnionType* u, const Type* t) {
    for (const Type* m : u->members) t = type_join(m, t);
    return t;
  };
  if (const auto* u = as<UnionType>(a)) return fold(u, b);
  if (const auto* u = as<UnionType>(b)) return fold(u, a);
  const auto *x = as<DataType>(a), *y = as<DataType>(b);
  if (x == nullptr || y == nullptr) return roots().any;
  if (x->is_tuple && y->is_tuple) return join_tuples(x, y);
  for (const DataType* up = y; up != roots().any; up = up->super()) {
    const DataType* other = above(x, up->name);
    if (other == nullptr) continue;
    std::vector<const Type*> parameters;
    for (size_t i = 0; i < up->parameters.size(); ++i) {
      const bool same =
          up->parameters[i] == other->parameters[i] ||
          (up->parameters[i]->kind != TypeKind::kConstant && other->parameters[i]->kind != TypeKind::kConstant &&
           types_equal(up->parameters[i], other->parameters[i]));
      parameters.push_back(same ? up->parameters[i] : up->name->vars[i]);
    }
    return wrap_free(make_data_type(up->name, parameters), up->name->vars);
  }
  return roots().any;
}

const Type* promote_type_join(const Type* a, const Type* b) {
  std::vector<const Type*> kept;
  const auto without = [&](const Type* t) -> const Type* {
    const Type* apart[] = {core().nothing, core().missing};
    std::vector<const Type*> rest;
    const Type* const one[] = {t};
    const auto* u = as<UnionType>(t);
    for (const Type* m : u != nullptr ? std::span<const Type* const>(u->members) : std::span(one)) {
      if (std::find(std::begin(apart), std::end(apart), m) != std::end(apart)) kept.push_back(m);
      else rest.push_back(m);
    }
    return make_union(rest);
  };
  if (subtype(a, b)) return b;
  if (subtype(b, a)) return a;
  const Type *ra = without(a), *rb = without(b);
  kept.push_back(type_join(ra, rb));
  return make_union(kept);
}

}  // namespace weft::julia
