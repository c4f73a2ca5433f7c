#include "native/kernels/matrix_lane_kernels.h"

#include <algorithm>

#include "native/kernels/matrix_lanes.h"
#include "native/runtime/parallel.h"

namespace weft::native {
namespace {

/// Runs body(first, last, buffer) over [0, count), split where a lane group begins.
template <class Body>
void over_groups(int64_t count, int64_t group, int64_t parts, size_t bytes, void* scratch, Body body) {
  const int64_t groups = (count + group - 1) / group;
  const auto run = [&](int64_t part, int64_t of) noexcept {
    const int64_t first = groups * part / of * group, last = std::min(groups * (part + 1) / of * group, count);
    if (first < last) body(first, last, static_cast<char*>(scratch) + static_cast<size_t>(part) * bytes);
  };
  if (parts == 1) run(0, 1);
  else rt::parallel(parts, run);
}

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Parts that are worth a section: each has some microseconds of work.
int64_t parts_for(double operations, int64_t groups, int partitions) {
  constexpr double kWorthwhile = 1 << 16;
  return std::clamp<int64_t>(static_cast<int64_t>(operations / kWorthwhile), 1,
                             std::min<int64_t>(groups, std::max(partitions, 1)));
}

template <class T>
class LaneCholesky final : public LibraryKernel {
 public:
  LaneCholesky(int64_t n, int64_t count, bool lower, int partitions)
      : n_(n), count_(count), lower_(lower), bytes_(aligned(lanes_.cholesky_bytes(n))) {
    const auto order = static_cast<double>(n);
    parts_ = parts_for(static_cast<double>(count) * order * order * (order / 6 + 2),
                       (count + lanes_.lanes - 1) / lanes_.lanes, partitions);
  }
  std::string implementation() const override { return "lanes cholesky"; }
  size_t scratch_bytes() const override { return bytes_ * static_cast<size_t>(parts_); }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    over_groups(count_, lanes_.lanes, parts_, bytes_, scratch, [&](int64_t first, int64_t last, void* buffer) {
      lanes_.cholesky(static_cast<const T*>(inputs[0]), static_cast<T*>(outputs[0]), n_, lower_, first, last, buffer);
    });
    return true;
  }

 private:
  const MatrixLanes<T>& lanes_ = matrix_lanes<T>();
  int64_t n_, count_, parts_ = 1;
  bool lower_;
  size_t bytes_;
};

template <class T>
class LaneSolver final : public LibraryKernel {
 public:
  LaneSolver(const LaneSolve& solve, bool is_many, int64_t count, int partitions)
      : solve_(solve),
        is_many_(is_many),
        count_(is_many ? count * ((solve.others + lanes_.block - 1) / lanes_.block) : count),
        group_(is_many ? 1 : lanes_.lanes),
        bytes_(aligned(is_many ? lanes_.solve_many_bytes(solve) : lanes_.solve_each_bytes(solve))) {
    const auto n = static_cast<double>(solve.n), work = static_cast<double>(count) * static_cast<double>(solve.others);
    parts_ = parts_for(work * n * (n / 2 + 4), (count_ + group_ - 1) / group_, partitions);
  }
  std::string implementation() const override {
    return is_many_ ? "lanes solve, of sides" : "lanes solve, of matrices";
  }
  size_t scratch_bytes() const override { return bytes_ * static_cast<size_t>(parts_); }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    const auto run = is_many_ ? lanes_.solve_many : lanes_.solve_each;
    over_groups(count_, group_, parts_, bytes_, scratch, [&](int64_t first, int64_t last, void* buffer) {
      run(static_cast<const T*>(inputs[0]), static_cast<const T*>(inputs[1]), static_cast<T*>(outputs[0]), solve_,
          first, last, buffer);
    });
    return true;
  }

 private:
  const MatrixLanes<T>& lanes_ = matrix_lanes<T>();
  LaneSolve solve_;
  bool is_many_;
  int64_t count_, group_, parts_ = 1;
  size_t bytes_;
};

}  // namespace

// Where the lanes were faster on the CPUs measured than OpenBLAS: at least half of them must have something to do, and the matrices must
// stay in the caches, for which OpenBLAS packs and blocks.
template <class T>
std::unique_ptr<LibraryKernel> make_lane_kernel(const OpView& op, int64_t count, int partitions) {
  constexpr int64_t kMaxFactored = 96, kMaxSolved = 384;
  constexpr size_t kMostBytes = size_t{1} << 20;
  const MatrixLanes<T>& lanes = matrix_lanes<T>();
  const Type a = op.operand_type(0);
  const int64_t rank = a.rank(), n = a.dim(rank - 1);
  const bool lower = op.attrs().boolean_or("lower", false);
  if (op.def().mnemonic == "stablehlo.cholesky") {
    if (n > kMaxFactored || 2 * count < lanes.lanes) return nullptr;
    return std::make_unique<LaneCholesky<T>>(n, count, lower, partitions);
  }
  const bool left = op.attrs().boolean_or("left_side", true),
             transposed = op.attrs().text_or("transpose_a", "NO_TRANSPOSE") != "NO_TRANSPOSE";
  LaneSolve solve;
  solve.n = n;
  solve.others = op.operand_type(1).dim(rank - (left ? 1 : 2));
  solve.is_left = left;
  solve.is_swapped = left == transposed;
  solve.is_downwards = lower != solve.is_swapped;
  solve.is_unit = op.attrs().boolean_or("unit_diagonal", false);
  const bool is_many = solve.others >= std::min(count, lanes.lanes);
  const bool fits = is_many ? n <= kMaxSolved && 2 * solve.others >= lanes.lanes
                            : lanes.solve_each_bytes(solve) <= kMostBytes && 2 * count >= lanes.lanes;
  if (!fits) return nullptr;
  return std::make_unique<LaneSolver<T>>(solve, is_many, count, partitions);
}

template std::unique_ptr<LibraryKernel> make_lane_kernel<float>(const OpView&, int64_t, int);
template std::unique_ptr<LibraryKernel> make_lane_kernel<double>(const OpView&, int64_t, int);

}  // namespace weft::native
