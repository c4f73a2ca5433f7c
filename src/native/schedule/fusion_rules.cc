#include "native/schedule/fusion_rules.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "native/codegen/kernel.h"

namespace weft::native {

bool only_orders(const OpView& op) {
  if (op.num_results() == 0 || record(op).effects != Effects::kPure) return false;
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_token()) return false;
  }
  return true;
}

bool is_free(const OpView& op) {
  return is(op, "stablehlo.iota") || is(op, "stablehlo.broadcast_in_dim") ||
         (is(op, "stablehlo.constant") && (op.attrs().literal("value").splat || op.result_type().num_elements() <= 1));
}

bool is_update(const OpView& op) { return is(op, "stablehlo.dynamic_update_slice") || is(op, "stablehlo.scatter"); }

bool may_omit_results(const OpView& op) { return is(op, "weft.lane_while"); }

bool is_degenerate_reshape(const OpView& op) {
  std::vector<int64_t> from, to;
  for (int64_t d : op.operand_type(0).shape()) {
    if (d != 1) from.push_back(d);
  }
  for (int64_t d : op.result_type().shape()) {
    if (d != 1) to.push_back(d);
  }
  return from == to;
}

bool is_dividing_reshape(const OpView& op) {
  const auto from = op.operand_type(0).shape(), to = op.result_type().shape();
  if (op.result_type().num_elements() == 0) return false;
  size_t k = 0;
  for (int64_t d : from) {
    int64_t n = 1;
    while (k < to.size() && n < d) n *= to[k++];
    if (n != d) return false;
  }
  return true;
}

size_t row_dimensions(const OpView& broadcast, const OpView& operand) {
  constexpr int64_t kMinRows = 16, kSmall = 1 << 16;
  if (!is(operand, "stablehlo.reduce") && record(operand).scalar.refused() && !is(operand, "stablehlo.reshape") &&
      !is(operand, "stablehlo.broadcast_in_dim"))
    return 0;
  const auto& dims = broadcast.attrs().ints("broadcast_dimensions");
  size_t rows = 0;
  int64_t count = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t n = broadcast.operand_type(0).dim(static_cast<int64_t>(i));
    if (rows == i && dims[i] == static_cast<int64_t>(i) && n == broadcast.result_type().dim(dims[i])) {
      ++rows;
      count *= n;
    } else if (n != 1) {
      return 0;
    }
  }
  // The ends of short rows are most of their cost, unless neighbouring rows share them in a kernel of their own.
  constexpr int64_t kMinRow = 32;
  const int64_t row = broadcast.result_type().num_elements() / std::max<int64_t>(count, 1);
  if (!is(operand, "stablehlo.reduce") && row < kMinRow) return 0;
  return count >= kMinRows || (rows > 0 && broadcast.result_type().num_elements() <= kSmall) ? rows : 0;
}

bool reads_once(const OpView& user, size_t operand, const OpView& producer) {
  static const std::unordered_set<std::string_view> kReadsOften = {
      "stablehlo.reduce_window", "stablehlo.select_and_scatter", "stablehlo.dot_general", "stablehlo.convolution"};
  const auto name = user.def().mnemonic;
  if (codegen::is_scan(user)) return operand == 0 && !codegen::is_loop(producer);
  if (kReadsOften.contains(name)) return false;
  // Computed where the padding is, too, and again at each level of what interleaves (associative scans).
  if (name == "stablehlo.pad")
    return std::ranges::all_of(user.attrs().ints("interior_padding"), [](int64_t n) { return n == 0; });
  // Few elements of many: none is computed more often than if all were.
  if (name == "stablehlo.gather")
    return user.result_type().num_elements() <= user.operand_type(operand).num_elements() &&
           !codegen::is_loop(producer);
  if (name == "stablehlo.broadcast_in_dim") {
    return row_dimensions(user, producer) > 0 ||
           user.result_type().num_elements() <= user.operand_type(operand).num_elements();
  }
  // What is written over its operand in place must not be computed from that operand while it changes.
  if (name == "stablehlo.scatter" || name == "stablehlo.dynamic_update_slice") return false;
  return true;
}

bool reduces_much(const OpView& op) {
  constexpr int64_t kMuch = 64;
  return is(op, "stablehlo.reduce") && op.operand_type(0).num_elements() >= kMuch * op.result_type(0).num_elements();
}

std::optional<double> elementwise_flops(const OpView& op) {
  if (op.num_results() != 1 || record(op).scalar.refused() || record(op).cost.refused()) return std::nullopt;
  const ElementType t = op.result_type().element_type();
  if (t != ElementType::kF32 && t != ElementType::kF64) return std::nullopt;
  return record(op).cost.rule()(op).flops / static_cast<double>(std::max<int64_t>(1, op.result_type().num_elements()));
}

}  // namespace weft::native
