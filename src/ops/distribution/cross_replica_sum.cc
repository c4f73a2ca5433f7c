// stablehlo.cross-replica-sum: the older spelling of an all_reduce that adds, among replicas.
#include "ops/distribution/collective_rules.h"
#include "ops/distribution/process_groups.h"
#include "ops/elementwise/chlo_families.h"
#include "ops/expansion.h"
#include "ops/structural/dimension_checks.h"

namespace weft {
namespace {

std::vector<Type> type_cross_replica_sum(const TypeContext& c) {
  c.expect_operands(1);
  expect_tensor(c, 0);
  check_replica_groups(c, {"all_reduce_c1", "all_reduce_c2", "all_reduce_c3", true});
  return {c.operands[0]};
}

std::vector<Value> expand(OpBuilder& b, const OpView& op, std::span<const Value> operands) {
  const RegionId body[] = {b.binary_region(b.type(operands[0]).element_type(), "stablehlo.add")};
  const Type types[] = {b.type(operands[0])};
  return b.create("stablehlo.all_reduce", operands, op.attrs(), types, body);
}

OpRecord make_record() {
  OpRecord r = expansion_record<expand>(
      "stablehlo.cross-replica-sum",
      "all_reduce by addition among replicas (not in the specification: on its way out).", Syntax::kGeneric,
      {{"replica_groups", AttrKind::kAny}}, type_cross_replica_sum, cost_move,
      Refuse{"it needs more than one process; tests/op/cross_replica_sum.mlir runs it among two"});
  r.effects = Effects::kIo;
  r.linearize = linearize_movement;
  r.transpose = transpose_all_reduce;
  r.vectorize = vectorize_collective;
  return r;
}

const OpRecord kOps[] = {make_record()};

}  // namespace

Family cross_replica_sum_ops() { return kOps; }

}  // namespace weft
