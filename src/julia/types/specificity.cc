#include <algorithm>

#include "julia/types/core_types.h"
#include "julia/types/method_table.h"
#include "julia/types/roots.h"

// Which of two signatures is the more specific one. A proper subtype is; where neither contains the other, parts are compared:
// a signature wins that is more specific somewhere and less specific nowhere.
namespace weft::julia {
namespace {

/// The variables around the parts in hand, innermost last, with how often each stands in its body.
struct Scope {
  const TypeVar* var;
  int uses;
  const Scope* outer;
};

int count_uses(const Type* t, const TypeVar* var) {
  if (!mentions(t, var)) return 0;
  switch (t->kind) {
    case TypeKind::kVar: return t == var ? 1 : 0;
    case TypeKind::kData: {
      int n = 0;
      for (const Type* p : static_cast<const DataType*>(t)->parameters) n += count_uses(p, var);
      return n;
    }
    case TypeKind::kUnion: {
      int n = 0;
      for (const Type* m : static_cast<const UnionType*>(t)->members) n = std::max(n, count_uses(m, var));
      return n;
    }
    case TypeKind::kUnionAll: return count_uses(static_cast<const UnionAll*>(t)->body, var);
    case TypeKind::kVararg: return count_uses(static_cast<const Vararg*>(t)->element, var) * 2;
    case TypeKind::kConstant: return 1;
  }
  return 0;
}

int uses_of(const Type* var, const Scope* scope) {
  for (; scope != nullptr; scope = scope->outer) {
    if (scope->var == var) return scope->uses;
  }
  return 0;
}

bool specific(const Type* a, const Type* b, bool invariant, const Scope* scope);

/// Equal as far as specificity goes: each contains the other once variables are replaced by their bounds.
const Type* widened(const Type* t) {
  for (int i = 0; i < 50 && !t->is_closed(); ++i) {
    const TypeVar* v = t->free_vars.back();
    // Bounds of others first would leave them free: replace one that no other's bounds mention.
    for (const TypeVar* candidate : t->free_vars) {
      const bool is_bound_of_other = std::any_of(t->free_vars.begin(), t->free_vars.end(), [&](const TypeVar* o) {
        return o != candidate && (mentions(o->upper, candidate) || mentions(o->lower, candidate));
      });
      if (!is_bound_of_other) {
        v = candidate;
        break;
      }
    }
    t = t == v ? v->upper : make_union_all(v, t);
  }
  return t;
}

bool equally_specific(const Type* a, const Type* b) {
  if (a == b) return true;
  if (a->kind == TypeKind::kConstant || b->kind == TypeKind::kConstant) return false;
  const Type *x = widened(a), *y = widened(b);
  return types_equal(x, y);
}

bool within(const Type* a, const Type* b) {
  if (a->kind == TypeKind::kConstant || b->kind == TypeKind::kConstant) return a == b;
  return subtype(widened(a), widened(b));
}

const Type* element(const DataType* t, size_t i) {
  const auto& p = t->parameters;
  if (p.empty()) return nullptr;
  const auto* tail = as<Vararg>(p.back());
  if (tail == nullptr) return i < p.size() ? p[i] : nullptr;
  return i + 1 < p.size() ? p[i] : tail->element;
}

bool has_tail(const DataType* t) { return !t->parameters.empty() && t->parameters.back()->kind == TypeKind::kVararg; }

bool specific_tuple(const DataType* a, const DataType* b, bool invariant, const Scope* scope) {
  const size_t na = a->parameters.size(), nb = b->parameters.size();
  if (nb == 0) return false;
  if (na == 0) return true;
  const bool tail_a = has_tail(a), tail_b = has_tail(b);
  bool wins_somewhere = false;
  for (size_t i = 0;; ++i) {
    if (tail_a && tail_b && i >= na && i >= nb) break;
    const Type *x = element(a, i), *y = element(b, i);
    // Beyond the elements of one: what takes a fixed number is more specific than what takes more.
    if (x == nullptr) return y == nullptr ? wins_somewhere : tail_b || wins_somewhere;
    if (y == nullptr) return wins_somewhere;
    if (!tail_a && i >= na) break;
    if (specific(x, y, invariant, scope)) {
      wins_somewhere = true;
    } else if (specific(y, x, invariant, scope)) {
      return false;
    } else if (!equally_specific(x, y) && !within(x, y) && !within(y, x) &&
               is_bottom(intersect(widened(x), widened(y)))) {
      return false;  // nothing is in both
    }
    if (!tail_a && !tail_b && i + 1 >= na && i + 1 >= nb) break;
  }
  if (wins_somewhere) return true;
  // Alike element by element: fewer open ends, then more fixed elements.
  if (!tail_a && tail_b) return true;
  if (tail_a && !tail_b) return false;
  return tail_a && tail_b && na > nb;
}

bool specific_data(const DataType* a, const DataType* b, bool invariant, const Scope* scope) {
  if (a == core().typeof_bottom && (is_kind(b) || b->name == roots().type_name)) return true;
  const bool starts_equal = a->name == b->name;
  for (const DataType* up = a;; up = up->super()) {
    if (up->name == b->name) {
      if (!starts_equal) return true;
      if (up->parameters.size() != b->parameters.size()) return false;
      int score_a = 0, score_b = 0, constants = 0, repeats = 0;
      const auto& pa = up->parameters;
      const auto& pb = b->parameters;
      for (size_t i = 0; i < pa.size(); ++i) {
        const bool free_a = !pa[i]->is_closed(), free_b = !pb[i]->is_closed();
        if (!free_a && !free_b && !equally_specific(pa[i], pb[i])) return false;
        if (specific(pa[i], pb[i], true, scope)) ++score_a;
        else if (specific(pb[i], pa[i], true, scope)) ++score_b;
        else if (equally_specific(pa[i], pb[i])) score_a += !free_a && free_b, score_b += free_a && !free_b;
        const bool var_a = pa[i]->kind == TypeKind::kVar, var_b = pb[i]->kind == TypeKind::kVar;
        if (var_b && pa[i]->kind == TypeKind::kConstant) ++constants;
        if (var_a && pb[i]->kind == TypeKind::kConstant) --constants;
        for (size_t j = 0; j < i; ++j) repeats += (var_a && pa[j] == pa[i]) - (var_b && pb[j] == pb[i]);
      }
      if (constants != 0) return constants > 0;
      return score_a > score_b || (score_a == score_b && repeats > 0);
    }
    if (invariant || up == roots().any) return false;
  }
}

bool specific(const Type* a, const Type* b, bool invariant, const Scope* scope) {
  if (a == b) return false;
  const auto *da = as<DataType>(a), *db = as<DataType>(b);
  if (da != nullptr && db != nullptr && da->is_tuple && db->is_tuple) return specific_tuple(da, db, invariant, scope);
  if (!invariant) {
    if (a == roots().any) return false;
    if (b == roots().any) return true;
  }
  if (const auto* u = as<UnionType>(a)) {
    if (u->members.empty()) return true;
    const auto* ub = as<UnionType>(b);
    if (ub != nullptr && within(a, b)) return !within(b, a);
    if (ub != nullptr && within(b, a)) return false;
    return std::all_of(u->members.begin(), u->members.end(),
                       [&](const Type* m) { return specific(m, b, invariant, scope); });
  }
  if (const auto* u = as<UnionType>(b)) {
    if (u->members.empty()) return false;
    return std::any_of(u->members.begin(), u->members.end(),
                       [&](const Type* m) { return specific(a, m, invariant, scope) || equally_specific(a, m); });
  }
  // Type{<:T} beats the kinds of types, unless it holds every type.
  if (da != nullptr && da->name == roots().type_name && !invariant && is_kind(b)) {
    const auto* v = as<TypeVar>(da->parameters[0]);
    return v == nullptr || v->upper != roots().any;
  }
  if (da != nullptr && db != nullptr) return specific_data(da, db, invariant, scope);
  if (const auto* u = as<UnionAll>(a)) {
    const Scope inner{u->var, count_uses(u->body, u->var), scope};
    return specific(u->body, b, invariant, &inner);
  }
  if (const auto* u = as<UnionAll>(b)) {
    const Scope inner{u->var, count_uses(u->body, u->var), scope};
    return specific(a, u->body, invariant, &inner);
  }
  const auto *va = as<TypeVar>(a), *vb = as<TypeVar>(b);
  if (va != nullptr && vb != nullptr) {
    const int na = uses_of(va, scope), nb = uses_of(vb, scope);
    if (specific(va->upper, vb->upper, false, scope)) return na >= nb;
    if (specific(vb->upper, va->upper, false, scope)) return false;
    return na > nb && equally_specific(va->upper, vb->upper);
  }
  if (va != nullptr) return b->kind != TypeKind::kConstant && specific(va->upper, b, false, scope);
  if (vb != nullptr) {
    if (a->kind == TypeKind::kConstant) return true;
    return specific(a, vb->upper, false, scope) || equally_specific(a, vb->upper);
  }
  return false;
}

}  // namespace

bool more_specific(const Type* a, const Type* b) {
  if (subtype(b, a)) return false;
  if (subtype(a, b)) return true;
  return specific(a, b, false, nullptr);
}

}  // namespace weft::julia
