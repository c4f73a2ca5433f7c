// Compares all derivatives of a program, first and second, with finite differences.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "ops/record.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/gradient.h"

namespace weft::test {

inline Tensor scalar(double x) { return Tensor::scalar_of<double>(x); }
inline Tensor integer(int64_t x) { return Tensor::scalar_of<int64_t>(x); }
inline Tensor tensor(std::vector<double> x, Shape shape) { return Tensor::of<double>(x, std::move(shape)); }
inline Tensor vector(std::vector<double> x) {
  const auto n = static_cast<int64_t>(x.size());
  return tensor(std::move(x), {n});
}

/// Results of @name; the module is verified first.
inline std::vector<Tensor> run(const Module& module, const std::string& name, const std::vector<Tensor>& args) {
  verify(module);
  return evaluate(module, name, args);
}

using Vectors = std::vector<Tensor>;
inline bool is_f64(const Tensor& t) { return t.element_type() == ElementType::kF64; }
inline double dot(const Vectors& a, const Vectors& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    for (int64_t k = 0; k < a[i].size(); ++k)
      sum += a[i].data<double>()[static_cast<size_t>(k)] * b[i].data<double>()[static_cast<size_t>(k)];
  }
  return sum;
}
inline Vectors joined(Vectors a, const Vectors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Gives every loop the attribute by which reverse mode keeps so many of its trips; returns how many loops there are.
inline size_t keep_trips(Module& module, int64_t trips) {
  size_t loops = 0;
  for (const auto& f : module.functions()) {
    for (uint32_t i = 0; i < f->num_ops(); ++i) {
      if (f->def(OpId{i}).mnemonic != "stablehlo.while") continue;
      Attrs attrs = f->attrs(OpId{i});
      attrs.set(kRecompute, trips);
      f->set_attrs(OpId{i}, std::move(attrs));
      ++loops;
    }
  }
  return loops;
}

struct Tolerance {
  double step = 1e-5;
  double first = 1e-7, second = 1e-5;  // relative to 1 + |expected|
};

class DerivativeCheck {
 public:
  /// With `recompute` all loops keep so many trips in reverse and run the others again.
  DerivativeCheck(const std::string& text, Vectors args, Tolerance tolerance, int64_t recompute = 0)
      : module_(parse_module(text, "test.mlir")), args_(std::move(args)), tolerance_(tolerance) {
    if (recompute > 0) num_loops_ = keep_trips(*module_, recompute);
    for (size_t i = 0; i < args_.size(); ++i) {
      if (is_f64(args_[i])) where_.push_back(i);
    }
    // Directions that no symmetry of a program cancels.
    double seed = 0.3;
    for (size_t i : where_) {
      Tensor t = args_[i].clone();
      for (int64_t k = 0; k < t.size(); ++k) t.mutable_data<double>()[k] = seed = std::cos(7 * seed + 1);
      direction_.push_back(t);
      Tensor u = t.clone();
      for (int64_t k = 0; k < u.size(); ++k)
        u.mutable_data<double>()[k] = std::sin(9 * t.data<double>()[static_cast<size_t>(k)] + 2);
      second_.push_back(u);
    }
  }

  size_t num_loops() const { return num_loops_; }

  void run_all() {
    gradient(*module_, "f", where_, "R");
    jvp(*module_, "f", where_, "F");
    const Vectors grads = run(*module_, "R", args_);
    expect_near("R", grads, difference("f"), tolerance_.first);

    // F: value and directional derivative.
    const size_t results = run(*module_, "f", args_).size();
    const Vectors forward = run(*module_, "F", joined(args_, direction_));
    ASSERT_GE(forward.size(), results + 1);
    expect_near("F", forward[results].scalar<double>(), dot(grads, direction_), 1e-11);

    // Over the gradient: Hessian times direction, H being symmetric in both modes.
    const Vectors hessian_direction = difference_along("R");
    jvp(*module_, "R", where_, "FR");
    const Vectors fr = run(*module_, "FR", joined(args_, direction_));
    expect_near("FR", tail(fr, where_.size()), hessian_direction, tolerance_.second);
    vjp(*module_, "R", where_, "RR");
    expect_near("RR", run(*module_, "RR", joined(args_, direction_)), tail(fr, where_.size()), 1e-9);

    // Over the forward derivative, by the arguments alone.
    jvp(*module_, "F", where_, "FF");
    const Vectors ff = run(*module_, "FF", joined(joined(args_, direction_), second_));
    expect_near("FF", ff.back().scalar<double>(), dot(tail(fr, where_.size()), second_), 1e-9);
    if (results == 1) {
      vjp(*module_, "F", where_, "RF");
      const Vectors rf = run(*module_, "RF", joined(joined(args_, direction_), {scalar(0), scalar(1)}));
      expect_near("RF", rf, tail(fr, where_.size()), 1e-9);
    }
  }

 private:
  static Vectors tail(const Vectors& v, size_t n) { return {v.end() - static_cast<std::ptrdiff_t>(n), v.end()}; }

  void expect_near(const char* what, double got, double expected, double tolerance) {
    EXPECT_NEAR(got, expected, tolerance * (1 + std::fabs(expected))) << what;
  }
  void expect_near(const char* what, const Vectors& got, const Vectors& expected, double tolerance) {
    ASSERT_EQ(got.size(), expected.size()) << what;
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i].shape(), expected[i].shape()) << what;
      for (int64_t k = 0; k < got[i].size(); ++k) {
        const auto at = static_cast<size_t>(k);
        const double e = expected[i].data<double>()[at];
        EXPECT_NEAR(got[i].data<double>()[at], e, tolerance * (1 + std::fabs(e)))
            << what << " by argument " << where_[i] << ", element " << k;
      }
    }
  }

  /// Central differences of the first result by every element.
  Vectors difference(const std::string& f) {
    Vectors out;
    for (size_t i : where_) {
      Tensor d = args_[i].clone();
      for (int64_t k = 0; k < d.size(); ++k) {
        const auto value = [&](double h) {
          Vectors moved = args_;
          moved[i] = moved[i].clone();
          moved[i].mutable_data<double>()[k] += h;
          return run(*module_, f, moved)[0].scalar<double>();
        };
        d.mutable_data<double>()[k] = (value(tolerance_.step) - value(-tolerance_.step)) / (2 * tolerance_.step);
      }
      out.push_back(d);
    }
    return out;
  }

  /// Central difference of all results along the direction.
  Vectors difference_along(const std::string& f) {
    const auto value = [&](double h) {
      Vectors moved = args_;
      for (size_t n = 0; n < where_.size(); ++n) {
        Tensor t = moved[where_[n]].clone();
        for (int64_t k = 0; k < t.size(); ++k)
          t.mutable_data<double>()[k] += h * direction_[n].data<double>()[static_cast<size_t>(k)];
        moved[where_[n]] = t;
      }
      return run(*module_, f, moved);
    };
    Vectors up = value(tolerance_.step), down = value(-tolerance_.step);
    for (size_t n = 0; n < up.size(); ++n) {
      up[n] = up[n].clone();
      for (int64_t k = 0; k < up[n].size(); ++k) {
        double& x = up[n].mutable_data<double>()[k];
        x = (x - down[n].data<double>()[static_cast<size_t>(k)]) / (2 * tolerance_.step);
      }
    }
    return up;
  }

  size_t num_loops_ = 0;
  std::unique_ptr<Module> module_;
  Vectors args_;
  Tolerance tolerance_;
  std::vector<size_t> where_;
  Vectors direction_, second_;
};

/// @f returns a rank-0 f64 first. Differentiates by all f64 arguments: reverse and forward, then forward and reverse over each
/// (FR, RR, FF, RF), against central differences or, where those have been checked, against each other.
inline void expect_derivatives(const std::string& text, const Vectors& args, Tolerance tolerance = {}) {
  DerivativeCheck(text, args, tolerance).run_all();
  // Loops have two ways to come by what their backward pass needs.
  DerivativeCheck again(text, args, tolerance, 3);
  if (again.num_loops() == 0) return;
  SCOPED_TRACE("three trips kept");
  again.run_all();
}

}  // namespace weft::test
