#include <cblas.h>

#include <limits>

#include "native/kernels/library_threads.h"
#include "native/kernels/matmul_rows.h"
#include "native/kernels/relu.h"

namespace weft::native {

namespace {

// A matrix of the operand as cblas names it: transposed or not, with a leading dimension.
struct Matrix {
  CBLAS_TRANSPOSE transpose = CblasNoTrans;
  int64_t leading = 0;
};

bool as_matrix(int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride, Matrix& matrix) {
  if (columns == 1) column_stride = 1;
  if (rows == 1 && column_stride == 1) row_stride = columns;
  if (column_stride == 1 && row_stride >= columns) {
    matrix = {CblasNoTrans, row_stride};
    return true;
  }
  if (rows == 1) row_stride = 1;
  if (row_stride == 1 && column_stride >= rows) {
    matrix = {CblasTrans, column_stride};
    return true;
  }
  return false;
}

void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const double* a, int lda,
          const double* b, int ldb, double* c, int ldc) {
  cblas_dgemm(order, ta, tb, m, n, k, 1.0, a, lda, b, ldb, 0.0, c, ldc);
}

void gemm(CBLAS_ORDER order, CBLAS_TRANSPOSE ta, CBLAS_TRANSPOSE tb, int m, int n, int k, const float* a, int lda,
          const float* b, int ldb, float* c, int ldc) {
  cblas_sgemm(order, ta, tb, m, n, k, 1.0f, a, lda, b, ldb, 0.0f, c, ldc);
}

template <class Number>
class OpenBlasKernel final : public LibraryKernel {
 public:
  OpenBlasKernel(const MatmulDesc& desc, int partitions, Matrix a, Matrix b, Matrix c)
      : desc_(desc), partitions_(partitions), a_(a), b_(b), c_(c) {}

  std::string implementation() const override { return "openblas gemm"; }
  size_t scratch_bytes() const override { return 0; }

  bool execute(const void* const* inputs, void* const* outputs, void*) const noexcept override {
    const void* b = desc_.constant_b ? desc_.constant_b : inputs[1];
    try {
      with_library_team(partitions_, [&] {
        run(0, static_cast<const Number*>(inputs[0]), static_cast<const Number*>(b), static_cast<Number*>(outputs[0]));
      });
      return true;
    } catch (...) { return false; }
  }

 private:
  void run(size_t dimension, const Number* a, const Number* b, Number* c) const {
    if (dimension < desc_.batch.size()) {
      for (int64_t at = 0; at < desc_.batch[dimension]; ++at)
        run(dimension + 1, a + at * desc_.a_strides[dimension], b + at * desc_.b_strides[dimension],
            c + at * desc_.c_strides[dimension]);
      return;
    }
    auto opposite = [](CBLAS_TRANSPOSE t) { return t == CblasNoTrans ? CblasTrans : CblasNoTrans; };
    // Stored by columns, the result is the column-major product, in which operands stored by rows count as transposed.
    bool is_by_rows = c_.transpose == CblasNoTrans;
    gemm(is_by_rows ? CblasRowMajor : CblasColMajor, is_by_rows ? a_.transpose : opposite(a_.transpose),
         is_by_rows ? b_.transpose : opposite(b_.transpose), static_cast<int>(desc_.m), static_cast<int>(desc_.n),
         static_cast<int>(desc_.k), a, static_cast<int>(a_.leading), b, static_cast<int>(b_.leading), c,
         static_cast<int>(c_.leading));
  }

  MatmulDesc desc_;
  int partitions_;
  Matrix a_, b_, c_;
};

}  // namespace

std::unique_ptr<LibraryKernel> openblas_matmul(const MatmulDesc& desc, const KernelOptions& options,
                                               std::string& reason) {
  if ((desc.type != ElementType::kF64 && desc.type != ElementType::kF32) || desc.c_type) {
    reason = "element type " + std::string(name(desc.type)) + " is not one of f32, f64";
    return nullptr;
  }
  if (desc.has_bias || desc.has_relu) {
    reason = "bias and relu are not fused";
    return nullptr;
  }
  size_t rank = desc.batch.size();
  Matrix a, b, c;
  bool is_taken = as_matrix(desc.m, desc.k, desc.a_strides[rank], desc.a_strides[rank + 1], a) &&
                  as_matrix(desc.k, desc.n, desc.b_strides[rank], desc.b_strides[rank + 1], b) &&
                  as_matrix(desc.m, desc.n, desc.c_strides[rank], desc.c_strides[rank + 1], c);
  if (!is_taken) {
    reason = "a matrix is contiguous in neither of its dimensions";
    return nullptr;
  }
  for (int64_t extent : {desc.m, desc.n, desc.k, a.leading, b.leading, c.leading}) {
    if (extent > std::numeric_limits<int>::max()) {
      reason = "an extent is beyond 32 bits";
      return nullptr;
    }
  }
  if (desc.type == ElementType::kF64)
    return std::make_unique<OpenBlasKernel<double>>(desc, options.partitions, a, b, c);
  return std::make_unique<OpenBlasKernel<float>>(desc, options.partitions, a, b, c);
}

}  // namespace weft::native
