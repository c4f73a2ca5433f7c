#include "native/codegen/reads.h"

#include <algorithm>
#include <unordered_map>

#include "ops/indexing/indexed_dims.h"
#include "weft/error.h"

namespace weft::codegen {

Structural structural_kind(const OpDef& def) {
  static const std::unordered_map<std::string_view, Structural> kinds = {
      {"stablehlo.broadcast_in_dim", Structural::kBroadcast},
      {"stablehlo.reshape", Structural::kReshape},
      {"stablehlo.transpose", Structural::kTranspose},
      {"stablehlo.slice", Structural::kSlice},
      {"stablehlo.reverse", Structural::kReverse},
      {"stablehlo.pad", Structural::kPad},
      {"stablehlo.concatenate", Structural::kConcatenate},
      {"stablehlo.dynamic_slice", Structural::kDynamicSlice},
      {"stablehlo.dynamic_update_slice", Structural::kDynamicUpdateSlice},
      {"stablehlo.gather", Structural::kGather},
  };
  const auto it = kinds.find(def.mnemonic);
  return it == kinds.end() ? Structural::kNone : it->second;
}

namespace {

// Neighbouring dimensions that an op treats as one are read as one digit, so that loops over several of them stay whole.
struct Run {
  int64_t extent = 1;          // of the result
  int64_t operand_extent = 1;  // of the operand
  size_t operand_order = 0;    // sorts runs into the operand's order
  bool in_operand = true;
  Expr offset;  // added to the digit
  bool reversed = false;
  int64_t stride = 1;
  bool bounded = false;  // the operand covers only a part of the digit's range
  int64_t gap = 1;       // pad: distance of operand elements
};

bool contains(std::span<const int64_t> v, int64_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

Read read_runs(std::vector<Run> runs, const Index& index, IndexSpace& space) {
  std::vector<int64_t> extents;
  for (const Run& r : runs) extents.push_back(r.extent);
  const std::vector<Expr> digits = space.digits(index, extents);
  Read read;
  std::vector<size_t> order;
  for (size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].in_operand) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return runs[a].operand_order < runs[b].operand_order; });
  for (size_t i : order) {
    const Run& r = runs[i];
    Expr e = digits[i];
    if (r.reversed) e = e * -1 + (r.extent - 1);
    e = e * r.stride + r.offset;
    if (r.gap > 1) {
      const IndexSpace::Range all = space.range(e);
      if (all.low < 0) read.bounds.push_back({e, 0, all.high + 1});
      const IndexSpace::Split s = space.split(e, r.gap);
      read.bounds.push_back({s.remainder, 0, 1});
      e = s.quotient;
    }
    if (r.bounded) {
      const IndexSpace::Range range = space.range(e);
      if (range.high < 0 || range.low >= r.operand_extent) read.never = true;
      if (range.low < 0 || range.high >= r.operand_extent) read.bounds.push_back({e, 0, r.operand_extent});
    }
    if (r.operand_extent != 1) read.index.push_back({r.operand_extent, e});
  }
  return read;
}

std::vector<Run> runs_of_broadcast(const OpView& op) {
  const Type from = op.operand_type(0), to = op.result_type();
  const auto& dims = op.attrs().ints("broadcast_dimensions");
  std::vector<Run> runs;
  int64_t last = -2;  // operand dimension of the previous run's last part; -2 none, -1 new dimension
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (to.dim(d) == 1) continue;
    int64_t source = -1;
    for (size_t k = 0; k < dims.size(); ++k) {
      if (dims[k] == d && from.dim(static_cast<int64_t>(k)) != 1) source = static_cast<int64_t>(k);
    }
    bool joins = false;
    if (source < 0) {
      joins = last == -1;
    } else if (last >= 0 && source > last) {
      joins = true;
      for (int64_t k = last + 1; k < source; ++k) joins = joins && from.dim(k) == 1;
    }
    if (joins) {
      runs.back().extent *= to.dim(d);
      if (source >= 0) runs.back().operand_extent *= to.dim(d);
    } else {
      Run r;
      r.extent = to.dim(d);
      r.in_operand = source >= 0;
      r.operand_extent = source >= 0 ? to.dim(d) : 1;
      r.operand_order = source >= 0 ? static_cast<size_t>(source) : 0;
      runs.push_back(r);
    }
    last = source;
  }
  return runs;
}

std::vector<Run> runs_of_transpose(const OpView& op) {
  const Type from = op.operand_type(0), to = op.result_type();
  const auto& perm = op.attrs().ints("permutation");
  std::vector<Run> runs;
  int64_t last = -1;
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (to.dim(d) == 1) continue;
    const int64_t source = perm[static_cast<size_t>(d)];
    bool joins = last >= 0 && source > last;
    for (int64_t k = last + 1; joins && k < source; ++k) joins = from.dim(k) == 1;
    if (joins) {
      runs.back().extent *= to.dim(d);
      runs.back().operand_extent *= to.dim(d);
    } else {
      Run r;
      r.extent = r.operand_extent = to.dim(d);
      r.operand_order = static_cast<size_t>(source);
      runs.push_back(r);
    }
    last = source;
  }
  return runs;
}

/// One dimension of a slice-like op: the operand's digit is the result's · stride + offset.
struct Piece {
  int64_t extent, operand_extent;
  Expr offset;
  int64_t stride = 1;
  bool bounded = false;
  int64_t gap = 1;
  bool whole() const { return extent == operand_extent && stride == 1 && gap == 1 && offset == Expr(0); }
};

std::vector<Run> runs_of_pieces(std::span<const Piece> pieces) {
  std::vector<Run> runs;
  for (size_t d = 0; d < pieces.size(); ++d) {
    const Piece& p = pieces[d];
    if (p.whole() && p.extent == 1) continue;
    // A whole dimension joins what is outside of it when that is contiguous.
    if (p.whole() && !runs.empty() && runs.back().stride == 1 && runs.back().gap == 1) {
      Run& r = runs.back();
      r.extent *= p.extent;
      r.operand_extent *= p.extent;
      r.offset = r.offset * p.extent;
      continue;
    }
    Run r;
    r.extent = p.extent;
    r.operand_extent = p.operand_extent;
    r.operand_order = d;
    r.offset = p.offset;
    r.stride = p.stride;
    r.bounded = p.bounded;
    r.gap = p.gap;
    runs.push_back(r);
  }
  return runs;
}

std::vector<Run> runs_of_reverse(const OpView& op) {
  const Type t = op.result_type();
  const auto& dims = op.attrs().ints("dimensions");
  std::vector<Run> runs;
  for (int64_t d = 0; d < t.rank(); ++d) {
    if (t.dim(d) == 1) continue;
    const bool reversed = contains(dims, d);
    if (!runs.empty() && runs.back().reversed == reversed) {
      runs.back().extent *= t.dim(d);
      runs.back().operand_extent *= t.dim(d);
    } else {
      Run r;
      r.extent = r.operand_extent = t.dim(d);
      r.operand_order = static_cast<size_t>(d);
      r.reversed = reversed;
      runs.push_back(r);
    }
  }
  return runs;
}

std::vector<Piece> pieces_of(const OpView& op, Structural kind, size_t operand, DynamicIndices& dynamic) {
  std::vector<Piece> pieces;
  const Type to = op.result_type(), from = op.operand_type(operand);
  for (int64_t d = 0; d < to.rank(); ++d) {
    const size_t i = static_cast<size_t>(d);
    Piece p{to.dim(d), from.dim(d), Expr(0)};
    switch (kind) {
      case Structural::kSlice:
        p.offset = Expr(op.attrs().ints("start_indices")[i]);
        p.stride = op.attrs().ints_or("strides", static_cast<size_t>(to.rank()), 1)[i];
        break;
      case Structural::kPad:
        p.offset = Expr(-op.attrs().ints_or("edge_padding_low", static_cast<size_t>(to.rank()), 0)[i]);
        p.gap = op.attrs().ints_or("interior_padding", static_cast<size_t>(to.rank()), 0)[i] + 1;
        p.bounded = true;
        break;
      case Structural::kConcatenate:
        if (d == op.attrs().integer("dimension")) {
          int64_t before = 0;
          for (size_t k = 0; k < operand; ++k) before += op.operand_type(k).dim(d);
          p.offset = Expr(-before);
          p.bounded = true;
        }
        break;
      case Structural::kDynamicSlice:
        if (p.extent != p.operand_extent)
          p.offset = dynamic.clamped(op.operand(i + 1), {}, p.operand_extent - p.extent);
        break;
      default:  // dynamic_update_slice
        if (p.extent != p.operand_extent) {
          p.offset = dynamic.clamped(op.operand(i + 2), {}, p.extent - p.operand_extent) * -1;
          p.bounded = true;
        }
        break;
    }
    if (p.whole()) p.bounded = false;
    pieces.push_back(p);
  }
  return pieces;
}

Read read_gather(const OpView& op, const Index& index, IndexSpace& space, DynamicIndices& dynamic) {
  const Attrs& a = op.attrs();
  const Type operand = op.operand_type(0), starts = op.operand_type(1), result = op.result_type();
  const IndexedDims dims = IndexedDims::of_gather(a);
  const auto &offset_dims = dims.window, &collapsed = dims.inserted, &operand_batching = dims.batching;
  const auto &starts_batching = dims.indices_batching, &map = dims.map;
  const auto& sizes = a.ints("slice_sizes");
  const int64_t vector_dim = dims.vector_axis;

  std::vector<int64_t> batch_dims_of_starts, offset_operand_dims;
  for (int64_t d = 0; d < starts.rank(); ++d) {
    if (d != vector_dim) batch_dims_of_starts.push_back(d);
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (!contains(collapsed, d) && !contains(operand_batching, d)) offset_operand_dims.push_back(d);
  }
  // A whole slice dimension of the operand inside another offset dimension is read together with it.
  std::vector<int64_t> extents;  // of the digits of the result
  std::vector<int64_t> digit_of_batch, digit_of_offset;
  std::vector<bool> joined;
  int64_t last_offset = -2;  // operand dimension of the previous result dimension, -2: a batch dimension
  size_t b = 0, o = 0;
  for (int64_t d = 0; d < result.rank(); ++d) {
    if (contains(offset_dims, d)) {
      const int64_t source = offset_operand_dims[o++];
      const bool whole = sizes[static_cast<size_t>(source)] == operand.dim(source);
      const bool joins = last_offset == source - 1 && whole;
      if (joins) {
        extents.back() *= result.dim(d);
      } else {
        extents.push_back(result.dim(d));
      }
      digit_of_offset.push_back(static_cast<int64_t>(extents.size()) - 1);
      joined.push_back(joins);
      last_offset = source;
    } else {
      extents.push_back(result.dim(d));
      digit_of_batch.push_back(static_cast<int64_t>(extents.size()) - 1);
      last_offset = -2;
      ++b;
    }
  }
  const std::vector<Expr> digits = space.digits(index, extents);

  auto start_digits = [&](int64_t component) {
    std::vector<int64_t> e;
    std::vector<Expr> at;
    size_t k = 0;
    for (int64_t d = 0; d < starts.rank(); ++d) {
      e.push_back(starts.dim(d));
      at.push_back(d == vector_dim ? Expr(component) : digits[static_cast<size_t>(digit_of_batch[k++])]);
    }
    return make_index(e, at);
  };

  Read read;
  size_t next_offset = 0;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    // A collapsed dimension may have slices of no elements; what is read is one element, which must exist.
    const int64_t extent = operand.dim(d), size = std::max<int64_t>(1, sizes[static_cast<size_t>(d)]);
    Expr e(0);
    const auto it = std::find(map.begin(), map.end(), d);
    if (it != map.end() && extent != size)
      e = dynamic.clamped(op.operand(1), start_digits(it - map.begin()), extent - size);
    const auto batching = std::find(operand_batching.begin(), operand_batching.end(), d);
    if (batching != operand_batching.end()) {
      const int64_t starts_dim = starts_batching[static_cast<size_t>(batching - operand_batching.begin())];
      const auto k = std::find(batch_dims_of_starts.begin(), batch_dims_of_starts.end(), starts_dim) -
                     batch_dims_of_starts.begin();
      e = e + digits[static_cast<size_t>(digit_of_batch[static_cast<size_t>(k)])];
    } else if (!contains(collapsed, d)) {
      const size_t k = next_offset++;
      if (joined[k]) {  // the outer digit carries both
        Factor& outer = read.index.back();
        outer.extent *= extent;
        continue;
      }
      // Digits joined to this one scale the start by the elements inside.
      int64_t inner = 1;
      for (size_t j = k + 1; j < joined.size() && joined[j]; ++j) inner *= operand.dim(offset_operand_dims[j]);
      e = e * inner + digits[static_cast<size_t>(digit_of_offset[k])];
      read.index.push_back({extent, e});
      continue;
    }
    read.index.push_back({extent, e});
  }
  std::erase_if(read.index, [](const Factor& f) { return f.extent == 1; });
  return read;
}

}  // namespace

Read read_of(const OpView& op, Structural kind, size_t operand, const Index& index, IndexSpace& space,
             DynamicIndices& dynamic) {
  switch (kind) {
    case Structural::kReshape: return {index, {}, false};
    case Structural::kBroadcast: return read_runs(runs_of_broadcast(op), index, space);
    case Structural::kTranspose: return read_runs(runs_of_transpose(op), index, space);
    case Structural::kReverse: return read_runs(runs_of_reverse(op), index, space);
    case Structural::kGather: return read_gather(op, index, space, dynamic);
    case Structural::kNone: break;
    default: return read_runs(runs_of_pieces(pieces_of(op, kind, operand, dynamic)), index, space);
  }
  throw InternalError("[codegen] " + std::string(op.def().mnemonic) + " is not a structural op", op.loc());
}

Index update_place(const OpView& op, const Index& index, IndexSpace& space, DynamicIndices& dynamic) {
  const Type operand = op.operand_type(0), update = op.operand_type(1);
  std::vector<Piece> pieces;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    Piece p{update.dim(d), operand.dim(d), Expr(0)};
    if (p.extent != p.operand_extent)
      p.offset = dynamic.clamped(op.operand(static_cast<size_t>(d) + 2), {}, p.operand_extent - p.extent);
    pieces.push_back(p);
  }
  return read_runs(runs_of_pieces(pieces), index, space).index;
}

}  // namespace weft::codegen
