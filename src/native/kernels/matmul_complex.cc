// Complex products as real ones: where re and im lie side by side, a row of a is a row of 2k real numbers and a row of c one of 2n, and
//   (re im) · ( br  bi )  =  (re·br - im·bi   re·bi + im·br)
//             (-bi  br )
// so that the product with b, written out to 2k × 2n real numbers, is the complex one, at the speed of real products.
#include <algorithm>
#include <complex>
#include <optional>

#include "native/contraction/dense_copy.h"
#include "native/kernels/matmul_rows.h"
#include "native/runtime/parallel.h"

namespace weft::native {

namespace {

std::vector<int64_t> without_repeats(const MatmulDesc& desc, const std::vector<int64_t>& strides, int64_t rows,
                                     int64_t columns) {
  std::vector<int64_t> dims = desc.batch;
  for (size_t d = 0; d < dims.size(); ++d)
    if (strides[d] == 0) dims[d] = 1;
  dims.insert(dims.end(), {rows, columns});
  return dims;
}

/// Dense strides of these dimensions, 0 where one repeats.
std::vector<int64_t> dense(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  std::vector<int64_t> out(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) out[d - 1] = out[d] * dims[d];
  for (size_t d = 0; d + 2 < dims.size(); ++d)
    if (strides[d] == 0) out[d] = 0;
  return out;
}

template <class R>
class ComplexKernel final : public LibraryKernel {
 public:
  // What is expanded, and how it lies.
  std::vector<int64_t> dims, strides;
  std::optional<DenseCopy> a_copy;
  std::unique_ptr<LibraryKernel> real;
  const void* constant_b = nullptr;
  bool is_swapped = false;
  int partitions = 1;

  std::string implementation() const override { return real->implementation() + " on re and im"; }
  size_t scratch_bytes() const override {
    return expanded_bytes() + (a_copy ? rounded(a_copy->bytes()) : 0) + real->scratch_bytes();
  }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    const void *a = inputs[0], *b = constant_b != nullptr ? constant_b : inputs[1];
    if (is_swapped) std::swap(a, b);
    auto* const expanded = static_cast<R*>(scratch);
    auto* rest = static_cast<char*>(scratch) + expanded_bytes();
    expand(static_cast<const std::complex<R>*>(b), expanded);
    if (a_copy) {
      a_copy->run(a, rest, partitions);
      a = rest;
      rest += rounded(a_copy->bytes());
    }
    const void* operands[] = {a, expanded};
    return real->execute(operands, outputs, rest);
  }

 private:
  static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }
  int64_t rows() const {
    int64_t n = 1;
    for (size_t d = 0; d + 1 < dims.size(); ++d) n *= dims[d];
    return n;
  }
  size_t expanded_bytes() const { return rounded(static_cast<size_t>(rows() * dims.back()) * 4 * sizeof(R)); }

  void expand(const std::complex<R>* b, R* out) const {
    const int64_t all = rows(), n = dims.back(), step = strides.back();
    rt::parallel(partitions, [&](int64_t part, int64_t parts) {
      for (int64_t row = all * part / parts; row < all * (part + 1) / parts; ++row) {
        const std::complex<R>* from = b;
        int64_t rest = row;
        for (size_t d = dims.size() - 1; d-- > 0; rest /= dims[d]) from += rest % dims[d] * strides[d];
        R *first = out + row * 4 * n, *second = first + 2 * n;
        for (int64_t j = 0; j < n; ++j) {
          const std::complex<R> z = from[j * step];
          first[2 * j] = z.real();
          first[2 * j + 1] = z.imag();
          second[2 * j] = -z.imag();
          second[2 * j + 1] = z.real();
        }
      }
    });
  }
};

template <class R>
std::unique_ptr<LibraryKernel> make(MatmulDesc desc, const KernelOptions& options, std::string& reason) {
  auto kernel = std::make_unique<ComplexKernel<R>>();
  kernel->partitions = options.partitions;
  kernel->constant_b = desc.constant_b;
  desc.constant_b = nullptr;
  const size_t rank = desc.batch.size();
  if (desc.c_strides[rank + 1] != 1 && desc.n != 1) {
    // Stored by columns: the transposed product of the transposed operands.
    kernel->is_swapped = true;
    std::swap(desc.m, desc.n);
    std::swap(desc.a_strides, desc.b_strides);
    for (auto* list : {&desc.a_strides, &desc.b_strides, &desc.c_strides}) std::swap((*list)[rank], (*list)[rank + 1]);
    if (desc.c_strides[rank + 1] != 1 && desc.n != 1) {
      reason = "the result is contiguous in neither of its dimensions";
      return nullptr;
    }
  }
  if (desc.a_strides[rank + 1] != 1) {
    const auto dims = without_repeats(desc, desc.a_strides, desc.m, desc.k);
    kernel->a_copy = DenseCopy{dims, desc.a_strides, 0, 2 * sizeof(R)};
    desc.a_strides = dense(dims, desc.a_strides);
  }
  kernel->dims = without_repeats(desc, desc.b_strides, desc.k, desc.n);
  kernel->strides = desc.b_strides;
  MatmulDesc real = desc;
  real.type = sizeof(R) == 4 ? ElementType::kF32 : ElementType::kF64;
  real.n *= 2, real.k *= 2;
  for (auto* list : {&real.a_strides, &real.c_strides}) {
    for (size_t d = 0; d <= rank; ++d) (*list)[d] *= 2;
    (*list)[rank + 1] = 1;
  }
  auto expanded = kernel->dims;
  expanded[rank] *= 2, expanded[rank + 1] *= 2;
  real.b_strides = dense(expanded, desc.b_strides);
  std::string why;
  if (const char* off = options.why_not("onednn")) why = off;
  else kernel->real = onednn_matmul(real, options, why);
  if (!kernel->real) {
    reason = "onednn on re and im: " + why;
    if (const char* off = options.why_not("openblas")) why = off;
    else kernel->real = openblas_matmul(real, options, why);
    if (!kernel->real) reason += "; openblas on re and im: " + why;
  }
  if (!kernel->real) return nullptr;
  reason.clear();
  return kernel;
}

}  // namespace

std::unique_ptr<LibraryKernel> complex_matmul(const MatmulDesc& desc, const KernelOptions& options,
                                              std::string& reason) {
  if (desc.type == ElementType::kC64) return make<float>(desc, options, reason);
  if (desc.type == ElementType::kC128) return make<double>(desc, options, reason);
  reason = "element type " + std::string(name(desc.type)) + " is not complex";
  return nullptr;
}

}  // namespace weft::native
