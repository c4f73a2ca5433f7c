#include "native/aot/extent_rules.h"

#include <algorithm>

#include "ops/control_flow/region_flow.h"
#include "ops/indexing/index_elements.h"
#include "ops/indexing/indexed_dims.h"
#include "ops/record.h"
#include "ops/structural/dynamic.h"

namespace weft::native {
namespace {

constexpr int64_t kMostElements = 4096;

bool contains(std::span<const int64_t> v, int64_t x) { return std::ranges::find(v, x) != v.end(); }

int64_t position_in(std::span<const int64_t> v, int64_t x) { return std::ranges::find(v, x) - v.begin(); }

}  // namespace

ExtentRules::ExtentRules(const OpenProgram& program, Function& to, std::vector<Value> given,
                         std::span<const Value> elements)
    : program_(program),
      f_(program.source()),
      to_(to),
      b_(to, to.body()),
      given_(std::move(given)),
      values_(f_.num_values()),
      depends_(f_.num_values(), false),
      map_(f_) {
  for (size_t k = 0; k < program.shape_arguments().size(); ++k) {
    const Value v = f_.args()[program.shape_arguments()[k]];
    values_[v.index].emplace(elements[k]);
    depends_[v.index] = true;
    map_.set(v, elements[k]);
  }
}

void ExtentRules::refuse(const OpView& op) const {
  throw Unsupported(
      "[" + std::string(op.def().mnemonic) +
          "] libraries compute extents from those of the arguments, and have no rule for those of this op",
      op.loc());
}

std::vector<size_t> ExtentRules::shape_operands(const OpView& op) {
  std::vector<size_t> out;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    if (is_shape_operand(op.def(), i)) out.push_back(i);
  }
  if (op.def().mnemonic != "stablehlo.custom_call") return out;
  constexpr size_t kWindowOperands = 5;
  if (op.attrs().text_or("call_target_name", "") == "stablehlo.dynamic_reduce_window") {
    for (size_t i = op.num_operands() - std::min(op.num_operands(), kWindowOperands); i < op.num_operands(); ++i)
      out.push_back(i);
  } else if (const Attr* attr = op.attrs().find("indices_of_shape_operands")) {
    const auto* literal = attr->get_if<Literal>();
    const auto* ints = attr->get_if<std::vector<int64_t>>();
    const std::vector<int64_t> at = literal != nullptr ? index_elements(literal->materialize())
                                    : ints != nullptr  ? *ints
                                                       : std::vector<int64_t>{};
    for (int64_t i : at) {
      if (i >= 0 && static_cast<size_t>(i) < op.num_operands()) out.push_back(static_cast<size_t>(i));
    }
  }
  return out;
}

std::optional<Value> ExtentRules::moving_size(const OpView& op) {
  const Value start = op.operand(1);
  const OpId end = f_.defining_op(op.operand(2));
  if (value(start) || !end || f_.def(end).mnemonic != "stablehlo.add") return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    if (f_.operand(end, i) == start && value(f_.operand(end, 1 - i))) return f_.operand(end, 1 - i);
  }
  return std::nullopt;
}

Value ExtentRules::number(int64_t n) {
  const auto [it, is_new] = numbers_.try_emplace(n);
  if (is_new) {
    it->second = b_.constant(Literal::dense(Tensor::scalar_of<int64_t>(n)));
    constants_[it->second.index] = n;
  }
  return it->second;
}

std::optional<int64_t> ExtentRules::constant(Value v) const {
  const auto it = constants_.find(v.index);
  return it == constants_.end() ? std::nullopt : std::optional(it->second);
}

Value ExtentRules::binary(const char* mnemonic, Value a, Value b) {
  const std::string m = mnemonic;
  const auto x = constant(a), y = constant(b);
  const bool adds = m == "add", multiplies = m == "multiply";
  if (x && y && (adds || multiplies || m == "subtract")) return number(adds ? *x + *y : multiplies ? *x * *y : *x - *y);
  if ((adds || m == "subtract") && y == 0) return a;
  if (adds && x == 0) return b;
  if ((multiplies || m == "divide") && y == 1) return a;
  if (multiplies && x == 1) return b;
  if ((adds || multiplies) && b.index < a.index) std::swap(a, b);
  const auto [it, is_new] = made_.try_emplace({m, {a.index, b.index}});
  if (is_new) it->second = b_.make("stablehlo." + m, {a, b});
  return it->second;
}

Value ExtentRules::element(Value shape_operand, int64_t i) {
  const std::optional<Value> v = value(shape_operand);
  if (!v) {
    const OpId op = f_.defining_op(shape_operand);
    if (op) refuse({f_, op});
    throw Unsupported("@" + f_.name() + ": an argument decides extents that libraries cannot compute", f_.loc());
  }
  const auto [it, is_new] = elements_.try_emplace({v->index, i});
  if (!is_new) return it->second;
  const OpId def = to_.defining_op(*v);
  if (def && to_.def(def).mnemonic == "stablehlo.constant") {
    it->second = number(index_elements(to_.attrs(def).literal("value").materialize())[static_cast<size_t>(i)]);
    return it->second;
  }
  Value one = *v;
  if (to_.type(one).rank() > 0) {
    const int64_t all[] = {to_.type(one).num_elements()};
    one = b_.reshape(one, all);
    const int64_t begin[] = {i}, end[] = {i + 1};
    one = b_.reshape(b_.slice(one, begin, end), {});
  }
  it->second = b_.convert(one, ElementType::kI64);
  return it->second;
}

std::optional<Value> ExtentRules::value(Value v) {
  auto& known = values_[v.index];
  if (!known) {
    known.emplace(std::nullopt);
    const std::optional<Value> made = compute(v);
    values_[v.index].emplace(made);
  }
  return *values_[v.index];
}

std::optional<Value> ExtentRules::compute(Value v) {
  const Type t = f_.type(v);
  const OpId id = f_.defining_op(v);
  if (!id || !t.is_tensor() || !t.is_static() || t.num_elements() > kMostElements) return std::nullopt;
  const OpView op{f_, id};
  const std::string_view m = op.def().mnemonic;
  if (m == "stablehlo.get_dimension_size") {
    const Value made = b_.convert(extent(op.operand(0), op.attrs().integer("dimension")), ElementType::kI32);
    depends_[v.index] = true;
    map_.set(v, made);
    return made;
  }
  if (op.def().is_terminator || m == "stablehlo.custom_call" || record(op).effects != Effects::kPure ||
      region_flow(op).kind != RegionFlow::Kind::kNone || callee(op) != nullptr)
    return std::nullopt;
  bool depends = false;
  for (Value operand : op.operands()) {
    const std::optional<Value> made = value(operand);
    if (!made) return std::nullopt;
    depends = depends || depends_[operand.index];
  }
  for (RegionId r : op.regions()) {
    for (Value captured : captures(f_, r)) {
      if (!value(captured)) return std::nullopt;
    }
  }
  for (size_t i = 0; i < op.num_results(); ++i) {
    if (!op.result_type(i).is_tensor() || !op.result_type(i).is_static()) return std::nullopt;
  }
  clone_op(f_, id, to_, to_.body(), map_);
  for (size_t i = 0; i < op.num_results(); ++i) {
    values_[op.result(i).index].emplace(map_.at(op.result(i)));
    depends_[op.result(i).index] = depends;
  }
  return map_.at(v);
}

Value ExtentRules::extent(Value v, int64_t d) {
  const int64_t known = f_.type(v).dim(d);
  if (known != kDynamic) return number(known);
  if (const auto it = extents_.find({v.index, d}); it != extents_.end()) return it->second;
  const OpId op = f_.defining_op(v);
  const Value made = op ? result_extent({f_, op}, f_.position(v), d) : argument_extent(v, d);
  extents_[{v.index, d}] = made;
  return made;
}

Value ExtentRules::argument_extent(Value v, int64_t d) {
  const RegionId region = f_.region(v);
  if (region != f_.body()) {
    // Carries of loops have the extents that they begin with.
    const OpView op{f_, f_.owner(region)};
    if (region_flow(op).kind != RegionFlow::Kind::kLoop) refuse(op);
    return extent(op.operand(f_.position(v)), d);
  }
  const Function& named = *program_.function();
  const ExtentNames::Product p = program_.names().decode(named.type(named.args()[f_.position(v)]).dim(d));
  Value out = number(p.coefficient);
  for (size_t s : p.symbols) out = binary("multiply", out, given_.at(s));
  return out;
}

Value ExtentRules::padded(Value x, Value low, Value high, Value interior) {
  const Value gaps = binary("maximum", binary("subtract", x, number(1)), number(0));
  return binary("add", binary("add", binary("add", x, low), high), binary("multiply", gaps, interior));
}

Value ExtentRules::windows(Value x, Value low, Value high, int64_t base_dilation, Value window, int64_t window_dilation,
                           int64_t stride) {
  const auto dilated = [&](Value n, int64_t by) {
    if (by == 1) return n;
    const Value one = number(1), zero = number(0);
    const Value spread = binary("add", binary("multiply", binary("subtract", n, one), number(by)), one);
    return binary("multiply", binary("maximum", spread, zero), binary("minimum", n, one));
  };
  const Value space = binary("add", binary("add", dilated(x, base_dilation), low), high);
  const Value span = dilated(window, window_dilation);
  const Value room = binary("subtract", space, span);
  // One more than floor(room / stride); none where the window is larger than what it moves over.
  const Value count = binary("divide", binary("add", room, number(stride)), number(stride));
  const Value fits = binary("maximum", binary("minimum", binary("add", room, number(1)), number(1)), number(0));
  return binary("multiply", binary("maximum", count, number(0)), fits);
}

Value ExtentRules::windows(Value x, Value low, Value high, int64_t base_dilation, int64_t window,
                           int64_t window_dilation, int64_t stride) {
  return windows(x, low, high, base_dilation, number(window), window_dilation, stride);
}

Value ExtentRules::result_extent(const OpView& op, uint32_t position, int64_t d) {
  const std::string_view m = op.def().mnemonic;
  const Attrs& attrs = op.attrs();
  const size_t at = static_cast<size_t>(d);
  const auto rank_of = [&](size_t i) { return static_cast<size_t>(op.operand_type(i).rank()); };
  const RegionFlow flow = region_flow(op);
  if (flow.kind == RegionFlow::Kind::kLoop) return extent(op.operand(position), d);
  if (flow.kind == RegionFlow::Kind::kBranches) return extent(f_.operand(f_.terminator(op.region(0)), position), d);
  if (m == "stablehlo.dynamic_broadcast_in_dim" || m == "stablehlo.dynamic_reshape") return element(op.operand(1), d);
  if (m == "stablehlo.dynamic_iota") return element(op.operand(0), d);
  if (m == "stablehlo.dynamic_pad") {
    return padded(extent(op.operand(0), d), element(op.operand(2), d), element(op.operand(3), d),
                  element(op.operand(4), d));
  }
  if (m == "stablehlo.pad") {
    return padded(extent(op.operand(0), d), number(attrs.ints_or("edge_padding_low", rank_of(0), 0)[at]),
                  number(attrs.ints_or("edge_padding_high", rank_of(0), 0)[at]),
                  number(attrs.ints_or("interior_padding", rank_of(0), 0)[at]));
  }
  if (m == "stablehlo.real_dynamic_slice") {
    if (const auto size = moving_size(op)) return element(*size, d);
    const Value stride = element(op.operand(3), d);
    const Value length = binary("subtract", element(op.operand(2), d), element(op.operand(1), d));
    return binary("divide", binary("subtract", binary("add", length, stride), number(1)), stride);
  }
  if (m == "stablehlo.slice") {
    const int64_t stride = attrs.ints_or("strides", rank_of(0), 1)[at];
    return number((attrs.ints("limit_indices")[at] - attrs.ints("start_indices")[at] + stride - 1) / stride);
  }
  if (m == "stablehlo.dynamic_slice") return number(attrs.ints("slice_sizes")[at]);
  if (m == "stablehlo.set_dimension_size")
    return d == attrs.integer("dimension") ? element(op.operand(1), 0) : extent(op.operand(0), d);
  if (m == "stablehlo.gather" || m == "stablehlo.dynamic_gather") {
    const IndexedDims dims = IndexedDims::of_gather(attrs);
    if (contains(dims.window, d)) {
      const int64_t axis =
          dims.operand_window_axes(op.operand_type(0).rank())[static_cast<size_t>(position_in(dims.window, d))];
      return m == "stablehlo.gather" ? number(attrs.ints("slice_sizes")[static_cast<size_t>(axis)])
                                     : element(op.operand(2), axis);
    }
    const std::vector<int64_t> batch = dims.batch_axes(op.result_type().rank());
    return extent(op.operand(1),
                  dims.index_axes(op.operand_type(1).rank())[static_cast<size_t>(position_in(batch, d))]);
  }
  if (m == "stablehlo.reshape") {
    Value all = number(1), known = number(1);
    for (int64_t k = 0; k < op.operand_type(0).rank(); ++k) all = binary("multiply", all, extent(op.operand(0), k));
    for (int64_t k = 0; k < op.result_type().rank(); ++k) {
      if (k != d) known = binary("multiply", known, number(op.result_type().dim(k)));
    }
    if (constant(known).value_or(-1) <= 0) refuse(op);
    return binary("divide", all, known);
  }
  if (m == "stablehlo.broadcast_in_dim") {
    const int64_t k = position_in(attrs.ints("broadcast_dimensions"), d);
    if (k == static_cast<int64_t>(attrs.ints("broadcast_dimensions").size())) refuse(op);
    return extent(op.operand(0), k);
  }
  if (m == "stablehlo.transpose") return extent(op.operand(0), attrs.ints("permutation")[at]);
  if (m == "weft.pfor" && d == 0) {
    const auto& varies = attrs.ints("varies");
    return extent(op.operand(static_cast<size_t>(position_in(varies, 1))), 0);
  }
  if (m == "stablehlo.reduce") {
    const auto& dims = attrs.ints("dimensions");
    for (int64_t k = 0, kept = 0; k < op.operand_type(0).rank(); ++k) {
      if (!contains(dims, k) && kept++ == d) return extent(op.operand(0), k);
    }
  }
  if (m == "stablehlo.reduce_window") {
    const size_t rank = rank_of(0);
    const std::vector<int64_t> padding = attrs.ints_or("padding", 2 * rank, 0);
    return windows(extent(op.operand(0), d), number(padding[2 * at]), number(padding[2 * at + 1]),
                   attrs.ints_or("base_dilations", rank, 1)[at], attrs.ints("window_dimensions")[at],
                   attrs.ints_or("window_dilations", rank, 1)[at], attrs.ints_or("window_strides", rank, 1)[at]);
  }
  if (m == "stablehlo.custom_call") {
    const std::vector<size_t> shapes = shape_operands(op);
    if (attrs.text_or("call_target_name", "") != "stablehlo.dynamic_reduce_window") {
      if (position >= shapes.size()) refuse(op);
      return element(op.operand(shapes[position]), d);
    }
    if (shapes.size() < 5) refuse(op);
    const auto of = [&](size_t k, int64_t i) { return element(op.operand(shapes[k]), i); };
    const auto stride = constant(of(1, d)), base = constant(of(2, d)), dilation = constant(of(3, d));
    if (!stride || !base || !dilation || *stride < 1) refuse(op);
    return windows(extent(op.operand(0), d), of(4, 2 * d), of(4, 2 * d + 1), *base, of(0, d), *dilation, *stride);
  }
  if (m == "stablehlo.concatenate") {
    if (d != attrs.integer("dimension")) return extent(op.operand(0), d);
    Value sum = number(0);
    for (Value part : op.operands()) sum = binary("add", sum, extent(part, d));
    return sum;
  }
  if (m == "stablehlo.dot_general") {
    const auto &lb = attrs.ints("lhs_batching_dimensions"), &rb = attrs.ints("rhs_batching_dimensions"),
               &lc = attrs.ints("lhs_contracting_dimensions"), &rc = attrs.ints("rhs_contracting_dimensions");
    int64_t left = d;
    if (left < static_cast<int64_t>(lb.size())) return extent(op.operand(0), lb[at]);
    left -= static_cast<int64_t>(lb.size());
    for (size_t side = 0; side < 2; ++side) {
      for (int64_t k = 0; k < op.operand_type(side).rank(); ++k) {
        if (!contains(side == 0 ? lb : rb, k) && !contains(side == 0 ? lc : rc, k) && left-- == 0)
          return extent(op.operand(side), k);
      }
    }
  }
  if (m == "stablehlo.convolution" || m == "stablehlo.dynamic_conv") {
    const ConvolutionAttrs c = ConvolutionAttrs::from(attrs);
    if (d == c.output_batch) {
      const Value batch = extent(op.operand(0), c.input_batch);
      return c.batch_group_count == 1 ? batch : binary("divide", batch, number(c.batch_group_count));
    }
    if (d == c.output_feature) return extent(op.operand(1), c.kernel_output_feature);
    const size_t s = static_cast<size_t>(position_in(c.output_spatial, d));
    const auto of = [&](const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
      return list.empty() ? otherwise : list.at(i);
    };
    const auto padding = [&](size_t side) {
      if (m == "stablehlo.convolution") return number(of(c.padding, 2 * s + side, 0));
      return element(op.operand(2), static_cast<int64_t>(2 * s + side));
    };
    return windows(extent(op.operand(0), c.input_spatial.at(s)), padding(0), padding(1), of(c.lhs_dilation, s, 1),
                   extent(op.operand(1), c.kernel_spatial.at(s)), of(c.rhs_dilation, s, 1), of(c.window_strides, s, 1));
  }
  if (m == "stablehlo.fft") {
    const auto& lengths = attrs.ints("fft_length");
    const int64_t first = op.operand_type(0).rank() - static_cast<int64_t>(lengths.size());
    if (d < first) return extent(op.operand(0), d);
    const bool is_halved = attrs.text("fft_type") == "RFFT" && d + 1 == op.operand_type(0).rank();
    const int64_t length = lengths[static_cast<size_t>(d - first)];
    return number(is_halved ? length / 2 + 1 : length);
  }
  if (m == "chlo.top_k") {
    if (d + 1 == op.result_type().rank()) return number(attrs.integer("k"));
    return extent(op.operand(0), d);
  }
  if (m == "stablehlo.sort" || m == "stablehlo.optimization_barrier" || m == "stablehlo.scatter")
    return extent(op.operand(position), d);
  if (m == "stablehlo.triangular_solve") return extent(op.operand(1), d);
  if (m == "stablehlo.dynamic_update_slice" || m == "stablehlo.select_and_scatter" || m == "stablehlo.cholesky" ||
      m == "stablehlo.reverse" || m == "stablehlo.batch_norm_inference" || m == "sdy.sharding_constraint")
    return extent(op.operand(0), d);
  if (m == "stablehlo.rng") return element(op.operand(2), d);
  if (!record(op).scalar.refused() || m == "stablehlo.convert" || m == "stablehlo.uniform_quantize" ||
      m == "stablehlo.uniform_dequantize" || m == "stablehlo.map") {
    for (Value v : op.operands()) {
      if (f_.type(v).is_tensor() && f_.type(v).rank() == op.result_type(position).rank()) return extent(v, d);
    }
  }
  refuse(op);
}

}  // namespace weft::native
