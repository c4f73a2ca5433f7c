// Sorts and Fourier transforms with open extents: the runtime's code, by a plan that is made for the extents of a call.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "native/aot_runtime/weft_rt_sort.h"
#include "native/open/extent_names.h"
#include "native/runtime/arena.h"
#include "native/schedule/schedule.h"

namespace weft::native {

class OpenPlans {
 public:
  /// `partitions`: parts of a sort or transform.
  OpenPlans(const ExtentNames& names, int partitions) : names_(names), partitions_(partitions) {}
  OpenPlans(const OpenPlans&) = delete;
  OpenPlans& operator=(const OpenPlans&) = delete;

  /// A sort, whose comparator has this name in the code; empty: it needs none.
  void add_sort(OpId op, std::shared_ptr<const SortPlan> plan, std::string comparator);
  void add_fft(OpId op);
  /// A sort or, where there is no plan of one, a transform.
  struct Step {
    OpId op;
    std::shared_ptr<const SortPlan> sort;
    std::string comparator;
  };
  std::vector<Step> steps() const;
  /// Where the comparators are, once the code is linked.
  void link(const std::function<void*(const std::string&)>& find);

  /// The most that a call of one of them needs beside the arena.
  size_t workspace_bytes(const Function& f, std::span<const int64_t> values);
  /// Runs the op when it is one that was added. `buffers`: operands, then results.
  bool run(const OpView& op, std::span<const int64_t> values, void* const* buffers);

 private:
  static constexpr size_t kMost = 64;  // plans that are kept for an op
  struct Prepared {
    std::vector<int64_t> words;
    std::vector<float> floats;  // the table, in the precision of the transform
    std::vector<double> doubles;
    size_t workspace_bytes = 0;
    bool is_empty = false;
  };
  struct Entry {
    std::shared_ptr<const SortPlan> sort;  // null: a transform
    std::string comparator;
    weft_rt_sort_less_fn less = nullptr;
    std::map<std::vector<int64_t>, std::pair<std::shared_ptr<const Prepared>, uint64_t>> kept;  // and when last used
  };

  std::shared_ptr<const Prepared> prepared(Entry& entry, const OpView& op, std::span<const int64_t> values);
  std::shared_ptr<const Prepared> prepare(const Entry& entry, const OpView& op, std::span<const int64_t> values) const;

  const ExtentNames& names_;
  const int partitions_;
  std::map<OpId, Entry> entries_;
  rt::ArenaPool scratch_;
  std::mutex mutex_;
  uint64_t clock_ = 0;
};

}  // namespace weft::native
