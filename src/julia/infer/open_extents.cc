#include "julia/infer/open_extents.h"

#include <algorithm>
#include <map>
#include <ranges>

#include "julia/host/array.h"
#include "julia/types/type_show.h"

namespace weft::julia {

using How = Abstract::Kind;

Abstract extent_of(Compiler& c, const HeapObject& o, size_t k) {
  if (!o.dims.is_open(k)) return Abstract::of_constant(number(o.dims[k]));
  Attrs attrs;
  attrs.set("dimension", Attr(static_cast<int64_t>(o.dims.size() - 1 - k)));
  const IrValue size = c.b().make("stablehlo.get_dimension_size", {o.leaves.at(0)}, std::move(attrs));
  Abstract out = Abstract::of_scalar(core().int64, c.b().convert(size, ElementType::kI64));
  out.extent = o.dims.open_number(k);
  return out;
}

void assert_extents_of_one_name(Compiler& c, const std::function<std::string(uint32_t)>& name_of) {
  std::map<uint32_t, IrValue> first;
  for (const HeapObject& o : c.heap().objects) {
    for (size_t k = 0; o.is_array && k < o.dims.size(); ++k) {
      if (!o.dims.is_open(k)) continue;
      const uint32_t number = o.dims.open_number(k);
      const IrValue here = c.scalar(extent_of(c, o, k));
      const auto [known, is_first] = first.emplace(number, here);
      if (is_first) continue;
      const std::string message =
          "DimensionMismatch: the entry has one extent " + name_of(number) + ", got {0} and {1}";
      const IrValue operands[] = {compare2(c, known->second, here, "EQ"), known->second, here};
      c.b().create("stablehlo.custom_call", operands,
                   Attrs{{"call_target_name", "shape_assertion"},
                         {"api_version", 2},
                         {"error_message", message},
                         {"has_side_effect", true}});
    }
  }
}

Abstract length_value(Compiler& c, const HeapObject& o) {
  if (!o.dims.is_open()) return Abstract::of_constant(number(length_of(o)));
  Abstract out = extent_of(c, o, 0);
  for (size_t k = 1; k < o.dims.size(); ++k) {
    const Abstract next = extent_of(c, o, k);
    out = Abstract::of_scalar(core().int64, op2(c, "stablehlo.multiply", c.scalar(out), c.scalar(next)));
  }
  return out;
}

GivenExtents given_extents(Compiler& c, const Abstract& tuple) {
  GivenExtents out;
  if (tuple.type->is_tuple) {
    for (size_t i = 0; i < tuple.type->field_count(); ++i)
      out.values.push_back(c.convert(core().int64, c.field(tuple, i)));
  } else {
    out.values.push_back(c.convert(core().int64, tuple));
  }
  for (const Abstract& v : out.values) {
    if (v.is_constant()) {
      const auto d = v.constant.get<int64_t>();
      if (d < 0) c.fail(Cause::kUnsupported, "an array of a negative size");
      out.dims.push_back(d);
      continue;
    }
    if (!c.has_open_extents())
      c.fail(Cause::kShape, "an array's size is known only when the program runs",
             "let it depend on nothing but sizes of arrays and numbers among the arguments");
    const IrValue size = c.scalar(v);
    check_all(c, compare2(c, size, int_like(c, size, 0), "GE"), "ArgumentError: invalid Array dimensions");
    const uint32_t number = v.extent != 0 ? v.extent : c.new_open_extent();
    c.use_open_extent(number);
    out.dims.push_open(number);
  }
  return out;
}

GivenExtents extents_of(Compiler& c, const HeapObject& o) {
  GivenExtents out{o.dims, {}};
  for (size_t k = 0; k < o.dims.size(); ++k) out.values.push_back(extent_of(c, o, k));
  return out;
}

IrValue filled_tensor(Compiler& c, IrValue number, const GivenExtents& extents) {
  if (!extents.dims.is_open())
    return extents.dims.empty() ? number : c.b().broadcast_scalar(number, reversed(extents.dims));
  std::vector<IrValue> parts;
  const int64_t one[] = {1};
  for (const Abstract& v : std::views::reverse(extents.values)) parts.push_back(c.b().reshape(c.scalar(v), one));
  const IrValue shape = parts.size() == 1 ? parts[0] : c.b().concatenate(parts, 0);
  Attrs attrs;
  attrs.set("broadcast_dimensions", Attr(Attr::Ints{}));
  return c.b().make("stablehlo.dynamic_broadcast_in_dim", {number, shape}, std::move(attrs),
                    weft::Type::tensor(c.b().type(number).element_type(), extents.dims.shape()));
}

IrValue zero_tensor(Compiler& c, ElementType element, const GivenExtents& extents) {
  if (!extents.dims.is_open()) return c.b().zeros(weft::Type::tensor(element, reversed(extents.dims)));
  return filled_tensor(c, c.b().zeros(weft::Type::scalar(element)), extents);
}

std::vector<IrValue> positions_of(Compiler& c, const HeapObject& o, IrValue place) {
  if (o.dims.size() == 1) return {place};
  std::vector<IrValue> out;
  for (size_t k = 0; k + 1 < o.dims.size(); ++k) {
    // An empty array has no places; its extents must not be divided by all the same.
    IrValue n = c.scalar(extent_of(c, o, k));
    n = op2(c, "stablehlo.maximum", n, int_like(c, n, 1));
    out.push_back(op2(c, "stablehlo.remainder", place, n));
    place = op2(c, "stablehlo.divide", place, n);
  }
  out.push_back(place);
  return out;
}

std::vector<IrValue> open_positions(Compiler& c, const HeapObject& o, std::span<const Abstract> indices) {
  const bool is_linear = indices.size() == 1;
  if (!is_linear && indices.size() != o.dims.size())
    c.fail(Cause::kUnsupported, "another number of indices than dimensions of an array with open extents");
  std::vector<IrValue> at;
  IrValue holds;
  for (size_t k = 0; k < indices.size(); ++k) {
    const IrValue i = convert_num(c, num(c, indices[k]), NumberKind::kInt64).v;
    if (c.b().type(i).rank() > 0)
      c.fail(Cause::kUnsupported, "elements at many positions of an array with open extents");
    const IrValue most = c.scalar(is_linear ? length_value(c, o) : extent_of(c, o, k));
    const IrValue inside = op2(c, "stablehlo.and", compare2(c, i, int_like(c, i, 1), "GE"), compare2(c, i, most, "LE"));
    holds = holds ? op2(c, "stablehlo.and", holds, inside) : inside;
    at.push_back(op2(c, "stablehlo.subtract", i, int_like(c, i, 1)));
  }
  check_all(c, holds, "BoundsError: attempt to access an element of a " + type_text(o.type));
  return is_linear ? positions_of(c, o, at[0]) : at;
}

Abstract element_at_positions(Compiler& c, const HeapObject& o, const std::vector<IrValue>& at) {
  const std::vector<IrValue> starts(at.rbegin(), at.rend());
  const std::vector<int64_t> ones(starts.size(), 1);
  std::vector<IrValue> parts;
  for (const IrValue leaf : o.leaves) parts.push_back(c.b().reshape(c.b().dynamic_slice(leaf, starts, ones), {}));
  size_t next = 0;
  return c.from_leaves(o.element, parts, next);
}

bool any_open(Compiler& c, std::span<const Abstract> values) {
  return c.has_open_extents() && std::ranges::any_of(values, [&](const Abstract& v) {
           if (v.kind == How::kObject) return c.object(v).is_array && c.object(v).dims.is_open();
           return v.kind == How::kFields && v.type->name->name == Symbol("Broadcasted") &&
                  any_open(c, c.expanded(v.fields[2]).fields);
         });
}

Abstract collect_open(Compiler& c, const GivenExtents& extents, const Type* element, bool bits,
                      const std::function<Abstract(const std::vector<IrValue>&)>& body) {
  const auto one = [&](const std::vector<IrValue>& at) {
    Abstract v = body(at);
    if (!v.is_defined()) c.fail(Cause::kWidening, "an element's function gives values of two types");
    return element == nullptr ? v : c.convert(element, v);
  };
  const size_t rank = extents.dims.size();
  Abstract like;
  {
    // The first tells the type; what it does is left behind.
    const std::vector<HeapObject> objects = c.heap().objects;
    const Compiler::Region scratch(c, {});
    like = one(std::vector<IrValue>(rank, c.int_constant(0)));
    c.heap().objects = objects;
    c.activation()->is_dead = false;
  }
  std::vector<const DataType*> types;
  c.leaves_of_type(like.type, types);
  std::vector<IrValue> leaves;
  for (const DataType* t : types) leaves.push_back(zero_tensor(c, *element_type(t), extents));
  const DataType* type = bits && like.type == core().bool_
                             ? applied(core().bit_array, {make_int(static_cast<int64_t>(rank))})
                             : array_type(like.type, static_cast<int64_t>(rank));
  const Abstract made = c.new_array(type, extents.dims, std::move(leaves));
  // The last dimension is the outermost loop: elements are met in the order of memory.
  std::vector<IrValue> at(rank);
  const std::function<void(size_t)> loops = [&](size_t left) {
    if (left == 0) {
      std::vector<IrValue> parts;
      c.append_leaves(one(at), parts);
      HeapObject& to = c.writable(made);
      const std::vector<IrValue> starts(at.rbegin(), at.rend());
      const std::vector<int64_t> ones(rank, 1);
      for (size_t i = 0; i < parts.size(); ++i)
        to.leaves[i] = c.b().dynamic_update_slice(to.leaves[i], c.b().reshape(parts[i], ones), starts);
      return;
    }
    const IrValue count = c.scalar(extents.values[left - 1]);
    c.fold(c.int_constant(0), count, Abstract::nothing(), [&](IrValue k, const Abstract& nothing_carried) {
      at[left - 1] = k;
      loops(left - 1);
      return nothing_carried;
    });
  };
  loops(rank);
  return made;
}

Abstract map_open(Compiler& c, const Abstract& f, std::span<const Abstract> arrays, const Type* element) {
  const Abstract first = array_argument(c, arrays[0]);
  for (const Abstract& x : arrays) {
    if (!is_array_object(c, x) || c.object(array_argument(c, x)).dims != c.object(first).dims)
      c.fail(Cause::kShape, "a map over arrays whose open extents may differ");
  }
  return collect_open(c, extents_of(c, c.object(first)), element, false, [&](const std::vector<IrValue>& at) {
    std::vector<Abstract> elements;
    for (const Abstract& x : arrays) elements.push_back(element_at_positions(c, c.object(array_argument(c, x)), at));
    return f.is_defined() ? c.call(f, std::move(elements)) : elements.front();
  });
}

}  // namespace weft::julia
