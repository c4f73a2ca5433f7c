#include "native/kernels/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "lapack/routines.h"
#include "native/kernels/library_threads.h"
#include "native/kernels/matrix_lane_kernels.h"
#include "native/runtime/parallel.h"

namespace weft::native {
namespace {

using std::complex;

/// By rows, as a tensor lies; LAPACK takes columns, for which it is the transposed problem.
struct Solve {
  bool left = true, lower = true;
  char transpose = 'N', diagonal = 'N';
  int rows = 0, columns = 0, order = 0;
};

template <class T>
void solve(const Solve& s, const T* a, T* x) {
  const char side = s.left ? 'R' : 'L', uplo = s.lower ? 'U' : 'L';
  const T one = 1;
  lapack::Routines<T>::trsm(&side, &uplo, &s.transpose, &s.diagonal, &s.columns, &s.rows, &one, a, &s.order, x,
                            &s.columns);
}

template <class T>
constexpr bool kIsComplex = !std::is_floating_point_v<T>;

double conjugate(double x) { return x; }
float conjugate(float x) { return x; }
template <class R>
complex<R> conjugate(complex<R> x) {
  return std::conj(x);
}

/// A batch runs in parallel where there are enough matrices, else one after the other with the library's own threads.
template <class One>
bool over_batch(int64_t count, int partitions, One one) {
  try {
    if (count < partitions || partitions == 1) {
      with_library_team(partitions, [&] {
        for (int64_t i = 0; i < count; ++i) one(i);
      });
      return true;
    }
    rt::parallel(partitions, [&](int64_t part, int64_t parts) {
      LibraryTeam alone(1);
      for (int64_t i = count * part / parts; i < count * (part + 1) / parts; ++i) one(i);
    });
    return true;
  } catch (...) { return false; }
}

template <class T>
class CholeskyKernel final : public LibraryKernel {
 public:
  CholeskyKernel(int n, int64_t count, bool lower, int partitions)
      : n_(n), count_(count), lower_(lower), partitions_(partitions) {}
  std::string implementation() const override { return "lapack potrf"; }
  size_t scratch_bytes() const override { return 0; }

  bool execute(const void* const* inputs, void* const* outputs, void*) const noexcept override {
    const T* const in = static_cast<const T*>(inputs[0]);
    T* const out = static_cast<T*>(outputs[0]);
    const size_t size = static_cast<size_t>(n_) * static_cast<size_t>(n_);
    return over_batch(count_, partitions_, [&](int64_t i) {
      const T* a = in + static_cast<size_t>(i) * size;
      T* l = out + static_cast<size_t>(i) * size;
      copy_triangle(a, l);
      int info = 0;
      // By columns, a is its transpose: the triangles change places, and the factor is the one that is wanted.
      const char uplo = lower_ ? 'U' : 'L';
      lapack::Routines<T>::potrf(&uplo, &n_, l, &n_, &info);
      if (info != 0) factor_until_nan(a, l);
    });
  }

 private:
  void copy_triangle(const T* a, T* l) const {
    const auto n = static_cast<size_t>(n_);
    for (size_t i = 0; i < n; ++i) {
      const size_t begin = lower_ ? 0 : i, end = lower_ ? i + 1 : n;
      std::fill(l + i * n, l + i * n + begin, T{});
      std::copy(a + i * n + begin, a + i * n + end, l + i * n + begin);
      std::fill(l + i * n + end, l + (i + 1) * n, T{});
      l[i * n + i] = std::real(l[i * n + i]);
    }
  }

  /// Column by column, since LAPACK stops where the matrix is not positive definite: NaN from that column on.
  void factor_until_nan(const T* a, T* l) const {
    using R = decltype(std::real(T{}));
    const auto n = static_cast<size_t>(n_);
    copy_triangle(a, l);
    const auto entry = [&](size_t i, size_t j) -> T& { return lower_ ? l[i * n + j] : l[j * n + i]; };
    // Of uᴴ·u the conjugates are kept, to which the same sums apply.
    for (size_t j = 0; j < n; ++j) {
      R pivot = std::real(entry(j, j));
      for (size_t k = 0; k < j; ++k) pivot -= std::real(entry(j, k) * conjugate(entry(j, k)));
      const R root = std::sqrt(pivot);
      const R d = root > 0 ? root : std::numeric_limits<R>::quiet_NaN();
      entry(j, j) = d;
      for (size_t i = j + 1; i < n; ++i) {
        T sum = entry(i, j);
        for (size_t k = 0; k < j; ++k) sum -= entry(i, k) * conjugate(entry(j, k));
        entry(i, j) = sum / d;
      }
    }
  }

  int n_;
  int64_t count_;
  bool lower_;
  int partitions_;
};

template <class T>
class SolveKernel final : public LibraryKernel {
 public:
  SolveKernel(Solve solve, int64_t count, int partitions) : solve_(solve), count_(count), partitions_(partitions) {}
  std::string implementation() const override { return "blas trsm"; }
  size_t scratch_bytes() const override { return 0; }

  bool execute(const void* const* inputs, void* const* outputs, void*) const noexcept override {
    const T* const a = static_cast<const T*>(inputs[0]);
    const T* const b = static_cast<const T*>(inputs[1]);
    T* const x = static_cast<T*>(outputs[0]);
    const size_t square = static_cast<size_t>(solve_.order) * static_cast<size_t>(solve_.order),
                 size = static_cast<size_t>(solve_.rows) * static_cast<size_t>(solve_.columns);
    return over_batch(count_, partitions_, [&](int64_t i) {
      std::copy_n(b + static_cast<size_t>(i) * size, size, x + static_cast<size_t>(i) * size);
      solve(solve_, a + static_cast<size_t>(i) * square, x + static_cast<size_t>(i) * size);
    });
  }

 private:
  Solve solve_;
  int64_t count_;
  int partitions_;
};

template <class T>
std::unique_ptr<LibraryKernel> make(const OpView& op, int partitions) {
  const Type a = op.operand_type(0);
  const int64_t rank = a.rank(), n = a.dim(rank - 1);
  int64_t count = 1;
  for (int64_t d = 0; d + 2 < rank; ++d) count *= a.dim(d);
  const bool lower = op.attrs().boolean_or("lower", false);
  if constexpr (!kIsComplex<T>) {
    if (auto lanes = make_lane_kernel<T>(op, count, partitions)) return lanes;
  }
  if (op.def().mnemonic == "stablehlo.cholesky")
    return std::make_unique<CholeskyKernel<T>>(static_cast<int>(n), count, lower, partitions);
  const Type b = op.operand_type(1);
  const std::string mode = op.attrs().text_or("transpose_a", "NO_TRANSPOSE");
  Solve s;
  s.left = op.attrs().boolean_or("left_side", true);
  s.lower = lower;
  s.transpose = mode == "ADJOINT" ? 'C' : mode == "TRANSPOSE" ? 'T' : 'N';
  s.diagonal = op.attrs().boolean_or("unit_diagonal", false) ? 'U' : 'N';
  s.rows = static_cast<int>(b.dim(rank - 2));
  s.columns = static_cast<int>(b.dim(rank - 1));
  s.order = static_cast<int>(n);
  return std::make_unique<SolveKernel<T>>(s, count, partitions);
}

}  // namespace

bool is_library_matrix_op(const OpView& op, std::string& reason) {
  const bool solves = op.def().mnemonic == "stablehlo.triangular_solve";
  if (!solves && op.def().mnemonic != "stablehlo.cholesky") return false;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    if (!t.is_static() || t.is_quantized()) return false;
    const ElementType e = t.element_type();
    if (e != ElementType::kF32 && e != ElementType::kF64 && !is_complex(e)) {
      reason = "lapack: no routine for " + std::string(name(e));
      return false;
    }
    for (int64_t extent : t.shape()) {
      if (extent == 0 || extent > std::numeric_limits<int>::max()) return false;
    }
  }
  // Of complex matrices below this order the loops of generated code, which take a batch at once, do as well.
  constexpr int64_t kMinOrder = 16;
  const Type a = op.operand_type(0);
  if (!is_complex(a.element_type()) || a.dim(a.rank() - 1) >= kMinOrder) return true;
  reason = "lapack: order " + std::to_string(a.dim(a.rank() - 1)) + " is below " + std::to_string(kMinOrder);
  return false;
}

std::unique_ptr<LibraryKernel> make_matrix_kernel(const OpView& op, int partitions) {
  switch (op.operand_type(0).element_type()) {
    case ElementType::kF32: return make<float>(op, partitions);
    case ElementType::kF64: return make<double>(op, partitions);
    case ElementType::kC64: return make<complex<float>>(op, partitions);
    default: return make<complex<double>>(op, partitions);
  }
}

}  // namespace weft::native
