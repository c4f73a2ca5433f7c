#include "transform/plain_collectives.h"

#include <algorithm>

#include "ops/distribution/process_groups.h"
#include "ops/families.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

class Plainer : public LoopRewriter {
 public:
  Plainer(const Function& f, int64_t replicas) : LoopRewriter(f), replicas_(replicas) {}

 protected:
  bool rewrite(OpId id, RegionId region) override {
    const OpView op{from(), id};
    const std::string_view name = op.def().mnemonic;
    const bool is_broadcast = name == "stablehlo.collective_broadcast";
    if (!is_broadcast && name != "stablehlo.collective_reduce" &&
        (name != "stablehlo.all_to_all" || op.num_operands() == 1))
      return false;
    OpBuilder b(to(), region);
    b.loc = op.loc();
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map().at(v));
    if (name == "stablehlo.all_to_all") {
      for (size_t i = 0; i < operands.size(); ++i) {
        const Type types[] = {op.result_type(i)};
        map().set(op.result(i), b.create(op.def(), std::span(operands).subspan(i, 1), op.attrs(), types)[0]);
      }
      return true;
    }
    const std::vector<std::vector<int64_t>> groups = groups_of(op);
    const Value place = own_place(b, groups);
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Value is_root = b.compare(place, root(b, op, operands, i), "EQ");
      map().set(op.result(i), is_broadcast ? broadcast(b, operands[i], is_root, groups)
                                           : reduce(b, op, operands[i], i, is_root, groups));
    }
    return true;
  }

 private:
  /// All groups, those that stay apart as groups of one.
  std::vector<std::vector<int64_t>> groups_of(const OpView& op) const {
    const Literal& table = op.attrs().literal("replica_groups");
    std::vector<std::vector<int64_t>> out;
    std::vector<bool> is_in_one(static_cast<size_t>(replicas_));
    for (int64_t r = 0; r < table.type.dim(0); ++r) {
      auto& group = out.emplace_back();
      for (int64_t k = 0; k < table.type.dim(1); ++k) {
        const int64_t id = table_at(table, r, k);
        if (id < 0) continue;
        group.push_back(id);
        is_in_one[static_cast<size_t>(id)] = true;
      }
    }
    num_groups_ = out.size();
    for (int64_t id = 0; id < replicas_; ++id) {
      if (!is_in_one[static_cast<size_t>(id)]) out.push_back({id});
    }
    return out;
  }

  /// This process's place in its group; -1 in one that is in none.
  Value own_place(OpBuilder& b, const std::vector<std::vector<int64_t>>& groups) const {
    std::vector<int32_t> places(static_cast<size_t>(replicas_), -1);
    for (size_t g = 0; g < num_groups_; ++g) {
      for (size_t k = 0; k < groups[g].size(); ++k) places[static_cast<size_t>(groups[g][k])] = static_cast<int32_t>(k);
    }
    const Value table = b.constant(Literal::dense(Tensor::of<int32_t>(places, {replicas_})));
    const Value self[] = {b.make("stablehlo.replica_id", {})};
    const int64_t sizes[] = {1};
    return b.reshape(b.dynamic_slice(table, self, sizes), {});
  }

  static Value root(OpBuilder& b, const OpView& op, std::span<const Value> operands, size_t i) {
    if (!op.attrs().boolean_or("has_dynamic_root", false)) return b.scalar(ElementType::kI32, 0);
    const int64_t begin[] = {static_cast<int64_t>(i)}, end[] = {static_cast<int64_t>(i) + 1};
    return b.reshape(b.slice(operands.back(), begin, end), {});
  }

  static Attrs attrs_of(const std::vector<std::vector<int64_t>>& groups) {
    size_t columns = 0;
    for (const auto& group : groups) columns = std::max(columns, group.size());
    Tensor table(ElementType::kI64, {static_cast<int64_t>(groups.size()), static_cast<int64_t>(columns)});
    auto* to = static_cast<int64_t*>(table.raw());
    for (const auto& group : groups) {
      for (size_t k = 0; k < columns; ++k) *to++ = k < group.size() ? group[k] : -1;
    }
    return Attrs{{"replica_groups", Literal::dense(std::move(table))}};
  }

  static Value sum_of(OpBuilder& b, Value x, const std::vector<std::vector<int64_t>>& groups) {
    const Type types[] = {b.type(x)};
    const RegionId body[] = {b.binary_region(b.type(x).element_type(), "stablehlo.add")};
    return b.create("stablehlo.all_reduce", std::span(&x, 1), attrs_of(groups), types, body)[0];
  }

  static Value zero_unless(OpBuilder& b, Value condition, Value x) {
    return b.select(condition, x, b.zeros(b.type(x)));
  }

  /// Bits are summed, of which all but the root's are zero: so minus zero and NaN arrive as they are.
  static Value broadcast(OpBuilder& b, Value x, Value is_root, const std::vector<std::vector<int64_t>>& groups) {
    const ElementType e = b.type(x).element_type();
    if (is_complex(e)) {
      const Value parts[] = {broadcast(b, b.make("stablehlo.real", {x}), is_root, groups),
                             broadcast(b, b.make("stablehlo.imag", {x}), is_root, groups)};
      return b.make("stablehlo.complex", {parts[0], parts[1]});
    }
    const int bits = bit_width(e);
    const ElementType number = bits == 64   ? ElementType::kI64
                               : bits == 32 ? ElementType::kI32
                               : bits == 16 ? ElementType::kI16
                               : bits == 8  ? ElementType::kI8
                                            : ElementType::kI4;
    const bool is_number = is_float(e);
    Value y = is_number ? b.make("stablehlo.bitcast_convert", {x}, {}, b.type(x).with_element(number)) : x;
    const ElementType own = b.type(y).element_type();
    const ElementType wide = bits == 64 ? ElementType::kI64 : ElementType::kI32;
    y = b.convert(sum_of(b, zero_unless(b, is_root, b.convert(y, wide)), groups), own);
    return is_number ? b.make("stablehlo.bitcast_convert", {y}, {}, b.type(x)) : y;
  }

  Value reduce(OpBuilder& b, const OpView& op, Value x, size_t i, Value is_root,
               const std::vector<std::vector<int64_t>>& groups) {
    const Type types[] = {op.result_type(i)};
    const RegionId body[] = {copy_region(op.region(0))};
    const Value all = b.create("stablehlo.all_reduce", std::span(&x, 1), attrs_of(groups), types, body)[0];
    return zero_unless(b, is_root, all);
  }

  const int64_t replicas_;
  mutable size_t num_groups_ = 0;
};

}  // namespace

std::unique_ptr<Function> plain_collectives(const Function& f, int64_t replicas) { return Plainer(f, replicas).run(); }

}  // namespace weft
