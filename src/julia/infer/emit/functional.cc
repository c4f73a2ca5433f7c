// map, reductions and broadcasting.
#include <algorithm>
#include <set>

#include "julia/host/array.h"
#include "julia/infer/emit/elements_of.h"
#include "julia/infer/iterable.h"
#include "julia/infer/maybe.h"
#include "julia/infer/open_extents.h"
#include "julia/infer/stored.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

/// Whether a container has its elements one by one only.
bool is_one_by_one(Compiler& c, const Abstract& x) {
  if (is_list(c, x)) return true;
  if (is_array_object(c, x) || subtype(x.type, core().abstract_array)) return false;
  return iterable_of(c, x).is_unrolled;
}

using Elements = std::vector<std::function<Abstract(IrValue)>>;

/// Whether a function of elements gives what no tensor holds.
bool gives_lists(Compiler& c, const Compiler::ElementBody& body, const Elements& at, const std::vector<int64_t>& dims) {
  if (num_elements(dims) == 0) return false;
  const std::vector<HeapObject> objects = c.heap().objects;
  const bool was_dead = c.activation()->is_dead;
  bool lists = false;
  try {
    const Compiler::Region scratch(c, {});
    std::vector<Abstract> arguments;
    const IrValue zero = c.int_constant(0);
    for (const auto& element : at) arguments.push_back(element(zero));
    const Abstract v = body(std::move(arguments));
    lists = v.is_defined() && !c.activation()->is_dead && !is_plain_element(c, v.type);
  } catch (const NotCompiled&) {
  } catch (const UserError&) {}
  c.heap().objects = objects;
  c.activation()->is_dead = was_dead;
  return lists;
}

/// A comprehension with a condition: a vector of what it lets through.
Abstract map_filtered(Compiler& c, const Abstract& f, const Abstract& x, const Type* element) {
  const Iterable it = iterable_of(c, x);
  return collect_if(c, element, bound_of(c, x), it.count(c), [&](IrValue k) {
    const Abstract v = it.at(c, k);
    return std::pair(f.is_defined() ? c.call(f, {v}) : v, it.accepts(c, k));
  });
}

Abstract map_over(Compiler& c, const Abstract& f, Args containers, const std::vector<int64_t>& dims, bool bits,
                  const Type* element = nullptr) {
  const auto body = [&](std::vector<Abstract> arguments) {
    for (const Abstract& x : arguments) {
      if (!x.is_defined()) c.fail(Cause::kUnsupported, "elements one after another");
    }
    Abstract v = f.is_defined() ? c.call(f, std::move(arguments)) : arguments.front();
    return element == nullptr ? v : c.convert(element, v);
  };
  if (std::ranges::any_of(containers, [&](const Abstract& x) { return is_one_by_one(c, x); }) ||
      (element != nullptr && !is_plain_element(c, element)))
    return map_unrolled(c, body, containers, dims, element);
  std::vector<Abstract> whole;
  std::vector<std::function<Abstract(IrValue)>> at;
  for (const Abstract& x : containers) {
    ElementSource s = source_of(c, x, dims);
    whole.push_back(s.whole);
    at.push_back(s.at);
  }
  const std::vector<HeapObject> objects = c.heap().objects;
  try {
    std::vector<IrValue> leaves;
    const Abstract like = c.map_elements(f.is_defined() ? static_cast<const void*>(f.type) : nullptr, body, at, whole,
                                         reversed(dims), leaves);
    return array_of_leaves(c, like, dims, std::move(leaves), bits);
  } catch (const NotCompiled&) {
    // Elements that are arrays are made one by one.
    c.heap().objects = objects;
    if (!gives_lists(c, body, at, dims)) throw;
  }
  return map_unrolled(c, body, containers, dims, element);
}

Abstract map_arrays(Compiler& c, Args a) {
  if (any_open(c, a.subspan(1))) return map_open(c, a[0], a.subspan(1), nullptr);
  std::vector<int64_t> dims = dims_of(c, a[1]);
  for (const Abstract& x : a.subspan(2)) {
    if (dims_of(c, x) != dims) c.fail(Cause::kUnsupported, "map over arrays of several sizes");
  }
  return map_over(c, a[0], a.subspan(1), dims, false);
}

/// map!(f, destination, arrays…)
Abstract map_into(Compiler& c, Args a) {
  const Abstract to = array_argument(c, a[1]);
  const HeapObject o = c.object(to);
  if (o.dims.is_open()) {
    const Abstract made = map_open(c, a[0], a.subspan(2), o.element);
    if (c.object(made).dims != o.dims) c.fail(Cause::kShape, "map! over arrays whose open extents may differ");
    c.writable(to).leaves = c.object(made).leaves;
    return to;
  }
  for (const Abstract& x : a.subspan(2)) {
    if (num_elements(dims_of(c, x)) != length_of(o)) c.fail(Cause::kUnsupported, "map! over arrays of several sizes");
  }
  const Abstract made = map_over(c, a[0], a.subspan(2), o.dims, false, o.element);
  c.writable(to).leaves = c.object(made).leaves;
  return to;
}

/// The elements of something with open extents that has them by their place among all.
Abstract collect_iterable(Compiler& c, const Abstract& f, const Abstract& from, const GivenExtents& extents,
                          const Type* element) {
  const Iterable it = iterable_of(c, from);
  if (extents.dims.size() != 1 || it.is_unrolled || it.accepts)
    c.fail(Cause::kShape, "a comprehension of several dimensions, or with a filter, and open extents");
  return collect_open(c, extents, element, false, [&](const std::vector<IrValue>& at) {
    const Abstract x = it.at(c, at[0]);
    return f.is_defined() ? c.call(f, {x}) : x;
  });
}

bool is_filtered(Compiler& c, const Abstract& x) {
  static const std::set<std::string> kLazy = {"Filter", "Generator"};
  if (!kLazy.contains(x.type->name->name.text())) return false;
  return iterable_of(c, x).accepts != nullptr;
}

/// collect(f, iterator, shape, type of none)
Abstract collect_mapped(Compiler& c, Args a) {
  const bool is_plain = a[0].is_constant() && a[0].constant.is(core().nothing);
  if (is_filtered(c, a[1])) return map_filtered(c, is_plain ? Abstract() : a[0], a[1], nullptr);
  if (is_bounded(c, a[1])) {
    const std::vector<Abstract> both = {
        is_plain ? Abstract::of_constant(c.evaluator().base_function("identity")) : a[0], a[1]};
    return find_stored_emission(c, "_map", both)(c, both);
  }
  if (c.has_open_extents()) {
    const GivenExtents extents = given_extents(c, a[2].type->is_tuple ? a[2] : c.call_base("length", {a[1]}));
    if (extents.dims.is_open()) return collect_iterable(c, is_plain ? Abstract() : a[0], a[1], extents, nullptr);
  }
  std::vector<int64_t> dims;
  if (a[2].type->is_tuple) dims = known_dims(c, a[2]);
  else
    dims = {c.known_int(c.convert(core().int64, c.call_base("length", {a[1]})),
                        "the number of elements of a comprehension")};
  return map_over(c, is_plain ? Abstract() : a[0], a.subspan(1, 1), dims, false);
}

Abstract collect_typed(Compiler& c, Args a) {
  const bool is_plain = a[1].is_constant() && a[1].constant.is(core().nothing);
  if (!a[0].is_constant()) c.fail(Cause::kDispatch, "an element type that is not known");
  const Type* element = c.evaluator().impl().type_of_value(a[0].constant);
  if (is_filtered(c, a[2])) return map_filtered(c, is_plain ? Abstract() : a[1], a[2], element);
  std::vector<int64_t> dims;
  if (a[3].type->is_tuple) dims = known_dims(c, a[3]);
  else
    dims = {c.known_int(c.convert(core().int64, c.call_base("length", {a[2]})),
                        "the number of elements of a comprehension")};
  return map_over(c, is_plain ? Abstract() : a[1], a.subspan(2, 1), dims, false, element);
}

/// A view whose length is known only when the program runs.
bool is_counted_view(Compiler& c, const Abstract& x) {
  return is_slice_view(c, x) && !c.call_base("length", {x}).is_constant();
}

/// A view or any other array as an array of its own.
Abstract dense(Compiler& c, Args a) {
  if (is_array_object(c, a[0])) return find_emission("_array_copy")(c, a);
  if (is_counted_view(c, a[0])) return collect_vector(c, a[0]);
  return map_over(c, Abstract(), a.first(1), dims_of(c, a[0]), false);
}

Abstract range_collect(Compiler& c, Args a) {
  return map_over(c, Abstract(), a.first(1),
                  {c.known_int(c.convert(core().int64, c.call_base("length", {a[0]})), "the length of a range")},
                  false);
}

// ---- reductions ------------------------------------------------------------------------------------------------------------------------

std::string function_name(const Abstract& f) {
  return f.type->name->function ? f.type->name->function.text() : std::string();
}

/// sum and prod of small integers are Int or UInt.
NumberKind widened(NumberKind k) {
  if (k <= NumberKind::kInt32) return NumberKind::kInt64;
  return is_unsigned(k) && k < NumberKind::kUInt64 ? NumberKind::kUInt64 : k;
}

/// A sum begins with -0.0, to which adding changes nothing.
IrValue reduce_all(Compiler& c, IrValue x, std::span<const int64_t> axes, const std::string& op, NumberKind kind) {
  if (op != "stablehlo.add" || !is_float(kind)) return c.b().reduce(x, axes, op);
  return c.b().reduce(x, axes, op, c.b().scalar(c.b().type(x).element_type(), -0.0));
}

/// The op that a reduction by this function is, for elements of this kind; empty: a loop.
std::string reduction_op(const Abstract& op, NumberKind kind) {
  const std::string name = function_name(op);
  const bool is_bool = kind == NumberKind::kBool;
  if ((name == "+" || name == "add_sum") && !is_bool) return "stablehlo.add";
  if ((name == "*" || name == "mul_prod") && !is_bool) return "stablehlo.multiply";
  if (name == "max") return is_bool ? "stablehlo.or" : "stablehlo.maximum";
  if (name == "min") return is_bool ? "stablehlo.and" : "stablehlo.minimum";
  if (name == "|" && is_integer(kind)) return "stablehlo.or";
  if (name == "&" && is_integer(kind)) return "stablehlo.and";
  return "";
}

Abstract reduce_first(Compiler& c, const Abstract& f, const Abstract& op, const Abstract& x) {
  return c.call_base("mapreduce_first", {f, op, x});
}

/// The fold of what an iterator gives, in order; `init` may be undefined.
Abstract fold_left(Compiler& c, const Abstract& f, const Abstract& op, const Abstract& init, const Abstract& iterator,
                   bool* found_known, IrValue* found) {
  const Iterable it = iterable_of(c, iterator);
  *found_known = true;
  if (it.is_unrolled) {
    Abstract v = init;
    for (const Abstract& x : it.elements) {
      v = v.is_defined() ? c.call(op, {v, c.call(f, {x})}) : reduce_first(c, f, op, x);
      if (c.activation()->is_dead) return Abstract::nothing();
    }
    *found_known = v.is_defined();
    *found = {};
    return v;
  }
  const IrValue count = it.count(c);
  const auto next = [&](IrValue k, const Abstract& v) {
    const auto take = [&] { return c.call(op, {v, c.call(f, {it.at(c, k)})}); };
    if (!it.accepts) return take();
    return c.choose(it.accepts(c, k), take, [&] { return v; });
  };
  const IrValue zero = c.int_constant(0), one = c.int_constant(1);
  if (init.is_defined()) {
    // The accumulator has the type that an iteration gives.
    Abstract start = init;
    {
      Compiler::Region scratch(c, {});
      const Abstract once = next(zero, init);
      if (once.is_defined() && once.type != init.type && number_kind(once.type) && number_kind(init.type))
        start = Abstract::of_scalar(once.type, {});
    }
    if (start.kind == How::kScalar && !start.ir) start = c.convert(start.type, init);
    return c.fold(zero, count, start, next);
  }
  if (it.accepts) return fold_accepted(c, f, op, it, found);
  *found = compare2(c, count, zero, "GT");
  const Abstract first = reduce_first(c, f, op, it.at(c, zero));
  return c.fold(one, count, first, next);
}

Abstract foldl_found(Compiler& c, Args a) {
  if (iterates_itself(c, a[2])) {
    const Abstract folded = c.call_base("_iterated_foldl", {a[0], a[1], a[2]});
    if (is_nothing(folded)) return c.tuple({Abstract::of_constant(boolean(false)), folded});
    const bool may_lack = is_maybe(folded);
    const Abstract flag = may_lack ? folded.fields[0] : Abstract::of_constant(boolean(true));
    return c.tuple({flag, c.field(may_lack ? folded.fields[1] : folded, 0)});
  }
  bool known = false;
  IrValue found;
  Abstract v = fold_left(c, a[0], a[1], Abstract(), a[2], &known, &found);
  const Abstract flag = found ? Abstract::of_scalar(core().bool_, found) : Abstract::of_constant(boolean(known));
  if (!v.is_defined()) v = Abstract::nothing();
  return c.tuple({flag, v});
}

Abstract foldl_from(Compiler& c, Args a) {
  bool known = false;
  IrValue found;
  return fold_left(c, a[0], a[1], a[2], a[3], &known, &found);
}

/// mapreduce(f, op, array) of all elements, of which there are some.
Abstract mapreduce(Compiler& c, Args a) {
  const bool is_open = any_open(c, a.subspan(2, 1)) || is_counted_view(c, a[2]);
  const std::vector<int64_t> dims = is_open ? std::vector<int64_t>() : dims_of(c, a[2]);
  if (!is_open && num_elements(dims) > 0 && !function_name(a[1]).empty()) {
    // On all elements at once when the op is one of IR's.
    const Abstract mapped = map_over(c, a[0], a.subspan(2, 1), dims, false);
    const HeapObject o = c.object(mapped);
    const auto kind = number_kind(o.element);
    std::string op = kind ? reduction_op(a[1], *kind) : "";
    if (!op.empty() && o.leaves.size() == 1) {
      IrValue x = o.leaves[0];
      NumberKind k = *kind;
      const bool widens = function_name(a[1]) == "add_sum" || function_name(a[1]) == "mul_prod";
      if (widens && is_integer(k)) x = convert_num(c, {k, x}, widened(k)).v, k = widened(k);
      std::vector<int64_t> all;
      for (size_t d = 0; d < dims.size(); ++d) all.push_back(static_cast<int64_t>(d));
      return result(k, dims.empty() ? x : reduce_all(c, x, all, op, k));
    }
    const Abstract identity = Abstract::of_constant(c.evaluator().base_function("identity"));
    bool known = false;
    IrValue found;
    return fold_left(c, identity, a[1], Abstract(), mapped, &known, &found);
  }
  bool known = false;
  IrValue found;
  return fold_left(c, a[0], a[1], Abstract(), a[2], &known, &found);
}

/// mapreduce(f, op, array, dims, init?) along some dimensions, which keep the extent 1.
Abstract mapreduce_dims(Compiler& c, Args a) {
  std::vector<int64_t> dims = dims_of(c, a[2]);
  const std::vector<int64_t> region = known_dims(c, a[3]);
  const Abstract start = a.size() > 4 ? a[4] : Abstract();
  bool is_empty = is_list(c, a[2]);
  for (const int64_t d : dims) is_empty = is_empty || d == 0;
  if (is_empty) return reduce_along(c, a[0], a[1], a[2], region, start);
  const Abstract mapped = map_over(c, a[0], a.subspan(2, 1), dims, false);
  const HeapObject o = c.object(mapped);
  const auto kind = number_kind(o.element);
  std::string op = kind ? reduction_op(a[1], *kind) : "";
  NumberKind k = kind.value_or(NumberKind::kInt64);
  const std::string name = function_name(a[1]);
  const bool counts = kind && *kind == NumberKind::kBool && (name == "+" || name == "add_sum");
  if (counts) op = "stablehlo.add";
  const bool starts_otherwise = start.is_defined() && !number_kind(start.type);
  if (op.empty() || starts_otherwise || o.leaves.size() != 1)
    return reduce_along(c, Abstract::of_constant(c.evaluator().base_function("identity")), a[1], mapped, region, start);
  IrValue x = o.leaves.front();
  const bool widens = counts || ((name == "add_sum" || name == "mul_prod") && is_integer(k) && k < NumberKind::kInt64);
  if (widens) x = convert_num(c, {k, x}, NumberKind::kInt64).v, k = NumberKind::kInt64;
  std::vector<int64_t> axes;
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<int64_t> kept = dims;
  for (const int64_t d : region) {
    if (d < 1) c.fail(Cause::kUnsupported, "a reduction along dimension " + std::to_string(d));
    if (d > rank || std::ranges::find(axes, rank - d) != axes.end()) continue;
    axes.push_back(rank - d);
    kept[static_cast<size_t>(d - 1)] = 1;
  }
  std::ranges::sort(axes);
  IrValue v = axes.empty() ? x : reduce_all(c, x, axes, op, k);
  v = c.b().reshape(v, reversed(kept));
  Abstract out = c.new_array(array_type(number_type(k), rank), kept, {v});
  if (a.size() > 4) {
    const Num init = num(c, a[4]);
    const NumberKind both = promote_kind(init.kind, k);
    const IrValue joined = op2(c, op, convert_num(c, {k, v}, both).v, convert_num(c, init, both).v);
    out = c.new_array(array_type(number_type(both), rank), kept, {joined});
  }
  return out;
}

template <bool Any>
Abstract any_or_all(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  if (it.is_unrolled) {
    Abstract v = Abstract::of_constant(boolean(!Any));
    for (const Abstract& x : it.elements) {
      Abstract one = c.call(a[0], {x});
      if (one.type != core().bool_) c.fail(Cause::kUnsupported, "any or all of values that are no Bools");
      if (one.is_constant() && one.constant.get<bool>() == Any) return one;
      if (one.is_constant()) continue;
      v = v.is_constant()
              ? one
              : result(NumberKind::kBool, op2(c, Any ? "stablehlo.or" : "stablehlo.and", c.scalar(v), c.scalar(one)));
    }
    return v;
  }
  // It stops where it is decided, as Julia's does: what follows might throw.
  const IrValue count = it.count(c);
  const Abstract start = Abstract::of_scalar(core().bool_, c.b().constant(Literal::dense(Tensor::scalar_of(!Any))));
  return c.fold_while(
      c.int_constant(0), count, start,
      [&](IrValue k, const Abstract& v) {
        const auto test = [&] {
          Abstract one = c.call(a[0], {it.at(c, k)});
          if (one.type != core().bool_) c.fail(Cause::kUnsupported, "any or all of values that are no Bools");
          return one;
        };
        return it.accepts ? c.choose(it.accepts(c, k), test, [&] { return v; }) : test();
      },
      [&](const Abstract& v) { return Any ? op1(c, "stablehlo.not", c.scalar(v)) : c.scalar(v); });
}

Abstract count(Compiler& c, Args a) {
  const Iterable it = iterable_of(c, a[1]);
  const auto as_int = [&](const Abstract& flag) {
    if (flag.type != core().bool_) c.fail(Cause::kUnsupported, "count of values that are no Bools");
    return convert_num(c, num(c, flag), NumberKind::kInt64).v;
  };
  if (it.is_unrolled) {
    IrValue n = c.int_constant(0);
    for (const Abstract& x : it.elements) n = op2(c, "stablehlo.add", n, as_int(c.call(a[0], {x})));
    return result(NumberKind::kInt64, n);
  }
  const Abstract zero = result(NumberKind::kInt64, c.int_constant(0));
  return c.fold(c.int_constant(0), it.count(c), zero, [&](IrValue k, const Abstract& v) {
    const auto add = [&] {
      return result(NumberKind::kInt64, op2(c, "stablehlo.add", c.scalar(v), as_int(c.call(a[0], {it.at(c, k)}))));
    };
    return it.accepts ? c.choose(it.accepts(c, k), add, [&] { return v; }) : add();
  });
}

/// accumulate(op, array, dimension, init?)
Abstract accumulate(Compiler& c, Args a) {
  const Abstract array = array_argument(c, is_array_object(c, a[1]) ? a[1] : range_collect(c, a.subspan(1, 1)));
  const HeapObject o = c.object(array);
  const int64_t along = c.known_int(a[2], "a dimension");
  const int64_t n = length_of(o);
  if (o.dims.size() != 1 || along != 1 || n == 0)
    return accumulate_along(c, a[0], array, along, a.size() > 3 ? a[3] : Abstract());
  const Abstract identity = Abstract::of_constant(c.evaluator().base_function("identity"));
  const IrValue zero = c.int_constant(0), one = c.int_constant(1);
  Abstract first = a.size() > 3 ? c.call(a[0], {a[3], element_at(c, array, zero)})
                                : reduce_first(c, identity, a[0], element_at(c, array, zero));
  const Abstract made = make_filled(c, first.type, o.dims, &first);
  c.fold(one, c.int_constant(n), first, [&](IrValue k, const Abstract& v) {
    const Abstract next = c.call(a[0], {v, element_at(c, array, k)});
    c.put_element(made, k, next);
    return next;
  });
  return made;
}

/// Whether an integer is in a range of integers: by arithmetic.
IrValue is_in_range(Compiler& c, const Abstract& x, const Abstract& range) {
  const std::string name = range.type->name->name.text();
  const auto wide = [&](const Abstract& v) { return convert_num(c, num(c, v), NumberKind::kInt64).v; };
  const IrValue v = wide(x);
  const IrValue start = name == "OneTo" ? int_like(c, v, 1) : wide(c.field(range, 0));
  const IrValue stop = wide(c.field(range, name == "OneTo" ? 0 : name == "StepRange" ? 2 : 1));
  const auto between = [&](IrValue low, IrValue high) {
    return op2(c, "stablehlo.and", compare2(c, v, low, "GE"), compare2(c, v, high, "LE"));
  };
  if (name != "StepRange") return between(start, stop);
  const IrValue step = wide(c.field(range, 1));
  const IrValue zero = int_like(c, step, 0);
  const IrValue up = compare2(c, step, zero, "GT");
  // Differences may be larger than Int64: they are counted without a sign.
  const auto unsigned_bits = [&](IrValue i) {
    return c.b().make("stablehlo.bitcast_convert", {i}, {}, c.b().type(i).with_element(ElementType::kU64));
  };
  const IrValue distance =
      unsigned_bits(select3(c, up, op2(c, "stablehlo.subtract", v, start), op2(c, "stablehlo.subtract", start, v)));
  const IrValue size = op1(c, "stablehlo.abs", select3(c, compare2(c, step, zero, "EQ"), int_like(c, step, 1), step));
  const IrValue rest = op2(c, "stablehlo.remainder", distance, unsigned_bits(size));
  const IrValue inside = select3(c, up, between(start, stop), between(stop, start));
  return op2(c, "stablehlo.and", inside, compare2(c, rest, int_like(c, rest, 0), "EQ"));
}

Abstract is_in(Compiler& c, Args a) {
  const std::string container = a[1].type->name->name.text();
  const auto element = a[1].type->parameters.empty() ? std::nullopt : number_kind(a[1].type->parameters[0]);
  const auto sought = number_kind(a[0].type);
  const bool by_arithmetic = (container == "UnitRange" || container == "OneTo" || container == "StepRange") &&
                             element && is_integer(*element) && sought && is_integer(*sought) &&
                             !is_unsigned(*sought) && !is_unsigned(*element);
  if (by_arithmetic) return result(NumberKind::kBool, is_in_range(c, a[0], a[1]));
  const Iterable it = iterable_of(c, a[1]);
  const auto equal = [&](const Abstract& x) { return c.call_base("==", {x, a[0]}); };
  if (it.is_unrolled) {
    IrValue v = c.b().constant(Literal::dense(Tensor::scalar_of(false)));
    for (const Abstract& x : it.elements) v = op2(c, "stablehlo.or", v, c.scalar(equal(x)));
    return result(NumberKind::kBool, v);
  }
  const Abstract start = Abstract::of_scalar(core().bool_, c.b().constant(Literal::dense(Tensor::scalar_of(false))));
  return c.fold_while(
      c.int_constant(0), it.count(c), start, [&](IrValue k, const Abstract&) { return equal(it.at(c, k)); },
      [&](const Abstract& v) { return op1(c, "stablehlo.not", c.scalar(v)); });
}

constexpr Emission kEmissions[] = {
    {"_map", map_arrays},
    {"_map!", map_into},
    {"_collect_mapped", collect_mapped},
    {"_collect_typed", collect_typed},
    {"_range_collect", range_collect},
    {"_dense", dense},
    {"_mapreduce", mapreduce},
    {"_mapreducedim", mapreduce_dims},
    {"_foldl", foldl_found},
    {"_foldl_from", foldl_from},
    {"_any", any_or_all<true>},
    {"_all", any_or_all<false>},
    {"_count", count},
    {"_accumulate", accumulate},
    {"_in", is_in},
};

}  // namespace

std::span<const Emission> functional_emissions() { return kEmissions; }

}  // namespace weft::julia
