#include "transform/flat_processes.h"

#include <algorithm>

#include "ops/distribution/process_groups.h"
#include "transform/loop_rewriter.h"

namespace weft {
namespace {

/// A process that is only asked where it stands.
class Place : public Processes {
 public:
  Place(const Module& module, int64_t replicas, int64_t partitions, ProcessId self)
      : module_(module), replicas_(replicas), partitions_(partitions), self_(self) {}
  ProcessId self() const override { return self_; }
  int64_t num_replicas() const override { return replicas_; }
  int64_t num_partitions() const override { return partitions_; }
  const Module& module() const override { return module_; }
  std::vector<std::vector<Tensor>> exchange(const OpView& op, std::span<const ProcessId>, int64_t,
                                            std::vector<Tensor>) override {
    runs(op);
  }
  void send(int64_t, std::vector<Tensor>) override { throw InternalError("a place runs nothing"); }
  std::vector<Tensor> receive(const OpView& op, int64_t) override { runs(op); }
  std::vector<Tensor> infeed(const OpView& op) override { runs(op); }
  void probe(const std::string&, Tensor) override { throw InternalError("a place runs nothing"); }
  const Tensor* probed(const std::string&, int64_t) override { return nullptr; }
  std::vector<EvalValue> run_parallel(const OpView& op, std::span<const std::vector<std::string>>,
                                      std::span<const std::string>, std::span<const EvalValue>) override {
    runs(op);
  }

 private:
  [[noreturn]] static void runs(const OpView& op) { throw InternalError("a place runs nothing", op.loc()); }
  const Module& module_;
  int64_t replicas_, partitions_;
  ProcessId self_;
};

class Flat : public LoopRewriter {
 public:
  Flat(const Function& f, const Module& module, int64_t replicas, int64_t partitions)
      : LoopRewriter(f), module_(module), replicas_(replicas), partitions_(partitions) {}

 protected:
  bool rewrite(OpId id, RegionId region) override {
    const OpView op{from(), id};
    const std::string_view name = op.def().mnemonic;
    if (name == "stablehlo.replica_id" || name == "stablehlo.partition_id") return number(op, region);
    const bool moves = name == "stablehlo.all_to_all" || name == "stablehlo.collective_broadcast" ||
                       name == "stablehlo.collective_permute";
    const bool has_groups = op.attrs().has("replica_groups");
    if (!has_groups && !moves) return false;
    Attrs attrs = op.attrs();
    if (name == "stablehlo.collective_permute") {
      attrs.set("source_target_pairs",
                table(process_groups(op, place({}), attrs.literal("source_target_pairs"), movement_grouping(op))));
    } else {
      attrs.set("replica_groups", table(groups(op, moves ? movement_grouping(op) : reduction_grouping(op))));
    }
    for (const char* of_channel : {"handle", "type", "use_global_device_ids"}) attrs.erase(of_channel);
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map().at(v));
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) regions.push_back(copy_region(r));
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId copy = to().append(region, op.def(), operands, std::move(attrs), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map().set(op.result(i), to().result(copy, i));
    return true;
  }

 private:
  Place place(ProcessId self) const { return {module_, replicas_, partitions_, self}; }
  int64_t number_of(ProcessId id) const { return id.replica * partitions_ + id.partition; }

  bool number(const OpView& op, RegionId region) {
    const bool is_replica = op.def().mnemonic == "stablehlo.replica_id";
    if (is_replica && partitions_ == 1) return false;
    OpBuilder b(to(), region);
    b.loc = op.loc();
    const Value all = b.make("stablehlo.replica_id", {});
    const Value count = b.splat(op.result_type(), static_cast<double>(partitions_));
    map().set(op.result(), b.make(is_replica ? "stablehlo.divide" : "stablehlo.remainder", {all, count}));
    return true;
  }

  /// The groups of all processes, each once.
  std::vector<std::vector<ProcessId>> groups(const OpView& op, Grouping grouping) const {
    std::vector<std::vector<ProcessId>> out;
    for (int64_t r = 0; r < replicas_; ++r) {
      for (int64_t p = 0; p < partitions_; ++p) {
        std::vector<ProcessId> own = own_group(op, place({r, p}), grouping);
        if (!own.empty() && std::ranges::find(out, own) == out.end()) out.push_back(std::move(own));
      }
    }
    return out;
  }

  /// Groups that are smaller than others are filled up with -1.
  Literal table(const std::vector<std::vector<ProcessId>>& groups) const {
    size_t columns = 0;
    for (const auto& group : groups) columns = std::max(columns, group.size());
    Tensor out(ElementType::kI64, {static_cast<int64_t>(groups.size()), static_cast<int64_t>(columns)});
    auto* to = static_cast<int64_t*>(out.raw());
    for (const auto& group : groups) {
      for (size_t i = 0; i < columns; ++i) *to++ = i < group.size() ? number_of(group[i]) : -1;
    }
    return Literal::dense(std::move(out));
  }

  const Module& module_;
  const int64_t replicas_, partitions_;
};

}  // namespace

std::unique_ptr<Function> flat_processes(const Function& f, const Module& module, int64_t replicas,
                                         int64_t partitions) {
  Flat flat(f, module, replicas, partitions);
  std::unique_ptr<Function> out = flat.run();
  return out != nullptr ? std::move(out) : clone_function(f, f.name());
}

}  // namespace weft
