// Derivatives of random programs: the dot-product law ⟨u, J·v⟩ = ⟨Jᵀ·u, v⟩ for the program, its derivatives and theirs, and
// the forward derivative against finite differences where the program is smooth.
#include <functional>
#include <random>

#include "derivative_check.h"
#include "ops/builder.h"
#include "ops/control_flow/derivative_rule.h"
#include "random_program.h"
#include "transform/vectorize.h"

namespace weft::test {
namespace {

class Laws {
 public:
  Laws(Module& module, uint32_t seed) : module_(module), random_(seed) {}

  Tensor draw(Type t) {
    Tensor out(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
    std::uniform_real_distribution<double> real(0.2, 1.3);
    for (int64_t i = 0; i < out.size(); ++i) {
      if (t.element_type() == ElementType::kF64) out.mutable_data<double>()[i] = real(random_);
      else out.mutable_data<int32_t>()[i] = static_cast<int32_t>(random_() % 4);
    }
    return out;
  }

  static bool is_finite(const Vectors& v) {
    for (const Tensor& t : v) {
      if (!is_f64(t)) continue;
      for (double x : t.data<double>()) {
        if (!std::isfinite(x) || std::fabs(x) > 1e8) return false;
      }
    }
    return true;
  }

  /// Of the sum of products, were nothing to cancel.
  static double magnitude(const Vectors& a, const Vectors& b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      for (int64_t k = 0; k < a[i].size(); ++k) {
        const auto at = static_cast<size_t>(k);
        sum += std::fabs(a[i].data<double>()[at] * b[i].data<double>()[at]);
      }
    }
    return sum;
  }

  /// The law for @name; false where its values or derivatives are not finite.
  bool hold(const std::string& name) {
    const Function& f = module_.get(name);
    std::vector<size_t> where;
    Vectors args, v, u;
    for (size_t i = 0; i < f.args().size(); ++i) {
      const Type t = f.type(f.args()[i]);
      args.push_back(draw(t));
      if (t.element_type() != ElementType::kF64) continue;
      where.push_back(i);
      v.push_back(draw(t));
    }
    size_t results = 0;
    for (Type t : f.result_types()) {
      ++results;
      if (t.element_type() == ElementType::kF64) u.push_back(draw(t));
    }
    jvp(module_, name, where, name + "F");
    vjp(module_, name, where, name + "R");
    const Vectors forward = run(module_, name + "F", joined(args, v)), back = run(module_, name + "R", joined(args, u));
    const Vectors pushed(forward.begin() + static_cast<std::ptrdiff_t>(results), forward.end());
    if (!is_finite(forward) || !is_finite(back)) return false;
    const double scale = 1 + magnitude(u, pushed) + magnitude(back, v);
    EXPECT_NEAR(dot(u, pushed), dot(back, v), 1e-10 * scale) << name;
    if (name == "f") expect_differences(args, v, where, pushed);
    return true;
  }

 private:
  Vectors difference(const Vectors& args, const Vectors& v, const std::vector<size_t>& where, double h) {
    const auto value = [&](double step) {
      Vectors moved = args;
      for (size_t n = 0; n < where.size(); ++n) {
        Tensor t = moved[where[n]].clone();
        for (int64_t k = 0; k < t.size(); ++k)
          t.mutable_data<double>()[k] += step * v[n].data<double>()[static_cast<size_t>(k)];
        moved[where[n]] = t;
      }
      Vectors out;
      for (const Tensor& t : run(module_, "f", moved)) {
        if (is_f64(t)) out.push_back(t.clone());
      }
      return out;
    };
    Vectors up = value(h), down = value(-h);
    for (size_t n = 0; n < up.size(); ++n) {
      for (int64_t k = 0; k < up[n].size(); ++k) {
        double& x = up[n].mutable_data<double>()[k];
        x = (x - down[n].data<double>()[static_cast<size_t>(k)]) / (2 * h);
      }
    }
    return up;
  }

  /// Two steps that agree show that no kink is near.
  void expect_differences(const Vectors& args, const Vectors& v, const std::vector<size_t>& where,
                          const Vectors& tangents) {
    const Vectors coarse = difference(args, v, where, 2e-6), fine = difference(args, v, where, 1e-6);
    for (size_t n = 0; n < fine.size(); ++n) {
      for (int64_t k = 0; k < fine[n].size(); ++k) {
        const auto at = static_cast<size_t>(k);
        const double a = coarse[n].data<double>()[at], b = fine[n].data<double>()[at];
        if (!(std::fabs(a - b) <= 1e-5 * (1 + std::fabs(b)))) continue;
        EXPECT_NEAR(tangents[n].data<double>()[at], b, 1e-3 * (1 + std::fabs(b)))
            << "result " << n << ", element " << k;
        ++compared;
      }
    }
  }

  Module& module_;
  std::mt19937 random_;

 public:
  int compared = 0;
};

std::vector<size_t> differentiable_args(const Function& f) {
  std::vector<size_t> out;
  for (size_t i = 0; i < f.args().size(); ++i) {
    if (f.type(f.args()[i]).element_type() == ElementType::kF64) out.push_back(i);
  }
  return out;
}

/// Gives @f its own derivative as a forward rule or as a pair of reverse rules.
void give_rule(Module& module, bool is_forward) {
  Function& f = *module.find("f");
  const std::vector<size_t> where = differentiable_args(f);
  if (is_forward) {
    jvp(module, "f", where, "rule");
    return set_derivative_rule(f, {.jvp = "rule"});
  }
  vjp(module, "f", where, "backward");
  auto forward = std::make_unique<Function>("forward");
  std::vector<Value> args;
  for (Value v : f.args()) args.push_back(forward->add_arg(forward->body(), f.type(v)));
  OpBuilder b(*forward, forward->body(), &module);
  std::vector<Value> results = b.create("func.call", args, {{"callee", "f"}}, f.result_types());
  results.insert(results.end(), args.begin(), args.end());
  b.yield(results);
  module.add(std::move(forward));
  set_derivative_rule(f, {.forward = "forward", .backward = "backward"});
}

void expect_laws(const std::function<void(Module&, uint32_t)>& mark) {
  int held = 0, third = 0, compared = 0, lanes = 0;
  for (uint32_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    const auto module = RandomProgram(seed).make(8);
    mark(*module, seed);
    Laws laws(*module, seed);
    if (!laws.hold("f")) continue;
    ++held;
    compared += laws.compared;
    for (const std::string first : {"fF", "fR"}) {
      if (!laws.hold(first) || seed % 3 != 0) continue;
      for (const std::string second : {"F", "R"}) third += laws.hold(first + second) ? 1 : 0;
    }
    if (seed % 4 == 0) {
      const int64_t axes[] = {0, 0, 0};
      vectorize(*module, "f", axes, 3, {.name = "v"});
      lanes += laws.hold("v") ? 1 : 0;
      lanes += laws.hold("vR") ? 1 : 0;
    }
    if (testing::Test::HasFailure()) return;
  }
  // Most programs are finite and smooth, or the test would say nothing.
  EXPECT_GT(held, 60);
  EXPECT_GT(third, 60);
  EXPECT_GT(lanes, 20);
  EXPECT_GT(compared, 250);
}

TEST(RandomGradient, DotProductLawToTheThirdOrder) {
  expect_laws([](Module&, uint32_t) {});
}

TEST(RandomGradient, WithTripsOfLoopsKept) {
  size_t loops = 0;
  expect_laws([&](Module& module, uint32_t seed) { loops += keep_trips(module, 2 + seed % 5); });
  EXPECT_GT(loops, 30U);
}

TEST(RandomGradient, OfAFunctionThatKeepsNothing) {
  expect_laws([](Module& module, uint32_t) { set_derivative_rule(*module.find("f"), {.checkpoint = true}); });
}

TEST(RandomGradient, ByRulesOfTheFunction) {
  expect_laws([](Module& module, uint32_t seed) { give_rule(module, seed % 2 == 0); });
}

}  // namespace
}  // namespace weft::test
