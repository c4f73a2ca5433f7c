#include "julia/types/heads.h"

#include <algorithm>

#include "julia/types/core_types.h"
#include "julia/types/roots.h"

namespace weft::julia {
namespace {

/// The declaration that a parameter's values are of, or of a subtype of it; null where there is no single one. A variable reaches up
/// to its upper bound whatever else it stands for.
const TypeName* head(const Type* t) {
  for (;;) {
    switch (t->kind) {
      case TypeKind::kVar: t = static_cast<const TypeVar*>(t)->upper; break;
      case TypeKind::kUnionAll: t = static_cast<const UnionAll*>(t)->body; break;
      case TypeKind::kData: {
        // Types as values have two types each, Type{T} and its kind.
        const auto* d = static_cast<const DataType*>(t);
        return d->name == roots().type_name || is_kind(d) ? nullptr : d->name;
      }
      default: return nullptr;
    }
  }
}

/// Of a parameter that is Type{X}: the declaration of X.
const TypeName* head_of_type(const Type* t) {
  const auto* d = as<DataType>(t);
  if (d == nullptr || d->name != roots().type_name) return nullptr;
  const auto* x = as<DataType>(unwrap_union_all(d->parameters[0]));
  return x == nullptr ? nullptr : x->name;
}

bool has_tail(const std::vector<const Type*>& parameters) {
  return !parameters.empty() && parameters.back()->kind == TypeKind::kVararg;
}

}  // namespace

bool heads_differ(const DataType* a, const DataType* b) {
  const std::vector<const Type*>&as = a->parameters, &bs = b->parameters;
  const bool tails = has_tail(as) || has_tail(bs);
  if (!tails && as.size() != bs.size()) return true;
  const size_t count = std::min(as.size() - has_tail(as), bs.size() - has_tail(bs));
  for (size_t i = 0; i < count; ++i) {
    if (as[i] == bs[i]) continue;
    const TypeName *ha = head(as[i]), *hb = head(bs[i]);
    if (ha != nullptr && hb != nullptr && ha != hb) return true;
    const TypeName *ta = head_of_type(as[i]), *tb = head_of_type(bs[i]);
    if (ta != nullptr && tb != nullptr && ta != tb) return true;
  }
  return false;
}

bool heads_miss(const std::vector<const Type*>& call, const DataType* signature) {
  const std::vector<const Type*>& ps = signature->parameters;
  const size_t fixed = ps.size() - has_tail(ps);
  if (call.size() < fixed || (call.size() > fixed && !has_tail(ps))) return true;
  for (size_t i = 0; i < fixed; ++i) {
    const auto* d = as<DataType>(call[i]);
    if (d == nullptr || call[i] == ps[i]) continue;
    if (d->name == roots().type_name) {
      const TypeName *given = head_of_type(d), *wanted = head_of_type(ps[i]);
      if (given != nullptr && wanted != nullptr && given != wanted) return true;
      continue;
    }
    const TypeName* wanted = head(ps[i]);
    if (wanted == nullptr || wanted == roots().any_name) continue;
    if (is_kind(d)) continue;
    while (d->name != wanted && d != roots().any) d = d->super();
    if (d == roots().any) return true;
  }
  return false;
}

}  // namespace weft::julia
