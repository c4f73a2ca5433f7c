#include "transform/gradient.h"

#include <algorithm>

#include "ops/region_flow.h"
#include "ops/tangent_space.h"
#include "transform/activity.h"
#include "transform/dead_code.h"
#include "transform/install.h"
#include "transform/linearizer.h"

namespace weft {
namespace {

std::vector<bool> tangent_results(const Function& f) {
  std::vector<bool> out;
  for (Type t : f.result_types()) out.push_back(has_tangent(t));
  return out;
}

/// Marks of the arguments to differentiate.
std::vector<bool> mark_args(const Function& f, std::span<const size_t> args, std::string_view what) {
  const std::string prefix = "[" + std::string(what) + "] ";
  std::vector<bool> marks(f.args().size());
  for (size_t i : args) {
    if (i >= marks.size()) {
      throw UserError(prefix + "argument to differentiate of @" + f.name() + ": got " + std::to_string(i) + ", expected less than " +
                          std::to_string(marks.size()),
                      f.loc());
    }
    if (marks[i]) throw UserError(prefix + "argument " + std::to_string(i) + " of @" + f.name() + " is listed twice", f.loc());
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

const Function& defined(const Module& module, const std::string& name) {
  const Function& f = module.get(name);
  if (!f.terminator(f.body())) throw UserError("function @" + name + " has no body", f.loc());
  return f;
}

std::vector<Value> copy_args(const Function& from, Function& to) {
  std::vector<Value> out;
  for (Value v : from.args()) out.push_back(to.add_arg(to.body(), from.type(v)));
  to.arg_attrs() = from.arg_attrs();
  to.arg_attrs().resize(out.size());
  return out;
}

/// f with tangents of the arguments in `order`, returning tangents of the results marked.
std::unique_ptr<Function> build_jvp(Module& module, CalleeCache& cache, const Function& f, std::span<const size_t> order,
                                    const std::vector<bool>& results, const std::string& name) {
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

std::unique_ptr<Function> build_vjp(Module& module, const Function& f, std::span<const size_t> order, bool is_gradient,
                                    bool with_value, const std::string& name) {
  Function out(name);
  out.set_loc(f.loc());
  std::vector<bool> marks(f.args().size()), results = tangent_results(f);
  for (size_t i : order) marks[i] = true;
  if (is_gradient) std::fill(results.begin() + 1, results.end(), false);

  CalleeCache cache;
  DerivativeSession session(module, cache, out);
  session.inlining.push_back(f.name());
  SourceFrame& frame = session.frames.emplace_back(f, differentiated_values(f, marks, results));
  VectorMap& tangents = session.tangents.emplace_back();
  Tape& tape = session.tapes.emplace_back(out);
  const std::vector<Value> args = copy_args(f, out);
  for (size_t i = 0; i < args.size(); ++i) frame.primals.set(f.args()[i], args[i]);
  for (size_t i : order) tangents[f.args()[i]] = tape.add_input(f.type(f.args()[i]));

  Linearizer& walker = session.linearizers.emplace_back(session, frame, out.body(), tangents, &tape);
  const Linearized linearized = walker.run(f.body());

  OpBuilder b(out, out.body(), &module);
  VectorMap cotangents;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    const Type t = out.type(linearized.results[i]);
    const Value seed = is_gradient ? Value{} : out.add_arg(out.body(), t);
    if (!linearized.tangents[i]) continue;
    Value& sum = cotangents[linearized.tangents[i]];
    sum = accumulate_tangent(b, sum, is_gradient ? b.splat(t, 1) : seed);
  }
  tape.transpose(b, cotangents);

  std::vector<Value> returned;
  if (with_value) returned = linearized.results;
  for (size_t i : order) {
    const auto it = cotangents.find(tangents.at(f.args()[i]));
    returned.push_back(it != cotangents.end() && it->second ? it->second : zero_tangent(b, f.type(f.args()[i])));
  }
  b.yield(returned);
  return eliminate_dead_code(out, &module);
}

}  // namespace

Function& jvp(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as) {
  const Function& f = defined(module, name);
  mark_args(f, args, "jvp");
  CalleeCache cache;
  return install(module, build_jvp(module, cache, f, args, tangent_results(f), as));
}

Function& jvp(Module& module, const std::string& name, const std::string& as) {
  const Function& f = defined(module, name);
  std::vector<size_t> args;
  for (size_t i = 0; i < f.args().size(); ++i) {
    const Type t = f.type(f.args()[i]);
    if (t.is_tensor() && has_tangent(t)) args.push_back(i);
  }
  return jvp(module, name, args, as);
}

Function& vjp(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as, bool with_value) {
  const Function& f = defined(module, name);
  mark_args(f, args, "vjp");
  return install(module, build_vjp(module, f, args, /*is_gradient=*/false, with_value, as));
}

Function& gradient(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as, bool with_value) {
  const Function& f = defined(module, name);
  mark_args(f, args, "grad");
  const std::vector<Type> results = f.result_types();
  if (results.empty() || !results[0].is_scalar() || !is_float(results[0].element_type())) {
    throw UserError("[grad] result 0 of @" + name + ": got " + (results.empty() ? "no result" : results[0].str()) +
                        ", expected a floating-point scalar (reduce it first, or take a vector-Jacobian product)",
                    f.loc());
  }
  return install(module, build_vjp(module, f, args, /*is_gradient=*/true, with_value, as));
}

RegionLinearizer::Callee jvp_callee(Module& module, CalleeCache& cache, const std::string& name, const std::vector<bool>& args) {
  const auto key = std::pair(name, args);
  if (const auto it = cache.find(key); it != cache.end()) return it->second;
  const Function& f = defined(module, name);
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
  cache.emplace(key, callee);
  std::unique_ptr<Function> built = build_jvp(module, cache, f, order, callee.results, callee.name);
  built->set_public(false);
  module.replace(std::move(built));
  return callee;
}

}  // namespace weft
