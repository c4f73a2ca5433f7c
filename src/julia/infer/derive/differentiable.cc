#include "julia/infer/derive/differentiable.h"

#include <algorithm>
#include <ranges>

namespace weft::julia {

bool has_derivatives(weft::Type t) { return is_float(t.element_type()) || is_complex(t.element_type()); }

namespace {

/// Values through which derivatives of the results flow, from the results backwards.
class Reach {
 public:
  /// `through_constants`: of values whose derivatives were taken away as well.
  Reach(const Function& f, bool through_constants)
      : f_(f), is_reached_(f.num_values(), false), through_constants_(through_constants) {}

  void from(size_t results) {
    const std::span<const weft::Value> all = f_.operands(f_.terminator(f_.body()));
    for (const weft::Value v : all.first(std::min(results, all.size()))) reach(v);
    for (const OpId op : std::views::reverse(f_.ops(f_.body()))) {
      if (std::ranges::any_of(f_.results(op), [&](weft::Value v) { return has(v); })) pass(op);
    }
  }
  bool has(weft::Value v) const { return is_reached_[v.index]; }

 private:
  void reach(weft::Value v) {
    if (has_derivatives(f_.type(v))) is_reached_[v.index] = true;
  }

  /// Of an op with regions everything in them counts.
  void pass(OpId op) {
    if (!through_constants_ && f_.def(op).mnemonic == "weft.stop_gradient") return;
    for (const weft::Value v : f_.operands(op)) reach(v);
    for (const RegionId r : f_.regions(op)) {
      for (const OpId inner : f_.ops(r)) pass(inner);
    }
  }

  const Function& f_;
  std::vector<bool> is_reached_;
  bool through_constants_;
};

bool is_read(const Function& f, RegionId r, weft::Value v) {
  return std::ranges::any_of(f.ops(r), [&](OpId op) {
    return std::ranges::find(f.operands(op), v) != f.operands(op).end() ||
           std::ranges::any_of(f.regions(op), [&](RegionId inner) { return is_read(f, inner, v); });
  });
}

}  // namespace

std::vector<bool> used_arguments(const Function& f, size_t results) {
  Reach reach(f, false), values(f, true);
  reach.from(results);
  values.from(results);
  std::vector<bool> used;
  for (const weft::Value v : f.args()) used.push_back(reach.has(v));
  // Of no elements, and where nothing is reached, the derivative is zero by whatever was calculated with.
  const bool any = std::ranges::find(used, true) != used.end();
  for (size_t i = 0; i < used.size(); ++i) {
    const weft::Value v = f.args()[i];
    const weft::Type t = f.type(v);
    const bool is_empty = t.is_static() && t.num_elements() == 0;
    if (has_derivatives(t) && !used[i] && !values.has(v) && (is_empty || !any)) used[i] = is_read(f, f.body(), v);
  }
  return used;
}

}  // namespace weft::julia
