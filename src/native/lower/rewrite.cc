#include "native/lower/rewrite.h"

#include "ir/clone.h"
#include "ops/record.h"

namespace weft::native {
namespace {

class Rewriter {
 public:
  Rewriter(const Function& from, Function& to, const Rewrite& rewrite)
      : from_(from), to_(to), rewrite_(rewrite), map_(from) {}

  void copy_region(RegionId source, RegionId region) {
    for (Value v : from_.args(source)) map_.set(v, to_.add_arg(region, from_.type(v)));
    for (OpId id : from_.ops(source)) copy(OpView{from_, id}, region);
  }

 private:
  void copy(const OpView& op, RegionId region) {
    std::vector<Value> operands;
    for (Value v : op.operands()) operands.push_back(map_.at(v));
    if (!op.def().is_terminator) {
      OpBuilder builder(to_, region);
      builder.loc = op.loc();
      if (const auto values = rewrite_(builder, op, operands)) {
        for (size_t i = 0; i < op.num_results(); ++i) map_.set(op.result(i), values->at(i));
        return;
      }
    }
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      regions.push_back(to_.new_region());
      copy_region(r, regions.back());
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId made = to_.append(region, op.def(), operands, from_.shared_attrs(op.id), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_.result(made, i));
  }

  const Function& from_;
  Function& to_;
  const Rewrite& rewrite_;
  ValueMap map_;
};

}  // namespace

std::unique_ptr<Function> rewrite_ops(const Function& f, const Rewrite& rewrite) {
  auto out = std::make_unique<Function>(f.name());
  copy_signature(f, *out);
  Rewriter(f, *out, rewrite).copy_region(f.body(), out->body());
  return out;
}

}  // namespace weft::native
