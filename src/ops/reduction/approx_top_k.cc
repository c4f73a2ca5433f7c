// The custom call ApproxTopK(values…, init values…), with mhlo.backend_config = {top_k, reduction_dim, …} and called_computations =
// [@comparator]: the k first along a dimension by the comparator. Exact: an approximation may be.
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "ir/clone.h"
#include "ops/control_flow/named_functions.h"
#include "ops/families.h"
#include "ops/reduction/reduction_rules.h"
#include "ops/reduction/sort_order.h"

namespace weft {
namespace {

/// Its comparator.
std::string called_computation(const OpView& op) {
  const Attr* attr = op.attrs().find("called_computations");
  const std::vector<std::string> names = attr == nullptr ? std::vector<std::string>() : named_functions(*attr);
  if (names.size() != 1) throw Unsupported("[stablehlo.custom_call] @ApproxTopK without its comparator", op.loc());
  return names[0];
}

/// An integer of the dictionary mhlo.backend_config.
int64_t backend_integer(const OpView& op, std::string_view name) {
  const Attr* dictionary = op.attrs().find("mhlo.backend_config");
  const auto* entries = dictionary ? dictionary->get_if<std::shared_ptr<const AttrEntries>>() : nullptr;
  if (entries != nullptr) {
    for (const auto& [key, value] : **entries) {
      if (key != name) continue;
      if (const auto* i = value.get_if<int64_t>()) return *i;
      if (const auto* o = value.get_if<OpaqueAttr>()) return std::strtoll(o->text.c_str(), nullptr, 10);
    }
  }
  throw Unsupported("[stablehlo.custom_call] backend_config without " + std::string(name), op.loc());
}

}  // namespace

ApproxTopK approx_top_k(const OpView& op, std::span<const int64_t> shape) {
  ApproxTopK out{called_computation(op), backend_integer(op, "top_k"), backend_integer(op, "reduction_dim")};
  const auto rank = static_cast<int64_t>(shape.size());
  if (out.dimension < 0) out.dimension += rank;
  const size_t n = op.num_operands() / 2;
  if (n == 0 || op.num_results() != n || out.dimension < 0 || out.dimension >= rank || out.k < 0 ||
      out.k > shape[static_cast<size_t>(out.dimension)])
    throw UserError("[stablehlo.custom_call] @ApproxTopK: operands, reduction_dim or top_k do not fit", op.loc());
  return out;
}

std::vector<EvalValue> eval_approx_top_k(EvalContext& context, const OpView& op, std::span<const EvalValue> operands) {
  const size_t n = operands.size() / 2;
  if (n == 0) throw UserError("[stablehlo.custom_call] @ApproxTopK without operands", op.loc());
  const Tensor& first = operands[0].tensor;
  const auto [comparator, k, dimension] = approx_top_k(op, first.shape());
  const std::string& callee = comparator;
  const Slices from(first.shape(), dimension);
  std::vector<EvalValue> out;
  for (size_t i = 0; i < n; ++i) {
    Shape shape = operands[i].tensor.shape();
    shape[static_cast<size_t>(dimension)] = k;
    out.emplace_back(Tensor(operands[i].tensor.element_type(), shape));
  }
  const Slices to(out[0].tensor.shape(), dimension);
  const auto element = [](const Tensor& t, int64_t i) {
    Tensor one(t.element_type(), {});
    const size_t bytes = byte_size(t.element_type());
    std::memcpy(one.raw(), static_cast<const std::byte*>(t.raw()) + static_cast<size_t>(i) * bytes, bytes);
    return one;
  };
  for (int64_t s = 0; s < from.count; ++s) {
    std::vector<int64_t> order(static_cast<size_t>(from.length));
    for (size_t i = 0; i < order.size(); ++i) order[i] = from.first(s) + static_cast<int64_t>(i) * from.step;
    stable_order(order, [&](int64_t a, int64_t b) {
      std::vector<EvalValue> args;
      for (size_t i = 0; i < n; ++i) {
        args.emplace_back(element(operands[i].tensor, a));
        args.emplace_back(element(operands[i].tensor, b));
      }
      return context.call(callee, args, op.loc())[0].tensor.scalar<bool>();
    });
    for (size_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < k; ++j) {
        const Tensor one = element(operands[i].tensor, order[static_cast<size_t>(j)]);
        std::memcpy(static_cast<std::byte*>(out[i].tensor.raw()) +
                        static_cast<size_t>(to.first(s) + j * to.step) * byte_size(one.element_type()),
                    one.raw(), byte_size(one.element_type()));
      }
    }
  }
  return out;
}

Linearized linearize_approx_top_k(LinearizeContext& context, const OpView& op, std::span<const Value> primals,
                                  std::span<const Value> tangents) {
  OpBuilder& b = context.primal();
  const size_t n = op.num_results();
  const Type first = op.operand_type(0);
  if (!first.is_static())
    throw Unsupported("[stablehlo.custom_call] derivative of @ApproxTopK: got " + first.str() +
                          ", expected a static type (refine the shapes first)",
                      op.loc());
  const auto [name, k, dimension] = approx_top_k(op, first.shape());
  const Function* comparator = b.module() == nullptr ? nullptr : b.module()->find(name);
  if (comparator == nullptr || comparator->is_declaration())
    throw Unsupported("[stablehlo.custom_call] derivative of @ApproxTopK: comparator @" + name + " has no body",
                      op.loc());
  // As a sort that carries positions along.
  std::vector<Type> types = comparator->arg_types();
  types.insert(types.end(), 2, Type::scalar(ElementType::kI32));
  const RegionId less = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
    ValueMap map(*comparator);
    for (size_t i = 0; i < 2 * n; ++i) map.set(comparator->args()[i], args[i]);
    return clone_ops(*comparator, comparator->body(), inner.function(), inner.region(), map);
  });
  std::vector<Value> values(primals.begin(), primals.begin() + static_cast<std::ptrdiff_t>(n));
  values.push_back(b.iota(first.with_element(ElementType::kI32), dimension));
  const std::vector<Value> sorted =
      b.create("stablehlo.sort", values, Attrs{{"dimension", dimension}, {"is_stable", true}}, {}, std::span(&less, 1));
  const std::vector<int64_t> start(static_cast<size_t>(first.rank()), 0);
  std::vector<int64_t> limit(first.shape().begin(), first.shape().end());
  limit[static_cast<size_t>(dimension)] = k;
  Linearized out;
  const Value order = b.slice(sorted[n], start, limit);
  for (size_t i = 0; i < n; ++i) {
    out.results.push_back(b.slice(sorted[i], start, limit));
    out.tangents.push_back(tangents[i] ? take_along(context.linear(), tangents[i], order, dimension) : Value{});
  }
  return out;
}

std::vector<LaneValue> vectorize_approx_top_k(VectorizeContext& context, const OpView& op,
                                              std::span<const LaneValue> operands) {
  OpBuilder& b = context.builder();
  const size_t n = op.num_results();
  std::vector<Value> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    // Init values stand for nothing that a call without padding reads.
    const Type one = op.operand_type(i);
    values.push_back(i < n ? over_lanes(context, operands[i]) : operands[i].varies ? b.zeros(one) : operands[i].value);
  }
  Attrs attrs = op.attrs();
  AttrEntries entries = **attrs.find("mhlo.backend_config")->get_if<std::shared_ptr<const AttrEntries>>();
  for (auto& [key, value] : entries) {
    if (key != "reduction_dim") continue;
    const int64_t dimension = backend_integer(op, key);
    if (dimension < 0) continue;
    value = value.get_if<int64_t>() ? Attr(dimension + 1) : Attr(OpaqueAttr{std::to_string(dimension + 1) + " : i64"});
  }
  attrs.set("mhlo.backend_config", std::move(entries));
  for (const char* name : {"operand_layouts", "result_layouts"}) attrs.erase(name);
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) types.push_back(with_lanes(op.result_type(i), context.lanes()));
  std::vector<LaneValue> out;
  for (Value v : b.create(op.def(), values, attrs, types)) out.push_back({v, true});
  return out;
}

}  // namespace weft
