#include "native/lower/lower.h"

#include <string_view>
#include <unordered_map>

#include "ir/clone.h"
#include "native/lower/rewrite.h"
#include "ops/record.h"

namespace weft::native {
namespace {

using Values = std::optional<std::vector<Value>>;
using LowerFn = Values(OpBuilder&, const OpView&, std::span<const Value>);
using Table = std::unordered_map<std::string_view, LowerFn*>;

/// The op may run where it is started (specification: async_start), and does.
Values lower_async_start(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const RegionId body = op.region(0);
  ValueMap map(op.function);
  for (size_t i = 0; i < operands.size(); ++i) map.set(op.function.args(body)[i], operands[i]);
  return clone_ops(op.function, body, b.function(), b.region(), map);
}

Values pass_operands(OpBuilder&, const OpView&, std::span<const Value> operands) {
  return std::vector<Value>(operands.begin(), operands.end());
}

/// The element of a tuple that is made in sight.
Values lower_get_tuple_element(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const OpId maker = b.function().defining_op(operands[0]);
  if (!maker || b.function().def(maker).mnemonic != "stablehlo.tuple") return std::nullopt;
  return std::vector<Value>{b.function().operand(maker, static_cast<size_t>(op.attrs().integer("index")))};
}

std::unique_ptr<Function> apply(std::unique_ptr<Function> f, const Table& table) {
  bool any = false;
  for (uint32_t i = 0; i < f->num_ops() && !any; ++i) any = table.contains(f->def(OpId{i}).mnemonic);
  if (!any) return f;
  return rewrite_ops(*f, [&table](OpBuilder& b, const OpView& op, std::span<const Value> operands) {
    const auto found = table.find(op.def().mnemonic);
    return found == table.end() ? std::nullopt : found->second(b, op, operands);
  });
}

}  // namespace

std::unique_ptr<Function> lower(std::unique_ptr<Function> f) {
  static const Table kTable = {
      {"stablehlo.async_start", lower_async_start},
      {"stablehlo.async_done", pass_operands},
  };
  return apply(std::move(f), kTable);
}

std::unique_ptr<Function> lower_barriers(std::unique_ptr<Function> f) {
  static const Table kTable = {
      {"stablehlo.optimization_barrier", pass_operands},
      {"stablehlo.get_tuple_element", lower_get_tuple_element},
  };
  return apply(std::move(f), kTable);
}

}  // namespace weft::native
