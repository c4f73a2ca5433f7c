#include "julia/infer/derive/lanes.h"

#include "julia/infer/border/call_cache.h"
#include "julia/infer/derive/host_derivatives.h"
#include "julia/infer/kept.h"

namespace weft::julia {
namespace {

struct Lanes {
  std::unique_ptr<CompiledCall> call;  // null: not compiled
  std::vector<Binding*> globals;
};

}  // namespace

Value run_lanes(Evaluator& e, std::span<const Value> arguments) {
  auto& made = kept_with<CallCache<Lanes>>(e);
  made.renew(e.impl().generation);
  const Value pfor = e.impl().intrinsic_value("_pfor");
  const auto left_to_host = [&](const NotCompiled& why) {
    say_left_to_host(
        e, "one lane after another in the host: " + name_of_callee(arguments[0]) + ": " + not_compiled_text(why));
  };
  try {
    const Lanes* lanes = made.find(call_key(pfor, arguments, {}, KeyOf::kExtents), [&] {
      auto out = std::make_unique<Lanes>();
      CompileCallOptions options;
      options.target = e.impl().compile_target;
      try {
        out->call = compile_call(e, pfor, arguments, {}, options);
        out->globals = out->call->globals;
      } catch (const NotCompiled& why) { left_to_host(why); }
      return out;
    });
    made.keep(e.impl().generation);
    if (!lanes->call) return nothing();
    CompiledCall::Failure why = {};
    return lanes->call->run(pfor, arguments, {}, why).value_or(nothing());
  } catch (const NotCompiled& why) { left_to_host(why); }  // an argument that compiled code cannot take
  return nothing();
}

}  // namespace weft::julia
