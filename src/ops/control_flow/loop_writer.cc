#include "ops/control_flow/loop_writer.h"

namespace weft {

std::span<const int64_t> lanes_of(const OpView& op) {
  const Attr* lanes = op.attrs().find("lanes");
  return lanes == nullptr ? std::span<const int64_t>() : std::span<const int64_t>(op.attrs().ints("lanes"));
}

std::vector<Value> source_args(const LoopShape& shape, std::span<const Value> carries, std::span<const Value> extras) {
  std::vector<Value> out;
  size_t c = 0, e = 0;
  for (bool is_extra : shape.is_extra) out.push_back(is_extra ? extras[e++] : carries[c++]);
  return out;
}

Value over_lanes(OpBuilder& b, const OpView& op, Value v) {
  const std::span<const int64_t> lanes = lanes_of(op);
  std::vector<int64_t> shape(lanes.begin(), lanes.end()), dimensions;
  for (int64_t d = 0; d < b.type(v).rank(); ++d) dimensions.push_back(static_cast<int64_t>(lanes.size()) + d);
  shape.insert(shape.end(), b.type(v).shape().begin(), b.type(v).shape().end());
  return b.broadcast_in_dim(v, dimensions, shape);
}

Value sum_over_lanes(OpBuilder& b, const OpView& op, Value v) {
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < lanes_of(op).size(); ++d) dimensions.push_back(static_cast<int64_t>(d));
  return b.reduce(v, dimensions, "stablehlo.add");
}

}  // namespace weft
