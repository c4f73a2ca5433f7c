// Reductions of the elements that a filter takes: the first of them is known only when the program runs.
#include "julia/host/number.h"
#include "julia/infer/iterable.h"
#include "julia/infer/wide.h"

namespace weft::julia {

Abstract fold_accepted(Compiler& c, const Abstract& f, const Abstract& op, const Iterable& it, IrValue* found) {
  const IrValue zero = c.int_constant(0);
  const auto begin = [&](const Abstract& x) { return c.call_base("reduce_first", {op, x}); };
  Abstract like;
  {
    Compiler::Region scratch(c, {});
    like = begin(c.call(f, {it.at(c, zero)}));
  }
  const auto type = like.is_defined() ? run_time_type(like.type) : std::nullopt;
  if (!type) c.fail(Cause::kUnsupported, "a reduction of filtered elements without a start value", "give it `init`");
  const Abstract none = Abstract::of_scalar(like.type, c.b().zeros(weft::Type::scalar(*type)));
  const Abstract pair = c.fold(zero, it.count(c), c.tuple({Abstract::of_constant(boolean(false)), none}),
                               [&](IrValue k, const Abstract& so_far) {
                                 const auto take = [&] {
                                   const Abstract x = c.call(f, {it.at(c, k)});
                                   const Abstract v = c.choose(
                                       c.scalar(c.field(so_far, 0)),
                                       [&] { return c.call(op, {c.field(so_far, 1), x}); }, [&] { return begin(x); });
                                   return c.tuple({Abstract::of_constant(boolean(true)), v});
                                 };
                                 return c.choose(it.accepts(c, k), take, [&] { return so_far; });
                               });
  *found = c.scalar(c.field(pair, 0));
  return c.field(pair, 1);
}

}  // namespace weft::julia
