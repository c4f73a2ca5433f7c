#include "native/open/open_plans.h"

#include <algorithm>

#include "native/aot_runtime/weft_rt_fft.h"
#include "native/open/open_step.h"
#include "native/schedule/fft_plan.h"
#include "native/schedule/sort_plan.h"

namespace weft::native {

void OpenPlans::add_sort(OpId op, std::shared_ptr<const SortPlan> plan, std::string comparator) {
  entries_[op].sort = std::move(plan);
  entries_[op].comparator = std::move(comparator);
}

void OpenPlans::add_fft(OpId op) { entries_[op] = {}; }

std::vector<OpenPlans::Step> OpenPlans::steps() const {
  std::vector<Step> out;
  for (const auto& [op, entry] : entries_) out.push_back({op, entry.sort, entry.comparator});
  return out;
}

void OpenPlans::link(const std::function<void*(const std::string&)>& find) {
  for (auto& [op, entry] : entries_) {
    if (!entry.comparator.empty()) entry.less = reinterpret_cast<weft_rt_sort_less_fn>(find(entry.comparator));
  }
}

std::shared_ptr<const OpenPlans::Prepared> OpenPlans::prepare(const Entry& entry, const OpView& given,
                                                              std::span<const int64_t> values) const {
  auto out = std::make_shared<Prepared>();
  const std::unique_ptr<Function> f = concrete_op(given, names_, values);
  const auto ops = f->ops(f->body());
  const OpView op{*f, ops[ops.size() - 2]};
  std::string reason;
  if (entry.sort != nullptr) {
    SortUse use = entry.sort->use;
    // The most that a reader wants is known where no extent has part in it.
    const int64_t d = sorted_dimension(op);
    if (names_.is_open(use.take)) use.take = d < 0 ? 1 : op.operand_type(0).dim(d);
    const auto plan = plan_sort(op, use, &reason);
    if (!plan) throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + reason, op.loc());
    out->words = plan->for_parts(partitions_);
    out->is_empty = out->words[WEFT_RT_SORT_LINES] == 0 || out->words[WEFT_RT_SORT_TAKE] == 0;
    if (!out->is_empty) out->workspace_bytes = weft_rt_sort_workspace(out->words.data());
    return out;
  }
  const auto plan = plan_fft(op, &reason);
  if (!plan) throw Unsupported("[" + std::string(op.def().mnemonic) + "] " + reason, op.loc());
  out->is_empty = plan->words[WEFT_RT_FFT_PASSES] == 0;
  out->words = plan->for_parts(partitions_);
  out->workspace_bytes = plan->workspace_bytes(partitions_);
  if (plan->is_double) {
    out->doubles = plan->table;
  } else {
    out->floats.assign(plan->table.begin(), plan->table.end());
  }
  return out;
}

std::shared_ptr<const OpenPlans::Prepared> OpenPlans::prepared(Entry& entry, const OpView& op,
                                                               std::span<const int64_t> values) {
  const std::lock_guard lock(mutex_);
  const std::vector<int64_t> key(values.begin(), values.end());
  auto it = entry.kept.find(key);
  if (it == entry.kept.end()) {
    if (entry.kept.size() >= kMost)
      entry.kept.erase(std::ranges::min_element(entry.kept, {}, [](const auto& kept) { return kept.second.second; }));
    it = entry.kept.emplace(key, std::pair(prepare(entry, op, values), uint64_t{0})).first;
  }
  it->second.second = ++clock_;
  return it->second.first;
}

size_t OpenPlans::workspace_bytes(const Function& f, std::span<const int64_t> values) {
  size_t most = 0;
  for (auto& [op, entry] : entries_) most = std::max(most, prepared(entry, {f, op}, values)->workspace_bytes);
  return most;
}

bool OpenPlans::run(const OpView& op, std::span<const int64_t> values, void* const* buffers) {
  const auto found = entries_.find(op.id);
  if (found == entries_.end()) return false;
  Entry& entry = found->second;
  const auto plan = prepared(entry, op, values);
  if (plan->is_empty) return true;
  rt::ArenaPool::Lease room(scratch_, std::max<size_t>(plan->workspace_bytes, 64));
  if (entry.sort != nullptr) {
    weft_rt_sort(plan->words.data(), entry.less, buffers, room.data());
  } else {
    const bool is_double = !plan->doubles.empty();
    const void* table = is_double ? static_cast<const void*>(plan->doubles.data()) : plan->floats.data();
    weft_rt_fft(plan->words.data(), table, is_double ? 1 : 0, buffers, room.data());
  }
  return true;
}

}  // namespace weft::native
