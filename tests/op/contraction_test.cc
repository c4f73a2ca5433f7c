// dot_general and convolution against the specification's formulas, written as sums over index tuples.
#include <algorithm>
#include <complex>

#include "tests/op/random_cases.h"

namespace weft::test {
namespace {

TEST(DotGeneral, EqualsTheSumOverContractedIndices) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const size_t nb = static_cast<size_t>(pick(random, 0, 2)), nc = static_cast<size_t>(pick(random, 0, 2)),
                 nl = static_cast<size_t>(pick(random, 0, 2)), nr = static_cast<size_t>(pick(random, 0, 2));
    // Letters with extents; each side is a shuffled word of them.
    std::vector<int64_t> extent(nb + nc + nl + nr);
    for (int64_t& e : extent) e = pick(random, trial % 10 == 0 ? 0 : 1, 3);
    std::vector<size_t> lhs, rhs;
    for (size_t i = 0; i < nb + nc; ++i) lhs.push_back(i), rhs.push_back(i);
    for (size_t i = 0; i < nl; ++i) lhs.push_back(nb + nc + i);
    for (size_t i = 0; i < nr; ++i) rhs.push_back(nb + nc + nl + i);
    std::shuffle(lhs.begin(), lhs.end(), random);
    std::shuffle(rhs.begin(), rhs.end(), random);
    const auto axis = [](const std::vector<size_t>& word, size_t letter) {
      return std::find(word.begin(), word.end(), letter) - word.begin();
    };
    DotDims dims;
    for (size_t i = 0; i < nb; ++i)
      dims.lhs_batching.push_back(axis(lhs, i)), dims.rhs_batching.push_back(axis(rhs, i));
    for (size_t i = nb; i < nb + nc; ++i)
      dims.lhs_contracting.push_back(axis(lhs, i)), dims.rhs_contracting.push_back(axis(rhs, i));
    std::vector<size_t> out;  // the result's word: batching letters, then those left in the order of each side
    for (size_t i = 0; i < nb; ++i) out.push_back(i);
    for (size_t l : lhs)
      if (l >= nb + nc) out.push_back(l);
    for (size_t l : rhs)
      if (l >= nb + nc) out.push_back(l);
    const auto shape = [&](const std::vector<size_t>& word) {
      Shape s;
      for (size_t l : word) s.push_back(extent[l]);
      return s;
    };
    const Tensor x = small_integers(random, shape(lhs)), y = small_integers(random, shape(rhs));
    std::vector<double> expected(static_cast<size_t>(num_elements(shape(out))), 0.0);
    for_each_index(extent, [&](const std::vector<int64_t>& letters) {
      const auto at = [&](const std::vector<size_t>& word) {
        std::vector<int64_t> index;
        for (size_t l : word) index.push_back(letters[l]);
        return static_cast<size_t>(position(index, shape(word)));
      };
      expected[at(out)] += x.data<double>()[at(lhs)] * y.data<double>()[at(rhs)];
    });
    const Tensor got = run_op({x, y}, [&](OpBuilder& b, std::span<const Value> v) {
      return std::vector{b.dot_general(v[0], v[1], dims)};
    })[0];
    ASSERT_EQ(got.shape(), shape(out)) << trial;
    ASSERT_EQ(values(got), expected) << trial;
  }
}

template <class T>
std::vector<T> dot_of(std::vector<T> a, std::vector<T> b) {
  const int64_t n = static_cast<int64_t>(a.size());
  const Tensor got =
      run_op({Tensor::of<T>(a, {n}), Tensor::of<T>(b, {n})}, [](OpBuilder& bl, std::span<const Value> v) {
        return std::vector{bl.dot_general(v[0], v[1], {{}, {}, {0}, {0}})};
      })[0];
  return {got.data<T>().begin(), got.data<T>().end()};
}

TEST(DotGeneral, IntegersWrap) {
  EXPECT_EQ(dot_of<int8_t>({100, 100}, {2, 1}), std::vector<int8_t>{44});    // 300 - 256
  EXPECT_EQ(dot_of<uint8_t>({200, 200}, {2, 1}), std::vector<uint8_t>{88});  // 600 - 512
  EXPECT_EQ(dot_of<int32_t>({INT32_MIN, 1}, {1, -1}), std::vector<int32_t>{INT32_MAX});
  EXPECT_EQ(dot_of<int64_t>({INT64_MAX, 1}, {1, 1}), std::vector<int64_t>{INT64_MIN});
}

TEST(DotGeneral, BooleansAreOrOfAnd) {
  EXPECT_EQ(run_op({Tensor::of<bool>({true, false}, {2}), Tensor::of<bool>({true, true}, {2})},
                   [](OpBuilder& b, std::span<const Value> v) {
                     return std::vector{b.dot_general(v[0], v[1], {{}, {}, {0}, {0}})};
                   })[0]
                .scalar<bool>(),
            true);
}

TEST(DotGeneral, SixteenBitFloatsAreSummedInF32) {
  // 256 + 1 is not a bf16; summed one by one in bf16 the ones would be lost.
  std::vector<bf16> a(17, bf16(1.0f)), b(17, bf16(1.0f));
  a[0] = bf16(256.0f);
  EXPECT_EQ(float(dot_of<bf16>(a, b)[0]), 272.0f);
}

TEST(DotGeneral, ComplexProductsHaveNoConjugate) {
  using C = std::complex<double>;
  EXPECT_EQ(dot_of<C>({C(1, 2), C(0, 1)}, {C(3, -1), C(0, 1)}), (std::vector<C>{C(4, 5)}));  // (5+5i) + (-1)
}

TEST(DotGeneral, ResultOfAnotherElementType) {
  const Tensor got =
      run_op({Tensor::of<int8_t>({100, 100}, {2}), Tensor::of<int8_t>({100, 100}, {2})},
             [](OpBuilder& b, std::span<const Value> v) {
               return std::vector{b.dot_general(v[0], v[1], {{}, {}, {0}, {0}}, Type::scalar(ElementType::kI32))};
             })[0];
  EXPECT_EQ(got.scalar<int32_t>(), 20000);
}

TEST(Convolution, EqualsTheSumOverTaps) {
  std::mt19937 random(11);
  int with_windows = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const ConvolutionCase c = random_convolution(random);
    const ConvolutionAttrs& a = c.attrs;
    const Shape &xs = c.lhs, &ws = c.rhs, &ys = c.result;
    const size_t spatial = a.input_spatial.size();
    const bool by_batch = a.batch_group_count > 1;
    const int64_t groups = std::max(a.batch_group_count, a.feature_group_count),
                  images = ys[static_cast<size_t>(a.output_batch)];
    const int64_t features = ys[static_cast<size_t>(a.output_feature)],
                  depth = ws[static_cast<size_t>(a.kernel_input_feature)];
    const Tensor x = small_integers(random, xs), w = small_integers(random, ws);
    std::vector<double> expected;
    for_each_index(ys, [&](const std::vector<int64_t>& y) {
      double sum = 0;
      const int64_t o = y[static_cast<size_t>(a.output_feature)], group = o / (features / groups);
      for_each_index(ws, [&](const std::vector<int64_t>& k) {
        if (k[static_cast<size_t>(a.kernel_output_feature)] != o) return;
        std::vector<int64_t> at(spatial + 2);
        const int64_t c = k[static_cast<size_t>(a.kernel_input_feature)], n = y[static_cast<size_t>(a.output_batch)];
        at[static_cast<size_t>(a.input_feature)] = by_batch ? c : group * depth + c;
        at[static_cast<size_t>(a.input_batch)] = by_batch ? group * images + n : n;
        for (size_t d = 0; d < spatial; ++d) {
          const int64_t last = ws[static_cast<size_t>(a.kernel_spatial[d])] - 1,
                        tap = k[static_cast<size_t>(a.kernel_spatial[d])];
          const int64_t p = y[static_cast<size_t>(a.output_spatial[d])] * a.window_strides[d] +
                            (a.window_reversal[d] != 0 ? last - tap : tap) * a.rhs_dilation[d] - a.padding[2 * d];
          if (p % a.lhs_dilation[d] != 0) return;
          at[static_cast<size_t>(a.input_spatial[d])] = p / a.lhs_dilation[d];
        }
        const int64_t p = position(at, xs);
        if (p >= 0)
          sum += x.data<double>()[static_cast<size_t>(p)] * w.data<double>()[static_cast<size_t>(position(k, ws))];
      });
      expected.push_back(sum);
    });
    const Tensor got = run_op(
        {x, w}, [&](OpBuilder& b, std::span<const Value> v) { return std::vector{b.convolution(v[0], v[1], a)}; })[0];
    ASSERT_EQ(got.shape(), ys) << trial;
    ASSERT_EQ(values(got), expected) << trial;
    with_windows += got.size() > 0 ? 1 : 0;
  }
  EXPECT_GT(with_windows, 80);
}

TEST(Convolution, ExampleOfTheSpecification) {
  ConvolutionAttrs a;
  a.input_feature = a.output_feature = 3;
  a.input_spatial = a.output_spatial = {1, 2};
  a.kernel_spatial = {0, 1};
  a.kernel_input_feature = 2;
  a.kernel_output_feature = 3;
  a.window_strides = {4, 4};
  a.lhs_dilation = {2, 2};
  const Tensor x = Tensor::of<int64_t>({1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17}, {1, 4, 4, 1});
  const Tensor w = Tensor::of<int64_t>(std::vector<int64_t>(9, 1), {3, 3, 1, 1});
  const Tensor got = run_op(
      {x, w}, [&](OpBuilder& b, std::span<const Value> v) { return std::vector{b.convolution(v[0], v[1], a)}; })[0];
  EXPECT_EQ(got.shape(), (Shape{1, 2, 2, 1}));
  EXPECT_EQ(std::vector<int64_t>(got.data<int64_t>().begin(), got.data<int64_t>().end()),
            (std::vector<int64_t>{10, 26, 46, 62}));
}

}  // namespace
}  // namespace weft::test
