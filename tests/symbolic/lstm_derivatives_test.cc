// "Previously impossible" in the paper on pfor (Agarwal and Ganichev 2019): the Jacobian of an LSTM whose length is known only at run time, and
// the Hessian of its weights. Against the network unrolled for each length, and against central differences in f64.
#include "tests/symbolic/support.h"

namespace weft {
namespace {

using testing::doubles;
using testing::expect_near;
using testing::options;
using Exprs = std::vector<Expr>;
using Span = std::span<const Expr>;

constexpr int64_t kInputs = 2, kHidden = 3, kLongest = 6, kGates = 4 * kHidden;

struct State {
  Expr h, c;
};

struct Lstm {
  Expr w, b;  // [inputs + hidden, gates], [gates]

  State cell(const Expr& x, const State& s) const {
    const Expr z = dot(concatenate({x, s.h}, 0), w) + b;
    const auto gate = [&](int64_t k) { return slice(z, {k * kHidden}, {(k + 1) * kHidden}); };
    const Expr c = sigmoid(gate(0) + 1) * s.c + sigmoid(gate(1)) * tanh(gate(2));
    return {sigmoid(gate(3)) * tanh(c), c};
  }
  static State start() {
    const Expr zero = filled(ElementType::kF64, {kHidden}, 0);
    return {zero, zero};
  }
  /// The last hidden state of the first `length` rows of xs.
  Expr dynamic(const Expr& xs, const Expr& length) const {
    const State s = start();
    return while_loop([&](Span v) { return v[0] < length; },
                      [&](Span v) {
                        const State next = cell(at(xs, v[0]), {v[1], v[2]});
                        return Exprs{v[0] + 1, next.h, next.c};
                      },
                      {0, s.h, s.c})[1];
  }
  Expr unrolled(const Expr& xs, int64_t length) const {
    State s = start();
    for (int64_t t = 0; t < length; ++t) s = cell(squeeze(slice(xs, {t, 0}, {t + 1, kInputs}), {0}), s);
    return s.h;
  }
};

Tensor numbers(Shape shape, double seed) {
  Tensor t(ElementType::kF64, std::move(shape));
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<double>()[i] = 0.8 * std::sin(seed += 1.7);
  return t;
}

struct Problem {
  Expr xs = placeholder<double>({kLongest, kInputs}, "xs"), length = placeholder<int32_t>({}, "length"),
       w = placeholder<double>({kInputs + kHidden, kGates}, "w"), b = placeholder<double>({kGates}, "b");
  Lstm lstm{w, b};
  Tensor xs_at = numbers({kLongest, kInputs}, 0.1), w_at = numbers({kInputs + kHidden, kGates}, 0.7),
         b_at = numbers({kGates}, 0.4);
  static Tensor of_length(int64_t n) { return Tensor::scalar_of(static_cast<int32_t>(n)); }
};

TEST(DynamicLstm, Jacobian) {
  const Problem p;
  const Expr h = p.lstm.dynamic(p.xs, p.length);
  for (const auto direction : {JacobianOptions::kForward, JacobianOptions::kReverse}) {
    const JacobianOptions o{.direction = direction, .chunk = direction == JacobianOptions::kReverse ? 2 : 0};
    const auto j = jacobian(Exprs{h}, Exprs{p.xs, p.w, p.b}, o)[0];
    EXPECT_EQ(j[0].shape(), (Shape{kHidden, kLongest, kInputs}));
    const CompiledGraph f = function({p.xs, p.length, p.w, p.b}, j, {}, options());
    for (int64_t n : {0, 1, 4, 6}) {
      const auto expected = jacobian(Exprs{p.lstm.unrolled(p.xs, n)}, Exprs{p.xs, p.w, p.b})[0];
      const CompiledGraph straight = function({p.xs, p.w, p.b}, expected, {}, options());
      const Results got = f(p.xs_at, Problem::of_length(n), p.w_at, p.b_at), want = straight(p.xs_at, p.w_at, p.b_at);
      for (size_t i = 0; i < 3; ++i) expect_near(got[i], doubles(want[i]), 1e-13);
    }
  }
}

TEST(DynamicLstm, JacobianAgainstDifferences) {
  const Problem p;
  const Expr h = p.lstm.dynamic(p.xs, p.length);
  const CompiledGraph f = function({p.xs, p.length, p.w, p.b}, {jacobian(h, p.w)}, {}, options()),
                      value = function({p.xs, p.length, p.w, p.b}, {h}, {}, options());
  const Tensor length = Problem::of_length(5);
  const std::vector<double> j = doubles(f(p.xs_at, length, p.w_at, p.b_at)[0]);
  constexpr double kStep = 1e-5;
  for (int64_t k = 0; k < p.w_at.size(); ++k) {
    Tensor up = p.w_at.clone(), down = p.w_at.clone();
    up.mutable_data<double>()[k] += kStep;
    down.mutable_data<double>()[k] -= kStep;
    const std::vector<double> a = doubles(value(p.xs_at, length, up, p.b_at)[0]),
                              c = doubles(value(p.xs_at, length, down, p.b_at)[0]);
    for (size_t i = 0; i < kHidden; ++i)
      EXPECT_NEAR(j[i * static_cast<size_t>(p.w_at.size()) + static_cast<size_t>(k)], (a[i] - c[i]) / (2 * kStep), 1e-9)
          << k;
  }
}

TEST(DynamicLstm, JacobianOfEachSequenceByItsOwnLength) {
  // Lanes leave the loop at different steps, forwards and on the way back.
  const Problem p;
  constexpr int64_t kSequences = 4;
  const Expr xs = placeholder<double>({kSequences, kLongest, kInputs}, "xs"),
             lengths = placeholder<int32_t>({kSequences}, "lengths");
  const Expr j = pfor(std::tuple(xs, lengths), [&](const Expr& x, const Expr& n) {
    return jacobian(p.lstm.dynamic(x, n), x, {.direction = JacobianOptions::kReverse});
  });
  const Tensor data = numbers({kSequences, kLongest, kInputs}, 0.3),
               counts = Tensor::of<int32_t>({6, 0, 3, 1}, {kSequences});
  const std::vector<double> got =
      doubles(function({xs, lengths, p.w, p.b}, {j}, {}, options())(data, counts, p.w_at, p.b_at)[0]);
  const CompiledGraph one =
      function({p.xs, p.length, p.w, p.b}, {jacobian(p.lstm.dynamic(p.xs, p.length), p.xs)}, {}, options());
  const auto size = static_cast<size_t>(kLongest * kInputs);
  for (int64_t s = 0; s < kSequences; ++s) {
    Tensor row(ElementType::kF64, {kLongest, kInputs});
    for (size_t i = 0; i < size; ++i)
      row.mutable_data<double>()[i] = data.data<double>()[static_cast<size_t>(s) * size + i];
    const std::vector<double> want =
        doubles(one(row, Problem::of_length(counts.data<int32_t>()[static_cast<size_t>(s)]), p.w_at, p.b_at)[0]);
    for (size_t i = 0; i < want.size(); ++i)
      EXPECT_NEAR(got[static_cast<size_t>(s) * want.size() + i], want[i], 1e-13) << s << " " << i;
  }
}

TEST(DynamicLstm, HessianOfTheWeights) {
  const Problem p;
  const auto loss = [](const Expr& h) {
    return sum(square(h - constant(Tensor::of<double>({0.3, -0.2, 0.5}, {kHidden}))));
  };
  const auto h = hessian(loss(p.lstm.dynamic(p.xs, p.length)), Exprs{p.w, p.b});
  EXPECT_EQ(h[0][0].shape(), (Shape{kInputs + kHidden, kGates, kInputs + kHidden, kGates}));
  const CompiledGraph f = function({p.xs, p.length, p.w, p.b}, {h[0][0], h[0][1], h[1][0], h[1][1]}, {}, options());
  for (int64_t n : {1, 4}) {
    const auto e = hessian(loss(p.lstm.unrolled(p.xs, n)), Exprs{p.w, p.b});
    const Results want = function({p.xs, p.w, p.b}, {e[0][0], e[0][1], e[1][0], e[1][1]}, {}, options())(
                      p.xs_at, p.w_at, p.b_at),
                  got = f(p.xs_at, Problem::of_length(n), p.w_at, p.b_at);
    for (size_t i = 0; i < 4; ++i) expect_near(got[i], doubles(want[i]), 1e-12);
  }
}

TEST(DynamicLstm, HessianAgainstDifferencesInEitherMode) {
  const Problem p;
  const Expr loss = sum(square(p.lstm.dynamic(p.xs, p.length)));
  const CompiledGraph gradient = function({p.xs, p.length, p.w, p.b}, {grad(loss, p.w)}, {}, options());
  const Tensor length = Problem::of_length(4);
  const auto n = static_cast<size_t>(p.w_at.size());
  for (const JacobianOptions o :
       {JacobianOptions{}, JacobianOptions{.direction = JacobianOptions::kReverse, .chunk = 16}}) {
    const std::vector<double> h = doubles(function({p.xs, p.length, p.w, p.b}, {hessian(loss, p.w, o)}, {}, options())(
        p.xs_at, length, p.w_at, p.b_at)[0]);
    constexpr double kStep = 1e-5;
    for (size_t k = 0; k < n; k += 7) {
      Tensor up = p.w_at.clone(), down = p.w_at.clone();
      up.mutable_data<double>()[k] += kStep;
      down.mutable_data<double>()[k] -= kStep;
      const std::vector<double> a = doubles(gradient(p.xs_at, length, up, p.b_at)[0]),
                                c = doubles(gradient(p.xs_at, length, down, p.b_at)[0]);
      for (size_t i = 0; i < n; ++i) EXPECT_NEAR(h[i * n + k], (a[i] - c[i]) / (2 * kStep), 1e-9) << i << " " << k;
    }
  }
}

}  // namespace
}  // namespace weft
