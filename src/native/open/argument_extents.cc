#include "native/open/argument_extents.h"

#include <algorithm>
#include <set>

#include "ops/control_flow/region_flow.h"
#include "ops/indexing/index_elements.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/reduction/window_rules.h"
#include "ops/structural/dynamic.h"

namespace weft::native {
namespace {

constexpr int64_t kMaxShapeElements = 64;

bool is_shape_value(Type t) {
  return t.is_tensor() && t.is_static() && t.rank() <= 1 && is_integer(t.element_type()) && !t.is_quantized() &&
         t.num_elements() <= kMaxShapeElements;
}

}  // namespace

ArgumentExtents::ArgumentExtents(const Function& f, bool joins_broadcasts)
    : f_(f), joins_broadcasts_(joins_broadcasts) {
  find_shape_arguments();
  visit(f.body());
  collect();
}

int ArgumentExtents::node(Value v, int64_t axis) {
  const auto [it, is_new] = ids_.try_emplace({v.index, axis}, static_cast<int>(nodes_.size()));
  if (is_new) {
    const int64_t d = f_.type(v).dim(axis);
    nodes_.push_back({it->second, d == kDynamic ? std::nullopt : std::optional(d)});
  }
  return it->second;
}

int ArgumentExtents::element_node(Value v, int64_t i) {
  const auto [it, is_new] = element_ids_.try_emplace({v.index, i}, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({it->second, std::nullopt});
  return it->second;
}

int ArgumentExtents::root(int n) const {
  while (nodes_[static_cast<size_t>(n)].parent != n) n = nodes_[static_cast<size_t>(n)].parent;
  return n;
}

void ArgumentExtents::join(int a, int b) {
  a = root(a), b = root(b);
  if (a == b) return;
  Node &x = nodes_[static_cast<size_t>(a)], &y = nodes_[static_cast<size_t>(b)];
  if (!x.value) x.value = y.value;
  y.parent = a;
}

void ArgumentExtents::join_extents(Value a, int64_t d, Value b, int64_t e) {
  if (f_.type(a).dim(d) != kDynamic && f_.type(b).dim(e) != kDynamic) return;
  join(node(a, d), node(b, e));
}

void ArgumentExtents::join_all(Value a, Value b) {
  const Type t = f_.type(a), u = f_.type(b);
  if (!t.is_tensor() || !u.is_tensor() || t.rank() != u.rank()) return;
  for (int64_t d = 0; d < t.rank(); ++d) join_extents(a, d, b, d);
}

std::optional<int> ArgumentExtents::element(Value v, int64_t i) {
  const OpId id = f_.defining_op(v);
  if (!id) {
    const bool is_argument = f_.region(v) == f_.body() && std::ranges::count(shape_arguments_, f_.position(v)) != 0;
    return is_argument ? std::optional(element_node(v, i)) : std::nullopt;
  }
  const OpView op{f_, id};
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.constant") {
    const int n = static_cast<int>(nodes_.size());
    nodes_.push_back({n, index_elements(op.attrs().literal("value").materialize())[static_cast<size_t>(i)]});
    return n;
  }
  if (m == "stablehlo.convert" || m == "stablehlo.reshape") return element(op.operand(0), i);
  if (m == "stablehlo.broadcast_in_dim" && op.operand_type(0).num_elements() == 1) return element(op.operand(0), 0);
  if (m == "stablehlo.get_dimension_size") return node(op.operand(0), op.attrs().integer("dimension"));
  if (m == "stablehlo.slice" && op.result_type().rank() == 1) {
    const int64_t stride = op.attrs().ints_or("strides", 1, 1)[0];
    return element(op.operand(0), op.attrs().ints("start_indices")[0] + i * stride);
  }
  if (m == "stablehlo.concatenate") {
    for (Value part : op.operands()) {
      if (!f_.type(part).is_static()) return std::nullopt;
      if (i < f_.type(part).num_elements()) return element(part, i);
      i -= f_.type(part).num_elements();
    }
  }
  return std::nullopt;
}

void ArgumentExtents::visit(RegionId region) {
  for (OpId id : f_.ops(region)) {
    for (RegionId inner : f_.regions(id)) visit(inner);
    visit(OpView{f_, id});
  }
}

void ArgumentExtents::visit(const OpView& op) {
  const std::string_view m = op.def().mnemonic;
  for (Value v : op.operands()) {
    if (!f_.type(v).is_tensor()) return;
  }
  const RegionFlow flow = region_flow(op);
  if (flow.kind == RegionFlow::Kind::kLoop) {
    const OpId last = f_.terminator(op.region(1));
    for (size_t i = 0; i < flow.carries; ++i) {
      join_all(op.operand(i), op.result(i));
      join_all(op.operand(i), f_.args(op.region(0))[i]);
      join_all(op.operand(i), f_.args(op.region(1))[i]);
      join_all(op.operand(i), f_.operand(last, i));
    }
    return;
  }
  if (flow.kind == RegionFlow::Kind::kBranches) {
    for (RegionId r : op.regions()) {
      for (size_t i = 0; i < op.num_results(); ++i) join_all(op.result(i), f_.operand(f_.terminator(r), i));
    }
    return;
  }
  if (m == "stablehlo.custom_call" && op.attrs().text_or("call_target_name", "") == "shape_assertion") {
    const OpId condition = op.num_operands() > 0 ? f_.defining_op(op.operand(0)) : OpId{};
    if (!condition || f_.def(condition).mnemonic != "stablehlo.compare") return;
    if (f_.attrs(condition).text_or("comparison_direction", "") != "EQ") return;
    const auto a = element(f_.operand(condition, 0), 0), b = element(f_.operand(condition, 1), 0);
    if (a && b) join(*a, *b);
    return;
  }
  if (op.num_results() == 0 || !op.result_type().is_tensor()) return;
  const Value out = op.result();
  const int64_t rank = op.result_type().rank();
  const Attrs& attrs = op.attrs();
  const auto contains = [](const std::vector<int64_t>& v, int64_t x) { return std::ranges::count(v, x) != 0; };
  if (!record(op).scalar.refused() || m == "stablehlo.convert" || m == "stablehlo.reverse" || m == "stablehlo.sort" ||
      m == "stablehlo.uniform_quantize" || m == "stablehlo.uniform_dequantize" || m == "stablehlo.select_and_scatter" ||
      m == "stablehlo.bitcast_convert" || m == "stablehlo.map" || m == "stablehlo.scatter" ||
      m == "stablehlo.dynamic_update_slice" || m == "stablehlo.optimization_barrier" ||
      m == "sdy.sharding_constraint") {
    const size_t same = m == "stablehlo.select_and_scatter" || m == "stablehlo.dynamic_update_slice" ? 1
                        : m == "stablehlo.scatter"                                                   ? op.num_results()
                                                   : op.num_operands();
    const bool pairs = m == "stablehlo.optimization_barrier";
    for (size_t i = 0; i < same; ++i) {
      if (pairs) {
        join_all(op.operand(i), op.result(i));
        continue;
      }
      join_all(op.operand(i), out);
      for (size_t r = 1; r < op.num_results(); ++r) join_all(op.operand(i), op.result(r));
    }
  }
  if (m == "stablehlo.transpose") {
    const auto& order = attrs.ints("permutation");
    for (int64_t d = 0; d < rank; ++d) join_extents(out, d, op.operand(0), order[static_cast<size_t>(d)]);
  } else if (m == "stablehlo.broadcast_in_dim" || (m == "stablehlo.dynamic_broadcast_in_dim" && joins_broadcasts_)) {
    const auto& dims = attrs.ints("broadcast_dimensions");
    for (size_t k = 0; k < dims.size(); ++k) {
      if (op.operand_type(0).dim(static_cast<int64_t>(k)) != 1)
        join_extents(out, dims[k], op.operand(0), static_cast<int64_t>(k));
    }
  } else if (m == "weft.pfor") {
    const auto& varies = op.attrs().ints("varies");
    Value first;
    for (size_t i = 0; i < op.num_operands() + op.num_results(); ++i) {
      if (i < varies.size() && varies[i] == 0) continue;
      const Value v = i < varies.size() ? op.operand(i) : op.result(i - varies.size());
      if (first) join_extents(first, 0, v, 0);
      else first = v;
    }
  } else if (m == "stablehlo.reduce") {
    const auto& dims = attrs.ints("dimensions");
    int64_t kept = 0;
    for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
      for (size_t i = 1; i < op.num_results(); ++i) join_extents(op.operand(0), d, op.operand(i), d);
      if (!contains(dims, d)) join_extents(out, kept++, op.operand(0), d);
    }
  } else if (m == "stablehlo.reduce_window" || m == "stablehlo.select_and_scatter") {
    const bool scatters = m == "stablehlo.select_and_scatter";
    const Window w(op);
    for (int64_t d = 0; d < op.operand_type(0).rank(); ++d) {
      const size_t i = static_cast<size_t>(d);
      for (size_t k = 1; k < op.num_results(); ++k) join_extents(op.operand(0), d, op.operand(k), d);
      // As many windows as elements: each begins one further, and padding makes up for their width.
      const bool stays = w.strides[i] == 1 && w.base_dilations[i] == 1 &&
                         w.padding[2 * i] + w.padding[2 * i + 1] == (w.dimensions[i] - 1) * w.window_dilations[i];
      if (stays) join_extents(op.operand(0), d, scatters ? op.operand(1) : out, d);
    }
  } else if (m == "stablehlo.pad") {
    for (int64_t d = 0; d < rank; ++d) {
      const size_t i = static_cast<size_t>(d), n = static_cast<size_t>(rank);
      if (attrs.ints_or("edge_padding_low", n, 0)[i] + attrs.ints_or("edge_padding_high", n, 0)[i] == 0 &&
          attrs.ints_or("interior_padding", n, 0)[i] == 0)
        join_extents(op.operand(0), d, out, d);
    }
  } else if (m == "stablehlo.triangular_solve" || m == "stablehlo.cholesky") {
    join_all(op.operand(op.num_operands() - 1), out);
    for (int64_t d = 0; d + 2 < rank; ++d) join_extents(op.operand(0), d, out, d);
    join_extents(op.operand(0), rank - 2, op.operand(0), rank - 1);
  } else if (m == "stablehlo.concatenate") {
    for (Value part : op.operands()) {
      for (int64_t d = 0; d < rank; ++d) {
        if (d != attrs.integer("dimension")) join_extents(out, d, part, d);
      }
    }
  } else if (m == "stablehlo.dot_general") {
    const auto &lb = attrs.ints("lhs_batching_dimensions"), &rb = attrs.ints("rhs_batching_dimensions"),
               &lc = attrs.ints("lhs_contracting_dimensions"), &rc = attrs.ints("rhs_contracting_dimensions");
    for (size_t k = 0; k < lc.size(); ++k) join_extents(op.operand(0), lc[k], op.operand(1), rc[k]);
    int64_t d = 0;
    for (size_t k = 0; k < lb.size(); ++k, ++d) {
      join_extents(op.operand(0), lb[k], op.operand(1), rb[k]);
      join_extents(op.operand(0), lb[k], out, d);
    }
    for (size_t side = 0; side < 2; ++side) {
      for (int64_t k = 0; k < op.operand_type(side).rank(); ++k) {
        if (!contains(side == 0 ? lb : rb, k) && !contains(side == 0 ? lc : rc, k))
          join_extents(op.operand(side), k, out, d++);
      }
    }
  } else if (m == "stablehlo.convolution" || m == "stablehlo.dynamic_conv") {
    if (attrs.integer_or("batch_group_count", 1) == 1)
      join_extents(op.operand(0), attrs.integer("input_batch_dimension"), out, attrs.integer("output_batch_dimension"));
    join_extents(op.operand(1), attrs.integer("kernel_output_feature_dimension"), out,
                 attrs.integer("output_feature_dimension"));
    if (attrs.integer_or("feature_group_count", 1) == 1)
      join_extents(op.operand(0), attrs.integer("input_feature_dimension"), op.operand(1),
                   attrs.integer("kernel_input_feature_dimension"));
  } else if (m == "stablehlo.gather" || m == "stablehlo.dynamic_gather" || m == "stablehlo.scatter") {
    const bool is_scatter = m == "stablehlo.scatter";
    const IndexedDims dims = is_scatter ? IndexedDims::of_scatter(attrs) : IndexedDims::of_gather(attrs);
    const Value indices = op.operand(is_scatter ? op.num_results() : 1);
    const Value updates = is_scatter ? op.operand(op.num_results() + 1) : out;
    const auto batch = dims.batch_axes(f_.type(updates).rank()), index = dims.index_axes(f_.type(indices).rank());
    for (size_t k = 0; k < batch.size() && k < index.size(); ++k) join_extents(updates, batch[k], indices, index[k]);
    for (size_t k = 0; k < dims.batching.size(); ++k)
      join_extents(op.operand(0), dims.batching[k], indices, dims.indices_batching[k]);
  }
  if (m == "stablehlo.dynamic_broadcast_in_dim" || m == "stablehlo.dynamic_reshape") {
    for (int64_t d = 0; d < rank; ++d) {
      if (const auto e = element(op.operand(1), d)) join(node(out, d), *e);
    }
  } else if (m == "stablehlo.dynamic_iota") {
    for (int64_t d = 0; d < rank; ++d) {
      if (const auto e = element(op.operand(0), d)) join(node(out, d), *e);
    }
  }
}

// Integer arguments from which shape operands are computed.
void ArgumentExtents::find_shape_arguments() {
  std::set<Value> seen;
  std::vector<Value> todo;
  const auto need = [&](Value v) {
    if (is_shape_value(f_.type(v)) && seen.insert(v).second) todo.push_back(v);
  };
  for (uint32_t i = 0; i < f_.num_ops(); ++i) {
    const OpView op{f_, OpId{i}};
    if (!is_dynamic_op(op.def())) continue;
    for (size_t k = 0; k < op.num_operands(); ++k) {
      if (is_shape_operand(op.def(), k)) need(op.operand(k));
    }
  }
  while (!todo.empty()) {
    const Value v = todo.back();
    todo.pop_back();
    const OpId op = f_.defining_op(v);
    if (op) {
      for (Value operand : f_.operands(op)) need(operand);
    } else if (f_.region(v) == f_.body()) {
      shape_arguments_.push_back(f_.position(v));
    }
  }
  std::ranges::sort(shape_arguments_);
}

void ArgumentExtents::collect() {
  std::map<int, size_t> class_of;
  const auto add = [&](int n, const ArgumentQuantity& q, int64_t bound) {
    const auto [it, is_new] = class_of.try_emplace(root(n), classes_.size());
    if (is_new) classes_.emplace_back();
    Class& c = classes_[it->second];
    c.members.push_back(q);
    c.value = nodes_[static_cast<size_t>(root(n))].value;
    if (bound >= 0) c.bound = c.bound < 0 ? bound : std::min(c.bound, bound);
    c.has_extent = c.has_extent || !q.is_element;
  };
  for (size_t i = 0; i < f_.args().size(); ++i) {
    const Value v = f_.args()[i];
    const Type t = f_.type(v);
    if (!t.is_tensor()) continue;
    for (int64_t d = 0; d < t.rank(); ++d) {
      if (t.dim(d) != kDynamic) continue;
      const int64_t bound = t.bounds().empty() ? kDynamic : t.bounds()[static_cast<size_t>(d)];
      add(node(v, d), {i, d, false}, bound == kDynamic ? -1 : bound);
    }
    if (std::ranges::count(shape_arguments_, i) == 0) continue;
    for (int64_t k = 0; k < t.num_elements(); ++k) add(element_node(v, k), {i, k, true}, -1);
  }
}

}  // namespace weft::native
