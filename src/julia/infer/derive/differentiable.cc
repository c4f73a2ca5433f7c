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
  /// What nothing reads instead of results.
  void from_unread() {
    std::vector<bool> is_read(f_.num_values(), false);
    for (const OpId op : f_.ops(f_.body())) note_reads(op, is_read);
    for (const OpId op : std::views::reverse(f_.ops(f_.body()))) {
      if (f_.def(op).is_terminator) continue;
      if (std::ranges::any_of(f_.results(op), [&](weft::Value v) {
            return has(v) || (!is_read[v.index] && has_derivatives(f_.type(v)));
          }))
        pass(op);
    }
  }
  bool has(weft::Value v) const { return is_reached_[v.index]; }

 private:
  void note_reads(OpId op, std::vector<bool>& is_read) const {
    for (const weft::Value v : f_.operands(op)) is_read[v.index] = true;
    for (const RegionId r : f_.regions(op)) {
      for (const OpId inner : f_.ops(r)) note_reads(inner, is_read);
    }
  }
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

std::vector<bool> used_arguments(const Function& f, std::span<const size_t> by, size_t results) {
  Reach reach(f, false), values(f, true), parts(f, true);
  reach.from(results);
  values.from(results);
  parts.from_unread();
  std::vector<bool> used;
  for (const weft::Value v : f.args()) used.push_back(reach.has(v));
  // Of no elements, and where no argument is reached, the derivative is zero by whatever a part of a number was calculated with that the
  // result does not look at.
  const bool any = std::ranges::any_of(by, [&](size_t i) { return used[i]; });
  for (size_t i = 0; i < used.size(); ++i) {
    const weft::Value v = f.args()[i];
    const weft::Type t = f.type(v);
    if (!has_derivatives(t) || used[i] || values.has(v)) continue;
    if (t.is_static() && t.num_elements() == 0) used[i] = is_read(f, f.body(), v);
    else if (!any) used[i] = parts.has(v);
  }
  return used;
}

}  // namespace weft::julia
