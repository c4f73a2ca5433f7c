// Ops that move elements, at run-time indices: which element of the operand an element of the result is.
#include <algorithm>
#include <array>
#include <optional>

#include "native/codegen/kernel.h"
#include "native/codegen/reads.h"
#include "native/codegen/reduce.h"
#include "native/open/open_emitter.h"
#include "native/open/open_root.h"
#include "ops/indexing/indexed_dims.h"

namespace weft::native {

using codegen::Structural;

namespace {

bool contains(std::span<const int64_t> v, int64_t x) { return std::ranges::find(v, x) != v.end(); }

/// Neighbouring dimensions of the result that move together, so that a loop over all of them stays whole.
struct Group {
  int64_t extent = 1;
  int64_t source = -1;  // first operand dimension; -1: none
};

}  // namespace

OpenPlace OpenEmitter::read(const OpView& op, const OpenPlace& place) {
  const Structural kind = codegen::structural_kind(op.def());
  const Attrs& attrs = op.attrs();
  const Type to = op.result_type(), from = op.operand_type(0);
  switch (kind) {
    case Structural::kReshape: return place;
    case Structural::kBroadcast:
    case Structural::kTranspose: {
      std::vector<int64_t> source(static_cast<size_t>(to.rank()), -1);
      if (kind == Structural::kTranspose) {
        source = attrs.ints("permutation");
      } else {
        const auto& dims = attrs.ints("broadcast_dimensions");
        for (size_t k = 0; k < dims.size(); ++k) {
          if (from.dim(static_cast<int64_t>(k)) != 1) source[static_cast<size_t>(dims[k])] = static_cast<int64_t>(k);
        }
      }
      std::vector<Group> groups;
      int64_t last = -2;
      for (int64_t d = 0; d < to.rank(); ++d) {
        if (to.dim(d) == 1) continue;
        const int64_t s = source[static_cast<size_t>(d)];
        bool joins = !groups.empty() && (s < 0 ? last < 0 : last >= 0 && s > last);
        for (int64_t k = last + 1; joins && s >= 0 && k < s; ++k) joins = from.dim(k) == 1;
        if (joins) {
          groups.back().extent *= to.dim(d);
        } else {
          groups.push_back({to.dim(d), s});
        }
        last = s;
      }
      std::vector<int64_t> extents;
      for (const Group& g : groups) extents.push_back(g.extent);
      const std::vector<OpenIndex> at = digits(place, extents);
      std::vector<std::pair<int64_t, OpenDigit>> sorted;
      for (size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].source >= 0) sorted.push_back({groups[g].source, {groups[g].extent, at[g]}});
      }
      std::ranges::sort(sorted, {}, [](const auto& p) { return p.first; });
      OpenPlace out;
      for (const auto& [s, digit] : sorted) out.push_back(digit);
      return out;
    }
    case Structural::kGather: return gather(op, place);
    default: break;
  }
  // Slices and reverse: whole inner dimensions stay together with what is outside of them.
  const size_t rank = static_cast<size_t>(to.rank());
  std::vector<int64_t> extents, operand_extents;
  std::vector<OpenIndex> offsets, strides;
  std::vector<bool> reversed;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = to.shape()[d], m = from.shape()[d];
    OpenIndex offset = number(0), stride = number(1);
    bool is_reversed = false;
    if (kind == Structural::kSlice) {
      offset = number(attrs.ints("start_indices")[d]);
      stride = number(attrs.ints_or("strides", rank, 1)[d]);
    } else if (kind == Structural::kReverse) {
      is_reversed = contains(attrs.ints("dimensions"), static_cast<int64_t>(d));
    } else if (kind == Structural::kDynamicSlice && n != m) {
      offset = clamp(index_value(op.operand(d + 1), {}), number(0), sub(number(m), number(n)));
    }
    const bool whole = n == m && !is_reversed && offset.v == number(0).v && stride.v == number(1).v;
    const bool joins = whole && !extents.empty() && !reversed.back() && strides.back().v == number(1).v;
    if (joins) {
      offsets.back() = mul(offsets.back(), number(m));
      extents.back() *= n;
      operand_extents.back() *= m;
      continue;
    }
    extents.push_back(n);
    operand_extents.push_back(m);
    offsets.push_back(offset);
    strides.push_back(stride);
    reversed.push_back(is_reversed);
  }
  std::vector<OpenIndex> at = digits(place, extents);
  for (size_t g = 0; g < at.size(); ++g) {
    if (reversed[g]) at[g] = sub(sub(number(extents[g]), number(1)), at[g]);
    at[g] = add(mul(at[g], strides[g]), offsets[g]);
  }
  return this->place(operand_extents, at);
}

OpenIndex OpenEmitter::non_empty(std::span<const int64_t> extents) {
  OpenIndex one = number(1);
  for (int64_t n : extents) {
    if (n == 0 || names_.is_open(n)) one = mul(one, clamp(number(n), number(0), number(1)));
  }
  return one;
}

OpenPlace OpenEmitter::gather(const OpView& op, const OpenPlace& place) {
  const Type operand = op.operand_type(0), starts = op.operand_type(1), result = op.result_type();
  const IndexedDims dims = IndexedDims::of_gather(op.attrs());
  const auto& sizes = op.attrs().ints("slice_sizes");
  const std::vector<OpenIndex> at = digits(place, result.shape());
  const std::vector<int64_t> batch = dims.batch_axes(result.rank()), window = dims.operand_window_axes(operand.rank());
  const std::vector<int64_t> index_axes = dims.index_axes(starts.rank());
  std::vector<OpenIndex> out(static_cast<size_t>(operand.rank()), number(0));
  for (size_t k = 0; k < dims.map.size(); ++k) {
    std::vector<OpenIndex> start;
    for (int64_t d = 0, b = 0; d < starts.rank(); ++d) {
      start.push_back(d == dims.vector_axis ? number(static_cast<int64_t>(k))
                                            : at[static_cast<size_t>(batch[static_cast<size_t>(b++)])]);
    }
    const int64_t d = dims.map[k];
    const int64_t size = std::max<int64_t>(1, sizes[static_cast<size_t>(d)]);  // of a collapsed dimension it may be 0
    if (operand.dim(d) == size) continue;
    out[static_cast<size_t>(d)] = clamp(index_value(op.operand(1), this->place(starts.shape(), start)), number(0),
                                        sub(number(operand.dim(d)), number(size)));
  }
  for (size_t k = 0; k < dims.batching.size(); ++k) {
    const auto it = std::ranges::find(index_axes, dims.indices_batching[k]);
    out[static_cast<size_t>(dims.batching[k])] =
        at[static_cast<size_t>(batch[static_cast<size_t>(it - index_axes.begin())])];
  }
  for (size_t k = 0; k < window.size(); ++k) {
    OpenIndex& o = out[static_cast<size_t>(window[k])];
    o = add(o, at[static_cast<size_t>(dims.window[k])]);
  }
  return this->place(operand.shape(), out);
}

OpenValue OpenEmitter::pad(const OpView& op, const OpenPlace& place) {
  const Type to = op.result_type(), from = op.operand_type(0);
  const size_t rank = static_cast<size_t>(to.rank());
  const auto low = op.attrs().ints_or("edge_padding_low", rank, 0);
  const auto interior = op.attrs().ints_or("interior_padding", rank, 0);
  std::vector<int64_t> extents, operand_extents, lows, gaps;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t n = to.shape()[d], m = from.shape()[d];
    const bool whole = n == m && low[d] == 0 && interior[d] == 0;
    if (whole && !extents.empty() && gaps.back() == 0 && !names_.is_open(lows.back())) {
      extents.back() *= n;
      operand_extents.back() *= m;
      lows.back() *= m;
      continue;
    }
    extents.push_back(n);
    operand_extents.push_back(m);
    lows.push_back(low[d]);
    gaps.push_back(interior[d]);
  }
  std::vector<OpenIndex> at = digits(place, extents);
  OpenIndex inside;
  for (size_t g = 0; g < at.size(); ++g) {
    if (extents[g] == operand_extents[g] && lows[g] == 0 && gaps[g] == 0) continue;
    OpenIndex e = sub(at[g], number(lows[g]));
    if (gaps[g] != 0) {
      const OpenIndex step = add(number(gaps[g]), number(1));
      inside = both(inside, condition(llvm::CmpInst::ICMP_SGE, e, number(0)));
      inside =
          both(inside, condition(llvm::CmpInst::ICMP_EQ, rem(clamp(e, number(0), number(INT32_MAX)), step), number(0)));
      e = div(clamp(e, number(0), number(INT32_MAX)), step);
    }
    inside = both(inside, condition(llvm::CmpInst::ICMP_ULT, e, number(operand_extents[g])));
    at[g] = clamp(e, number(0), sub(number(operand_extents[g]), number(1)));
  }
  if (inside.v == nullptr) return eval(op.operand(0), this->place(operand_extents, at));
  const OpenIndex exists = non_empty(operand_extents);
  for (OpenIndex& e : at) e = mul(e, exists);
  const OpenValue padding = eval(op.operand(1), {});
  const OpenValue x = eval(op.operand(0), this->place(operand_extents, at));
  return choose(inside, x, padding);
}

OpenValue OpenEmitter::concatenate(const OpView& op, const OpenPlace& place) {
  const Type to = op.result_type();
  const int64_t axis = op.attrs().integer("dimension");
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < to.rank(); ++d) (d < axis ? outer : inner) *= d == axis ? 1 : to.dim(d);
  const std::vector<OpenIndex> at = digits(place, std::array{outer, to.dim(axis), inner});
  OpenIndex before = number(0);
  std::optional<OpenValue> out;
  for (size_t k = 0; k < op.num_operands(); ++k) {
    const int64_t extent = op.operand_type(k).dim(axis);
    const OpenIndex n = number(extent), e = sub(at[1], before);
    const OpenIndex exists = non_empty(std::array{extent});
    const std::array where = {mul(at[0], exists), mul(clamp(e, number(0), sub(n, number(1))), exists),
                              mul(at[2], exists)};
    const OpenValue x = eval(op.operand(k), this->place(std::array{outer, extent, inner}, where));
    out = out ? choose(condition(llvm::CmpInst::ICMP_SGE, at[1], before), x, *out) : x;
    before = add(before, n);
  }
  return *out;
}

bool can_emit_open(const OpView& op, const ExtentNames& names, std::string* reason) {
  const auto refuse = [&](const char* text) {
    if (reason != nullptr) *reason = text;
    return false;
  };
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.dot_general" || m == "stablehlo.convolution") {
    if (is_complex(op.result_type().element_type()) != is_complex(op.operand_type(0).element_type()))
      return refuse("mixed types");
    return codegen::can_inline(op, reason);
  }
  const bool is_root = m == "stablehlo.scatter" || m == "stablehlo.select_and_scatter" || open_scan_form(op, names);
  if (is_root) return codegen::can_root(op, reason) && has_open_root(op, names, reason);
  if (m == "stablehlo.reduce" || m == "stablehlo.reduce_window") return codegen::can_inline(op, reason);
  if (codegen::is_loop(op) || m == "weft.lane_while") return refuse("no generated code for open extents");
  return codegen::can_inline(op, reason);
}

}  // namespace weft::native
