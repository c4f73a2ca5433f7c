#include "native/kernels/matmul.h"

#include <algorithm>
#include <span>

#include "base/format.h"
#include "native/kernels/library_threads.h"
#include "native/kernels/matmul_rows.h"
#include "native/kernels/strides.h"

namespace weft::native {

namespace {

// Where generated loops, which cost no call and fuse with their neighbours, were at least as fast as the libraries on the
// CPUs measured. A library packs, blocks for caches and has AMX, which pays for matrices that are larger in all extents.
std::string why_generated(const MatmulDesc& desc) {
  const bool is_narrow = byte_size(desc.type) < 4;
  const int64_t small = desc.c_type ? 32 : is_narrow ? 16 : 64, thin = is_narrow ? 1 : 8;
  const int64_t work = desc.m * desc.n * desc.k, limit = small * small * small;
  if (desc.m == 1 || desc.n == 1) return "a matrix-vector product: generated loops read at memory bandwidth";
  if (work <= limit)
    return "too small: " + std::to_string(work) + " multiplications, up to " + std::to_string(limit) +
           " a generated loop wins";
  if (desc.k <= thin || desc.m <= thin / 2) return "too thin: a generated loop wins";
  // Few rows of whole vectors with a right side that stays in the second-level cache, as in recurrent cells.
  constexpr int64_t kCacheBytes = int64_t{1} << 19;
  const int64_t right_bytes = desc.k * desc.n * static_cast<int64_t>(byte_size(desc.type));
  if (!is_narrow && desc.m <= 32 && desc.m % 4 == 0 && desc.n % 16 == 0 && right_bytes <= kCacheBytes &&
      !desc.constant_b)
    return "few rows: a generated loop wins";
  return {};
}

// Drops batch dimensions of extent 1 and merges neighbours that all three operands step through alike.
MatmulDesc with_merged_batch(const MatmulDesc& desc) {
  MatmulDesc merged = desc;
  merged.batch.clear();
  std::vector<int64_t> a, b, c;
  for (size_t d = 0; d < desc.batch.size(); ++d) {
    int64_t extent = desc.batch[d];
    if (extent == 1) continue;
    int64_t steps[3] = {desc.a_strides[d], desc.b_strides[d], desc.c_strides[d]};
    bool is_continued = !merged.batch.empty() && a.back() == steps[0] * extent && b.back() == steps[1] * extent &&
                        c.back() == steps[2] * extent;
    if (is_continued) {
      merged.batch.back() *= extent;
      a.back() = steps[0], b.back() = steps[1], c.back() = steps[2];
    } else {
      merged.batch.push_back(extent);
      a.push_back(steps[0]), b.push_back(steps[1]), c.push_back(steps[2]);
    }
  }
  for (auto [list, all] : {std::pair{&a, &desc.a_strides}, {&b, &desc.b_strides}, {&c, &desc.c_strides}})
    list->insert(list->end(), all->end() - 2, all->end());
  merged.a_strides = a, merged.b_strides = b, merged.c_strides = c;
  return merged;
}

bool has_layout(std::vector<int64_t> dims, const std::vector<int64_t>& strides, bool may_repeat) {
  for (size_t d = 0; may_repeat && d + 2 < dims.size(); ++d)
    if (strides[d] == 0) dims[d] = 1;
  return is_permutation_layout(dims, strides);
}

std::string check(const MatmulDesc& desc, const KernelOptions& options) {
  size_t rank = desc.batch.size() + 2;
  for (auto* strides : {&desc.a_strides, &desc.b_strides, &desc.c_strides})
    if (strides->size() != rank) return "lists of different rank: expected one stride for each dimension";
  int64_t work = desc.m * desc.n * desc.k;
  auto a = desc.batch, b = desc.batch, c = desc.batch;
  for (int64_t extent : desc.batch) work *= extent;
  if (work <= 0) return "an extent is zero: nothing to compute";
  a.insert(a.end(), {desc.m, desc.k});
  b.insert(b.end(), {desc.k, desc.n});
  c.insert(c.end(), {desc.m, desc.n});
  if (!has_layout(a, desc.a_strides, true)) return "a strides " + format_list(desc.a_strides) + " overlap";
  if (!has_layout(b, desc.b_strides, true)) return "b strides " + format_list(desc.b_strides) + " overlap";
  if (!has_layout(c, desc.c_strides, false)) return "c strides " + format_list(desc.c_strides) + " overlap";
  if ((desc.has_bias || desc.has_relu) && desc.type != ElementType::kF32)
    return "bias and relu in " + std::string(name(desc.type)) + " are not fused (a narrow type rounds between them)";
  if (std::string reason = why_generated(desc); !reason.empty() && !options.is_size_ignored) return reason;
  if (const char* reason = why_no_team(options.partitions)) return reason;
  return {};
}

}  // namespace

KernelChoice make_matmul(const MatmulDesc& desc, const KernelOptions& options) {
  KernelChoice choice;
  std::string reason = check(desc, options);
  MatmulDesc merged = reason.empty() ? with_merged_batch(desc) : desc;
  struct Row {
    const char* name;
    decltype(&onednn_matmul) make;
  };
  for (const Row& row :
       {Row{"onednn", onednn_matmul}, Row{"openblas", openblas_matmul}, Row{"complex", complex_matmul}}) {
    std::string row_reason = reason;
    if (const char* why = options.why_not(row.name)) row_reason = why;
    else if (row_reason.empty()) choice.kernel = row.make(merged, options, row_reason);
    if (choice.kernel) return choice;
    choice.refused.push_back({row.name, row_reason});
  }
  return choice;
}

}  // namespace weft::native
