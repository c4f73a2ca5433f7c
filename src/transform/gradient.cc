#include "transform/gradient.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/tangent_space.h"
#include "transform/activity.h"
#include "transform/callees.h"
#include "transform/custom_rules.h"
#include "transform/dead_code.h"
#include "transform/install.h"

namespace weft {
namespace {

std::unique_ptr<Function> build_vjp(Module& module, const Function& f, std::span<const size_t> order, bool is_gradient,
                                    bool with_value, const std::string& name, const ReverseOptions& options) {
  if (const std::unique_ptr<const Function> call = call_of_ruled(module, f))
    return build_vjp(module, *call, order, is_gradient, with_value, name, options);
  Function out(name);
  out.set_loc(f.loc());
  std::vector<bool> marks(f.args().size()), results = tangent_results(f);
  for (size_t i : order) marks[i] = true;
  if (is_gradient) std::fill(results.begin() + 1, results.end(), false);

  CalleeCache cache;
  cache.options = options;
  DerivativeSession session(module, cache, out);
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
  const Function& f = defined_function(module, name);
  mark_args(f, args, "jvp");
  CalleeCache cache;
  const std::unique_ptr<const Function> call = call_of_ruled(module, f);
  return install(module, build_jvp(module, cache, call ? *call : f, args, tangent_results(f), as));
}

Function& jvp(Module& module, const std::string& name, const std::string& as) {
  const Function& f = defined_function(module, name);
  std::vector<size_t> args;
  for (size_t i = 0; i < f.args().size(); ++i) {
    const Type t = f.type(f.args()[i]);
    if (t.is_tensor() && has_tangent(t)) args.push_back(i);
  }
  return jvp(module, name, args, as);
}

Function& vjp(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as,
              bool with_value, const ReverseOptions& options) {
  const Function& f = defined_function(module, name);
  mark_args(f, args, "vjp");
  return install(module, build_vjp(module, f, args, /*is_gradient=*/false, with_value, as, options));
}

Function& gradient(Module& module, const std::string& name, std::span<const size_t> args, const std::string& as,
                   bool with_value, const ReverseOptions& options) {
  const Function& f = defined_function(module, name);
  mark_args(f, args, "grad");
  const std::vector<Type> results = f.result_types();
  if (results.empty() || !results[0].is_scalar() || !is_float(results[0].element_type())) {
    throw UserError("[grad] result 0 of @" + name + ": got " + (results.empty() ? "no result" : results[0].str()) +
                        ", expected a floating-point scalar (reduce it first, or take a vector-Jacobian product)",
                    f.loc());
  }
  return install(module, build_vjp(module, f, args, /*is_gradient=*/true, with_value, as, options));
}

}  // namespace weft
