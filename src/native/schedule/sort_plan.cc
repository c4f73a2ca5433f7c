#include "native/schedule/sort_plan.h"

#include <algorithm>

#include "native/aot_runtime/weft_rt_sort.h"
#include "native/codegen/comparator.h"
#include "ops/reduction/sort_order.h"

namespace weft::native {
namespace {

bool is_top_k(const OpView& op) { return op.def().mnemonic == "chlo.top_k"; }

int64_t kind_of(ElementType t) {
  const auto bytes = static_cast<int64_t>(byte_size(t));
  if (is_boolean(t)) return WEFT_RT_SORT_BOOLEAN | bytes;
  if (t == ElementType::kBF16) return WEFT_RT_SORT_BFLOAT | bytes;
  if (is_float(t)) return WEFT_RT_SORT_FLOAT | bytes;
  return (is_signed_integer(t) ? WEFT_RT_SORT_SIGNED : WEFT_RT_SORT_UNSIGNED) | bytes;
}

bool is_key(ElementType t) {
  using enum ElementType;
  return is_boolean(t) || is_integer(t) || t == kF16 || t == kBF16 || t == kF32 || t == kF64;
}

int64_t flags_of(const SortKey& key) {
  return (key.descending ? WEFT_RT_SORT_DESCENDING : 0) | (key.total_order ? WEFT_RT_SORT_TOTAL : 0) |
         (key.joins_zeros ? WEFT_RT_SORT_JOINS_ZEROS : 0) | (key.joins_nans ? WEFT_RT_SORT_JOINS_NANS : 0);
}

std::string describe(const OpView& op, std::span<const SortKey> keys) {
  std::string text;
  for (const SortKey& key : keys) {
    const Type t = op.operand_type(key.operand);
    text += (text.empty() ? "" : ", then ") + std::string(name(t.element_type()));
    if (keys.size() > 1 || op.num_operands() > 1) text += " of operand " + std::to_string(key.operand);
    text += key.descending ? " descending" : " ascending";
    if (key.total_order) text += " in the total order";
  }
  return text;
}

}  // namespace

int64_t sorted_dimension(const OpView& op) {
  const int64_t rank = op.operand_type(0).rank();
  if (is_top_k(op)) return rank - 1;
  const int64_t d = op.attrs().integer_or("dimension", -1);
  return d < 0 ? d + rank : d;
}

std::vector<int64_t> SortPlan::for_parts(int64_t parts) const {
  std::vector<int64_t> out = words;
  out[WEFT_RT_SORT_PARTS] = parts;
  return out;
}

std::optional<SortPlan> plan_sort(const OpView& op, const SortUse& use, std::string* reason) {
  const auto refuse = [&](std::string why) {
    if (reason != nullptr) *reason = std::move(why);
    return std::nullopt;
  };
  if (!is_top_k(op) && op.def().mnemonic != "stablehlo.sort") return refuse("not a sort");
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    if (!t.is_tensor() || !t.is_static()) return refuse("extents are not static");
  }
  const auto shape = op.operand_type(0).shape();
  const Slices slices(shape, sorted_dimension(op));
  if (slices.length >= WEFT_RT_SORT_MAX_LENGTH) return refuse("lines of 2^31 elements or more");

  SortPlan plan;
  std::vector<SortKey> keys;
  if (is_top_k(op)) {
    const ElementType t = op.operand_type(0).element_type();
    if (!is_key(t)) return refuse("element type " + std::string(name(t)));
    keys.push_back({0, true, is_float(t), false, false});
  } else {
    keys = sort_keys(op.function, op.region(0)).value_or(std::vector<SortKey>());
    const bool compares = std::ranges::any_of(keys, [&](const SortKey& key) {
      return is_float(op.operand_type(key.operand).element_type()) && !key.total_order;
    });
    plan.needs_comparator = keys.empty() || compares;
    std::string why;
    if (plan.needs_comparator && !codegen::can_compile_comparator(op, &why)) return refuse(why);
  }
  plan.step = slices.step;
  plan.use = use;
  plan.words.assign(WEFT_RT_SORT_HEADER, 0);
  plan.words[WEFT_RT_SORT_LINES] = slices.length == 0 ? 0 : slices.count;
  plan.words[WEFT_RT_SORT_LENGTH] = slices.length;
  plan.words[WEFT_RT_SORT_STEP] = slices.step;
  plan.words[WEFT_RT_SORT_RESULT_LENGTH] = is_top_k(op) ? op.attrs().integer("k") : slices.length;
  plan.words[WEFT_RT_SORT_TAKE] = std::min(use.take, plan.words[WEFT_RT_SORT_RESULT_LENGTH]);
  plan.words[WEFT_RT_SORT_PARTS] = 1;
  plan.words[WEFT_RT_SORT_OPERANDS] = static_cast<int64_t>(op.num_operands());
  plan.words[WEFT_RT_SORT_POSITIONS] = is_top_k(op) && use.wanted.at(1) ? 1 : 0;
  plan.words[WEFT_RT_SORT_KEYS] = static_cast<int64_t>(keys.size());
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const auto bytes = static_cast<int64_t>(byte_size(op.operand_type(i).element_type()));
    plan.words.push_back(use.wanted.at(i) ? bytes : -bytes);
  }
  for (const SortKey& key : keys) {
    plan.words.push_back(static_cast<int64_t>(key.operand));
    plan.words.push_back(kind_of(op.operand_type(key.operand).element_type()));
    plan.words.push_back(flags_of(key));
  }
  const int64_t take = plan.words[WEFT_RT_SORT_TAKE];
  const bool selects = keys.size() == 1 && take < slices.length;
  if (selects) plan.note = "the first " + std::to_string(take) + " of " + std::to_string(slices.length) + " ";
  if (keys.empty()) {
    plan.note += "merge sort by the compiled comparator: it is no comparison of keys";
  } else {
    plan.note += std::string(selects ? "by keys: " : "radix sort by keys: ") + describe(op, keys);
    if (plan.needs_comparator) plan.note += "; lines with NaN by the compiled comparator";
  }
  return plan;
}

}  // namespace weft::native
