#include "transform/custom_rules.h"

#include "ops/control_flow/region_flow.h"
#include "ops/families.h"
#include "ops/tangent_space.h"
#include "transform/callees.h"
#include "transform/gradient.h"

namespace weft {
namespace {

std::vector<Value> call(OpBuilder& b, const Function& f, std::span<const Value> operands) {
  return b.create("func.call", operands, {{"callee", f.name()}}, f.result_types());
}

/// The tangents of operands that can have one, zeros where they are missing.
std::vector<Value> all_tangents(OpBuilder& b, std::span<const Value> primals, std::span<const Value> tangents) {
  std::vector<Value> out;
  for (size_t i = 0; i < primals.size(); ++i) {
    const Type t = b.type(primals[i]);
    if (has_tangent(t)) out.push_back(tangents[i] ? tangents[i] : zero_tangent(b, t));
  }
  return out;
}

class RuledCall {
 public:
  RuledCall(DerivativeSession& session, Linearizer& context, const OpView& op, std::span<const Value> primals,
            std::span<const Value> tangents)
      : session_(session), context_(context), op_(op), primals_(primals), tangents_(tangents) {
    out_.tangents.resize(op.num_results());
  }

  /// The rule is linear in the tangents: it is its own derivative by them, at zero.
  Linearized by_jvp(const std::string& name) {
    const Function& rule = defined_function(session_.module, name);
    OpBuilder& b = context_.primal();
    std::vector<Value> operands(primals_.begin(), primals_.end());
    if (!context_.is_reverse()) {
      for (Value v : all_tangents(b, primals_, tangents_)) operands.push_back(v);
      return take(call(b, rule, operands));
    }
    std::vector<Value> directions(primals_.size());
    std::vector<bool> wanted(op_.num_results());
    for (size_t i = 0; i < primals_.size(); ++i) {
      if (!has_tangent(b.type(primals_[i]))) continue;
      operands.push_back(zero_tangent(b, b.type(primals_[i])));
      directions.push_back(tangents_[i]);
    }
    for (size_t i = 0; i < op_.num_results(); ++i) {
      if (has_tangent(op_.result_type(i))) wanted.push_back(context_.is_differentiated(op_.result(i)));
    }
    const Linearized linearized = context_.inline_function(caller(rule), operands, directions, wanted);
    out_.results.assign(linearized.results.begin(),
                        linearized.results.begin() + static_cast<std::ptrdiff_t>(op_.num_results()));
    for (size_t i = 0, at = op_.num_results(); i < op_.num_results(); ++i) {
      if (has_tangent(op_.result_type(i))) out_.tangents[i] = linearized.tangents[at++];
    }
    return out_;
  }

  Linearized by_vjp(const DerivativeRule& rule) {
    const Function &forward = defined_function(session_.module, rule.forward),
                   &backward = defined_function(session_.module, rule.backward);
    const std::vector<Value> values = call(context_.primal(), forward, primals_);
    const auto kept_at = values.begin() + static_cast<std::ptrdiff_t>(op_.num_results());
    out_.results.assign(values.begin(), kept_at);
    const std::vector<Value> kept(kept_at, values.end());
    if (!context_.is_reverse()) return forward_by_vjp(backward, kept);

    std::vector<Type> types;  // of the results whose cotangents matter
    std::vector<bool> matters;
    for (size_t i = 0; i < op_.num_results(); ++i) {
      matters.push_back(context_.is_differentiated(op_.result(i)));
      if (matters[i]) types.push_back(op_.result_type(i));
    }
    std::vector<bool> returned;
    for (Value v : primals_) returned.push_back(has_tangent(context_.primal().type(v)));
    auto transposed = [&backward, op = op_, kept, matters, returned](OpBuilder& b, std::span<const Value> cotangents) {
      std::vector<Value> operands = kept;
      for (size_t i = 0, at = 0; i < op.num_results(); ++i) {
        const Value given = matters[i] ? cotangents[at++] : Value{};
        if (has_tangent(op.result_type(i))) operands.push_back(given ? given : zero_tangent(b, op.result_type(i)));
      }
      const std::vector<Value> results = call(b, backward, operands);
      std::vector<Value> out;
      for (size_t i = 0, at = 0; i < returned.size(); ++i) out.push_back(returned[i] ? results[at++] : Value{});
      return out;
    };
    const auto unused = [](OpBuilder&, std::span<const Value>) -> std::vector<Value> {
      throw InternalError("the forward direction of a reverse rule");
    };
    const std::vector<Value> linear = context_.linear_map(tangents_, types, unused, transposed);
    for (size_t i = 0, at = 0; i < op_.num_results(); ++i) {
      if (matters[i]) out_.tangents[i] = linear[at++];
    }
    return out_;
  }

 private:
  /// Results, then tangents of those that have one.
  Linearized take(const std::vector<Value>& values) {
    size_t at = op_.num_results();
    out_.results.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at));
    for (size_t i = 0; i < op_.num_results(); ++i) {
      if (has_tangent(op_.result_type(i))) out_.tangents[i] = values[at++];
    }
    return out_;
  }

  /// The backward rule is linear in cotangents; its transpose takes tangents to tangents.
  Linearized forward_by_vjp(const Function& backward, const std::vector<Value>& kept) {
    std::string& name = session_.cache.transposed[backward.name()];
    if (name.empty()) {
      std::vector<size_t> cotangents;
      for (size_t i = kept.size(); i < backward.args().size(); ++i) cotangents.push_back(i);
      name = session_.module.unique_name(backward.name() + "_transposed");
      vjp(session_.module, backward.name(), cotangents, name).set_public(false);
    }
    OpBuilder& b = context_.primal();
    std::vector<Value> operands = kept;
    for (size_t i = 0; i < op_.num_results(); ++i) {
      if (has_tangent(op_.result_type(i))) operands.push_back(zero_tangent(b, op_.result_type(i)));
    }
    for (Value v : all_tangents(b, primals_, tangents_)) operands.push_back(v);
    const std::vector<Value> results = call(b, session_.module.get(name), operands);
    for (size_t i = 0, at = 0; i < op_.num_results(); ++i) {
      if (has_tangent(op_.result_type(i))) out_.tangents[i] = results[at++];
    }
    return out_;
  }

  std::unique_ptr<Function> caller(const Function& f) {
    auto out = std::make_unique<Function>(f.name());
    out->set_loc(op_.loc());
    const std::vector<Value> args = copy_args(f, *out);
    OpBuilder b(*out, out->body(), &session_.module);
    b.loc = op_.loc();
    b.yield(call(b, f, args));
    return out;
  }

  DerivativeSession& session_;
  Linearizer& context_;
  const OpView op_;
  std::span<const Value> primals_, tangents_;
  Linearized out_;
};

Value over_lanes(OpBuilder& b, Value v, int64_t lanes) {
  const Type t = b.type(v);
  if (!t.is_tensor()) throw Unsupported("lanes of a derivative rule with values of type " + t.str(), b.loc);
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < t.rank(); ++d) dimensions.push_back(d + 1);
  return b.broadcast_in_dim(v, dimensions, with_lanes(t, lanes).shape());
}

enum class ResultForm : uint8_t { kUniform, kLanes, kSum };

/// Writes a function that calls `name` over lanes and returns each result as wanted.
std::string write_lanes(Module& module, const std::string& name, const std::vector<bool>& args, int64_t lanes,
                        const OverLanes& lanes_of, const std::function<ResultForm(size_t)>& form) {
  const Function& f = defined_function(module, name);
  const RegionVectorizer::Callee callee = lanes_of(name, args);
  auto out = std::make_unique<Function>(module.unique_name(name + "_over_lanes"));
  out->set_public(false);
  out->set_loc(f.loc());
  std::vector<Value> operands;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type t = f.type(f.args()[i]);
    operands.push_back(out->add_arg(out->body(), args[i] ? with_lanes(t, lanes) : t));
  }
  OpBuilder b(*out, out->body(), &module);
  b.loc = f.loc();
  std::vector<Value> results = b.create("func.call", operands, {{"callee", callee.name}}, callee.result_types);
  for (size_t i = 0; i < results.size(); ++i) {
    if (form(i) == ResultForm::kUniform) continue;
    if (!callee.result_varies[i]) results[i] = over_lanes(b, results[i], lanes);
    if (form(i) == ResultForm::kSum) results[i] = b.reduce(results[i], std::vector<int64_t>{0}, "stablehlo.add");
  }
  b.yield(results);
  const std::string made = out->name();
  module.add(std::move(out));
  return made;
}

}  // namespace

std::optional<Linearized> linearize_by_rule(DerivativeSession& session, Linearizer& context, const OpView& op,
                                            std::span<const Value> primals, std::span<const Value> tangents) {
  const std::string* name = callee(op);
  const Function* f = name == nullptr || !is_plain_call(op) ? nullptr : session.module.find(*name);
  if (f == nullptr) return std::nullopt;
  const DerivativeRule rule = derivative_rule(*f);
  if (!rule.is_custom()) return std::nullopt;
  RuledCall ruled(session, context, op, primals, tangents);
  const bool takes_vjp = rule.has_vjp() && (context.is_reverse() || rule.jvp.empty());
  return takes_vjp ? ruled.by_vjp(rule) : ruled.by_jvp(rule.jvp);
}

std::unique_ptr<Function> call_of_ruled(const Module& module, const Function& f) {
  if (!derivative_rule(f).exists()) return nullptr;
  auto out = std::make_unique<Function>(f.name());
  out->set_loc(f.loc());
  const std::vector<Value> args = copy_args(f, *out);
  OpBuilder b(*out, out->body(), &module);
  b.loc = f.loc();
  b.yield(call(b, f, args));
  return out;
}

DerivativeRule rule_over_lanes(Module& module, const Function& f, const std::vector<bool>& args,
                               const std::vector<bool>& results, int64_t lanes, const OverLanes& lanes_of) {
  DerivativeRule rule = derivative_rule(f);
  const std::vector<Type> arg_types = f.arg_types(), result_types = f.result_types();
  std::vector<bool> tangents, cotangents;
  for (size_t i = 0; i < args.size(); ++i) {
    if (has_tangent(arg_types[i])) tangents.push_back(args[i]);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (has_tangent(result_types[i])) cotangents.push_back(results[i]);
  }
  if (!rule.jvp.empty()) {
    std::vector<bool> pattern = args, varies = results;
    pattern.insert(pattern.end(), tangents.begin(), tangents.end());
    varies.insert(varies.end(), cotangents.begin(), cotangents.end());
    rule.jvp = write_lanes(module, rule.jvp, pattern, lanes, lanes_of,
                           [&](size_t i) { return varies[i] ? ResultForm::kLanes : ResultForm::kUniform; });
  }
  if (!rule.has_vjp()) return rule;
  const size_t kept = defined_function(module, rule.forward).result_types().size() - results.size();
  rule.forward = write_lanes(module, rule.forward, args, lanes, lanes_of, [&](size_t i) {
    return i >= results.size() || results[i] ? ResultForm::kLanes : ResultForm::kUniform;
  });
  std::vector<bool> pattern(kept, true);
  pattern.insert(pattern.end(), cotangents.begin(), cotangents.end());
  rule.backward = write_lanes(module, rule.backward, pattern, lanes, lanes_of,
                              [&](size_t i) { return tangents[i] ? ResultForm::kLanes : ResultForm::kSum; });
  return rule;
}

}  // namespace weft
