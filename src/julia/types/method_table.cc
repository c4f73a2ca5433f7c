#include "julia/types/method_table.h"

#include <algorithm>

#include "julia/types/heads.h"
#include "julia/types/roots.h"

namespace weft::julia {

std::vector<const TypeVar*> Method::variables() const {
  std::vector<const TypeVar*> out;
  for (const Type* t = signature; t->kind == TypeKind::kUnionAll; t = static_cast<const UnionAll*>(t)->body)
    out.push_back(static_cast<const UnionAll*>(t)->var);
  return out;
}

size_t MethodTable::HashTypes::operator()(const std::vector<const Type*>& types) const {
  size_t h = types.size();
  for (const Type* t : types) {
    h = (h ^ reinterpret_cast<size_t>(t)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return h;
}

const Method& MethodTable::add(Method method) {
  ++generation_;
  found_.clear();
  methods_.push_back(std::move(method));
  const Method& added = methods_.back();
  for (const Method*& m : alive_) {
    if (heads_differ(m->tuple(), added.tuple()) || !types_equal(m->signature, added.signature)) continue;
    m = &added;
    return added;
  }
  alive_.push_back(&added);
  return added;
}

const Dispatch& MethodTable::find(const std::vector<const Type*>& types) {
  const auto it = found_.find(types);
  if (it != found_.end()) return it->second;
  return found_.emplace(types, search(types)).first->second;
}

Dispatch MethodTable::search(const std::vector<const Type*>& types) const {
  const DataType* call = make_tuple_type(types);
  struct Candidate {
    const Method* method;
    Bindings bindings;
  };
  std::vector<Candidate> candidates;
  for (const Method* m : alive_) {
    if (heads_miss(types, m->tuple())) continue;
    Bindings bindings;
    if (subtype_with_bindings(call, m->signature, bindings)) candidates.push_back({m, std::move(bindings)});
  }
  Dispatch out;
  for (const Candidate& c : candidates) {
    const bool is_best = std::all_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      return &other == &c || more_specific(c.method->signature, other.method->signature);
    });
    if (!is_best) continue;
    out.method = c.method;
    for (const TypeVar* v : c.method->variables()) {
      const Type* value = v;
      for (const auto& [var, found] : c.bindings) {
        if (var->name == v->name) value = found;  // the search may have renamed it
      }
      out.values.push_back(value);
    }
    return out;
  }
  for (const Candidate& c : candidates) {
    const bool is_beaten = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      return &other != &c && more_specific(other.method->signature, c.method->signature) &&
             !more_specific(c.method->signature, other.method->signature);
    });
    if (!is_beaten) out.ambiguous.push_back(c.method);
  }
  return out;
}

std::vector<const Method*> MethodTable::reachable(const DataType* tuple) const {
  std::vector<const Method*> out;
  for (const Method* m : alive_) {
    if (!is_bottom(intersect(tuple, m->signature))) out.push_back(m);
  }
  // Specificity is no total order: each method goes behind all that are more specific.
  std::vector<const Method*> sorted;
  while (!out.empty()) {
    auto next = std::find_if(out.begin(), out.end(), [&](const Method* m) {
      return std::none_of(out.begin(), out.end(), [&](const Method* o) {
        return o != m && more_specific(o->signature, m->signature) && !more_specific(m->signature, o->signature);
      });
    });
    if (next == out.end()) next = out.begin();
    sorted.push_back(*next);
    out.erase(next);
    if (subtype(tuple, sorted.back()->signature)) break;  // it takes every call that comes this far
  }
  return sorted;
}

std::vector<const Method*> MethodTable::methods() const { return alive_; }

std::vector<std::pair<const Method*, const Method*>> MethodTable::ambiguities() const {
  std::vector<std::pair<const Method*, const Method*>> out;
  for (size_t i = 0; i < alive_.size(); ++i) {
    for (size_t j = i + 1; j < alive_.size(); ++j) {
      const Type *a = alive_[i]->signature, *b = alive_[j]->signature;
      if (more_specific(a, b) || more_specific(b, a)) continue;
      const Type* both = intersect(a, b);
      if (is_bottom(both)) continue;
      // A third method may decide what the two leave open.
      const bool decided = std::any_of(alive_.begin(), alive_.end(), [&](const Method* m) {
        return m != alive_[i] && m != alive_[j] && subtype(both, m->signature) && more_specific(m->signature, a) &&
               more_specific(m->signature, b);
      });
      if (!decided) out.emplace_back(alive_[i], alive_[j]);
    }
  }
  return out;
}

}  // namespace weft::julia
