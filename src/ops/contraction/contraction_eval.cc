#include "ops/contraction/contraction_eval.h"

#include <algorithm>
#include <complex>
#include <type_traits>

#include "base/float_format.h"
#include "ops/strided_walk.h"

namespace weft {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

template <class T>
constexpr bool is_complex_number = std::is_same_v<T, C64> || std::is_same_v<T, C128>;

/// Calls f with a value of the C++ type that holds one element; false for types without arithmetic here.
template <class F>
bool visit_element(ElementType type, F&& f) {
  switch (type) {
    case ElementType::kI1: f(bool{}); return true;
    case ElementType::kI2:
    case ElementType::kI4:
    case ElementType::kI8: f(int8_t{}); return true;
    case ElementType::kI16: f(int16_t{}); return true;
    case ElementType::kI32: f(int32_t{}); return true;
    case ElementType::kI64: f(int64_t{}); return true;
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: f(uint8_t{}); return true;
    case ElementType::kU16: f(uint16_t{}); return true;
    case ElementType::kU32: f(uint32_t{}); return true;
    case ElementType::kU64: f(uint64_t{}); return true;
    case ElementType::kF16: f(f16{}); return true;
    case ElementType::kBF16: f(bf16{}); return true;
    case ElementType::kF32: f(float{}); return true;
    case ElementType::kF64: f(double{}); return true;
    case ElementType::kC64: f(C64{}); return true;
    case ElementType::kC128: f(C128{}); return true;
    default: return visit_small_float(type, f);
  }
}

/// Calls f with a value of the accumulator type for operands and result of these types; false when there is none.
template <class F>
bool visit_accumulator(ElementType lhs, ElementType rhs, ElementType result, F&& f) {
  const auto any = [&](ElementType t) { return lhs == t || rhs == t || result == t; };
  if (is_boolean(lhs) && is_boolean(rhs) && is_boolean(result)) return f(bool{}), true;
  if (is_integer(lhs) && is_integer(rhs) && is_integer(result)) return f(uint64_t{}), true;
  if (is_complex(result))
    return any(ElementType::kC128) || any(ElementType::kF64) ? (f(C128{}), true) : (f(C64{}), true);
  if (!is_float(result) || is_complex(lhs) || is_complex(rhs)) return false;
  return any(ElementType::kF64) ? (f(double{}), true) : (f(float{}), true);
}

template <class A, class T>
A load(T x) {
  if constexpr (is_complex_number<A>) {
    if constexpr (is_complex_number<T>) {
      return A(static_cast<typename A::value_type>(x.real()), static_cast<typename A::value_type>(x.imag()));
    } else {
      return A(static_cast<typename A::value_type>(x), 0);
    }
  } else if constexpr (is_complex_number<T>) {
    return A{};  // excluded by visit_accumulator
  } else if constexpr (std::is_integral_v<A>) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<A>(static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(x));
    return A{};
  } else {
    return static_cast<A>(x);
  }
}

template <class T, class A>
T store(A x, int bits) {
  if constexpr (is_complex_number<T>) {
    if constexpr (is_complex_number<A>) {
      return T(static_cast<typename T::value_type>(x.real()), static_cast<typename T::value_type>(x.imag()));
    } else {
      return T{};
    }
  } else if constexpr (is_complex_number<A>) {
    return T{};
  } else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16> || is_small_float_value<T>) {
    return T(static_cast<float>(x));
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<A, uint64_t>) {
    if constexpr (std::is_signed_v<T>) return static_cast<T>(static_cast<int64_t>(x << (64 - bits)) >> (64 - bits));
    return static_cast<T>(x << (64 - bits) >> (64 - bits));
  } else {
    return static_cast<T>(x);
  }
}

template <class A>
A multiply_add(A sum, A a, A b) {
  if constexpr (std::is_same_v<A, bool>) {
    return sum || (a && b);
  } else if constexpr (is_complex_number<A>) {
    return A(sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
             sum.imag() + (a.real() * b.imag() + a.imag() * b.real()));
  } else {
    return sum + a * b;
  }
}

[[noreturn]] void refuse_types(const OpView& op, ElementType lhs, ElementType rhs, ElementType result) {
  throw Unsupported("[" + std::string(op.def().mnemonic) + "] evaluation: no arithmetic for " + std::string(name(lhs)) +
                        " x " + std::string(name(rhs)) + " -> " + std::string(name(result)),
                    op.loc());
}

/// Elements of x as accumulators, dimensions permuted. unique_ptr<A[]>: vector<bool> has no elements.
template <class A>
std::unique_ptr<A[]> load_permuted(const OpView& op, const Tensor& x, std::span<const int64_t> permutation) {
  const Tensor moved = permute_elements(x, permutation);
  auto out = std::make_unique_for_overwrite<A[]>(static_cast<size_t>(moved.size()));
  const bool known = visit_element(x.element_type(), [&](auto tag) {
    using T = decltype(tag);
    const T* from = static_cast<const T*>(moved.raw());
    for (int64_t i = 0; i < moved.size(); ++i) out[static_cast<size_t>(i)] = load<A>(from[i]);
  });
  if (!known) refuse_types(op, x.element_type(), x.element_type(), op.result_type().element_type());
  return out;
}

template <class A>
Tensor store_all(const OpView& op, const A* from, ElementType type, Shape shape) {
  Tensor out(type, std::move(shape));
  const int bits = bit_width(type);
  const bool known = visit_element(type, [&](auto tag) {
    using T = decltype(tag);
    T* to = static_cast<T*>(out.raw());
    for (int64_t i = 0; i < out.size(); ++i) to[i] = store<T>(from[i], bits);
  });
  if (!known) refuse_types(op, type, type, type);
  return out;
}

int64_t product(std::span<const int64_t> shape, std::span<const int64_t> axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= shape[static_cast<size_t>(a)];
  return n;
}

std::vector<int64_t> rest(int64_t rank, std::span<const int64_t> a, std::span<const int64_t> b) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(a.begin(), a.end(), d) == a.end() && std::find(b.begin(), b.end(), d) == b.end()) out.push_back(d);
  }
  return out;
}

template <class... Lists>
std::vector<int64_t> join(const Lists&... lists) {
  std::vector<int64_t> out;
  (out.insert(out.end(), lists.begin(), lists.end()), ...);
  return out;
}

}  // namespace

std::vector<EvalValue> eval_dot_general(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &lhs = operands[0].tensor, &rhs = operands[1].tensor;
  const auto &lb = op.attrs().ints("lhs_batching_dimensions"), &rb = op.attrs().ints("rhs_batching_dimensions");
  const auto &lc = op.attrs().ints("lhs_contracting_dimensions"), &rc = op.attrs().ints("rhs_contracting_dimensions");
  const std::vector<int64_t> lf = rest(lhs.rank(), lb, lc), rf = rest(rhs.rank(), rb, rc);
  const int64_t batch = product(lhs.shape(), lb), m = product(lhs.shape(), lf), n = product(rhs.shape(), rf),
                k = product(lhs.shape(), lc);
  const ElementType type = op.result_type().element_type();
  const Shape shape = join(pick(lhs.shape(), lb), pick(lhs.shape(), lf), pick(rhs.shape(), rf));
  Tensor result;
  const bool known = visit_accumulator(lhs.element_type(), rhs.element_type(), type, [&](auto tag) {
    using A = decltype(tag);
    const auto a = load_permuted<A>(op, lhs, join(lb, lf, lc));
    const auto b = load_permuted<A>(op, rhs, join(rb, rf, rc));
    auto out = std::make_unique_for_overwrite<A[]>(static_cast<size_t>(batch * m * n));
    A* to = out.get();
    for (int64_t i = 0; i < batch * m; ++i) {
      const A* row = a.get() + i * k;
      for (int64_t j = 0; j < n; ++j) {
        const A* column = b.get() + (i / m * n + j) * k;
        A sum{};
        for (int64_t q = 0; q < k; ++q) sum = multiply_add(sum, row[q], column[q]);
        *to++ = sum;
      }
    }
    result = store_all(op, out.get(), type, shape);
  });
  if (!known) refuse_types(op, lhs.element_type(), rhs.element_type(), type);
  return {EvalValue(std::move(result))};
}

std::vector<EvalValue> eval_convolution(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor &lhs = operands[0].tensor, &rhs = operands[1].tensor;
  const ConvolutionAttrs attrs = ConvolutionAttrs::from(op.attrs());
  const size_t spatial = attrs.input_spatial.size();
  const auto or_fill = [&](const std::vector<int64_t>& v, size_t count, int64_t fill) {
    return v.empty() ? std::vector<int64_t>(count, fill) : v;
  };
  const auto stride = or_fill(attrs.window_strides, spatial, 1), padding = or_fill(attrs.padding, 2 * spatial, 0),
             lhs_dilation = or_fill(attrs.lhs_dilation, spatial, 1),
             rhs_dilation = or_fill(attrs.rhs_dilation, spatial, 1),
             reversal = or_fill(attrs.window_reversal, spatial, 0);

  // Canonical layouts: lhs [N, spatial, C], rhs [O, spatial, I], result [N', spatial, O].
  const int64_t n = lhs.shape()[static_cast<size_t>(attrs.input_batch)],
                c = lhs.shape()[static_cast<size_t>(attrs.input_feature)];
  const int64_t features = rhs.shape()[static_cast<size_t>(attrs.kernel_output_feature)];
  const int64_t depth = rhs.shape()[static_cast<size_t>(attrs.kernel_input_feature)];
  const std::vector<int64_t> in_shape = pick(lhs.shape(), attrs.input_spatial),
                             window = pick(rhs.shape(), attrs.kernel_spatial);
  const std::vector<int64_t> in_stride = row_major_strides(in_shape);
  std::vector<int64_t> out_shape;
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t padded =
        padding[2 * d] + padding[2 * d + 1] + (in_shape[d] == 0 ? 0 : (in_shape[d] - 1) * lhs_dilation[d] + 1);
    const int64_t reach = window[d] == 0 ? 0 : (window[d] - 1) * rhs_dilation[d] + 1;
    out_shape.push_back(padded <= 0 || reach > padded ? 0 : (padded - reach) / stride[d] + 1);
  }
  const int64_t in_size = num_elements(in_shape), window_size = num_elements(window),
                out_size = num_elements(out_shape);
  const int64_t batches = n / attrs.batch_group_count,
                per_group = features / (attrs.feature_group_count * attrs.batch_group_count);
  const ElementType type = op.result_type().element_type();

  // For a window at `out`: which input positions it reads, with which element of the kernel.
  struct Tap {
    int64_t input, kernel;
  };
  std::vector<Tap> taps;
  const auto find_taps = [&](std::span<const int64_t> out) {
    taps.clear();
    StridedWalk<0> walk(window, {});
    if (walk.empty()) return;
    int64_t kernel = 0;
    do {
      int64_t input = 0;
      bool inside = true;
      for (size_t d = 0; d < spatial && inside; ++d) {
        const int64_t step = reversal[d] != 0 ? window[d] - 1 - walk.index()[d] : walk.index()[d];
        const int64_t at = out[d] * stride[d] + step * rhs_dilation[d] - padding[2 * d];
        inside = at >= 0 && at % lhs_dilation[d] == 0 && at / lhs_dilation[d] < in_shape[d];
        input += inside ? at / lhs_dilation[d] * in_stride[d] : 0;
      }
      if (inside) taps.push_back({input, kernel});
      ++kernel;
    } while (walk.next());
  };

  Tensor canonical;
  const bool known = visit_accumulator(lhs.element_type(), rhs.element_type(), type, [&](auto tag) {
    using A = decltype(tag);
    const auto a = load_permuted<A>(
        op, lhs, join(std::vector{attrs.input_batch}, attrs.input_spatial, std::vector{attrs.input_feature}));
    const auto b = load_permuted<A>(
        op, rhs,
        join(std::vector{attrs.kernel_output_feature}, attrs.kernel_spatial, std::vector{attrs.kernel_input_feature}));
    auto out = std::make_unique_for_overwrite<A[]>(static_cast<size_t>(batches * out_size * features));
    StridedWalk<0> walk(out_shape, {});
    int64_t position = 0;
    if (!walk.empty()) {
      do {
        find_taps(walk.index());
        for (int64_t image = 0; image < batches; ++image) {
          for (int64_t o = 0; o < features; ++o) {
            const int64_t group = o / per_group;
            const int64_t source = attrs.batch_group_count > 1 ? group * batches + image : image;
            const A* x = a.get() + source * in_size * c + (attrs.batch_group_count > 1 ? 0 : group * depth);
            const A* w = b.get() + o * window_size * depth;
            A sum{};
            for (const Tap& tap : taps) {
              for (int64_t i = 0; i < depth; ++i)
                sum = multiply_add(sum, x[tap.input * c + i], w[tap.kernel * depth + i]);
            }
            out[static_cast<size_t>((image * out_size + position) * features + o)] = sum;
          }
        }
        ++position;
      } while (walk.next());
    }
    canonical = store_all(op, out.get(), type, join(std::vector{batches}, out_shape, std::vector{features}));
  });
  if (!known) refuse_types(op, lhs.element_type(), rhs.element_type(), type);

  // Canonical dimension d becomes result dimension order[d].
  const std::vector<int64_t> order =
      join(std::vector{attrs.output_batch}, attrs.output_spatial, std::vector{attrs.output_feature});
  std::vector<int64_t> permutation(order.size());
  for (size_t d = 0; d < order.size(); ++d) permutation[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return {EvalValue(permute_elements(canonical, permutation))};
}

}  // namespace weft
