#include "native/contraction/channels_last.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "ir/clone.h"
#include "native/contraction/convolution_form.h"
#include "ops/builder.h"
#include "ops/record.h"

namespace weft::native {

namespace {

using Ints = std::vector<int64_t>;

bool is(const OpView& op, std::string_view mnemonic) { return op.def().mnemonic == mnemonic; }

bool is_image(Type t) { return t.is_tensor() && t.is_static() && !t.is_quantized() && t.rank() >= 3 && t.rank() <= 5; }

/// Batch, the others in their order, channels.
Ints order_of(int64_t rank, int64_t batch, int64_t channel) {
  Ints order = {batch};
  for (int64_t d = 0; d < rank; ++d)
    if (d != batch && d != channel) order.push_back(d);
  order.push_back(channel);
  return order;
}

Ints inverse(const Ints& order) {
  Ints at(order.size());
  for (size_t i = 0; i < order.size(); ++i) at[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return at;
}

/// How an op that connects its operands and results acts on dimensions.
enum class Connection {
  kNone,
  kElementwise,
  kByDimension,  // attributes have an entry for each dimension
};

Connection connection_of(const OpView& op) {
  for (std::string_view name : {"stablehlo.pad", "stablehlo.slice", "stablehlo.concatenate", "stablehlo.reverse",
                                "stablehlo.reduce_window", "stablehlo.select_and_scatter"})
    if (is(op, name)) return Connection::kByDimension;
  if (op.num_results() != 1 || !op.regions().empty() || record(op).scalar.refused()) return Connection::kNone;
  const Type result = op.result_type();
  if (!is_image(result)) return Connection::kNone;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type t = op.operand_type(i);
    if (!t.is_tensor() || !(t.is_scalar() || std::ranges::equal(t.shape(), result.shape()))) return Connection::kNone;
  }
  return op.num_operands() > 0 ? Connection::kElementwise : Connection::kNone;
}

/// Values whose dimensions lie alike, and what convolutions wish for them.
class Regions {
 public:
  explicit Regions(const Function& f) : f_(f), parent_(f.num_values()) {
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (uint32_t i = 0; i < f.num_ops(); ++i) connect({f, OpId{i}});
    for (uint32_t i = 0; i < f.num_ops(); ++i) vote({f, OpId{i}});
    for (auto& [root, wishes] : wishes_) {
      const auto best = std::ranges::max_element(wishes, {}, [](const auto& wish) { return wish.second; });
      if (!std::ranges::is_sorted(best->first)) orders_[root] = best->first;
    }
  }

  bool empty() const { return orders_.empty(); }

  /// The order in which the value's dimensions shall lie, or null for the one they have.
  const Ints* order(Value v) {
    if (orders_.empty() || !is_image(f_.type(v))) return nullptr;
    const auto it = orders_.find(root(v.index));
    return it != orders_.end() && it->second.size() == f_.type(v).shape().size() ? &it->second : nullptr;
  }

 private:
  uint32_t root(uint32_t v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }

  void connect(const OpView& op) {
    if (connection_of(op) == Connection::kNone) return;
    std::optional<Value> first;
    const auto join = [&](Value v) {
      if (!is_image(f_.type(v))) return;
      if (first) parent_[root(v.index)] = root(first->index);
      else first = v;
    };
    for (Value v : op.operands()) join(v);
    for (size_t i = 0; i < op.num_results(); ++i) join(op.result(i));
  }

  void vote(const OpView& op) {
    if (!is(op, "stablehlo.convolution")) return;
    for (Type t : {op.operand_type(0), op.operand_type(1), op.result_type()})
      if (!is_image(t)) return;
    const ElementType type = op.operand_type(0).element_type();
    if (type != ElementType::kF32 && type != ElementType::kBF16 && type != ElementType::kF16) return;
    const ConvolutionAnalysis analysis = analyze_convolution(op, ContractionLayout::dense(op));
    if (analysis.forms.empty()) return;
    const ConvolutionAttrs a = ConvolutionAttrs::from(op.attrs());
    // Many ops may be read either way; a gradient of weights has a window larger than what comes out.
    int64_t window = 1, out = 1;
    for (int64_t d : a.kernel_spatial) window *= op.operand_type(1).dim(d);
    for (int64_t d : a.output_spatial) out *= op.result_type().dim(d);
    const auto is_possible = [&](bool is_of_weights) {
      return std::ranges::any_of(analysis.forms, [&](const ConvolutionForm& form) {
        return (form.desc.direction == ConvolutionDirection::kBackwardWeights) == is_of_weights;
      });
    };
    if (is_possible(true) && (window > out || !is_possible(false))) {
      wish(op.operand(0), a.input_feature, a.input_batch);
      wish(op.operand(1), a.kernel_input_feature, a.kernel_output_feature);
    } else {
      wish(op.operand(0), a.input_batch, a.input_feature);
      wish(op.result(), a.output_batch, a.output_feature);
    }
  }

  void wish(Value v, int64_t batch, int64_t channel) {
    const Type t = f_.type(v);
    wishes_[root(v.index)][order_of(t.rank(), batch, channel)] += t.num_bytes();
  }

  const Function& f_;
  std::vector<uint32_t> parent_;
  std::unordered_map<uint32_t, std::map<Ints, size_t>> wishes_;
  std::unordered_map<uint32_t, Ints> orders_;
};

class Rewriter {
 public:
  explicit Rewriter(const Function& from)
      : from_(from), regions_(from), plain_(from.num_values()), ordered_(from.num_values()) {}

  std::unique_ptr<Function> run() {
    if (regions_.empty()) return nullptr;
    auto out = std::make_unique<Function>(from_.name());
    to_ = out.get();
    copy_signature(from_, *to_);
    copy_region(from_.body(), to_->body());
    return out;
  }

 private:
  void copy_region(RegionId source, RegionId region) {
    const size_t mark = made_.size();
    for (Value v : from_.args(source)) set(plain_, v, to_->add_arg(region, from_.type(v)));
    for (OpId id : from_.ops(source)) copy_op({from_, id}, region);
    // What was made in this region is not to be seen outside.
    for (; made_.size() > mark; made_.pop_back()) (*made_.back().first)[made_.back().second] = Value{};
  }

  void set(std::vector<Value>& map, Value from, Value to) {
    map[from.index] = to;
    made_.emplace_back(&map, from.index);
  }

  OpBuilder builder(RegionId region, Loc loc) {
    OpBuilder b(*to_, region);
    b.loc = loc;
    return b;
  }

  Type permuted(Type t, const Ints& order) const {
    Ints shape;
    for (int64_t d : order) shape.push_back(t.dim(d));
    return t.with_shape(shape);
  }

  /// The value as the program has it.
  Value plain(Value v, RegionId region, Loc loc) {
    if (!plain_[v.index]) {
      const Ints* order = regions_.order(v);
      set(plain_, v, builder(region, loc).transpose(ordered_[v.index], inverse(*order)));
    }
    return plain_[v.index];
  }

  /// The value in the order of its region. Broadcasts, constants and transposes are made in that order at once.
  Value ordered(Value v, RegionId region, Loc loc) {
    if (ordered_[v.index]) return ordered_[v.index];
    const Ints& order = *regions_.order(v);
    const Type type = permuted(from_.type(v), order);
    OpBuilder b = builder(region, loc);
    const OpId def = from_.defining_op(v);
    Value made;
    if (def) {
      const OpView op{from_, def};
      const Ints at = inverse(order);
      if (is(op, "stablehlo.constant") && op.attrs().literal("value").splat) {
        Literal literal = op.attrs().literal("value");
        literal.type = type;
        made = b.constant(literal);
      } else if (is(op, "stablehlo.broadcast_in_dim")) {
        Ints dims;
        for (int64_t d : op.attrs().ints("broadcast_dimensions")) dims.push_back(at[static_cast<size_t>(d)]);
        made = b.broadcast_in_dim(plain(op.operand(0), region, loc), dims, type.shape());
      } else if (is(op, "stablehlo.iota")) {
        made = b.iota(type, at[static_cast<size_t>(op.attrs().integer("iota_dimension"))]);
      } else if (is(op, "stablehlo.transpose")) {
        const Ints& first = op.attrs().ints("permutation");
        Ints both;
        for (int64_t d : order) both.push_back(first[static_cast<size_t>(d)]);
        made = b.transpose(plain(op.operand(0), region, loc), both);
      }
    }
    if (!made) made = b.transpose(plain(v, region, loc), order);
    set(ordered_, v, made);
    return made;
  }

  Value ordered_if_wished(Value v, RegionId region, Loc loc) {
    return regions_.order(v) ? ordered(v, region, loc) : plain(v, region, loc);
  }

  void copy_op(const OpView& op, RegionId region) {
    if (is(op, "stablehlo.convolution") && copy_convolution(op, region)) return;
    const Connection connection = connection_of(op);
    const Ints* order = connection != Connection::kNone ? regions_.order(op.result()) : nullptr;
    if (order) return copy_connection(op, connection, *order, region);
    if (is(op, "stablehlo.reduce") && copy_reduce(op, region)) return;
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(plain(v, region, op.loc()));
    append(op, operands, from_.shared_attrs(op.id), region, {});
  }

  /// Appends the op; the results with an order are set as such where `orders` says so.
  void append(const OpView& op, const std::vector<Value>& operands, std::shared_ptr<const Attrs> attrs, RegionId region,
              const std::vector<const Ints*>& orders) {
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      regions.push_back(to_->new_region());
      copy_region(r, regions.back());
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Ints* order = i < orders.size() ? orders[i] : nullptr;
      types.push_back(order ? permuted(op.result_type(i), *order) : op.result_type(i));
    }
    const OpId made = to_->append(region, op.def(), operands, std::move(attrs), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i)
      set(i < orders.size() && orders[i] ? ordered_ : plain_, op.result(i), to_->result(made, i));
  }

  bool copy_convolution(const OpView& op, RegionId region) {
    const Ints *lhs = regions_.order(op.operand(0)), *rhs = regions_.order(op.operand(1)),
               *result = regions_.order(op.result());
    if (!lhs && !rhs && !result) return false;
    ConvolutionAttrs a = ConvolutionAttrs::from(op.attrs());
    const auto move = [](const Ints* order, int64_t& first, int64_t& second, Ints& spatial) {
      if (!order) return;
      const Ints at = inverse(*order);
      first = at[static_cast<size_t>(first)], second = at[static_cast<size_t>(second)];
      for (int64_t& d : spatial) d = at[static_cast<size_t>(d)];
    };
    move(lhs, a.input_batch, a.input_feature, a.input_spatial);
    move(rhs, a.kernel_input_feature, a.kernel_output_feature, a.kernel_spatial);
    move(result, a.output_batch, a.output_feature, a.output_spatial);
    Attrs attrs = op.attrs();
    const Attrs moved = a.attrs();
    for (const auto& [name, value] : moved.entries())
      if (name.find("_dimension") != std::string::npos) attrs.set(name, value);
    append(op, {ordered_if_wished(op.operand(0), region, op.loc()), ordered_if_wished(op.operand(1), region, op.loc())},
           std::make_shared<const Attrs>(std::move(attrs)), region, {result});
    return true;
  }

  void copy_connection(const OpView& op, Connection connection, const Ints& order, RegionId region) {
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(ordered_if_wished(v, region, op.loc()));
    const std::vector<const Ints*> orders(op.num_results(), &order);
    if (connection == Connection::kElementwise) return append(op, operands, from_.shared_attrs(op.id), region, orders);
    Attrs attrs = op.attrs();
    const Ints at = inverse(order);
    const size_t rank = order.size();
    for (const auto& [name, value] : op.attrs().entries()) {
      if (name == "dimension") {
        attrs.set(name, at[static_cast<size_t>(op.attrs().integer(name))]);
      } else if (name == "dimensions") {
        Ints dims;
        for (int64_t d : op.attrs().ints(name)) dims.push_back(at[static_cast<size_t>(d)]);
        std::ranges::sort(dims);
        attrs.set(name, dims);
      } else if (const Ints* list = value.get_if<Ints>(); list && (list->size() == rank || list->size() == 2 * rank)) {
        const size_t each = list->size() / rank;
        Ints moved;
        for (int64_t d : order)
          for (size_t i = 0; i < each; ++i) moved.push_back((*list)[static_cast<size_t>(d) * each + i]);
        attrs.set(name, moved);
      }
    }
    append(op, operands, std::make_shared<const Attrs>(std::move(attrs)), region, orders);
  }

  /// A reduction of values in an order whose results do not depend on it.
  bool copy_reduce(const OpView& op, RegionId region) {
    const size_t count = op.num_results();
    const Ints* order = regions_.order(op.operand(0));
    if (!order) return false;
    const Ints& dims = op.attrs().ints("dimensions");
    Ints kept;
    for (int64_t d : *order)
      if (std::ranges::find(dims, d) == dims.end()) kept.push_back(d);
    if (!std::ranges::is_sorted(kept)) return false;
    std::vector<Value> operands;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const Ints* other = i < count ? regions_.order(op.operand(i)) : nullptr;
      if (i < count && (!other || *other != *order)) return false;
    }
    for (size_t i = 0; i < op.num_operands(); ++i)
      operands.push_back(i < count ? ordered(op.operand(i), region, op.loc()) : plain(op.operand(i), region, op.loc()));
    const Ints at = inverse(*order);
    Ints moved;
    for (int64_t d : dims) moved.push_back(at[static_cast<size_t>(d)]);
    std::ranges::sort(moved);
    Attrs attrs = op.attrs();
    attrs.set("dimensions", moved);
    append(op, operands, std::make_shared<const Attrs>(std::move(attrs)), region, {});
    return true;
  }

  const Function& from_;
  Regions regions_;
  Function* to_ = nullptr;
  std::vector<Value> plain_, ordered_;
  std::vector<std::pair<std::vector<Value>*, uint32_t>> made_;
};

}  // namespace

std::unique_ptr<Function> channels_last(const Function& f) { return Rewriter(f).run(); }

}  // namespace weft::native
