// map, reductions and broadcasting.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/arrays.h"
#include "julia/infer/iterable.h"
#include "julia/run/impl.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

namespace {

using Args = std::span<const Abstract>;

bool is_array_object(Compiler& c, const Abstract& a) {
  return a.kind == How::kObject ? c.object(a).is_array : a.is_constant() && is_array(a.constant);
}

std::vector<int64_t> dims_of(Compiler& c, const Abstract& a) {
  if (is_array_object(c, a)) return c.object(array_argument(c, a)).dims;
  return known_dims(c, c.call_base("size", {a}));
}

int64_t product(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

/// Something whose elements a function is mapped over.
struct Source {
  Abstract whole;
  std::function<Abstract(IrValue)> at;
};

Source source_of(Compiler& c, const Abstract& v, const std::vector<int64_t>& dims) {
  Source out;
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
  const int64_t n = product(dims);
  const int64_t flat[] = {n};
  IrValue positions = c.b().iota(weft::Type::tensor(ElementType::kI64, flat), 0);
  positions = c.b().reshape(positions, reversed(dims));
  // A container that has no elements all at once is run over in a loop: `whole` stays undefined.
  try {
    out.whole = it.at(c, dims.empty() ? int_constant(c, 0) : positions);
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

Abstract map_over(Compiler& c, const Abstract& f, Args containers, const std::vector<int64_t>& dims, bool bits,
                  const Type* element = nullptr) {
  std::vector<Abstract> whole;
  std::vector<std::function<Abstract(IrValue)>> at;
  for (const Abstract& x : containers) {
    Source s = source_of(c, x, dims);
    whole.push_back(s.whole);
    at.push_back(s.at);
  }
  std::vector<IrValue> leaves;
  const auto body = [&](std::vector<Abstract> arguments) {
    for (const Abstract& x : arguments) {
      if (!x.is_defined()) c.fail(Cause::kUnsupported, "elements one after another");
    }
    Abstract v = f.is_defined() ? c.call(f, std::move(arguments)) : arguments.front();
    return element == nullptr ? v : c.convert(element, v);
  };
  const Abstract like = c.map_elements(f.is_defined() ? static_cast<const void*>(f.type) : nullptr, body, at, whole,
                                       reversed(dims), leaves);
  return array_of_leaves(c, like, dims, std::move(leaves), bits);
}

Abstract map_arrays(Compiler& c, Args a) {
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
  for (const Abstract& x : a.subspan(2)) {
    if (product(dims_of(c, x)) != length_of(o)) c.fail(Cause::kUnsupported, "map! over arrays of several sizes");
  }
  const Abstract made = map_over(c, a[0], a.subspan(2), o.dims, false, o.element);
  c.writable(to).leaves = c.object(made).leaves;
  return to;
}

/// collect(f, iterator, shape, type of none)
Abstract collect_mapped(Compiler& c, Args a) {
  const bool is_plain = a[0].is_constant() && a[0].constant.is(core().nothing);
  std::vector<int64_t> dims;
  if (a[2].type->is_tuple) dims = known_dims(c, a[2]);
  else
    dims = {c.known_int(c.convert(core().int64, c.call_base("length", {a[1]})),
                        "the number of elements of a comprehension")};
  return map_over(c, is_plain ? Abstract() : a[0], a.subspan(1, 1), dims, false);
}

Abstract collect_typed(Compiler& c, Args a) {
  const bool is_plain = a[1].is_constant() && a[1].constant.is(core().nothing);
  std::vector<int64_t> dims;
  if (a[3].type->is_tuple) dims = known_dims(c, a[3]);
  else
    dims = {c.known_int(c.convert(core().int64, c.call_base("length", {a[2]})),
                        "the number of elements of a comprehension")};
  if (!a[0].is_constant()) c.fail(Cause::kDispatch, "an element type that is not known");
  const Type* element = c.evaluator().impl().type_of_value(a[0].constant);
  return map_over(c, is_plain ? Abstract() : a[1], a.subspan(2, 1), dims, false, element);
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
  const IrValue zero = int_constant(c, 0), one = int_constant(c, 1);
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
  if (it.accepts)
    c.fail(Cause::kUnsupported, "a reduction of filtered elements without a start value", "give it `init`");
  *found = compare2(c, count, zero, "GT");
  const Abstract first = reduce_first(c, f, op, it.at(c, zero));
  return c.fold(one, count, first, next);
}

Abstract foldl_found(Compiler& c, Args a) {
  bool known = false;
  IrValue found;
  Abstract v = fold_left(c, a[0], a[1], Abstract(), a[2], &known, &found);
  const Abstract flag = found ? Abstract::of_scalar(core().bool_, found) : Abstract::of_constant(boolean(known));
  if (!v.is_defined()) v = Abstract::nothing();
  const Type* types[] = {core().bool_, v.type};
  return c.constant_or_fields(make_tuple_type(types), {flag, v});
}

Abstract foldl_from(Compiler& c, Args a) {
  bool known = false;
  IrValue found;
  return fold_left(c, a[0], a[1], a[2], a[3], &known, &found);
}

/// mapreduce(f, op, array) of all elements, of which there are some.
Abstract mapreduce(Compiler& c, Args a) {
  const std::vector<int64_t> dims = dims_of(c, a[2]);
  if (product(dims) > 0 && !function_name(a[1]).empty()) {
    // On all elements at once when the op is one of IR's.
    const Abstract mapped = map_over(c, a[0], a.subspan(2, 1), dims, false);
    const HeapObject o = c.object(mapped);
    const auto kind = number_kind(o.element);
    std::string op = kind ? reduction_op(a[1], *kind) : "";
    if (!op.empty()) {
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
  const Abstract mapped = map_over(c, a[0], a.subspan(2, 1), dims, false);
  const HeapObject o = c.object(mapped);
  const auto kind = number_kind(o.element);
  std::string op = kind ? reduction_op(a[1], *kind) : "";
  NumberKind k = kind.value_or(NumberKind::kInt64);
  IrValue x = o.leaves.front();
  const std::string name = function_name(a[1]);
  const bool counts = kind && *kind == NumberKind::kBool && (name == "+" || name == "add_sum");
  if (counts) op = "stablehlo.add";
  if (op.empty()) c.fail(Cause::kUnsupported, "a reduction along dimensions by `" + name + "`");
  const bool widens = counts || ((name == "add_sum" || name == "mul_prod") && is_integer(k) && k < NumberKind::kInt64);
  if (widens) x = convert_num(c, {k, x}, NumberKind::kInt64).v, k = NumberKind::kInt64;
  std::vector<int64_t> axes;
  const auto rank = static_cast<int64_t>(dims.size());
  std::vector<int64_t> kept = dims;
  for (const int64_t d : region) {
    if (d < 1) c.fail(Cause::kUnsupported, "a reduction along dimension " + std::to_string(d));
    if (d > rank) continue;
    axes.push_back(rank - d);
    if (dims[static_cast<size_t>(d - 1)] == 0)
      c.fail(Cause::kUnsupported, "a reduction of no elements along dimensions");
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
      int_constant(c, 0), count, start,
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
    IrValue n = int_constant(c, 0);
    for (const Abstract& x : it.elements) n = op2(c, "stablehlo.add", n, as_int(c.call(a[0], {x})));
    return result(NumberKind::kInt64, n);
  }
  const Abstract zero = result(NumberKind::kInt64, int_constant(c, 0));
  return c.fold(int_constant(c, 0), it.count(c), zero, [&](IrValue k, const Abstract& v) {
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
  if (o.dims.size() != 1 || along != 1) c.fail(Cause::kUnsupported, "accumulate along a dimension of a matrix");
  const int64_t n = o.dims[0];
  if (n == 0) return c.new_array(o.type, o.dims, o.leaves);
  const Abstract identity = Abstract::of_constant(c.evaluator().base_function("identity"));
  const IrValue zero = int_constant(c, 0), one = int_constant(c, 1);
  Abstract first = a.size() > 3 ? c.call(a[0], {a[3], element_at(c, array, zero)})
                                : reduce_first(c, identity, a[0], element_at(c, array, zero));
  const Abstract made = make_filled(c, first.type, o.dims, &first);
  c.fold(one, int_constant(c, n), first, [&](IrValue k, const Abstract& v) {
    const Abstract next = c.call(a[0], {v, element_at(c, array, k)});
    std::vector<IrValue> parts;
    c.append_leaves(next, parts);
    HeapObject& to = c.writable(made);
    const int64_t shape[] = {1};
    for (size_t i = 0; i < parts.size(); ++i)
      to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], shape), std::span(&k, 1));
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
      int_constant(c, 0), it.count(c), start, [&](IrValue k, const Abstract&) { return equal(it.at(c, k)); },
      [&](const Abstract& v) { return op1(c, "stablehlo.not", c.scalar(v)); });
}

// ---- broadcasting ------------------------------------------------------------------------------------------------------------------------

bool is_broadcasted(const Abstract& a) { return a.type->name->name == Symbol("Broadcasted"); }
bool is_ref(const Abstract& a) { return a.type->name->name == Symbol("RefValue"); }

int64_t rank_of(Compiler& c, const Abstract& a) {
  if (is_array_object(c, a)) return static_cast<int64_t>(c.object(array_argument(c, a)).dims.size());
  for (const DataType* t = a.type; t != core().any; t = t->super()) {
    if (t->name->name == Symbol("AbstractArray") && t->parameters.size() == 2 &&
        t->parameters[1]->kind == TypeKind::kConstant)
      return static_cast<const Constant*>(t->parameters[1])->bits;
  }
  return -1;
}

const Type* base_type(Compiler& c, const char* name) {
  return find_binding(c.evaluator().base(), name)->value.as_type();
}

Abstract broadcasted_of(Compiler& c, const Abstract& style, const Abstract& f, std::vector<Abstract> arguments) {
  std::vector<const Type*> types;
  for (const Abstract& x : arguments) types.push_back(x.type);
  const DataType* tuple = make_tuple_type(types);
  const DataType* type = applied(builtin_type("Broadcasted"), {style.type, core().nothing, f.dispatched(), tuple});
  return Abstract::of_fields(type, {style, f, Abstract::of_fields(tuple, std::move(arguments)), Abstract::nothing()});
}

Abstract style_of(Compiler& c, int64_t rank) {
  return Abstract::of_constant(Value::singleton(applied(base_type(c, "DefaultArrayStyle"), {make_int(rank)})));
}

Abstract broadcasted(Compiler& c, Args a) {
  std::vector<Abstract> arguments;
  int64_t rank = 0;
  bool tuples = false, ranges = false, others = false;
  const Type* abstract_range = builtin_type("AbstractRange");
  for (const Abstract& given : a.subspan(1)) {
    Abstract x = given;
    const bool plain = number_kind(x.type) || x.type->is_tuple || is_broadcasted(x) || is_array_object(c, x) ||
                       subtype(x.type, core().abstract_array) || is_ref(x);
    if (!plain) x = c.call_base("broadcastable", {x});
    if (is_broadcasted(x)) {
      const DataType* style = c.field(x, 0).type;
      const bool is_default = style->name->name == Symbol("DefaultArrayStyle");
      if (!is_default) tuples = true;
      else rank = std::max(rank, static_cast<const Constant*>(style->parameters[0])->bits);
      others = true;
    } else if (x.type->is_tuple) {
      tuples = true;
    } else if (!number_kind(x.type) && !is_ref(x)) {
      const int64_t n = rank_of(c, x);
      if (n > 0) rank = std::max(rank, n);
      if (subtype(x.type, abstract_range)) ranges = true;
      else others = others || n > 0;
    }
    arguments.push_back(std::move(x));
  }
  if (ranges && !others && !tuples) {
    std::vector<Abstract> all = {a[0]};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return c.call_base("_broadcasted_ranges", std::move(all));
  }
  const Abstract style = tuples && rank == 0
                             ? Abstract::of_constant(Value::singleton(as<DataType>(base_type(c, "TupleStyle"))))
                             : style_of(c, rank);
  return broadcasted_of(c, style, a[0], std::move(arguments));
}

Abstract broadcasted_plain(Compiler& c, Args a) { return broadcasted_of(c, a[0], a[1], {a.begin() + 2, a.end()}); }

/// The arguments of a tree of broadcasts, each with its extents.
struct Part {
  Abstract value;
  std::vector<int64_t> dims;
  bool is_scalar = false;
};

void gather(Compiler& c, const Abstract& bc, std::vector<Part>& parts) {
  const Abstract arguments = c.expanded(bc.fields[2]);
  for (size_t i = 0; i < arguments.type->field_count(); ++i) {
    const Abstract x = c.field(arguments, i);
    if (is_broadcasted(x)) {
      gather(c, c.expanded(x), parts);
      continue;
    }
    Part p;
    p.value = x;
    if (x.type->is_tuple) {
      p.dims = {static_cast<int64_t>(x.type->field_count())};
    } else if (is_ref(x)) {
      p.value = c.field(x, 0);
      p.is_scalar = true;
    } else if (number_kind(x.type) || !subtype(x.type, core().abstract_array)) {
      p.is_scalar = true;
    } else {
      p.dims = dims_of(c, x);
    }
    parts.push_back(std::move(p));
  }
}

Abstract run_tree(Compiler& c, const Abstract& bc, const std::vector<Abstract>& elements, size_t& next) {
  const Abstract arguments = c.expanded(bc.fields[2]);
  std::vector<Abstract> values;
  for (size_t i = 0; i < arguments.type->field_count(); ++i) {
    const Abstract x = c.field(arguments, i);
    values.push_back(is_broadcasted(x) ? run_tree(c, c.expanded(x), elements, next) : elements[next++]);
  }
  return c.call(bc.fields[1], std::move(values));
}

std::vector<int64_t> common_dims(Compiler& c, const std::vector<Part>& parts) {
  std::vector<int64_t> out;
  for (const Part& p : parts) {
    for (size_t d = 0; d < p.dims.size(); ++d) {
      if (d >= out.size()) out.push_back(p.dims[d]);
      else if (out[d] == 1) out[d] = p.dims[d];
      else if (p.dims[d] != 1 && p.dims[d] != out[d])
        c.fail(Cause::kUnsupported, "DimensionMismatch: arrays could not be broadcast to a common size");
    }
  }
  return out;
}

/// The elements of one argument spread over the result's extents.
IrValue spread(Compiler& c, IrValue leaf, const std::vector<int64_t>& from, const std::vector<int64_t>& to) {
  if (from == to) return leaf;
  std::vector<int64_t> kept, axes;
  const auto rank = static_cast<int64_t>(to.size());
  for (size_t k = from.size(); k-- > 0;) {
    if (from[k] == 1) continue;
    kept.push_back(from[k]);
    axes.push_back(rank - 1 - static_cast<int64_t>(k));
  }
  return c.b().broadcast_in_dim(c.b().reshape(leaf, kept), axes, reversed(to));
}

Abstract elements_of_tuple(Compiler& c, const Abstract& t) {
  std::vector<Abstract> all;
  for (size_t i = 0; i < t.type->field_count(); ++i) all.push_back(c.field(t, i));
  return find_emission("_vect")(c, all);
}

/// Every element of a broadcast over these extents, converted to `element` where it is given.
Abstract broadcast_over(Compiler& c, const Abstract& bc, std::vector<Part> parts, const std::vector<int64_t>& dims,
                        const Type* element, std::vector<IrValue>& leaves) {
  std::vector<Abstract> whole;
  std::vector<std::function<Abstract(IrValue)>> at;
  for (Part& p : parts) {
    if (p.is_scalar) {
      whole.push_back(p.value);
      at.emplace_back([v = p.value](IrValue) { return v; });
      continue;
    }
    if (p.value.type->is_tuple) p.value = elements_of_tuple(c, p.value);
    const Source s = source_of(c, p.value, p.dims);
    Abstract all = s.whole;
    const std::function<void(Abstract&)> spread_all = [&](Abstract& x) {
      if (x.kind == How::kScalar && c.b().type(x.ir).rank() > 0) x.ir = spread(c, x.ir, p.dims, dims);
      for (Abstract& f : x.fields) spread_all(f);
    };
    spread_all(all);
    whole.push_back(all);
    at.emplace_back([&c, s, from = p.dims, dims](IrValue k) {
      if (from == dims) return s.at(k);
      IrValue position;
      IrValue left = k;
      int64_t stride = 1;
      for (size_t d = 0; d < dims.size(); ++d) {
        const IrValue i = op2(c, "stablehlo.remainder", left, int_like(c, left, std::max<int64_t>(dims[d], 1)));
        left = op2(c, "stablehlo.divide", left, int_like(c, left, std::max<int64_t>(dims[d], 1)));
        if (d >= from.size() || from[d] == 1) continue;
        const IrValue term = op2(c, "stablehlo.multiply", i, int_like(c, i, stride));
        position = position ? op2(c, "stablehlo.add", position, term) : term;
        stride *= from[d];
      }
      return s.at(position ? position : int_constant(c, 0));
    });
  }
  const auto body = [&](std::vector<Abstract> elements) {
    for (const Abstract& x : elements) {
      if (!x.is_defined()) c.fail(Cause::kUnsupported, "elements one after another");
    }
    size_t next = 0;
    Abstract v = run_tree(c, bc, elements, next);
    return element == nullptr ? v : c.convert(element, v);
  };
  return c.map_elements(bc.type, body, at, whole, reversed(dims), leaves);
}

Abstract materialize(Compiler& c, Args a) {
  const Abstract bc = c.expanded(a[0]);
  const DataType* style = bc.fields[0].type;
  std::vector<Part> parts;
  gather(c, bc, parts);
  if (style->name->name != Symbol("DefaultArrayStyle")) {
    // Tuples: element by element.
    size_t n = 1;
    for (const Part& p : parts) {
      if (!p.is_scalar && p.value.type->field_count() != 1) n = p.value.type->field_count();
    }
    std::vector<Abstract> out;
    std::vector<const Type*> types;
    for (size_t i = 0; i < n; ++i) {
      std::vector<Abstract> elements;
      for (const Part& p : parts)
        elements.push_back(p.is_scalar ? p.value : c.field(p.value, p.value.type->field_count() == 1 ? 0 : i));
      size_t next = 0;
      out.push_back(run_tree(c, bc, elements, next));
      if (c.activation()->is_dead) return Abstract::nothing();
      types.push_back(out.back().type);
    }
    return c.constant_or_fields(make_tuple_type(types), std::move(out));
  }
  const std::vector<int64_t> dims = common_dims(c, parts);
  if (dims.empty()) {
    std::vector<Abstract> elements;
    const Abstract zero = Abstract::of_constant(number(int64_t{1}));
    for (const Part& p : parts) elements.push_back(p.is_scalar ? p.value : c.call_base("getindex", {p.value, zero}));
    size_t next = 0;
    return run_tree(c, bc, elements, next);
  }
  std::vector<IrValue> leaves;
  const Abstract like = broadcast_over(c, bc, parts, dims, nullptr, leaves);
  return array_of_leaves(c, like, dims, std::move(leaves), true);
}

Abstract materialize_into(Compiler& c, Args a) {
  const Abstract bc = c.expanded(a[1]);
  std::vector<Part> parts;
  gather(c, bc, parts);
  const std::vector<int64_t> to = dims_of(c, a[0]);
  const std::vector<int64_t> dims = common_dims(c, parts);
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t have = d < to.size() ? to[d] : 1;
    if (dims[d] != 1 && dims[d] != have)
      c.fail(Cause::kUnsupported, "DimensionMismatch: array could not be broadcast to match destination");
  }
  std::vector<IrValue> leaves;
  if (is_array_object(c, a[0])) {
    const Abstract array = array_argument(c, a[0]);
    const Type* element = c.object(array).element;
    if (to.empty() || length_of(c.object(array)) > 0) broadcast_over(c, bc, parts, to, element, leaves);
    else return array;
    c.writable(array).leaves = std::move(leaves);
    return array;
  }
  // A view: the block of its parent.
  const Abstract element_type_of_view = c.call_base("eltype", {a[0]});
  const Type* element = c.evaluator().impl().type_of_value(element_type_of_view.constant);
  const Abstract like = broadcast_over(c, bc, parts, to, element, leaves);
  store_view(c, a[0], array_of_leaves(c, like, to, std::move(leaves), false));
  return a[0];
}

constexpr Emission kEmissions[] = {
    {"_map", map_arrays},
    {"_map!", map_into},
    {"_collect_mapped", collect_mapped},
    {"_collect_typed", collect_typed},
    {"_range_collect", range_collect},
    {"_mapreduce", mapreduce},
    {"_mapreducedim", mapreduce_dims},
    {"_foldl", foldl_found},
    {"_foldl_from", foldl_from},
    {"_any", any_or_all<true>},
    {"_all", any_or_all<false>},
    {"_count", count},
    {"_accumulate", accumulate},
    {"_in", is_in},
    {"_broadcasted", broadcasted},
    {"_broadcasted_plain", broadcasted_plain},
    {"_materialize", materialize},
    {"_materialize_into!", materialize_into},
};

}  // namespace

std::span<const Emission> functional_emissions() { return kEmissions; }

}  // namespace weft::julia
