// Fourier transforms of every kind, rank and kind of length against their definition, summed in long double.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <random>

#include "ir/target.h"
#include "text/parse.h"

namespace weft::test {
namespace {

using Complex = std::complex<long double>;

struct Array {
  Shape shape;
  std::vector<Complex> values;
};

int64_t step_of(const Shape& shape, size_t d) {
  int64_t step = 1;
  for (size_t i = d + 1; i < shape.size(); ++i) step *= shape[i];
  return step;
}

/// Sums over dimension d: `out` numbers from a line of n, of which those that are missing mirror those that are there.
Array defined(const Array& x, size_t d, int64_t n, int64_t out, bool inverse) {
  Array y{x.shape, {}};
  y.shape[d] = out;
  y.values.resize(static_cast<size_t>(num_elements(y.shape)));
  const int64_t step = step_of(x.shape, d), there = x.shape[d];
  std::vector<Complex> roots;
  for (int64_t k = 0; k < n; ++k)
    roots.push_back(std::polar(1.0L, (inverse ? 2 : -2) * 3.14159265358979323846264338328L *
                                         static_cast<long double>(k) / static_cast<long double>(n)));
  const int64_t lines = num_elements(x.shape) / std::max<int64_t>(there, 1);
  for (int64_t line = 0; line < lines; ++line) {
    const int64_t outer = line / step * step, inner = line % step;
    for (int64_t k = 0; k < out; ++k) {
      Complex sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        const Complex v = x.values[static_cast<size_t>(outer * there + inner + (j < there ? j : n - j) * step)];
        sum += (j < there ? v : std::conj(v)) * roots[static_cast<size_t>(j * k % n)];
      }
      y.values[static_cast<size_t>(outer * out + inner + k * step)] = inverse ? sum / static_cast<long double>(n) : sum;
    }
  }
  return y;
}

std::string tensor_type(const Shape& shape, bool is_complex, bool is_double) {
  std::string out = "tensor<";
  for (int64_t n : shape) out += std::to_string(n) + "x";
  const std::string real = is_double ? "f64" : "f32";
  return out + (is_complex ? "complex<" + real + ">>" : real + ">");
}

template <class T>
void expect_transform(const std::string& kind, const Shape& batch, const std::vector<int64_t>& lengths,
                      int partitions) {
  constexpr bool kDouble = sizeof(T) == 8;
  std::mt19937 random(static_cast<unsigned>(lengths.back()));
  std::normal_distribution<double> normal;
  Array x{batch, {}};
  x.shape.insert(x.shape.end(), lengths.begin(), lengths.end());
  if (kind == "IRFFT") x.shape.back() = lengths.back() / 2 + 1;
  const bool reads_real = kind == "RFFT", writes_real = kind == "IRFFT", inverse = kind == "IFFT" || writes_real;
  for (int64_t i = 0; i < num_elements(x.shape); ++i)
    x.values.emplace_back(static_cast<T>(normal(random)), reads_real ? 0 : static_cast<T>(normal(random)));
  Tensor in(reads_real ? element_type_of<T> : element_type_of<std::complex<T>>, x.shape);
  for (size_t i = 0; i < x.values.size(); ++i) {
    T* to = static_cast<T*>(in.raw());
    to[reads_real ? i : 2 * i] = static_cast<T>(x.values[i].real());
    if (!reads_real) to[2 * i + 1] = static_cast<T>(x.values[i].imag());
  }

  Array y = x;
  const size_t last = x.shape.size() - 1, first = x.shape.size() - lengths.size();
  if (reads_real) y = defined(y, last, lengths.back(), lengths.back() / 2 + 1, false);
  for (size_t d = first; d < last + (reads_real || writes_real ? 0 : 1); ++d)
    y = defined(y, d, y.shape[d], y.shape[d], inverse);
  if (writes_real) y = defined(y, last, lengths.back(), lengths.back(), true);

  const std::string from = tensor_type(x.shape, !reads_real, kDouble), to = tensor_type(y.shape, !writes_real, kDouble);
  std::string length;
  for (int64_t n : lengths) length += (length.empty() ? "" : ", ") + std::to_string(n);
  const std::shared_ptr<const Module> module =
      parse_module("func.func @main(%x: " + from + ") -> " + to + " {\n  %r = stablehlo.fft %x, type = " + kind +
                       ", length = [" + length + "] : (" + from + ") -> " + to + "\n  return %r : " + to + "\n}\n",
                   "test");
  CompileOptions options;
  options.partitions = partitions;
  const auto executable = get_target("native").compile(module, "main", options);
  EXPECT_EQ(executable->explain().find("host"), std::string::npos);
  const Tensor args[] = {in};
  const std::vector<Tensor> got = executable->run(args);
  ASSERT_EQ(got[0].shape(), y.shape);
  long double error = 0, norm = 0;
  const T* r = static_cast<const T*>(got[0].raw());
  for (size_t i = 0; i < y.values.size(); ++i) {
    const Complex v = writes_real ? Complex(r[i]) : Complex(r[2 * i], r[2 * i + 1]);
    error += std::norm(v - (writes_real ? Complex(y.values[i].real()) : y.values[i]));
    norm += std::norm(y.values[i]);
  }
  EXPECT_LE(std::sqrt(error), (kDouble ? 1e-15L : 5e-7L) * std::sqrt(norm)) << kind << " [" << length << "]";
}

const char* const kKinds[] = {"FFT", "IFFT", "RFFT", "IRFFT"};

// Products of small primes, primes that are factors, and those that are not (37, 97, 211); half of even real lengths likewise.
TEST(NativeFft, EveryLength) {
  for (const char* kind : kKinds) {
    for (int64_t n :
         {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 16, 25, 31, 37, 49, 60, 62, 64, 74, 97, 100, 120, 211, 242, 256}) {
      expect_transform<float>(kind, {3}, {n}, 2);
      expect_transform<double>(kind, {}, {n}, 1);
      expect_transform<float>(kind, {13}, {n}, 2);  // eight lines together, and five
    }
  }
}

TEST(NativeFft, SeveralDimensionsAndParts) {
  for (const char* kind : kKinds) {
    for (const auto& lengths : std::vector<std::vector<int64_t>>{{4, 6}, {5, 7}, {1, 1}, {3, 4, 10}, {2, 37, 9}}) {
      for (int parts : {1, 3}) {
        expect_transform<float>(kind, {40}, lengths, parts);
        expect_transform<double>(kind, {2, 3}, lengths, parts);
      }
    }
  }
}

TEST(NativeFft, NoElements) {
  const std::shared_ptr<const Module> module = parse_module(
      "func.func @main(%x: tensor<0x8xf32>) -> tensor<0x5xcomplex<f32>> {\n  %r = stablehlo.fft %x, type = RFFT, "
      "length = "
      "[8] : (tensor<0x8xf32>) -> tensor<0x5xcomplex<f32>>\n  return %r : tensor<0x5xcomplex<f32>>\n}\n",
      "test");
  const Tensor args[] = {Tensor(ElementType::kF32, {0, 8})};
  EXPECT_EQ(get_target("native").compile(module, "main")->run(args)[0].size(), 0);
}

}  // namespace
}  // namespace weft::test
