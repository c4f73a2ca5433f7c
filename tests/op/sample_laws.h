// The laws that every record's samples are held to: derivatives against finite differences, reverse against forward, lanes against a loop,
// lanes of derivatives against derivatives of lanes. Complex numbers are pairs of coordinates; a cotangent pairs with a tangent as the real
// part of their product (docs/differentiation.md).
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "ops/families.h"
#include "ops/record.h"
#include "ops/scalar/num.h"
#include "tests/transform/lane_check.h"
#include "transform/gradient.h"
#include "transform/vectorize.h"

namespace weft::test {

/// Elements drawn from a domain, the same for the same seed.
inline Tensor draw(const SampleOperand& operand, uint64_t seed) {
  const Type type = operand.type;
  Tensor out(type.element_type(), Shape(type.shape().begin(), type.shape().end()));
  const ElementType e = type.element_type();
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  const auto uniform = [&] {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<double>(state >> 11) / 9007199254740992.0;
  };
  for (int i = 0; i < 8; ++i) uniform();
  std::vector<double> seen;
  for (int64_t i = 0; i < out.size(); ++i) {
    double x = operand.domain.low + (operand.domain.high - operand.domain.low) * uniform();
    if (operand.domain.special) {
      const double table[] = {x, std::nan(""), HUGE_VAL, -HUGE_VAL, -0.0, 0.0, 1.0, 1.0};
      x = table[static_cast<size_t>(uniform() * 8)];
    }
    const auto too_close = [&] {
      if (std::fabs(x) < 0.1) return true;
      for (double y : seen) {
        if (std::fabs(x - y) < 0.01) return true;
      }
      return false;
    };
    for (int tries = 0; operand.domain.smooth_only && too_close() && tries < 1000; ++tries) {
      x = operand.domain.low + (operand.domain.high - operand.domain.low) * uniform();
    }
    seen.push_back(x);
    if (!is_float(e) && !is_complex(e)) x = std::floor(x);
    if (is_boolean(e)) x = uniform() < 0.5 ? 0 : 1;
    if (is_complex(e)) {
      const double y = operand.domain.low + (operand.domain.high - operand.domain.low) * uniform();
      store_num(out.raw(), rounded(Num::of_complex(e, x, y)), i);
      continue;
    }
    const Tensor one = scalar_tensor(e, x);
    std::memcpy(static_cast<std::byte*>(out.raw()) + static_cast<size_t>(i) * byte_size(e), one.raw(), byte_size(e));
  }
  return out;
}

/// @f: the sample's op on arguments.
inline std::unique_ptr<Module> sample_module(const Sample& sample) {
  auto module = std::make_unique<Module>();
  Function& f = module->add(std::make_unique<Function>("f"));
  std::vector<Value> args;
  for (const SampleOperand& o : sample.operands) args.push_back(f.add_arg(f.body(), o.type));
  OpBuilder b(f, f.body(), module.get());
  b.yield(sample.emit(b, args));
  verify(*module);
  return module;
}

inline std::vector<Tensor> sample_args(const Sample& sample, uint64_t seed) {
  std::vector<Tensor> out;
  for (const SampleOperand& o : sample.operands) out.push_back(draw(o, ++seed));
  return out;
}

inline bool moves(ElementType e) { return is_float(e) || is_complex(e); }
/// Real numbers that a tensor holds: two for each complex element.
inline int64_t coordinates(const Tensor& t) { return t.size() * (is_complex(t.element_type()) ? 2 : 1); }
inline double element(const Tensor& t, int64_t i) {
  if (!is_complex(t.element_type())) return load_num(t.raw(), t.element_type(), i).real;
  const Num v = load_num(t.raw(), t.element_type(), i / 2);
  return i % 2 == 0 ? v.real : v.imag;
}
inline void set_element(Tensor& t, int64_t i, double x) {
  const ElementType e = t.element_type();
  if (!is_complex(e)) {
    const Tensor one = scalar_tensor(e, x);
    std::memcpy(static_cast<std::byte*>(t.raw()) + static_cast<size_t>(i) * byte_size(e), one.raw(), byte_size(e));
    return;
  }
  Num v = load_num(t.raw(), e, i / 2);
  (i % 2 == 0 ? v.real : v.imag) = x;
  store_num(t.raw(), v, i / 2);
}
/// The real part of the sum of products.
inline double inner(const Tensor& a, const Tensor& b) {
  double sum = 0;
  const bool pairs = is_complex(a.element_type());
  for (int64_t i = 0; i < coordinates(a); ++i) sum += (pairs && i % 2 == 1 ? -1 : 1) * element(a, i) * element(b, i);
  return sum;
}
inline double inner(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += inner(a[i], b[i]);
  return sum;
}
inline Type type_of(const Tensor& t) { return Type::tensor(t.element_type(), t.shape()); }
inline Tensor moved(const Tensor& at, const Tensor& along, double step) {
  Tensor t = at.clone();
  for (int64_t i = 0; i < coordinates(t); ++i) set_element(t, i, element(t, i) + step * element(along, i));
  return t;
}

/// What is to be known of a sample's derivative: where its floating-point and complex operands are, how coarse they are.
struct Differentiation {
  std::vector<Tensor> args;
  std::vector<size_t> where;
  size_t narrowest = 8;  // bytes of the narrowest real number
  double step = 0, eps = 0, close = 0;
  Differentiation(const Sample& sample) : args(sample_args(sample, 11)) {
    for (size_t i = 0; i < args.size(); ++i) {
      const ElementType e = args[i].element_type();
      if (!moves(e)) continue;
      where.push_back(i);
      narrowest = std::min(narrowest, byte_size(part_type(e)));
    }
    eps = narrowest == 8 ? 1e-6 : narrowest == 4 ? 1e-2 : 0.15;
    step = narrowest == 8 ? 1e-5 : narrowest == 4 ? 1e-2 : 0.125;
    close = narrowest == 8 ? 1e-11 : narrowest == 4 ? 1e-4 : 0.1;
  }
};

/// Forward derivative against central differences, reverse against forward, and both again on the reverse derivative. Values beside
/// derivatives have the same bits, or are as close as `value_eps`.
inline void expect_derivative_laws(const Sample& sample, double value_eps = 0) {
  auto module = sample_module(sample);
  const Differentiation d(sample);
  const std::vector<Tensor>& args = d.args;
  const std::vector<size_t>& where = d.where;
  if (where.empty()) return;

  std::vector<Tensor> direction, forward_args = args;
  for (size_t i : where) direction.push_back(draw({sample.operands[i].type, {-1, 1}}, 100 + i));
  forward_args.insert(forward_args.end(), direction.begin(), direction.end());
  jvp(*module, "f", where, "F");
  verify(*module);
  const std::vector<Tensor> forward = evaluate(*module, "F", forward_args);
  const std::vector<Tensor> results = evaluate(*module, "f", args);
  std::vector<Tensor> tangents(forward.begin() + static_cast<std::ptrdiff_t>(results.size()), forward.end());
  const auto values_at = [&](const std::string& f, const std::vector<Tensor>& from, const std::vector<size_t>& which,
                             const std::vector<Tensor>& along, double step) {
    std::vector<Tensor> out = from;
    for (size_t k = 0; k < which.size(); ++k) out[which[k]] = moved(from[which[k]], along[k], step);
    return evaluate(*module, f, out);
  };
  const std::vector<Tensor> up = values_at("f", args, where, direction, d.step),
                            down = values_at("f", args, where, direction, -d.step);
  std::vector<Tensor> cotangents;
  size_t at = 0;
  for (size_t r = 0; r < results.size(); ++r) {
    if (value_eps == 0) {
      EXPECT_TRUE(same_bits(forward[r], results[r])) << "value of the forward derivative, result " << r;
    } else {
      for (int64_t i = 0; i < coordinates(results[r]); ++i)
        EXPECT_NEAR(element(forward[r], i), element(results[r], i), value_eps) << "value of result " << r;
    }
    if (!moves(results[r].element_type())) continue;
    const Tensor& t = tangents[at++];
    ASSERT_EQ(t.shape(), results[r].shape());
    for (int64_t i = 0; i < coordinates(t); ++i) {
      const double expected = (element(up[r], i) - element(down[r], i)) / (2 * d.step);
      EXPECT_NEAR(element(t, i), expected, d.eps * (1 + std::fabs(expected)))
          << "tangent of result " << r << ", coordinate " << i;
    }
    cotangents.push_back(draw({type_of(t), {-1, 1}}, 200 + r));
  }
  // <cotangent, J direction> = <J' cotangent, direction>
  std::vector<Tensor> reverse_args = args;
  reverse_args.insert(reverse_args.end(), cotangents.begin(), cotangents.end());
  vjp(*module, "f", where, "R");
  verify(*module);
  const std::vector<Tensor> gradient = evaluate(*module, "R", reverse_args);
  const double left = inner(cotangents, tangents), right = inner(gradient, direction);
  EXPECT_NEAR(left, right, d.close * (1 + std::fabs(left))) << "reverse against forward";

  // The reverse derivative is a program like any other.
  if (d.narrowest != 8) return;
  std::vector<size_t> all = where;
  for (size_t k = 0; k < cotangents.size(); ++k) all.push_back(args.size() + k);
  std::vector<Tensor> along = direction;
  for (size_t k = 0; k < cotangents.size(); ++k) along.push_back(draw({type_of(cotangents[k]), {-1, 1}}, 300 + k));
  std::vector<Tensor> fr_args = reverse_args;
  fr_args.insert(fr_args.end(), along.begin(), along.end());
  jvp(*module, "R", all, "FR");
  verify(*module);
  const std::vector<Tensor> fr = evaluate(*module, "FR", fr_args);
  const std::vector<Tensor> second(fr.begin() + static_cast<std::ptrdiff_t>(gradient.size()), fr.end());
  const std::vector<Tensor> reverse_up = values_at("R", reverse_args, all, along, d.step),
                            reverse_down = values_at("R", reverse_args, all, along, -d.step);
  std::vector<Tensor> weights;
  for (size_t r = 0; r < second.size(); ++r) {
    for (int64_t i = 0; i < coordinates(second[r]); ++i) {
      const double expected = (element(reverse_up[r], i) - element(reverse_down[r], i)) / (2 * d.step);
      EXPECT_NEAR(element(second[r], i), expected, 1e-5 * (1 + std::fabs(expected)))
          << "forward over reverse, gradient " << r << ", coordinate " << i;
    }
    weights.push_back(draw({type_of(second[r]), {-1, 1}}, 400 + r));
  }
  std::vector<Tensor> rr_args = reverse_args;
  rr_args.insert(rr_args.end(), weights.begin(), weights.end());
  vjp(*module, "R", all, "RR");
  verify(*module);
  const double rr_left = inner(weights, second), rr_right = inner(evaluate(*module, "RR", rr_args), along);
  EXPECT_NEAR(rr_left, rr_right, 1e-9 * (1 + std::fabs(rr_left)))
      << "reverse over reverse against forward over reverse";
}

/// The reverse derivative over lanes is that of the function over lanes: both are the gradient of each lane alone.
inline void expect_lanes_commute(const Sample& sample, int64_t lanes = 2) {
  auto module = sample_module(sample);
  const Differentiation d(sample);
  if (d.where.empty()) return;
  const size_t n = sample.operands.size();
  const std::vector<Tensor> results = evaluate(*module, "f", d.args);
  std::vector<Tensor> args;
  for (size_t i = 0; i < n; ++i)
    args.push_back(draw({with_lanes(sample.operands[i].type, lanes), sample.operands[i].domain}, 51 + i));
  for (size_t r = 0; r < results.size(); ++r) {
    if (moves(results[r].element_type()))
      args.push_back(draw({with_lanes(type_of(results[r]), lanes), {-1, 1}}, 61 + r));
  }
  vjp(*module, "f", d.where, "R");
  const std::string lanes_of_gradient = vectorize(*module, "R", std::vector<int64_t>(args.size(), 0), lanes).name();
  const std::string over_lanes = vectorize(*module, "f", std::vector<int64_t>(n, 0), lanes).name();
  vjp(*module, over_lanes, d.where, "gradient_of_lanes");
  verify(*module);
  const std::vector<Tensor> a = evaluate(*module, lanes_of_gradient, args),
                            b = evaluate(*module, "gradient_of_lanes", args);
  ASSERT_EQ(a.size(), b.size());
  const double close = d.narrowest == 8 ? 1e-12 : d.narrowest == 4 ? 1e-4 : 0.1;
  for (size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(a[k].shape(), b[k].shape());
    for (int64_t i = 0; i < coordinates(a[k]); ++i) {
      const double x = element(a[k], i), y = element(b[k], i);
      EXPECT_NEAR(x, y, close * (1 + std::fabs(y))) << "lanes of the gradient by operand " << d.where[k] << ", " << i;
    }
  }
}

/// Over 0 to 3 lanes, for every set of up to five operands that vary (of more: each alone, and all), against a loop; `eps` 0
/// compares bits.
inline void expect_lane_laws(const Sample& sample, double eps) {
  const size_t n = sample.operands.size();
  std::vector<std::vector<bool>> patterns;
  constexpr size_t kSubsets = 5;
  const size_t subsets = n <= kSubsets ? size_t{1} << n : 0;
  for (size_t set = 1; set < subsets; ++set) {
    std::vector<bool> p(n);
    for (size_t i = 0; i < n; ++i) p[i] = (set >> i & 1) != 0;
    patterns.push_back(p);
  }
  for (size_t i = 0; n > kSubsets && i <= n; ++i) {
    std::vector<bool> p(n, i == n);
    if (i < n) p[i] = true;
    patterns.push_back(p);
  }
  for (const std::vector<bool>& varies : patterns) {
    for (int64_t lanes : {0, 1, 2, 3}) {
      std::string pattern;
      for (bool v : varies) pattern += v ? 'l' : '_';
      SCOPED_TRACE("lanes " + std::to_string(lanes) + " " + pattern);
      auto module = sample_module(sample);
      std::vector<int64_t> axes;
      std::vector<Tensor> args;
      for (size_t i = 0; i < n; ++i) {
        SampleOperand o = sample.operands[i];
        axes.push_back(varies[i] ? 0 : kUniform);
        if (varies[i]) o.type = with_lanes(o.type, lanes);
        args.push_back(draw(o, 31 + i));
      }
      std::string over_lanes;
      try {
        over_lanes = vectorize(*module, "f", axes, lanes).name();
      } catch (const Unsupported& e) {
        ADD_FAILURE() << e.what();
        continue;
      }
      verify(*module);
      const std::vector<Tensor> got = evaluate(*module, over_lanes, args);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        std::vector<Tensor> one;
        for (size_t i = 0; i < n; ++i) one.push_back(varies[i] ? slice_at(args[i], 0, lane) : args[i]);
        const std::vector<Tensor> expected = evaluate(*module, "f", one);
        ASSERT_EQ(got.size(), expected.size());
        for (size_t r = 0; r < expected.size(); ++r) {
          const Tensor mine = slice_at(got[r], 0, lane);
          ASSERT_EQ(mine.shape(), expected[r].shape());
          if (eps == 0 || !moves(mine.element_type())) {
            EXPECT_TRUE(same_bits(mine, expected[r])) << "lane " << lane << ", result " << r;
            continue;
          }
          for (int64_t i = 0; i < coordinates(mine); ++i) {
            const double a = element(mine, i), b = element(expected[r], i);
            if (std::isnan(b)) {
              EXPECT_TRUE(std::isnan(a)) << "lane " << lane << ", result " << r << ", element " << i;
            } else if (a != b) {
              EXPECT_NEAR(a, b, eps * (1 + std::fabs(b))) << "lane " << lane << ", result " << r << ", element " << i;
            }
          }
        }
      }
    }
  }
}

/// The sample on complex numbers in place of f64, when the op takes them.
inline std::optional<Sample> complex_sample(Sample sample) {
  bool any = false;
  for (SampleOperand& o : sample.operands) {
    if (o.type.element_type() != ElementType::kF64) continue;
    o.type = o.type.with_element(ElementType::kC128);
    any = true;
  }
  if (!any) return std::nullopt;
  sample.label += " complex";
  try {
    sample_module(sample);
  } catch (const Error&) { return std::nullopt; }
  return sample;
}

/// All of it for one op. Returns how many samples were differentiated, of f64 and of complex numbers.
struct Differentiated {
  size_t real = 0, complex = 0;
};
inline Differentiated expect_sample_laws(std::string_view mnemonic, double eps = 0) {
  const OpRecord& op = get_op(mnemonic);
  Differentiated count;
  for (const Sample& sample : (*op.samples.rule())()) {
    SCOPED_TRACE(sample.label);
    ElementType widest = ElementType::kF64;
    for (const SampleOperand& o : sample.operands) {
      if (is_float(o.type.element_type()) && byte_size(o.type.element_type()) < byte_size(widest))
        widest = o.type.element_type();
    }
    const double scale = widest == ElementType::kF64 ? 1e-13 : widest == ElementType::kF32 ? 1e-5 : 0.02;
    expect_lane_laws(sample, eps * scale);
    if (!sample.differentiable) continue;
    expect_derivative_laws(sample);
    expect_lanes_commute(sample);
    const bool has_f64 = std::ranges::any_of(
        sample.operands, [](const SampleOperand& o) { return o.type.element_type() == ElementType::kF64; });
    count.real += has_f64 ? 1 : 0;
    const auto complex = complex_sample(sample);
    if (!complex) continue;
    SCOPED_TRACE("complex");
    expect_lane_laws(*complex, eps * scale);
    expect_derivative_laws(*complex);
    expect_lanes_commute(*complex);
    ++count.complex;
  }
  return count;
}

}  // namespace weft::test
