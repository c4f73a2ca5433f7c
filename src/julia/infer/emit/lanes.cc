// pfor inside of compiled code: the function of one lane becomes one of the module, which the lane transform writes for all lanes.
#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/border/packed.h"
#include "julia/infer/emit/emit.h"
#include "julia/types/type_show.h"
#include "transform/vectorize.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

/// The first lane of an array, and of its elements what a lane sees: a number for a vector, an array for others.
Abstract first_lane(Compiler& c, const HeapObject& o, int64_t lanes) {
  std::vector<int64_t> dims = o.dims;
  dims.pop_back();
  const std::vector<int64_t> shape(dims.rbegin(), dims.rend());
  std::vector<IrValue> leaves;
  for (const IrValue leaf : o.leaves) {
    const weft::Type whole = c.b().type(leaf);
    if (lanes == 0) {
      leaves.push_back(
          c.b().constant(Literal::dense(Tensor::zeros(whole.element_type(), Shape(shape.begin(), shape.end())))));
      continue;
    }
    const std::vector<int64_t> start(whole.rank(), 0), step(whole.rank(), 1);
    std::vector<int64_t> end(whole.shape().begin(), whole.shape().end());
    end[0] = 1;
    leaves.push_back(c.b().reshape(c.b().slice(leaf, start, end, step), shape));
  }
  if (!dims.empty()) {
    const Abstract out = c.new_array(array_type(o.element, static_cast<int64_t>(dims.size())), dims, leaves);
    return out;
  }
  size_t next = 0;
  return c.from_leaves(o.element, leaves, next);
}

/// Results of all lanes from their leaves, which have the lanes first.
Abstract joined(Compiler& c, const Packed& results, const Abstract& a, int64_t lanes, std::span<const IrValue> leaves) {
  if (a.kind == How::kScalar) {
    const DataType* type = array_type(a.type, 1);
    return c.new_array(type, {lanes}, {leaves[a.ir.index - kPlaceholders]});
  }
  if (a.kind == How::kFields && element_type(a.type)) {
    const auto part = [&](size_t i) { return leaves[a.fields[i].ir.index - kPlaceholders]; };
    return c.new_array(array_type(a.type, 1), {lanes}, {c.b().make("stablehlo.complex", {part(0), part(1)})});
  }
  if (a.kind == How::kFields && a.type->is_tuple) {
    std::vector<Abstract> parts;
    for (const Abstract& f : a.fields) parts.push_back(joined(c, results, f, lanes, leaves));
    return c.tuple(std::move(parts));
  }
  if (a.kind == How::kObject && results.objects[a.object].is_array && results.objects[a.object].leaves.size() == 1) {
    const HeapObject& o = results.objects[a.object];
    std::vector<int64_t> dims = o.dims;
    dims.push_back(lanes);
    const DataType* type = array_type(o.element, static_cast<int64_t>(dims.size()));
    return c.new_array(type, dims, {leaves[o.leaves[0].index - kPlaceholders]});
  }
  c.fail(Cause::kUnsupported, "lanes that give a " + type_text(a.type),
         "return numbers, arrays of them or tuples of those");
}

void leaves_of(const Packed& p, const Abstract& a, std::vector<size_t>& out) {
  if (a.kind == How::kScalar) out.push_back(a.ir.index - kPlaceholders);
  for (const Abstract& x : a.fields) leaves_of(p, x, out);
  if (a.kind != How::kObject) return;
  for (const IrValue v : p.objects[a.object].leaves) out.push_back(v.index - kPlaceholders);
}

}  // namespace

Abstract lanes_of_call(Compiler& c, std::span<const Abstract> a) {
  std::vector<Abstract> lane;
  std::vector<HeapObject> wholes;
  int64_t lanes = 0;
  for (const Abstract& given : a.subspan(1)) {
    const Abstract x = c.expanded(given);
    if (x.kind != How::kObject || !c.object(x).is_array || c.object(x).leaves.size() != 1 || c.object(x).dims.empty())
      c.fail(Cause::kUnsupported, "pfor over a " + type_text(given.type), "give it arrays of numbers");
    wholes.push_back(c.object(x));
    lanes = wholes.back().dims.known().back();
    lane.push_back(first_lane(c, wholes.back(), lanes));
  }
  const auto f = c.outline(a[0], lane, "lane");
  std::vector<IrValue> operands = f->arguments.leaves;
  std::vector<int64_t> axes(operands.size(), kUniform);
  for (size_t i = 0; i < wholes.size(); ++i) {
    std::vector<size_t> places;
    leaves_of(f->arguments, f->arguments.values[i + 1], places);
    const HeapObject& o = wholes[i];
    if (places.size() == 2 && is_complex(c.b().type(o.leaves[0]).element_type())) {  // a complex number by its parts
      operands[places[0]] = c.b().make("stablehlo.real", {o.leaves[0]});
      operands[places[1]] = c.b().make("stablehlo.imag", {o.leaves[0]});
    } else {
      operands[places[0]] = o.leaves[0];
    }
    for (const size_t k : places) axes[k] = 0;
  }
  VectorizeOptions options;
  options.name = c.module().unique_name(f->name + "_lanes");
  vectorize(c.module(), f->name, axes, lanes, options).set_public(false);
  std::vector<weft::Type> types;
  for (const weft::Type t : f->results.types) {
    std::vector<int64_t> shape(t.shape().begin(), t.shape().end());
    shape.insert(shape.begin(), lanes);
    types.push_back(weft::Type::tensor(t.element_type(), shape));
  }
  Attrs attrs;
  attrs.set("callee", Attr(options.name));
  const std::vector<IrValue> results = c.b().create("func.call", operands, std::move(attrs), types);
  return joined(c, f->results, f->results.values.front(), lanes, results);
}

}  // namespace weft::julia
