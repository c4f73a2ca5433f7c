// Programs whose arrays are cut over devices: what each device gets and gives follows from the shardings of arguments and results, which are
// written out for the plugin, so that nothing is left for it to choose.
#include <algorithm>
#include <set>

#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/several_devices.h"
#include "transform/inline.h"
#include "transform/loop_rewriter.h"

namespace weft::pjrt {
namespace {

constexpr std::string_view kConstraint = "sdy.sharding_constraint", kManual = "sdy.manual_computation";

std::optional<Sharding> sharding_in(const Attrs& attrs, std::string_view name) {
  const Attr* attr = attrs.find(name);
  const auto* text = attr == nullptr ? nullptr : attr->get_if<OpaqueAttr>();
  return text == nullptr ? std::nullopt : read_sharding(text->text);
}

/// Adds the shardings of a function's arguments, results and ops.
void add_shardings(const Function& f, std::vector<Sharding>& out) {
  const auto add = [&](std::optional<Sharding> s) {
    if (s) out.push_back(*std::move(s));
  };
  for (const auto* list : {&f.arg_attrs(), &f.result_attrs()}) {
    for (const Attrs& attrs : *list) add(sharding_in(attrs, kShardingAttribute));
  }
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const OpView op{f, OpId{i}};
    if (op.def().mnemonic == kConstraint) add(sharding_in(op.attrs(), "sharding"));
    if (op.def().mnemonic == kManual) {
      for (const char* name : {"in_shardings", "out_shardings"}) {
        const auto* list = op.attrs().find(name)->get_if<OpaqueAttr>();
        for (const Sharding& s : read_shardings(list->text).value_or(std::vector<Sharding>())) out.push_back(s);
      }
    }
    const Attr* attr = op.attrs().find(kShardingAttribute);
    const auto* text = attr == nullptr ? nullptr : attr->get_if<OpaqueAttr>();
    if (text == nullptr) continue;
    for (const Sharding& s : read_shardings(text->text).value_or(std::vector<Sharding>())) out.push_back(s);
  }
}

bool is_collective(std::string_view mnemonic) {
  constexpr std::string_view kNames[] = {"stablehlo.all_gather",        "stablehlo.all_reduce",
                                         "stablehlo.all_to_all",        "stablehlo.collective_permute",
                                         "stablehlo.collective_reduce", "stablehlo.collective_broadcast",
                                         "stablehlo.reduce_scatter",    "stablehlo.cross-replica-sum",
                                         "stablehlo.replica_id",        "stablehlo.partition_id"};
  return std::ranges::find(kNames, mnemonic) != std::end(kNames);
}

/// Whether anything in the function, its signature included, is of devices.
bool mentions_devices(const Function& f) {
  std::vector<Sharding> shardings;
  add_shardings(f, shardings);
  if (!shardings.empty()) return true;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const std::string_view name = f.def(OpId{i}).mnemonic;
    if (is_collective(name) || name == "interpreter.run_parallel") return true;
  }
  return false;
}

/// A copy without annotations.
class Plain : public LoopRewriter {
 public:
  explicit Plain(const Function& f) : LoopRewriter(f) {}

 protected:
  bool rewrite(OpId op, RegionId) override {
    if (from().def(op).mnemonic == kManual)
      throw Unsupported("[sdy.manual_computation] on one device: its body is what each of several computes",
                        from().loc(op));
    if (from().def(op).mnemonic != kConstraint) return false;
    map().set(from().result(op), map().at(from().operand(op, 0)));
    return true;
  }
};

void erase_shardings(Function& f) {
  for (auto* list : {&f.arg_attrs(), &f.result_attrs()}) {
    for (Attrs& attrs : *list) attrs.erase(kShardingAttribute);
  }
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (!f.attrs(OpId{i}).has(kShardingAttribute)) continue;
    Attrs attrs = f.attrs(OpId{i});
    attrs.erase(kShardingAttribute);
    f.set_attrs(OpId{i}, std::move(attrs));
  }
}

/// The mesh with its axes.
MeshAxes known(MeshAxes mesh, const Module& module) {
  if (!mesh.symbol.empty() && !resolve(mesh, module)) throw UserError("the module has no mesh @" + mesh.symbol);
  return mesh;
}

/// Shardings of arguments and results where the program gives none: those of constraints next to them, else whole arrays.
class Outside {
 public:
  Outside(Function& main, const Module& module, const MeshAxes& mesh) : f_(main), module_(module), mesh_(mesh) {
    f_.arg_attrs().resize(f_.args().size());
    const OpId end = f_.terminator(f_.body());
    f_.result_attrs().resize(f_.operands(end).size());
    for (uint32_t i = 0; i < f_.num_ops(); ++i) {
      const OpView op{f_, OpId{i}};
      if (op.def().mnemonic != kConstraint || f_.defining_op(op.operand(0)) || f_.region(op.operand(0)) != f_.body())
        continue;
      Attrs& attrs = f_.arg_attrs()[f_.position(op.operand(0))];
      if (!attrs.has(kShardingAttribute)) attrs.set(kShardingAttribute, *op.attrs().find("sharding"));
    }
    for (size_t i = 0; i < f_.args().size(); ++i)
      settle(f_.arg_attrs()[i], f_.type(f_.args()[i]), "argument " + std::to_string(i));
  }

  void settle_results(std::span<const std::pair<size_t, size_t>> donations) {
    const OpId end = f_.terminator(f_.body());
    for (size_t i = 0; i < f_.result_attrs().size(); ++i) {
      Attrs& attrs = f_.result_attrs()[i];
      const Value v = f_.operand(end, i);
      const OpId maker = f_.defining_op(v);
      const auto donation = std::ranges::find(donations, i, &std::pair<size_t, size_t>::second);
      if (attrs.has(kShardingAttribute)) {
      } else if (donation != donations.end()) {
        attrs.set(kShardingAttribute, *f_.arg_attrs()[donation->first].find(kShardingAttribute));
      } else if (maker && f_.def(maker).mnemonic == kConstraint) {
        attrs.set(kShardingAttribute, *f_.attrs(maker).find("sharding"));
      }
      settle(attrs, f_.type(v), "result " + std::to_string(i));
    }
  }

  Sharding of_arg(size_t i) const { return with_axes(f_.arg_attrs()[i]); }
  Sharding of_result(size_t i) const { return with_axes(f_.result_attrs()[i]); }

 private:
  void settle(Attrs& attrs, Type type, const std::string& what) const {
    std::optional<Sharding> s = sharding_in(attrs, kShardingAttribute);
    if (!s) {
      s.emplace();
      s->mesh = mesh_;
      s->dimensions.resize(type.is_tensor() ? static_cast<size_t>(type.rank()) : 0);
    }
    for (DimensionSharding& d : s->dimensions) d.is_open = false;
    if (!s->unreduced.empty())
      throw Unsupported(what + " of @" + f_.name() + " has unreduced axes: arrays of the host are sums already");
    const MeshAxes mesh = known(s->mesh, module_);
    if (mesh.axes.empty()) {
      // A mesh without axes names one device, or all.
      if (!mesh.device_ids.empty())
        throw Unsupported(what + " of @" + f_.name() + " lies on one device of several: expected it cut, or on all");
      s->mesh = mesh_;
    }
    attrs.set(kShardingAttribute, OpaqueAttr{text_of(*s)});
  }
  Sharding with_axes(const Attrs& attrs) const {
    Sharding s = *sharding_in(attrs, kShardingAttribute);
    s.mesh = known(s.mesh, module_);
    return s;
  }

  Function& f_;
  const Module& module_;
  const MeshAxes& mesh_;
};

/// Of its meshes the first that has axes, as it is named; none where no mesh has any.
std::optional<MeshAxes> first_mesh(const std::vector<Sharding>& shardings, const Module& module) {
  for (const Sharding& s : shardings) {
    if (!known(s.mesh, module).axes.empty()) return s.mesh;
  }
  return std::nullopt;
}

}  // namespace

DeviceNeeds device_needs(const Module& module, const std::string& entry) {
  DeviceNeeds out;
  if (std::ranges::none_of(module.functions(), [](const auto& f) { return mentions_devices(*f); })) return out;
  const std::unique_ptr<Function> f = inline_calls(module, module.get(entry));
  std::vector<Sharding> shardings;
  add_shardings(*f, shardings);
  for (const Sharding& s : shardings) {
    const MeshAxes mesh = known(s.mesh, module);
    if (mesh.axes.empty()) continue;
    const int64_t devices = num_devices(mesh);
    if (out.distribution == Distribution::kShardings && devices != out.devices)
      throw UserError("@" + entry + ": the program has meshes of " + std::to_string(out.devices) + " and of " +
                      std::to_string(devices) + " devices: expected one number");
    out = {Distribution::kShardings, devices};
  }
  if (out.distribution != Distribution::kNone) return out;
  for (uint32_t i = 0; i < f->num_ops(); ++i) {
    const OpView op{*f, OpId{i}};
    if (op.def().mnemonic == "interpreter.run_parallel") {
      int64_t processes = 0;
      for (const Attr& row : **op.attrs().find("programs")->get_if<std::shared_ptr<const AttrList>>())
        processes += static_cast<int64_t>((*row.get_if<std::shared_ptr<const AttrList>>())->size());
      return {Distribution::kProcesses, processes};
    }
    if (is_collective(op.def().mnemonic)) out.distribution = Distribution::kReplicas;
  }
  return out;
}

std::shared_ptr<Module> without_shardings(const Module& module, const std::string& entry) {
  std::shared_ptr<Module> out = clone_module(module);
  std::unique_ptr<Function> f = inline_calls(module, module.get(entry));
  if (auto plain = Plain(*f).run()) f = std::move(plain);
  out->replace(std::move(f));
  for (const auto& g : out->functions()) erase_shardings(*g);
  std::erase_if(out->foreign_ops, [](const std::string& op) { return op.find("sdy.mesh") != std::string::npos; });
  return out;
}

DistributedProgram cut_program(const Module& module, const std::string& entry, int64_t devices,
                               std::span<const std::pair<size_t, size_t>> donations) {
  const auto whole = clone_module(module);
  whole->replace(inline_calls(module, module.get(entry)));  // checks of callees, too
  DistributedProgram out;
  out.checks = split_checks(*whole, entry, true);
  const auto program = clone_module(*out.checks.program);
  Function& main = *program->find(entry);
  std::vector<Sharding> shardings;
  add_shardings(main, shardings);
  const std::optional<MeshAxes> mesh = first_mesh(shardings, module);
  if (!mesh) throw InternalError("@" + entry + " has no shardings");
  const MeshAxes axes = known(*mesh, module);
  if (num_devices(axes) != devices) {
    throw UserError("@" + entry + ": the mesh " + describe(axes) + " has " + std::to_string(num_devices(axes)) +
                    " devices: got devices=" + std::to_string(devices));
  }
  Outside outside(main, module, *mesh);
  outside.settle_results(donations);
  for (const auto& [arg, result] : donations) {
    // A check that fails leaves the arguments as they were.
    const bool is_alike = text_of(outside.of_arg(arg)) == text_of(outside.of_result(result));
    if (out.checks.checks == nullptr && is_alike) out.donations.emplace_back(arg, result);
  }
  out.text = program_text(*program, entry, out.donations);
  out.settings.partitions = static_cast<int>(devices);
  out.arg_types = module.get(entry).arg_types();
  out.computed_types = out.text.result_types;
  for (size_t i = 0; i < out.arg_types.size(); ++i) out.arg_shardings.push_back(outside.of_arg(i));
  for (size_t j = 0; j < out.computed_types.size(); ++j) out.result_shardings.push_back(outside.of_result(j));
  lay_out(out, devices);
  return out;
}

void lay_out(DistributedProgram& program, int64_t devices) {
  std::set<std::pair<size_t, std::vector<int64_t>>> given;
  for (int64_t d = 0; d < devices; ++d) {
    auto& args = program.args.emplace_back();
    auto& computed = program.computed.emplace_back();
    auto& results = program.results.emplace_back();
    for (size_t i = 0; i < program.arg_types.size(); ++i)
      args.push_back(piece_of_device(i, program.arg_types[i], program.arg_shardings[i], d));
    for (size_t j = 0; j < program.computed_types.size(); ++j) {
      computed.push_back(piece_of_device(j, program.computed_types[j], program.result_shardings[j], d));
      const bool is_first = given.emplace(j, computed.back().starts).second;
      results.push_back(is_first ? std::vector{computed.back()} : std::vector<Piece>());
    }
  }
}

}  // namespace weft::pjrt
