#include "transform/same_ops.h"

#include <algorithm>

#include "ops/record.h"

namespace weft {
namespace {

bool is_same_body(const Function& f, RegionId a, RegionId b, ValuePairs& pairs) {
  constexpr size_t kMaxOps = 64;
  const auto ops = f.ops(a), others = f.ops(b);
  const auto args = f.args(a), other_args = f.args(b);
  if (ops.size() != others.size() || ops.size() > kMaxOps || args.size() != other_args.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (f.type(args[i]) != f.type(other_args[i])) return false;
    pairs[args[i]] = other_args[i];
  }
  return std::ranges::equal(ops, others, [&](OpId x, OpId y) {
    const OpDef& def = f.def(x);
    if (!(def.is_terminator || record(def).effects == Effects::kPure) || !f.regions(x).empty() ||
        !is_same_op(f, x, y, pairs))
      return false;
    for (size_t i = 0; i < f.num_results(x); ++i) pairs[f.result(x, i)] = f.result(y, i);
    return true;
  });
}

}  // namespace

bool is_same_op(const Function& f, OpId a, OpId b, ValuePairs& pairs) {
  if (&f.def(a) != &f.def(b) || f.num_results(a) != f.num_results(b)) return false;
  for (size_t i = 0; i < f.num_results(a); ++i) {
    if (f.type(f.result(a, i)) != f.type(f.result(b, i))) return false;
  }
  const auto same = [&](Value v, Value w) {
    const auto found = pairs.find(v);
    return (found == pairs.end() ? v : found->second) == w;
  };
  if (!std::ranges::equal(f.operands(a), f.operands(b), same) ||
      (f.shared_attrs(a) != f.shared_attrs(b) && f.attrs(a) != f.attrs(b)))
    return false;
  return std::ranges::equal(f.regions(a), f.regions(b),
                            [&](RegionId x, RegionId y) { return is_same_body(f, x, y, pairs); });
}

}  // namespace weft
