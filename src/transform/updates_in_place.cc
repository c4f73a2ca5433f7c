#include "transform/updates_in_place.h"

#include <algorithm>
#include <unordered_map>

#include "transform/loop_rewriter.h"

namespace weft {
namespace {

class UpdatePreparer : public LoopRewriter {
 public:
  explicit UpdatePreparer(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    if (from().def(op).mnemonic != "stablehlo.add") return false;
    for (size_t side = 0; side < 2; ++side) {
      const OpId update = sparse(from().operand(op, side));
      if (!update || sparse(from().operand(op, 1 - side))) continue;
      OpBuilder b(to(), region);
      b.loc = from().loc(op);
      const Value whole = map().at(from().operand(op, 1 - side)), part = map().at(from().operand(update, 1));
      std::vector<Value> starts;
      for (size_t i = 2; i < from().operands(update).size(); ++i) starts.push_back(map().at(from().operand(update, i)));
      const Value slice = b.dynamic_slice(whole, starts, b.type(part).shape());
      map().set(from().result(op), b.dynamic_update_slice(whole, b.add(slice, part), starts));
      return true;
    }
    return false;
  }

  /// An update goes to just before its first user when what it updates is read in between.
  std::vector<OpId> order(RegionId source) override {
    const Function& f = from();
    const auto ops = f.ops(source);
    std::unordered_map<Value, std::vector<size_t>> readers;
    bool has_update = false;
    for (size_t i = 0; i < ops.size(); ++i) {
      collect(ops[i], i, readers);
      has_update = has_update || is_update(ops[i]);
    }
    if (!has_update) return LoopRewriter::order(source);
    std::vector<std::vector<OpId>> before(ops.size());
    std::vector<bool> moved(ops.size(), false);
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!is_update(ops[i])) continue;
      size_t first = ops.size();
      for (Value r : f.results(ops[i])) {
        if (const auto it = readers.find(r); it != readers.end()) first = std::min(first, it->second.front());
      }
      if (first == ops.size()) continue;
      const auto& others = readers.at(f.operand(ops[i], 0));
      const auto next = std::ranges::upper_bound(others, i);
      if (next == others.end() || *next >= first) continue;
      before[first].push_back(ops[i]);
      moved[i] = true;
      mark_changed();
    }
    std::vector<OpId> out;
    for (size_t i = 0; i < ops.size(); ++i) {
      out.insert(out.end(), before[i].begin(), before[i].end());
      if (!moved[i]) out.push_back(ops[i]);
    }
    return out;
  }

 private:
  bool is_update(OpId op) const {
    const std::string_view name = from().def(op).mnemonic;
    return name == "stablehlo.dynamic_update_slice" || name == "stablehlo.scatter";
  }

  /// Where values are read, as positions in the outer region, ascending.
  void collect(OpId op, size_t at, std::unordered_map<Value, std::vector<size_t>>& readers) const {
    for (Value v : from().operands(op)) {
      auto& list = readers[v];
      if (list.empty() || list.back() != at) list.push_back(at);
    }
    for (RegionId r : from().regions(op)) {
      for (OpId inner : from().ops(r)) collect(inner, at, readers);
    }
  }

  /// The dynamic_update_slice of zeros that makes v, if it is used only once and smaller than the whole.
  OpId sparse(Value v) const {
    const Function& f = from();
    const OpId op = f.defining_op(v);
    if (!op || f.def(op).mnemonic != "stablehlo.dynamic_update_slice" || uses(v) != 1 || !f.type(v).is_static() ||
        !f.type(f.operand(op, 1)).is_static() || f.type(f.operand(op, 1)).num_elements() == f.type(v).num_elements())
      return {};
    return is_zero(f.operand(op, 0)) ? op : OpId{};
  }
};

}  // namespace

std::unique_ptr<Function> prepare_updates(const Function& f) { return UpdatePreparer(f).run(); }

}  // namespace weft
