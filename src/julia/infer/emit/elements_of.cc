#include "julia/infer/emit/elements_of.h"

#include "julia/host/array.h"
#include "julia/infer/stored.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

std::vector<int64_t> dims_of(Compiler& c, const Abstract& a) {
  if (is_list(c, a)) return c.object(a).dims;
  if (is_array_object(c, a) || is_bounded(c, a)) return c.object(array_argument(c, a)).dims;
  return known_dims(c, c.call_base("size", {a}));
}

ElementSource source_of(Compiler& c, const Abstract& v, const std::vector<int64_t>& dims) {
  ElementSource out;
  if (is_array_object(c, v)) {
    const Abstract array = array_argument(c, v);
    const HeapObject o = c.object(array);
    size_t next = 0;
    out.whole = c.from_leaves(o.element, o.leaves, next);
    out.at = [&c, array](IrValue i) { return element_at(c, array, i); };
    return out;
  }
  const Iterable it = iterable_of(c, v);
  if (it.accepts)
    c.fail(Cause::kShape, "the number of elements that a filter lets through is known only when the program runs");
  if (it.is_unrolled) c.fail(Cause::kUnsupported, "a map over a tuple and an array");
  out.at = [&c, it](IrValue i) { return it.at(c, i); };
  const int64_t n = num_elements(dims);
  const int64_t flat[] = {n};
  IrValue positions = c.b().iota(weft::Type::tensor(ElementType::kI64, flat), 0);
  positions = c.b().reshape(positions, reversed(dims));
  // A container that has no elements all at once is run over in a loop: `whole` stays undefined.
  try {
    const Compiler::Attempt attempt(c);
    out.whole = it.at(c, dims.empty() ? c.int_constant(0) : positions);
  } catch (const NotCompiled&) {
  } catch (const UserError&) {}
  return out;
}

Abstract array_of_leaves(Compiler& c, const Abstract& like, const std::vector<int64_t>& dims,
                         std::vector<IrValue> leaves, bool bits) {
  const auto rank = static_cast<int64_t>(dims.size());
  const DataType* type =
      bits && like.type == core().bool_ ? applied(core().bit_array, {make_int(rank)}) : array_type(like.type, rank);
  return c.new_array(type, dims, std::move(leaves));
}

}  // namespace weft::julia
