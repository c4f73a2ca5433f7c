#include "native/schedule/trivial_reduce.h"

#include "native/lower/rewrite.h"
#include "native/schedule/fusion_rules.h"
#include "ops/record.h"
#include "ops/reduction/region_body.h"

namespace weft::native {
namespace {

bool is_trivial(const OpView& op) {
  if (!is(op, "stablehlo.reduce") || op.num_results() != 1) return false;
  const Type x = op.operand_type(0), r = op.result_type();
  if (!x.is_static() || x.num_elements() != r.num_elements() || x.num_elements() == 0) return false;
  const ElementType accumulator = op.function.type(op.function.args(op.region(0))[0]).element_type();
  if (accumulator != x.element_type() || accumulator != r.element_type()) return false;
  return !body_mnemonic(classify_body(op.function, op.region(0))).empty();
}

}  // namespace

std::unique_ptr<Function> without_trivial_reductions(const Function& f) {
  bool any = false;
  for (uint32_t i = 0; i < f.num_ops() && !any; ++i) any = is_trivial({f, OpId{i}});
  if (!any) return nullptr;
  return rewrite_ops(
      f, [](OpBuilder& b, const OpView& op, std::span<const Value> operands) -> std::optional<std::vector<Value>> {
        if (!is_trivial(op)) return std::nullopt;
        const auto shape = op.result_type().shape();
        return std::vector<Value>{b.make(body_mnemonic(classify_body(op.function, op.region(0))),
                                         {b.broadcast_scalar(operands[1], shape), b.reshape(operands[0], shape)})};
      });
}

}  // namespace weft::native
