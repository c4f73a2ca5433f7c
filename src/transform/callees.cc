#include "transform/callees.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/tangent_space.h"
#include "transform/activity.h"
#include "transform/custom_rules.h"
#include "transform/dead_code.h"
#include "transform/inline.h"
#include "transform/repeatable.h"

namespace weft {

const Function& defined_function(const Module& module, const std::string& name) {
  const Function& f = module.get(name);
  if (!f.terminator(f.body())) throw UserError("function @" + name + " has no body", f.loc());
  return f;
}

std::vector<bool> mark_args(const Function& f, std::span<const size_t> args, std::string_view what) {
  const std::string prefix = "[" + std::string(what) + "] ";
  std::vector<bool> marks(f.args().size());
  for (size_t i : args) {
    if (i >= marks.size()) {
      throw UserError(prefix + "argument to differentiate of @" + f.name() + ": got " + std::to_string(i) +
                          ", expected less than " + std::to_string(marks.size()),
                      f.loc());
    }
    if (marks[i])
      throw UserError(prefix + "argument " + std::to_string(i) + " of @" + f.name() + " is listed twice", f.loc());
    const Type t = f.type(f.args()[i]);
    if (!t.is_tensor() || !has_tangent(t)) {
      throw UserError(prefix + "type of argument " + std::to_string(i) + " of @" + f.name() + ": got " + t.str() +
                          ", expected a floating-point tensor",
                      f.loc());
    }
    marks[i] = true;
  }
  return marks;
}

std::vector<Value> copy_args(const Function& from, Function& to) {
  std::vector<Value> out;
  for (Value v : from.args()) out.push_back(to.add_arg(to.body(), from.type(v)));
  to.arg_attrs() = from.arg_attrs();
  to.arg_attrs().resize(out.size());
  return out;
}

std::vector<bool> tangent_results(const Function& f) {
  std::vector<bool> out;
  for (Type t : f.result_types()) out.push_back(has_tangent(t));
  return out;
}

// ---- forward ------------------------------------------------------------------------------------------------------------------

std::unique_ptr<Function> build_jvp(Module& module, CalleeCache& cache, const Function& f,
                                    std::span<const size_t> order, const std::vector<bool>& results,
                                    const std::string& name) {
  Function out(name);
  out.set_loc(f.loc());
  std::vector<bool> marks(f.args().size());
  for (size_t i : order) marks[i] = true;

  DerivativeSession session(module, cache, out);
  SourceFrame& frame = session.frames.emplace_back(f, differentiated_values(f, marks, results));
  VectorMap& tangents = session.tangents.emplace_back();
  const std::vector<Value> args = copy_args(f, out);
  for (size_t i = 0; i < args.size(); ++i) frame.primals.set(f.args()[i], args[i]);
  for (size_t i : order) tangents[f.args()[i]] = out.add_arg(out.body(), f.type(f.args()[i]));

  const Linearized linearized = Linearizer(session, frame, out.body(), tangents, nullptr).run(f.body());
  OpBuilder b(out, out.body(), &module);
  std::vector<Value> returned = linearized.results;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    const Value t = linearized.tangents[i];
    returned.push_back(t ? t : zero_tangent(b, out.type(linearized.results[i])));
  }
  b.yield(returned);
  return eliminate_dead_code(out, &module);
}

RegionLinearizer::Callee jvp_callee(Module& module, CalleeCache& cache, const std::string& name,
                                    const std::vector<bool>& args) {
  const auto key = std::pair(name, args);
  if (const auto it = cache.forward.find(key); it != cache.forward.end()) return it->second;
  const Function& f = defined_function(module, name);
  RegionLinearizer::Callee callee{module.unique_name(name + "_jvp"), tangent_results(f), f.result_types()};
  for (Type t : f.result_types()) {
    if (has_tangent(t)) callee.result_types.push_back(t);
  }
  // Declared before it is built: it may call itself.
  auto declaration = std::make_unique<Function>(callee.name);
  copy_args(f, *declaration);
  std::vector<size_t> order;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i]) continue;
    order.push_back(i);
    declaration->add_arg(declaration->body(), f.type(f.args()[i]));
  }
  declaration->declare_results(callee.result_types);
  module.add(std::move(declaration));
  cache.forward.emplace(key, callee);
  std::unique_ptr<Function> built = build_jvp(module, cache, f, order, callee.results, callee.name);
  built->set_public(false);
  set_derivative_rule(*built, {.checkpoint = derivative_rule(f).checkpoint});
  module.replace(std::move(built));
  return callee;
}

bool runs_again(const Module& module, const std::string& name) {
  const Function& f = defined_function(module, name);
  return derivative_rule(f).checkpoint && RepeatableOps(module).can_repeat(f);
}

// ---- reverse ------------------------------------------------------------------------------------------------------------------

namespace {

bool is_used(const Function& f, RegionId region, Value v) {
  for (OpId op : f.ops(region)) {
    for (Value operand : f.operands(op)) {
      if (operand == v) return true;
    }
    for (RegionId r : f.regions(op)) {
      if (is_used(f, r, v)) return true;
    }
  }
  return false;
}

/// Writes the reverse derivative of a callee: everything into one scratch function first, from which the halves are cut.
class CalleeReverse {
 public:
  CalleeReverse(Module& module, CalleeCache& cache, const std::string& name, const std::vector<bool>& args,
                const std::vector<bool>& results)
      : module_(module),
        name_(name),
        f_(defined_function(module, name)),
        is_checkpoint_(runs_again(module, name)),
        results_(results),
        scratch_(name),
        session_(module, cache, scratch_),
        frame_(session_.frames.emplace_back(f_, differentiated_values(f_, args, results))),
        walker_(session_.linearizers.emplace_back(session_, frame_, scratch_.body(), session_.tangents.emplace_back(),
                                                  &session_.tapes.emplace_back(scratch_))) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i]) (f_.type(f_.args()[i]).is_stack() ? out.plain : out.summed).push_back(i);
    }
    for (size_t i : out.plain) out.backward_types.push_back(f_.type(f_.args()[i]));
    for (size_t i : out.summed) out.backward_types.push_back(f_.type(f_.args()[i]));
  }

  /// Declares a backward function that runs the callee again, so that the callee may call itself.
  void declare_rerun() {
    if (!can_rerun()) {
      throw Unsupported(
          "[func.call] derivative: @" + name_ +
              " calls itself, so it runs again in reverse, and what it draws or reads would not be the same",
          f_.loc());
    }
    out.forward = name_;
    out.forward_types = f_.result_types();
    out.backward = module_.unique_name(name_ + "_backward");
    auto declaration = std::make_unique<Function>(out.backward);
    copy_args(f_, *declaration);
    for (size_t i = 0; i < f_.args().size(); ++i) out.used.push_back(i);
    const std::vector<Type> types = f_.result_types();
    for (size_t i = 0; i < types.size(); ++i) {
      if (results_[i]) declaration->add_arg(declaration->body(), types[i]);
    }
    for (size_t i : out.summed) declaration->add_arg(declaration->body(), f_.type(f_.args()[i]));
    declaration->declare_results(out.backward_types);
    module_.add(std::move(declaration));
  }
  void define_rerun() {
    linearize();
    write_backward({});
  }

  /// A forward function that returns what a backward function takes, or a backward function that runs the callee again when
  /// that would be very much.
  void write_pair() {
    constexpr size_t kMaxKept = 128;
    linearize();
    const std::vector<Value> saved = walker_.choose_saved(vjp_);
    if (saved.size() > kMaxKept && can_rerun()) {
      declare_rerun();
      write_backward({});
      return;
    }
    OpBuilder b(scratch_, scratch_.new_region(), &module_);
    const std::vector<Value> args = add_args(b, vjp_.args);
    const std::vector<Value> values = walker_.emit_forward(vjp_, saved, b, args);
    for (Value v : values) out.forward_types.push_back(scratch_.type(v));
    out.forward = module_.unique_name(name_ + "_forward");
    install(out.forward, b.region(), args, values);
    write_backward(saved);
  }

  RegionLinearizer::CalleeVjp out;

 private:
  bool can_rerun() const { return RepeatableOps(module_, /*by_values=*/true).can_repeat(f_); }

  void linearize() {
    request_.extras.assign(f_.args().size(), true);
    request_.results = results_;
    // What nothing depends on has no tangent within; its sum passes through.
    for (size_t i : out.summed) {
      if (frame_.differentiated[f_.args()[i].index]) request_.summed.push_back(i);
    }
    vjp_ = walker_.vjp_region(f_.body(), request_);
  }

  std::vector<Value> add_args(OpBuilder& b, std::span<const Value> like) {
    std::vector<Value> out;
    for (Value v : like) out.push_back(v ? scratch_.add_arg(b.region(), scratch_.type(v)) : Value{});
    return out;
  }

  void write_backward(std::span<const Value> saved) {
    const bool reruns = out.forward == name_;
    OpBuilder b(scratch_, scratch_.new_region(), &module_);
    const std::vector<Value> args = add_args(b, vjp_.args), kept = add_args(b, saved),
                             cotangents = add_args(b, vjp_.cotangents);
    std::vector<Value> all_sums, sums;
    for (size_t i : out.summed) all_sums.push_back(scratch_.add_arg(b.region(), f_.type(f_.args()[i])));
    const auto position = [](const std::vector<size_t>& list, size_t i) {
      return static_cast<size_t>(std::ranges::find(list, i) - list.begin());
    };
    for (size_t i : request_.summed) sums.push_back(all_sums[position(out.summed, i)]);
    std::vector<Value> available = kept;
    available.insert(available.end(), args.begin(), args.end());
    const std::vector<Value> back = walker_.emit_backward(vjp_, saved, b, available, cotangents, sums);

    std::vector<Value> values;
    for (size_t i : out.plain) values.push_back(back[i] ? back[i] : zero_tangent(b, f_.type(f_.args()[i])));
    for (size_t k = 0; k < out.summed.size(); ++k) {
      const size_t own = position(request_.summed, out.summed[k]);
      values.push_back(own == request_.summed.size() ? all_sums[k] : back[args.size() + own]);
    }
    std::vector<Value> inputs;
    for (size_t i = 0; i < args.size(); ++i) {
      if (!reruns && !is_used(scratch_, b.region(), args[i])) continue;
      if (!reruns) out.used.push_back(i);
      inputs.push_back(args[i]);
    }
    inputs.insert(inputs.end(), kept.begin(), kept.end());
    for (Value v : cotangents) {
      if (v) inputs.push_back(v);
    }
    const size_t num_behind_barrier = is_checkpoint_ ? inputs.size() : 0;
    inputs.insert(inputs.end(), all_sums.begin(), all_sums.end());
    if (!reruns) out.backward = module_.unique_name(name_ + "_backward");
    install(out.backward, b.region(), inputs, values, num_behind_barrier);
  }

  /// A private function of what stands in a region of the scratch function. What runs again of a checkpoint stands behind a
  /// barrier: it must not be shared with the first run, nor begin before the cotangents are there.
  void install(const std::string& name, RegionId region, std::span<const Value> args, std::span<const Value> results,
               size_t num_behind_barrier = 0) {
    Function f(name);
    f.set_public(false);
    f.set_loc(f_.loc());
    set_derivative_rule(f, {.checkpoint = is_checkpoint_});
    ValueMap map(scratch_);
    std::vector<Value> sources, held;
    for (size_t i = 0; i < args.size(); ++i) {
      const Value v = f.add_arg(f.body(), scratch_.type(args[i]));
      map.set(args[i], v);
      if (i >= num_behind_barrier || !f.type(v).is_tensor() || !is_used(scratch_, region, args[i])) continue;
      sources.push_back(args[i]);
      held.push_back(v);
    }
    if (!held.empty()) {
      held = OpBuilder(f, f.body(), &module_).create("stablehlo.optimization_barrier", held);
      for (size_t i = 0; i < held.size(); ++i) map.set(sources[i], held[i]);
    }
    clone_ops(scratch_, region, f, f.body(), map);
    std::vector<Value> returned;
    for (Value v : results) returned.push_back(map.at(v));
    OpBuilder(f, f.body(), &module_).yield(returned);
    module_.replace(eliminate_dead_code(f, &module_));
  }

  Module& module_;
  const std::string name_;
  const Function& f_;
  const bool is_checkpoint_;
  const std::vector<bool> results_;
  Function scratch_;
  DerivativeSession session_;
  SourceFrame& frame_;
  Linearizer& walker_;
  RegionLinearizer::VjpRequest request_;
  RegionVjp vjp_;
};

}  // namespace

RegionLinearizer::CalleeVjp vjp_callee(Module& module, CalleeCache& cache, const std::string& name,
                                       const std::vector<bool>& args, const std::vector<bool>& results) {
  const auto key = std::tuple(name, args, results);
  if (const auto it = cache.reverse.find(key); it != cache.reverse.end()) return it->second;
  CalleeReverse reverse(module, cache, name, args, results);
  if (is_recursive(module, name) || runs_again(module, name)) {
    reverse.declare_rerun();
    cache.reverse.emplace(key, reverse.out);
    reverse.define_rerun();
  } else {
    reverse.write_pair();
    cache.reverse.emplace(key, reverse.out);
  }
  return reverse.out;
}

namespace {

/// Counts ops until the limit is reached.
bool count_inlined(const Module& module, const Function& f, RegionId region, size_t limit, size_t& count) {
  for (OpId op : f.ops(region)) {
    if (++count >= limit) return false;
    for (RegionId r : f.regions(op)) {
      if (!count_inlined(module, f, r, limit, count)) return false;
    }
    const std::string* name = callee(OpView{f, op});
    const Function* target = name == nullptr ? nullptr : module.find(*name);
    if (target != nullptr && !count_inlined(module, *target, target->body(), limit, count)) return false;
  }
  return true;
}

}  // namespace

bool is_inlined_size_below(const Module& module, const std::string& name, size_t limit) {
  size_t count = 0;
  const Function& f = defined_function(module, name);
  return count_inlined(module, f, f.body(), limit, count);
}

}  // namespace weft
