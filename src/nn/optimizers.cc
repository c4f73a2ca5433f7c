// Optimisers and schedules as expressions; metrics.
#include <numbers>

#include "weft/nn.h"

namespace weft::nn {
namespace {

/// f32, rank 0: the number of steps done, and its update.
struct StepCounter {
  Variable count = variable(Tensor::scalar_of<int32_t>(0), "step");
  Expr before() const { return cast<float>(count); }
  Update update() const { return {count, count + 1}; }
};

std::vector<Expr> as_exprs(const std::vector<Variable>& variables) { return {variables.begin(), variables.end()}; }

Variable state_like(const Variable& w, const char* what) {
  return variable(Tensor::zeros(w.element_type(), w.shape()), w.name() + "." + what);
}

/// A rank-0 f32 or f64 expression in the element type of w.
Expr in_type_of(const Variable& w, const Expr& e) { return cast(e, w.element_type()); }

}  // namespace

Schedule constant_rate(double rate) {
  return [rate](const Expr&) { return filled(ElementType::kF32, {}, rate); };
}

Schedule cosine_rate(double rate, int64_t steps, double final_rate) {
  if (steps < 1) throw UserError("[cosine_rate] steps: got " + std::to_string(steps) + ", expected 1 or more");
  return [=](const Expr& step) {
    const Expr share = minimum(step / static_cast<double>(steps), 1);
    return final_rate + (rate - final_rate) * 0.5 * (1 + cos(std::numbers::pi * share));
  };
}

Schedule step_rate(double rate, int64_t every, double factor) {
  if (every < 1) throw UserError("[step_rate] every: got " + std::to_string(every) + ", expected 1 or more");
  return [=](const Expr& step) {
    return rate * pow(filled(ElementType::kF32, {}, factor), floor(step / static_cast<double>(every)));
  };
}

updates sgd(const Expr& loss, const std::vector<Variable>& parameters, SgdOptions options, std::source_location loc) {
  const std::vector<Expr> gradients = grad(loss, as_exprs(parameters), loc);
  updates out;
  Expr rate;
  if (options.learning_rate.is_constant()) {
    rate = options.learning_rate.at({});
  } else {
    const StepCounter steps;
    rate = options.learning_rate.at(steps.before());
    out.push_back(steps.update());
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Variable& w = parameters[i];
    Expr direction = gradients[i];
    if (options.momentum != 0) {
      const Variable velocity = state_like(w, "velocity");
      const Expr next = options.momentum * velocity + gradients[i];
      out.push_back({velocity, next});
      direction = options.nesterov ? gradients[i] + options.momentum * next : next;
    }
    out.push_back({w, w - in_type_of(w, rate) * direction});
  }
  return out;
}

updates adam(const Expr& loss, const std::vector<Variable>& parameters, AdamOptions options, std::source_location loc) {
  const std::vector<Expr> gradients = grad(loss, as_exprs(parameters), loc);
  const StepCounter steps;
  updates out = {steps.update()};
  const Expr rate = options.learning_rate.at(steps.before());
  // In f64: 1 - beta2^t is 0.001 at first, of which f32 would keep four digits.
  const Expr t = cast<double>(steps.count) + 1;
  const Expr correction1 = 1 - pow(filled(ElementType::kF64, {}, options.beta1), t);
  const Expr correction2 = 1 - pow(filled(ElementType::kF64, {}, options.beta2), t);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Variable& w = parameters[i];
    const Expr& g = gradients[i];
    const Variable mean = state_like(w, "mean"), square_mean = state_like(w, "square_mean");
    const Expr m = options.beta1 * mean + (1 - options.beta1) * g;
    const Expr v = options.beta2 * square_mean + (1 - options.beta2) * square(g);
    const Expr size = in_type_of(w, cast<double>(rate) / correction1);
    Expr next = w - size * m / (sqrt(v * in_type_of(w, 1 / correction2)) + options.epsilon);
    if (options.weight_decay != 0) next = next - in_type_of(w, rate * options.weight_decay) * w;
    out.push_back({mean, m});
    out.push_back({square_mean, v});
    out.push_back({w, next});
  }
  return out;
}

Expr accuracy(const Expr& logits, const Expr& labels) { return mean(equal(argmax(logits, 1), cast<int32_t>(labels))); }

}  // namespace weft::nn
