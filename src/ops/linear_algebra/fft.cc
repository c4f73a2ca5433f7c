// fft. Attribute names: fft_type (FFT, IFFT, RFFT, IRFFT), fft_length (ints: the last one to three dimensions).
#include <algorithm>
#include <cmath>

#include "ops/families.h"
#include "ops/families_list.h"
#include "ops/linear_algebra/fourier.h"
#include "ops/reduction/sort_order.h"
#include "ops/structural/dimension_checks.h"
#include "ops/structural/extents.h"

namespace weft {
namespace {

bool is_kind(std::string_view kind) { return kind == "FFT" || kind == "IFFT" || kind == "RFFT" || kind == "IRFFT"; }

std::vector<Type> type_fft(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  const Type x = c.operands[0];
  const std::string& kind = c.attrs.text("fft_type");
  const auto& length = c.attrs.ints("fft_length");
  if (!is_kind(kind)) c.fail("fft_i2", "fft_type: got " + kind + ", expected FFT, IFFT, RFFT or IRFFT");
  const bool is_forward_real = kind == "RFFT", is_inverse_real = kind == "IRFFT";
  const ElementType e = x.element_type();
  if (is_forward_real && e != ElementType::kF32 && e != ElementType::kF64)
    c.fail("fft_c2", "element type: got " + std::string(name(e)) + ", expected f32 or f64 for RFFT");
  if (!is_forward_real && !is_complex(e))
    c.fail("fft_c2", "element type: got " + std::string(name(e)) + ", expected a complex type for " + kind);
  if (length.empty() || length.size() > 3)
    c.fail("fft_c3", "size of fft_length: got " + std::to_string(length.size()) + ", expected 1 to 3");
  for (int64_t n : length) {
    if (n < 0) c.fail("fft_i3", "fft_length: got " + std::to_string(n) + ", expected extents of 0 or more");
  }
  const auto rank = static_cast<int64_t>(length.size());
  if (x.rank() < rank)
    c.fail("fft_c1",
           "rank of the operand: got " + std::to_string(x.rank()) + ", expected at least " + std::to_string(rank));
  std::vector<int64_t> shape(x.shape().begin(), x.shape().end());
  for (int64_t i = 0; i < rank && (is_forward_real || is_inverse_real); ++i) {
    const int64_t n = length[static_cast<size_t>(i)];
    const int64_t expected = is_inverse_real && i == rank - 1 && n != 0 ? n / 2 + 1 : n;
    const int64_t got = x.dim(x.rank() - rank + i);
    if (!compatible_extent(got, expected)) {
      c.fail(is_inverse_real && i == rank - 1 ? "fft_c5" : "fft_c4",
             "extent of dimension " + std::to_string(x.rank() - rank + i) + ": got " + std::to_string(got) +
                 ", expected " + std::to_string(expected) + " as fft_length says");
    }
  }
  ElementType element = e;
  if (is_forward_real) {
    shape.back() = length.back() == 0 ? 0 : length.back() / 2 + 1;
    element = e == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128;
  } else if (is_inverse_real) {
    shape.back() = length.back();
    element = e == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  }
  std::vector<int64_t> bounds = bounds_of(x);
  if (is_forward_real || is_inverse_real) bounds.back() = kDynamic;
  return {Type::tensor(element, shape).with_bounds(bounds)};
}

template <class Real>
using Array = std::vector<std::complex<Real>>;

/// Transforms along one dimension; `in` of the array becomes `out` elements: the rest is cut off or, for IRFFT, the mirror
/// image of what is there.
template <class Real>
Array<Real> along(const Array<Real>& x, Shape& shape, size_t dimension, int64_t n, int64_t out, bool inverse) {
  const Slices from(shape, static_cast<int64_t>(dimension));
  shape[dimension] = out;
  const Slices to(shape, static_cast<int64_t>(dimension));
  Array<Real> result(static_cast<size_t>(num_elements(shape)));
  const Fourier<Real> fourier(static_cast<size_t>(n));
  Array<Real> line(static_cast<size_t>(n));
  for (int64_t s = 0; s < from.count && n > 0; ++s) {
    const auto first = static_cast<size_t>(from.first(s)), step = static_cast<size_t>(from.step);
    for (int64_t j = 0; j < n; ++j) {
      const bool is_mirrored = j >= from.length;
      const auto value = x[first + static_cast<size_t>(is_mirrored ? n - j : j) * step];
      line[static_cast<size_t>(j)] = is_mirrored ? std::conj(value) : value;
    }
    fourier.run(line, inverse);
    for (int64_t j = 0; j < out; ++j)
      result[static_cast<size_t>(to.first(s) + j * to.step)] = line[static_cast<size_t>(j)];
  }
  return result;
}

template <class T, class Real>
EvalValue transform(const OpView& op, const Tensor& x) {
  const std::string& kind = op.attrs().text("fft_type");
  const auto& length = op.attrs().ints("fft_length");
  Shape shape = x.shape();
  Array<Real> values;
  if (is_complex(x.element_type())) {
    for (const auto& v : x.data<std::complex<T>>()) values.emplace_back(v.real(), v.imag());
  } else {
    for (T v : x.data<T>()) values.emplace_back(v, 0);
  }
  const size_t last = shape.size() - 1, first = shape.size() - length.size();
  const bool inverse = kind == "IFFT" || kind == "IRFFT";
  if (kind == "RFFT") {
    const int64_t n = shape[last];
    values = along(values, shape, last, n, n == 0 ? 0 : n / 2 + 1, false);
  }
  const size_t end = kind == "RFFT" || kind == "IRFFT" ? last : last + 1;
  for (size_t d = first; d < end; ++d) values = along(values, shape, d, shape[d], shape[d], inverse);
  if (kind == "IRFFT") {
    values = along(values, shape, last, length.back(), length.back(), true);
    Tensor out(element_type_of<T>, shape);
    for (size_t i = 0; i < values.size(); ++i) out.mutable_data<T>()[i] = static_cast<T>(values[i].real());
    return out;
  }
  Tensor out(element_type_of<std::complex<T>>, shape);
  for (size_t i = 0; i < values.size(); ++i)
    out.mutable_data<std::complex<T>>()[i] = {static_cast<T>(values[i].real()), static_cast<T>(values[i].imag())};
  return out;
}

std::vector<EvalValue> eval_fft(EvalContext&, const OpView& op, std::span<const EvalValue> operands) {
  const Tensor& x = operands[0].tensor;
  const bool is_single = x.element_type() == ElementType::kF32 || x.element_type() == ElementType::kC64;
  if (is_single) return {transform<float, double>(op, x)};
  return {transform<double, long double>(op, x)};
}

/// RFFT is FFT, of which the second half is cut off: of a cotangent c, real x gets the real part of what FFT's transpose gives.
Value transpose_rfft(OpBuilder& b, const OpView& op, Value c) {
  const Type x = op.operand_type(0);
  const auto& length = op.attrs().ints("fft_length");
  std::vector<int64_t> none(static_cast<size_t>(x.rank()), 0), missing = none;
  missing.back() = length.back() - b.type(c).dim(x.rank() - 1);
  const Value whole = b.pad(c, b.zeros(Type::scalar(b.type(c).element_type())), none, missing);
  return b.make("stablehlo.real",
                {b.make("stablehlo.fft", {whole}, Attrs{{"fft_type", "FFT"}, {"fft_length", length}})});
}

/// IRFFT: of n elements in all, x_j = 1/n Re Σ_k w_k X_k exp(2πijk/n), where w counts a frequency and its mirror image. So X_k gets
/// w_k/n Σ_j c_j exp(2πijk/n), which is the conjugate of RFFT's.
Value transpose_irfft(OpBuilder& b, const OpView& op, Value c) {
  const auto& length = op.attrs().ints("fft_length");
  const Value spectrum = b.make("stablehlo.fft", {c}, Attrs{{"fft_type", "RFFT"}, {"fft_length", length}});
  const Type half = b.type(spectrum), part = half.with_element(part_type(half.element_type()));
  double n = 1;
  for (int64_t extent : length) n *= static_cast<double>(extent);
  const int64_t last = length.back(), kept = half.dim(half.rank() - 1);
  std::vector<double> weights;
  for (int64_t k = 0; k < kept; ++k) weights.push_back((k == 0 || 2 * k == last ? 1 : 2) / n);
  const Value line = b.convert(b.constant(Literal::dense(Tensor::of<double>(weights, {kept}))), part.element_type());
  const int64_t dimension[] = {part.rank() - 1};
  const Value weight = b.broadcast_in_dim(line, dimension, part.shape());
  const Value re = b.multiply(b.make("stablehlo.real", {spectrum}), weight);
  const Value im = b.multiply(b.make("stablehlo.imag", {spectrum}), weight);
  return b.make("stablehlo.complex", {re, b.negate(im)});
}

/// The matrix of FFT and IFFT is symmetric. Complex numbers pair as Re(c·x).
std::vector<Value> transpose_fft(TransposeContext& context, const OpView& op, std::span<const Value> cotangents) {
  const std::string& kind = op.attrs().text("fft_type");
  OpBuilder& b = context.builder();
  const bool is_empty = std::ranges::any_of(op.attrs().ints("fft_length"), [](int64_t n) { return n == 0; });
  if (is_empty) return {Value{}};
  if (kind == "RFFT") return {transpose_rfft(b, op, cotangents[0])};
  if (kind == "IRFFT") return {transpose_irfft(b, op, cotangents[0])};
  return emit_like(b, op, cotangents);
}

Cost cost_fft(const OpView& op) {
  const Type x = op.operand_type(0);
  const double n = x.is_static() ? static_cast<double>(x.num_elements()) : 0;
  return {5 * n * std::log2(n + 1), moved_bytes(op)};
}

std::vector<Sample> samples_fft() {
  std::vector<Sample> out;
  const auto add = [&](std::string kind, Type t, std::vector<int64_t> length) {
    out.push_back({kind + " " + t.str(),
                   {{t, {}}},
                   [=](OpBuilder& b, std::span<const Value> x) {
                     return b.create("stablehlo.fft", x, Attrs{{"fft_type", kind}, {"fft_length", length}});
                   },
                   false});
  };
  using enum ElementType;
  add("FFT", Type::tensor(kC64, {2, 8}), {8});
  add("FFT", Type::tensor(kC128, {3, 5}), {3, 5});
  add("IFFT", Type::tensor(kC64, {7}), {7});
  add("RFFT", Type::tensor(kF32, {2, 6}), {6});
  add("RFFT", Type::tensor(kF64, {2, 3, 5}), {2, 3, 5});
  add("IRFFT", Type::tensor(kC64, {2, 4}), {6});
  add("IRFFT", Type::tensor(kC128, {3, 4}), {3, 7});
  // Between real and imaginary parts, which derivatives are checked by.
  const auto by_parts = [&](std::string kind, std::vector<int64_t> shape, std::vector<int64_t> length) {
    const Type t = Type::tensor(kF64, shape);
    std::vector<SampleOperand> operands(kind == "RFFT" ? 1 : 2, {t, {}});
    out.push_back({kind + " of parts " + t.str(), std::move(operands), [=](OpBuilder& b, std::span<const Value> x) {
                     const Value whole = x.size() == 1 ? x[0] : b.make("stablehlo.complex", {x[0], x[1]});
                     const Value y =
                         b.make("stablehlo.fft", {whole}, Attrs{{"fft_type", kind}, {"fft_length", length}});
                     if (kind == "IRFFT") return std::vector<Value>{y};
                     return std::vector<Value>{b.make("stablehlo.real", {y}), b.make("stablehlo.imag", {y})};
                   }});
  };
  by_parts("FFT", {2, 5}, {5});
  by_parts("IFFT", {3, 4}, {3, 4});
  by_parts("RFFT", {2, 6}, {6});
  by_parts("RFFT", {2, 3, 5}, {3, 5});
  by_parts("IRFFT", {2, 4}, {6});
  by_parts("IRFFT", {2, 3, 4}, {3, 7});
  by_parts("IRFFT", {2, 1}, {1});
  return out;
}

const OpRecord kOps[] = {
    {{"stablehlo.fft"},
     {.doc =
          "Discrete Fourier transforms over the last one to three dimensions: FFT, its inverse, and both between real "
          "numbers and the first half of their spectrum. f32 computes in f64, f64 in extended precision.",
      .syntax = Syntax::kCustom,
      .schema = {{"fft_type", AttrKind::kText}, {"fft_length", AttrKind::kInts}},
      .type = type_fft,
      .eval = eval_fft,
      .scalar = kNotElementwise,
      .linearize = linearize_linear,
      .transpose = transpose_fft,
      .vectorize = vectorize_elementwise,
      .uniformity = uniformity_any,
      .simplify = simplify_none,
      .aliases = alias_none,
      .effects = Effects::kPure,
      .cost = cost_fft,
      .to_stablehlo = portable_as_is,
      .samples = samples_fft}},
};

}  // namespace

Family fft_ops() { return kOps; }

}  // namespace weft
