#include "native/open/row_form.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "ir/clone.h"
#include "native/codegen/kernel.h"
#include "native/codegen/reads.h"
#include "native/open/open_entry.h"
#include "ops/builder.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/reduction/window_rules.h"

namespace weft::native {
namespace {

using codegen::Structural;
using Ints = std::vector<int64_t>;

/// What a value of the kernel has become: `lead` outer dimensions are one, that of the rows; 0: it is the same for all rows.
struct Row {
  Value value;
  size_t lead = 0;
};

/// Dimensions behind the first `lead`, counted with these as one.
std::optional<Ints> behind(const Ints& dims, size_t lead) {
  Ints out;
  for (int64_t d : dims) {
    if (d < static_cast<int64_t>(lead)) return std::nullopt;
    out.push_back(d - static_cast<int64_t>(lead) + 1);
  }
  return out;
}

/// A list by dimension whose first `lead` entries are `neutral`, with these as one.
std::optional<Ints> merged(const Ints& list, size_t lead, int64_t neutral) {
  Ints out = {neutral};
  for (size_t d = 0; d < list.size(); ++d) {
    if (d >= lead) out.push_back(list[d]);
    if (d < lead && list[d] != neutral) return std::nullopt;
  }
  return out;
}

/// Whether a part of these extents lies in one piece.
bool is_one_piece(std::span<const int64_t> whole, std::span<const int64_t> part) {
  size_t d = 0;
  while (d < part.size() && part[d] == 1) ++d;
  for (++d; d < part.size(); ++d) {
    if (part[d] != whole[d]) return false;
  }
  return true;
}

/// Extents but those of 1 among the first `lead` of a shape, and which dimensions they are.
struct Leading {
  Ints extents, dims;
  Leading(std::span<const int64_t> shape, size_t lead) {
    for (size_t d = 0; d < lead; ++d) {
      if (shape[d] == 1) continue;
      extents.push_back(shape[d]);
      dims.push_back(static_cast<int64_t>(d));
    }
  }
};

class Finder {
 public:
  Finder(const Function& kernel, const ExtentNames& names, bool updates, int64_t group)
      : kernel_(kernel), names_(names), updates_(updates), group_(group) {}

  std::optional<RowForm> run() {
    const auto roots = kernel_.operands(kernel_.terminator(kernel_.body()));
    const OpView update{kernel_, kernel_.defining_op(roots[0])};
    const Type shape = updates_ ? update.operand_type(1) : kernel_.type(roots[0]);
    size_t lead = 0;
    for (size_t d = 0; d < shape.shape().size(); ++d) {
      if (names_.is_open(shape.shape()[d])) lead = d + 1;
    }
    if (lead == 0) return std::nullopt;
    form_.count = 1;
    for (size_t d = 0; d < lead; ++d) form_.count *= shape.shape()[d];
    if (!choose_rows()) return std::nullopt;
    form_.function = std::make_shared<Function>("rows");
    to_ = form_.function.get();
    const size_t first = kernel_.args().size();
    std::vector<Value> results;
    std::vector<RowForm::Buffer> outputs;
    for (size_t k = 0; k < roots.size(); ++k) {
      const bool is_piece = updates_ && updates_in_one_piece(update);
      const Value root = is_piece ? update.operand(1) : roots[k];
      // Which of two updates comes last is not to be found out here.
      if (!updates_ && codegen::updated_argument(kernel_, root) >= 0) return std::nullopt;
      const auto r = get(root);
      if (!r || r->lead == 0) return std::nullopt;
      results.push_back(r->value);
      outputs.push_back({first + k, row_bytes(kernel_.type(root), r->lead), is_piece ? update.id : OpId{}});
    }
    form_.buffers.insert(form_.buffers.end(), outputs.begin(), outputs.end());
    OpBuilder(*to_, to_->body()).yield(results);
    for (Value v : results) {
      const bool writes_a_part = updates_ && !updates_in_one_piece(update);
      if ((codegen::updated_argument(*to_, v) >= 0) != writes_a_part) return std::nullopt;
    }
    return std::move(form_);
  }

 private:
  bool choose_rows() {
    constexpr std::array<int64_t, 6> kPrimes = {4093, 4091, 4079, 4073, 4057, 4051};
    std::set<int64_t> numbers;
    for (uint32_t i = 0; i < kernel_.num_values(); ++i) {
      const Type t = kernel_.type(Value{i});
      if (!t.is_tensor()) return false;
      for (int64_t d : t.shape()) numbers.insert(names_.is_open(d) ? 1 : d);
    }
    for (int64_t p : kPrimes) {
      const bool divides = std::ranges::any_of(numbers, [&](int64_t n) { return n != 0 && n % p == 0; });
      if (divides || names_.is_open(p)) continue;
      form_.rows = p;
      extent_ = group_ * p;
      return true;
    }
    return false;
  }

  bool is_open(Type t) const { return names_.any_open(t.shape()); }
  /// How many outer dimensions are the rows; 0: none is open.
  std::optional<size_t> lead_of(Type t) const {
    if (!is_open(t)) return size_t{0};
    int64_t product = 1;
    for (size_t d = 0; d < t.shape().size(); ++d) {
      product *= t.shape()[d];
      if (product == form_.count && !names_.any_open(t.shape().subspan(d + 1))) return d + 1;
    }
    return std::nullopt;
  }
  Type row_type(Type t, size_t lead) const {
    if (lead == 0) return t;
    Ints shape = {extent_};
    shape.insert(shape.end(), t.shape().begin() + static_cast<std::ptrdiff_t>(lead), t.shape().end());
    return t.with_shape(shape);
  }
  static int64_t row_bytes(Type t, size_t lead) {
    if (lead == 0) return 0;
    Ints shape(t.shape().begin() + static_cast<std::ptrdiff_t>(lead), t.shape().end());
    return static_cast<int64_t>(t.with_shape(shape).num_bytes());
  }
  bool updates_in_one_piece(const OpView& update) const {
    return is_one_piece(update.operand_type(0).shape(), update.operand_type(1).shape());
  }

  std::optional<Row> get(Value v) {
    if (const auto it = known_.find(v.index); it != known_.end()) return it->second;
    const OpId id = kernel_.defining_op(v);
    if (id) {
      if (!compute({kernel_, id})) return std::nullopt;
      return known_.at(v.index);
    }
    const auto lead = lead_of(kernel_.type(v));
    if (!lead) return std::nullopt;
    return known_[v.index] = argument(v, kernel_.type(v), *lead, {});
  }
  Row argument(Value v, Type t, size_t lead, OpId view) {
    form_.buffers.push_back({kernel_.position(v), row_bytes(t, lead), view});
    return {to_->add_arg(to_->body(), row_type(t, lead)), lead};
  }

  // ---- ops

  bool compute(const OpView& op) {
    bool open = has_open_numbers(op, names_);
    if (!open) return copy(op, op.attrs(), 0);
    const auto lead = lead_of(op.result_type());
    if (!lead || *lead == 0) return false;
    const std::string_view m = op.def().mnemonic;
    const Structural kind = codegen::structural_kind(op.def());
    if (kind != Structural::kNone) return structural(op, kind, *lead);
    if (m == "stablehlo.constant") return constant(op, *lead);
    if (m == "stablehlo.iota") return with_dims(op, "iota_dimension", *lead);
    if (m == "stablehlo.reduce") return with_dims(op, "dimensions", *lead);
    if (m == "stablehlo.reduce_window") return window(op, *lead);
    if (m == "stablehlo.dot_general") return product(op, *lead);
    if (m == "stablehlo.convolution") return images(op, *lead);
    if (codegen::is_loop(op) || !op.regions().empty() || op.num_results() != 1) return false;
    if (m == "weft.lane_while" || m == "stablehlo.scatter") return false;
    for (const auto& [name, a] : op.attrs().entries()) {
      if (a.get_if<Ints>() != nullptr || a.get_if<Type>() != nullptr || a.get_if<Literal>() != nullptr) return false;
    }
    // Elementwise: scalars may stand beside tensors.
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const Type t = op.operand_type(i);
      if (t.rank() != 0 && !std::ranges::equal(t.shape(), op.result_type().shape())) return false;
    }
    return copy(op, op.attrs(), *lead);
  }

  /// The op on what its operands have become; those that have rows must have `lead` dimensions of them.
  bool copy(const OpView& op, Attrs attrs, size_t lead) {
    std::vector<Value> operands;
    for (Value v : op.operands()) {
      const auto r = get(v);
      if (!r || (r->lead != 0 && r->lead != lead)) return false;
      operands.push_back(r->value);
    }
    return append(op, operands, std::move(attrs), lead);
  }
  bool append(const OpView& op, std::span<const Value> operands, Attrs attrs, size_t lead) {
    for (const auto& [name, a] : attrs.entries()) {
      const auto* list = a.get_if<Ints>();
      const auto* one = a.get_if<int64_t>();
      if ((list != nullptr && names_.any_open(*list)) || (one != nullptr && names_.is_open(*one))) return false;
    }
    std::vector<RegionId> regions;
    for (RegionId from : op.regions()) {
      const auto made = region(from);
      if (!made) return false;
      regions.push_back(*made);
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const auto l = lead_of(op.result_type(i));
      if (!l || *l != lead) return false;
      types.push_back(row_type(op.result_type(i), lead));
    }
    const OpId made = to_->append(to_->body(), op.def(), operands, std::move(attrs), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) known_[op.result(i).index] = {to_->result(made, i), lead};
    return true;
  }
  std::optional<RegionId> region(RegionId from) {
    // What a region uses from outside comes before it.
    for (Value v : captures(kernel_, from)) {
      const auto r = get(v);
      if (!r || r->lead != 0) return std::nullopt;
      inner_.set(v, r->value);
    }
    const RegionId made = to_->new_region();
    for (Value v : kernel_.args(from)) inner_.set(v, to_->add_arg(made, kernel_.type(v)));
    for (OpId id : kernel_.ops(from)) clone_op(kernel_, id, *to_, made, inner_);
    return made;
  }

  bool constant(const OpView& op, size_t lead) {
    const Literal& l = op.attrs().literal("value");
    if (!l.splat) return false;
    Attrs attrs;
    attrs.set("value", Literal::splat_of(row_type(l.type, lead), l.elements));
    return append(op, {}, std::move(attrs), lead);
  }

  /// Dimensions in an attribute lie behind the rows.
  bool with_dims(const OpView& op, const char* name, size_t lead) {
    Attrs attrs = op.attrs();
    const bool is_one = attrs.find(name)->get_if<int64_t>() != nullptr;
    const auto dims = behind(is_one ? Ints{attrs.integer(name)} : attrs.ints(name), lead);
    if (!dims) return false;
    if (is_one) {
      attrs.set(name, dims->front());
    } else {
      attrs.set(name, *dims);
    }
    return copy(op, std::move(attrs), lead);
  }

  bool has_same_lead(const OpView& op, size_t operand, size_t lead) const {
    const auto x = op.operand_type(operand).shape(), y = op.result_type().shape();
    return x.size() >= lead && std::ranges::equal(x.first(lead), y.first(lead));
  }

  bool window(const OpView& op, size_t lead) {
    const Window w(op);
    const auto dims = merged(w.dimensions, lead, 1), strides = merged(w.strides, lead, 1),
               base = merged(w.base_dilations, lead, 1), dilations = merged(w.window_dilations, lead, 1);
    const auto padding = merged(w.padding, 2 * lead, 0);
    if (!dims || !strides || !base || !dilations || !padding || !has_same_lead(op, 0, lead)) return false;
    Attrs attrs = op.attrs();
    attrs.set("window_dimensions", *dims);
    attrs.set("window_strides", *strides);
    attrs.set("base_dilations", *base);
    attrs.set("window_dilations", *dilations);
    Ints both = *padding;
    both.insert(both.begin(), 0);
    attrs.set("padding", both);
    return copy(op, std::move(attrs), lead);
  }

  bool product(const OpView& op, size_t lead) {
    Attrs attrs = op.attrs();
    const auto &lb = attrs.ints("lhs_batching_dimensions"), &rb = attrs.ints("rhs_batching_dimensions"),
               &lc = attrs.ints("lhs_contracting_dimensions"), &rc = attrs.ints("rhs_contracting_dimensions");
    if (!has_same_lead(op, 0, lead)) return false;
    const auto left = behind(lc, lead);
    if (!left) return false;
    if (lb.size() >= lead) {
      // Rows are batches: the outer ones of both.
      for (size_t d = 0; d < lead; ++d) {
        if (lb[d] != static_cast<int64_t>(d) || rb[d] != static_cast<int64_t>(d)) return false;
      }
      const auto rest = [&](const Ints& dims) {
        return Ints(dims.begin() + static_cast<std::ptrdiff_t>(lead), dims.end());
      };
      auto l = behind(rest(lb), lead), r = behind(rest(rb), lead);
      const auto right = behind(rc, lead);
      if (!l || !r || !right) return false;
      l->insert(l->begin(), 0);
      r->insert(r->begin(), 0);
      attrs.set("lhs_batching_dimensions", *l);
      attrs.set("rhs_batching_dimensions", *r);
      attrs.set("rhs_contracting_dimensions", *right);
    } else {
      // Rows are those of the left matrix alone.
      if (!lb.empty() || is_open(op.operand_type(1))) return false;
    }
    attrs.set("lhs_contracting_dimensions", *left);
    return copy(op, std::move(attrs), lead);
  }

  /// Rows are images.
  bool images(const OpView& op, size_t lead) {
    const Attrs& attrs = op.attrs();
    if (lead != 1 || attrs.integer("input_batch_dimension") != 0 || attrs.integer("output_batch_dimension") != 0)
      return false;
    if (attrs.integer_or("batch_group_count", 1) != 1 || is_open(op.operand_type(1))) return false;
    return has_same_lead(op, 0, lead) && copy(op, attrs, lead);
  }

  bool structural(const OpView& op, Structural kind, size_t lead) {
    Attrs attrs = op.attrs();
    const Type x = op.operand_type(0), y = op.result_type();
    switch (kind) {
      case Structural::kReshape: {
        const auto r = get(op.operand(0));
        return r && r->lead != 0 && append(op, {&r->value, 1}, std::move(attrs), lead);
      }
      case Structural::kBroadcast: return broadcast(op, lead);
      case Structural::kTranspose: {
        const auto r = get(op.operand(0));
        if (!r || r->lead == 0) return false;
        const Ints& permutation = attrs.ints("permutation");
        const Leading from(x.shape(), r->lead), to(y.shape(), lead);
        Ints order;
        for (int64_t d : to.dims) order.push_back(permutation[static_cast<size_t>(d)]);
        const auto rest =
            behind(Ints(permutation.begin() + static_cast<std::ptrdiff_t>(lead), permutation.end()), r->lead);
        if (order != from.dims || !rest) return false;
        Ints made = {0};
        made.insert(made.end(), rest->begin(), rest->end());
        attrs.set("permutation", made);
        return append(op, {&r->value, 1}, std::move(attrs), lead);
      }
      case Structural::kSlice: return slice(op, lead);
      case Structural::kDynamicSlice:
      case Structural::kDynamicUpdateSlice: return dynamic(op, kind, lead);
      case Structural::kReverse: return with_dims(op, "dimensions", lead);
      case Structural::kPad: {
        const size_t rank = static_cast<size_t>(y.rank());
        for (const char* name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
          const auto list = merged(attrs.ints_or(name, rank, 0), lead, 0);
          if (!list) return false;
          attrs.set(name, *list);
        }
        return copy(op, std::move(attrs), lead);
      }
      case Structural::kConcatenate: return with_dims(op, "dimension", lead);
      case Structural::kGather: return gather(op, lead);
      default: return false;
    }
  }

  bool broadcast(const OpView& op, size_t lead) {
    const auto r = get(op.operand(0));
    if (!r) return false;
    const Type x = op.operand_type(0), y = op.result_type();
    const Ints& dims = op.attrs().ints("broadcast_dimensions");
    Ints made, shape;
    if (r->lead != 0) {
      const Leading from(x.shape(), r->lead), to(y.shape(), lead);
      Ints images;
      for (int64_t d : from.dims) images.push_back(dims[static_cast<size_t>(d)]);
      if (images != to.dims) return false;
      made.push_back(0);
      shape.push_back(extent_);
    }
    for (size_t d = r->lead; d < dims.size(); ++d) {
      if (dims[d] < static_cast<int64_t>(lead)) {
        if (x.shape()[d] != 1) return false;
        continue;  // an extent of 1 that is repeated for all rows
      }
      made.push_back(dims[d] - static_cast<int64_t>(lead) + 1);
      shape.push_back(x.shape()[d]);
    }
    OpBuilder b(*to_, to_->body());
    b.loc = op.loc();
    Value from = r->value;
    if (!std::ranges::equal(to_->type(from).shape(), shape)) from = b.reshape(from, shape);
    Attrs attrs = op.attrs();
    attrs.set("broadcast_dimensions", made);
    return append(op, {&from, 1}, std::move(attrs), lead);
  }

  /// An argument of which the rows are a part in one piece.
  bool view(const OpView& op, size_t lead) {
    const Value x = op.operand(0);
    if (kernel_.defining_op(x) || !is_one_piece(kernel_.type(x).shape(), op.result_type().shape())) return false;
    known_[op.result().index] = argument(x, op.result_type(), lead, op.id);
    return true;
  }

  bool slice(const OpView& op, size_t lead) {
    Attrs attrs = op.attrs();
    const size_t rank = static_cast<size_t>(op.result_type().rank());
    const auto start = merged(attrs.ints("start_indices"), lead, 0),
               strides = merged(attrs.ints_or("strides", rank, 1), lead, 1);
    if (!start || !strides || !has_same_lead(op, 0, lead)) {
      const auto all = attrs.ints_or("strides", rank, 1);
      return std::ranges::all_of(all, [](int64_t s) { return s == 1; }) && view(op, lead);
    }
    const Ints& limits = attrs.ints("limit_indices");
    Ints limit = {extent_};
    limit.insert(limit.end(), limits.begin() + static_cast<std::ptrdiff_t>(lead), limits.end());
    if (names_.any_open(limit) || names_.any_open(*start) || names_.any_open(*strides)) return false;
    attrs.set("start_indices", *start);
    attrs.set("limit_indices", limit);
    attrs.set("strides", *strides);
    return copy(op, std::move(attrs), lead);
  }

  bool dynamic(const OpView& op, Structural kind, size_t lead) {
    const bool is_update = kind == Structural::kDynamicUpdateSlice;
    const size_t first = is_update ? 2 : 1;
    if (!has_same_lead(op, 0, lead)) return !is_update && view(op, lead);
    if (is_update && !has_same_lead(op, 1, lead)) return false;
    std::vector<Value> operands;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      // All rows are read, wherever the index of the rows says to begin.
      if (i > first && i < first + lead) continue;
      const auto r = get(op.operand(i));
      if (!r || (r->lead != 0 && r->lead != lead) || (i < first && r->lead != lead)) return false;
      operands.push_back(r->value);
    }
    Attrs attrs = op.attrs();
    if (!is_update) {
      const Ints& sizes = attrs.ints("slice_sizes");
      Ints made = {extent_};
      made.insert(made.end(), sizes.begin() + static_cast<std::ptrdiff_t>(lead), sizes.end());
      attrs.set("slice_sizes", made);
    }
    return append(op, operands, std::move(attrs), lead);
  }

  /// Rows of indices into what all rows share.
  bool gather(const OpView& op, size_t lead) {
    IndexedDims dims = IndexedDims::of_gather(op.attrs());
    const auto rows = get(op.operand(1)), whole = get(op.operand(0));
    if (!rows || !whole || rows->lead == 0 || whole->lead != 0 || !dims.batching.empty()) return false;
    const Leading from(op.operand_type(1).shape(), rows->lead), to(op.result_type().shape(), lead);
    const auto window = behind(dims.window, lead);
    if (from.extents != to.extents || rows->lead != lead || !window || dims.vector_axis < static_cast<int64_t>(lead))
      return false;
    const auto& sizes = op.attrs().ints("slice_sizes");
    if (names_.any_open(sizes)) return false;
    dims.window = *window;
    dims.vector_axis -= static_cast<int64_t>(lead) - 1;
    const std::array operands = {whole->value, rows->value};
    return append(op, operands, dims.gather_attrs(sizes, op.attrs().boolean_or("indices_are_sorted", false)), lead);
  }

  const Function& kernel_;
  const ExtentNames& names_;
  const bool updates_;
  const int64_t group_;
  int64_t extent_ = 0;  // of the rows
  RowForm form_;
  Function* to_ = nullptr;
  std::map<uint32_t, Row> known_;
  ValueMap inner_;
};

}  // namespace

std::optional<RowForm> row_form(const Function& kernel, const ExtentNames& names, bool updates, int64_t group) {
  return Finder(kernel, names, updates, group).run();
}

}  // namespace weft::native
