#include "ir/clone.h"

#include <unordered_set>

namespace weft {

Value ValueMap::at(Value from) const {
  const Value v = get(from);
  if (!v) throw InternalError("value " + std::to_string(from.index) + " has no counterpart in the new function");
  return v;
}

namespace {

Value lookup(const Function& from, const Function& to, const ValueMap& map, Value v) {
  const Value mapped = map.get(v);
  if (mapped) return mapped;
  return &from == &to ? v : map.at(v);
}

}  // namespace

OpId clone_op(const Function& from, OpId op, Function& to, RegionId region, ValueMap& map) {
  std::vector<Value> operands;
  for (Value v : from.operands(op)) operands.push_back(lookup(from, to, map, v));
  return clone_op(from, op, operands, to, region, map);
}

OpId clone_op(const Function& from, OpId op, std::span<const Value> operands, Function& to, RegionId region,
              ValueMap& map) {
  const std::vector<RegionId> sources(from.regions(op).begin(), from.regions(op).end());
  std::vector<RegionId> regions;
  for (RegionId r : sources) regions.push_back(clone_region(from, r, to, map));
  std::vector<Type> types;
  for (size_t i = 0; i < from.num_results(op); ++i) types.push_back(from.type(from.result(op, i)));
  const OpId copy = to.append(region, from.def(op), operands, from.shared_attrs(op), types, regions, from.loc(op));
  for (size_t i = 0; i < types.size(); ++i) map.set(from.result(op, i), to.result(copy, i));
  return copy;
}

std::vector<Value> clone_ops(const Function& from, RegionId source, Function& to, RegionId region, ValueMap& map,
                             bool with_terminator) {
  const std::vector<OpId> ops(from.ops(source).begin(), from.ops(source).end());
  std::vector<Value> results;
  for (OpId op : ops) {
    if (from.def(op).is_terminator) {
      for (Value v : from.operands(op)) results.push_back(lookup(from, to, map, v));
      if (!with_terminator) continue;
    }
    clone_op(from, op, to, region, map);
  }
  return results;
}

RegionId clone_region(const Function& from, RegionId source, Function& to, ValueMap& map) {
  const RegionId region = to.new_region();
  const std::vector<Value> args(from.args(source).begin(), from.args(source).end());
  for (Value v : args) map.set(v, to.add_arg(region, from.type(v)));
  clone_ops(from, source, to, region, map, /*with_terminator=*/true);
  return region;
}

void copy_signature(const Function& from, Function& to) {
  to.set_public(from.is_public());
  to.set_loc(from.loc());
  to.attrs() = from.attrs();
  to.arg_attrs() = from.arg_attrs();
  to.result_attrs() = from.result_attrs();
}

std::shared_ptr<Module> clone_module(const Module& from) {
  auto to = std::make_shared<Module>();
  to->name = from.name;
  to->attrs = from.attrs;
  to->foreign_ops = from.foreign_ops;
  for (const auto& f : from.functions()) to->add(clone_function(*f, f->name()));
  return to;
}

std::unique_ptr<Function> clone_function(const Function& from, std::string name) {
  auto to = std::make_unique<Function>(std::move(name));
  copy_signature(from, *to);
  ValueMap map(from);
  for (Value v : from.args()) map.set(v, to->add_arg(to->body(), from.type(v)));
  if (from.is_declaration()) {
    to->set_declaration(true);
    to->declare_results(from.result_types());
    return to;
  }
  clone_ops(from, from.body(), *to, to->body(), map, /*with_terminator=*/true);
  return to;
}

namespace {

void collect_captures(const Function& f, RegionId region, RegionId outermost, std::unordered_set<Value>& seen,
                      std::vector<Value>& out) {
  for (OpId op : f.ops(region)) {
    for (Value v : f.operands(op)) {
      if (!f.is_within(f.region(v), outermost) && seen.insert(v).second) out.push_back(v);
    }
    for (RegionId r : f.regions(op)) collect_captures(f, r, outermost, seen, out);
  }
}

}  // namespace

std::vector<Value> captures(const Function& f, RegionId region) {
  std::unordered_set<Value> seen;
  std::vector<Value> out;
  collect_captures(f, region, region, seen, out);
  return out;
}

}  // namespace weft
