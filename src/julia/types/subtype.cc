#include "julia/types/subtype.h"

#include <algorithm>
#include <optional>
#include <span>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"

// A search with continuations: `sub(x, y, then)` holds when x <: y can be shown in a way that lets `then` hold too. A choice
// (which member of a union on the right, which bound of a variable) is undone when what follows fails. Variables of a UnionAll
// on the left stand for all types within their bounds; those on the right are sought, and gather bounds.
namespace weft::julia {
namespace {

/// A reference to a callable, without allocation.
class Then {
 public:
  template <class F>
  Then(const F& f) : object_(&f), call_([](const void* o) { return (*static_cast<const F*>(o))(); }) {}
  bool operator()() const { return call_(object_); }

 private:
  const void* object_;
  bool (*call_)(const void*);
};

struct Entry {
  const TypeVar* var;
  bool is_sought;
  const Type* lower;
  const Type* upper;
  int depth;                 ///< invariant positions around its UnionAll
  bool is_diagonal = false;  ///< of a variable on the left: it stands for concrete types only
  int covariant = 0, invariant = 0;
};

/// How often a variable stands in covariant position, 2 standing for "more than once"; -1 once it stands in an invariant one.
int covariant_uses(const Type* t, const TypeVar* var, bool inside_invariant = false) {
  if (!mentions(t, var)) return 0;
  const auto add = [](int a, int b) { return a < 0 || b < 0 ? -1 : std::min(a + b, 2); };
  switch (t->kind) {
    case TypeKind::kVar: return t == var ? (inside_invariant ? -1 : 1) : 0;
    case TypeKind::kData: {
      const auto* d = static_cast<const DataType*>(t);
      int n = 0;
      for (const Type* p : d->parameters) n = add(n, covariant_uses(p, var, inside_invariant || !d->is_tuple));
      return n;
    }
    case TypeKind::kUnion: {
      int n = 0;
      for (const Type* m : static_cast<const UnionType*>(t)->members) {
        const int uses = covariant_uses(m, var, inside_invariant);
        n = n < 0 || uses < 0 ? -1 : std::max(n, uses);
      }
      return n;
    }
    case TypeKind::kUnionAll: return covariant_uses(static_cast<const UnionAll*>(t)->body, var, inside_invariant);
    case TypeKind::kVararg: {
      const auto* v = static_cast<const Vararg*>(t);
      const int n = covariant_uses(v->element, var, inside_invariant);
      return n > 0 ? 2 : n;
    }
    case TypeKind::kConstant: return -1;
  }
  return 0;
}

class Search {
 public:
  /// Values of the sought outermost variables once all has been shown.
  Bindings* bindings = nullptr;

  bool run(const Type* x, const Type* y) {
    return sub(x, y, 0, [&] {
      if (bindings != nullptr) {
        for (const auto& [var, entry] : outer_) bindings->emplace_back(var, value_of(*entry));
      }
      return true;
    });
  }

 private:
  Entry* find(const Type* t) {
    if (t->kind != TypeKind::kVar) return nullptr;
    for (size_t i = scope_.size(); i-- > 0;) {
      if (scope_[i]->var == t) return scope_[i];
    }
    return nullptr;
  }

  static const Type* value_of(const Entry& e) {
    if (!is_bottom(e.lower)) return e.lower;
    if (e.upper == e.var->upper) return e.var;
    return e.upper;
  }

  bool note_use(Entry* e, int depth, Then then) {
    if (e == nullptr) return then();
    int& count = depth > e->depth ? e->invariant : e->covariant;
    ++count;
    if (then()) return true;
    --count;
    return false;
  }

  bool sub(const Type* x, const Type* y, int depth, Then then) {
    if (++level_ > 4000) {  // types that grow while they are compared
      --level_;
      return false;
    }
    const bool result = sub_inside(x, y, depth, then);
    --level_;
    return result;
  }

  bool sub_inside(const Type* x, const Type* y, int depth, Then then) {
    if (x == y)
      return x->kind == TypeKind::kVar ? note_use(find(x), depth, then)
                                       : (x->is_closed() ? then() : sub_parts(x, y, depth, then));
    if (y == roots().any && x->kind != TypeKind::kConstant && x->kind != TypeKind::kVararg)
      return x->kind == TypeKind::kVar ? note_use(find(x), depth, then) : then();
    return sub_parts(x, y, depth, then);
  }

  bool sub_parts(const Type* x, const Type* y, int depth, Then then) {
    Entry* ex = find(x);
    Entry* ey = find(y);
    if (x->kind == TypeKind::kVar && y->kind == TypeKind::kVar) {
      if (ex != nullptr && ex->is_sought && ey != nullptr && ey->is_sought)
        return note_use(ex, depth,
                        [&] { return note_use(ey, depth, [&] { return sub(ex->lower, ey->upper, depth, then); }); });
      if (ey != nullptr && ey->is_sought) return note_use(ex, depth, [&] { return raise(*ey, x, depth, then); });
      if (ex != nullptr && ex->is_sought) return note_use(ey, depth, [&] { return drop(*ex, y, depth, then); });
      const Type* upper = ex != nullptr ? ex->upper : static_cast<const TypeVar*>(x)->upper;
      const Type* lower = ey != nullptr ? ey->lower : static_cast<const TypeVar*>(y)->lower;
      return note_use(ex, depth, [&] {
        return note_use(ey, depth, [&] {
          return (upper != roots().any && sub(upper, y, depth, then)) ||
                 (!is_bottom(lower) && sub(x, lower, depth, then));
        });
      });
    }
    if (ey != nullptr && ey->is_sought && x->kind != TypeKind::kVararg) return raise(*ey, x, depth, then);
    if (ex != nullptr && ex->is_sought && y->kind != TypeKind::kVararg) {
      // A member that is the variable itself, or its bounds: whichever lets the rest hold.
      if (const auto* u = as<UnionType>(y)) {
        for (const Type* m : u->members) {
          if (m == x && note_use(ex, depth, then)) return true;
        }
      }
      return drop(*ex, y, depth, then);
    }
    if (const auto* u = as<UnionType>(x)) return all_of(u->members, 0, y, depth, then);
    if (const auto* u = as<UnionAll>(x)) return with_all(u, y, depth, then);
    if (const auto* u = as<UnionType>(y)) return one_of(x, u, depth, then);
    if (ex != nullptr || x->kind == TypeKind::kVar) {
      const Type* upper = ex != nullptr ? ex->upper : static_cast<const TypeVar*>(x)->upper;
      if (y->kind == TypeKind::kUnionAll && with_some(x, static_cast<const UnionAll*>(y), depth, then)) return true;
      return note_use(ex, depth, [&] { return sub(upper, y, depth, then); });
    }
    if (const auto* u = as<UnionAll>(y)) return with_some(x, u, depth, then);
    if (y->kind == TypeKind::kVar) {
      const Type* lower = ey != nullptr ? ey->lower : static_cast<const TypeVar*>(y)->lower;
      return note_use(ey, depth, [&] { return !is_bottom(lower) && sub(x, lower, depth, then); });
    }
    if (x->kind == TypeKind::kConstant || y->kind == TypeKind::kConstant) {
      const auto *cx = as<Constant>(x), *cy = as<Constant>(y);
      if (cx == nullptr || cy == nullptr) return false;
      if (cx == cy && cx->is_closed()) return then();
      if (cx->elements.size() != cy->elements.size() || cx->elements.empty()) return false;
      return equal_each(cx->elements, cy->elements, 0, depth, then);
    }
    const auto *dx = as<DataType>(x), *dy = as<DataType>(y);
    if (dx == nullptr || dy == nullptr) return false;
    return sub_data(dx, dy, depth, then);
  }

  bool all_of(const std::vector<const Type*>& members, size_t i, const Type* y, int depth, Then then) {
    if (i == members.size()) return then();
    return sub(members[i], y, depth, [&] { return all_of(members, i + 1, y, depth, then); });
  }

  /// A union among the elements of a tuple on the left is taken apart before a member on the right is chosen: each case may fit
  /// another member.
  bool one_of(const Type* x, const UnionType* y, int depth, Then then) {
    const auto* tuple = as<DataType>(x);
    if (tuple != nullptr && tuple->is_tuple) {
      const auto& ps = tuple->parameters;
      for (size_t i = 0; i < ps.size(); ++i) {
        const auto* u = as<UnionType>(ps[i]);
        if (u == nullptr || u->members.empty() || u->members.size() > 16 || splits_ >= 6) continue;
        std::vector<const Type*> cases;
        for (const Type* m : u->members) {
          std::vector<const Type*> elements = ps;
          elements[i] = m;
          cases.push_back(make_tuple_type(elements));
        }
        ++splits_;
        const bool result = all_of(cases, 0, y, depth, then);
        --splits_;
        return result;
      }
    }
    for (const Type* m : y->members) {
      if (sub(x, m, depth, then)) return true;
    }
    // A variable on the left may be below the union as a whole only.
    if (x->kind != TypeKind::kVar) return false;
    Entry* e = find(x);
    const Type* upper = e != nullptr ? e->upper : static_cast<const TypeVar*>(x)->upper;
    return note_use(e, depth, [&] { return sub(upper, y, depth, then); });
  }

  /// Its variable under another name where the same UnionAll is open already.
  const UnionAll* fresh(const UnionAll* u) {
    if (find(u->var) == nullptr) return u;
    const TypeVar* v = make_type_var(u->var->name, u->var->lower, u->var->upper);
    const Type* renamed = make_union_all(v, substitute(u->body, u->var, v));
    return as<UnionAll>(renamed);
  }

  bool with_all(const UnionAll* u, const Type* y, int depth, Then then) {
    u = fresh(u);
    Entry e{u->var, false, u->var->lower, u->var->upper, depth, covariant_uses(u->body, u->var) == 2};
    scope_.push_back(&e);
    const bool result = sub(u->body, y, depth, then);
    scope_.pop_back();
    return result;
  }

  bool with_some(const Type* x, const UnionAll* u, int depth, Then then) {
    // Type{T} where T holds the kinds of types as well as every Type{X}.
    if (x->kind == TypeKind::kData && u->body->kind == TypeKind::kData && u == roots().type_name->wrapper && is_kind(x))
      return then();
    u = fresh(u);
    Entry e{u->var, true, u->var->lower, u->var->upper, depth};
    const bool is_outer = bindings != nullptr && opening_;
    if (is_outer) outer_.emplace_back(u->var, &e);
    const bool was_opening = opening_;
    opening_ = opening_ && u->body->kind == TypeKind::kUnionAll;
    scope_.push_back(&e);
    const bool result = sub(x, u->body, depth, [&] { return is_consistent(e, u->body) && then(); });
    scope_.pop_back();
    opening_ = was_opening;
    if (is_outer && !result) outer_.pop_back();
    return result;
  }

  /// A variable used more than once, and only covariantly, stands for one concrete type: the diagonal rule.
  bool is_consistent(const Entry& e, const Type* body) {
    if (e.covariant < 2 || e.invariant > 0 || is_bottom(e.lower)) return true;
    if (covariant_uses(body, e.var) < 0) return true;
    return is_leaf(e.lower);
  }

  bool is_leaf(const Type* t) {
    if (t->kind == TypeKind::kConstant) return true;
    if (const Entry* e = find(t)) {
      if (e->is_sought) return is_bottom(e->lower) || is_leaf(e->lower);
      return e->is_diagonal;
    }
    const auto* d = as<DataType>(t);
    if (d == nullptr) return false;
    if (d->name == roots().type_name) return d->parameters[0]->is_closed();
    if (d->is_abstract()) return false;
    if (!d->is_tuple) return true;
    return std::all_of(d->parameters.begin(), d->parameters.end(), [&](const Type* p) { return is_leaf(p); });
  }

  /// The variables on the left that were opened after e are unknown where e is bound.
  bool escapes(const Entry& e, const Type* t) {
    if (t->is_closed()) return false;
    bool after = false;
    for (const Entry* s : scope_) {
      if (after && !s->is_sought && mentions(t, s->var)) return true;
      after = after || s == &e;
    }
    return false;
  }

  /// x <: e.var: e's lower bound rises.
  bool raise(Entry& e, const Type* x, int depth, Then then) {
    if (e.lower == x) return note_use(&e, depth, then);
    if (x->kind == TypeKind::kConstant) {
      if (!is_bottom(e.lower) || (e.upper != roots().any && e.upper != x)) return false;
      const Type* old_upper = e.upper;
      e.lower = e.upper = x;
      if (note_use(&e, depth, then)) return true;
      e.lower = roots().bottom, e.upper = old_upper;
      return false;
    }
    if (e.lower->kind == TypeKind::kConstant) return false;
    if (escapes(e, x)) {
      Entry* inner = find(x);
      if (inner == nullptr || depth > inner->depth) return false;
      x = inner->upper;
      if (escapes(e, x)) return false;
    }
    return sub(x, e.upper, depth, [&] {
      const Type* old = e.lower;
      if (is_bottom(old)) {
        e.lower = x;
      } else if (x->is_closed() && old->is_closed()) {
        const Type* both[] = {old, x};
        e.lower = subtype(x, old) ? old : subtype(old, x) ? x : make_union(both);
      } else if (x != old) {
        const Type* both[] = {old, x};
        e.lower = make_union(both);
      }
      if (note_use(&e, depth, then)) return true;
      e.lower = old;
      return false;
    });
  }

  /// e.var <: y: e's upper bound falls.
  bool drop(Entry& e, const Type* y, int depth, Then then) {
    if (e.upper == y) return note_use(&e, depth, then);
    if (y->kind == TypeKind::kConstant) return raise(e, y, depth, then);
    if (e.lower->kind == TypeKind::kConstant) return false;
    if (escapes(e, y)) return false;
    return sub(e.lower, y, depth, [&] {
      const Type* old = e.upper;
      const bool is_below = old != roots().any && old->is_closed() && y->is_closed() && subtype(old, y);
      if (!is_below) e.upper = y;
      if (note_use(&e, depth, then)) return true;
      e.upper = old;
      return false;
    });
  }

  bool equal(const Type* a, const Type* b, int depth, Then then) {
    if (a == b && a->is_closed()) return then();
    return sub(a, b, depth + 1, [&] { return sub(b, a, depth + 1, then); });
  }

  bool equal_each(const std::vector<const Type*>& as, const std::vector<const Type*>& bs, size_t i, int depth,
                  Then then) {
    if (i == as.size()) return then();
    return equal(as[i], bs[i], depth, [&] { return equal_each(as, bs, i + 1, depth, then); });
  }

  bool sub_data(const DataType* x, const DataType* y, int depth, Then then) {
    if (x->name == y->name) {
      if (x->is_tuple) return sub_tuple(x->parameters, y->parameters, 0, depth, then);
      if (x->parameters.size() != y->parameters.size()) return false;
      return equal_each(x->parameters, y->parameters, 0, depth, then);
    }
    // Type{X} fits where the kind of X is asked for.
    if (x->name == roots().type_name && is_kind(y)) {
      const Type* t = x->parameters[0];
      return t->kind != TypeKind::kVar && kind_of(t) == y && then();
    }
    const DataType* up = x;
    while (up->name != y->name) {
      if (up == roots().any) return false;
      up = up->super();
    }
    return sub(up, y, depth, then);
  }

  bool sub_tuple(const std::vector<const Type*>& xs, const std::vector<const Type*>& ys, size_t i, int depth,
                 Then then) {
    const auto* tail_x = xs.empty() ? nullptr : as<Vararg>(xs.back());
    const auto* tail_y = ys.empty() ? nullptr : as<Vararg>(ys.back());
    const size_t nx = xs.size() - (tail_x != nullptr), ny = ys.size() - (tail_y != nullptr);
    if (i == 0) {
      if (tail_y == nullptr && (tail_x != nullptr || nx != ny)) return false;
      if (nx < ny) return false;
    }
    // Elements that leave nothing open are compared one by one, so that a call may have thousands of arguments; of those in a tail with variables
    // two of each type say all.
    for (; i < nx; ++i) {
      const Type* y = i < ny ? ys[i] : tail_y->element;
      if (xs[i]->is_closed() && y->is_closed()) {
        if (!subtype(xs[i], y)) return false;
        continue;
      }
      const bool is_said = i >= ny && std::ranges::count(std::span(xs).subspan(ny, i - ny), xs[i]) >= 2;
      if (!is_said) break;
    }
    if (i < nx) {
      const Type* y = i < ny ? ys[i] : tail_y->element;
      return sub(xs[i], y, depth, [&] { return sub_tuple(xs, ys, i + 1, depth, then); });
    }
    if (tail_y == nullptr) return then();
    const auto count = [&] {
      if (tail_y->count == nullptr) return then();
      if (tail_x == nullptr) return equal(make_int(static_cast<int64_t>(nx - ny)), tail_y->count, depth, then);
      if (tail_x->count != nullptr) return nx == ny && equal(tail_x->count, tail_y->count, depth, then);
      // Any number of elements: some number for each of them, as long as nothing else fixes it.
      const Entry* e = find(tail_y->count);
      return e != nullptr && e->is_sought && is_bottom(e->lower) && then();
    };
    if (tail_x == nullptr) return count();
    // Twice: a variable in a tail stands for more than one element.
    return sub(tail_x->element, tail_y->element, depth,
               [&] { return sub(tail_x->element, tail_y->element, depth, count); });
  }

  std::vector<Entry*> scope_;
  std::vector<std::pair<const TypeVar*, Entry*>> outer_;
  bool opening_ = true;  ///< only UnionAlls around the whole right side have been opened
  int level_ = 0;
  int splits_ = 0;
};

/// The common questions of dispatch, without a search.
std::optional<bool> quick(const Type* a, const Type* b) {
  if (a == b) return true;
  if (b == roots().any) return a->kind != TypeKind::kConstant && a->kind != TypeKind::kVararg;
  if (a->kind == TypeKind::kUnion && static_cast<const UnionType*>(a)->members.empty()) return true;
  if (a->kind == TypeKind::kData && b->kind == TypeKind::kData && a->is_closed() && b->is_closed()) {
    const auto *x = static_cast<const DataType*>(a), *y = static_cast<const DataType*>(b);
    if (!y->parameters.empty() || y->is_tuple || x->name == roots().type_name || y->name == roots().type_name)
      return std::nullopt;
    while (x != y) {
      if (x == roots().any) return false;
      x = x->super();
    }
    return true;
  }
  return std::nullopt;
}

}  // namespace

bool subtype(const Type* a, const Type* b) {
  if (const std::optional<bool> known = quick(a, b)) return *known;
  return Search().run(a, b);
}

bool subtype_with_bindings(const Type* a, const Type* b, Bindings& bindings) {
  if (b->kind != TypeKind::kUnionAll) return subtype(a, b);
  Search search;
  search.bindings = &bindings;
  return search.run(a, b);
}

bool types_equal(const Type* a, const Type* b) {
  if (a == b) return true;
  if (a->kind == TypeKind::kConstant || b->kind == TypeKind::kConstant) return false;
  return subtype(a, b) && subtype(b, a);
}

}  // namespace weft::julia
