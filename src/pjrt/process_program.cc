// Programs of several processes: every device runs the one program that all processes run, as a replica, on arguments of its own.
#include <algorithm>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "pjrt/several_devices.h"
#include "transform/flat_processes.h"
#include "transform/inline.h"
#include "transform/plain_collectives.h"

namespace weft::pjrt {
namespace {

constexpr std::string_view kRunParallel = "interpreter.run_parallel";

struct Grid {
  std::string program;
  int64_t replicas = 0, partitions = 0;
};

/// The one program of all processes.
Grid grid_of(const OpView& op) {
  Grid out;
  if (op.attrs().has("infeed"))
    throw Unsupported("[interpreter.run_parallel] with an infeed: plugins get their data as arguments", op.loc());
  for (const Attr& row : **op.attrs().find("programs")->get_if<std::shared_ptr<const AttrList>>()) {
    const AttrList& names = **row.get_if<std::shared_ptr<const AttrList>>();
    ++out.replicas;
    out.partitions = static_cast<int64_t>(names.size());
    for (const Attr& a : names) {
      const std::string name = a.get_if<OpaqueAttr>()->text.substr(1);
      if (!out.program.empty() && name != out.program)
        throw Unsupported("[interpreter.run_parallel] of different programs, @" + out.program + " and @" + name +
                              ": a plugin runs one program on all devices; let it branch on stablehlo.replica_id",
                          op.loc());
      out.program = name;
    }
  }
  return out;
}

OpId only_grid(const Function& f) {
  OpId out;
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const OpView op{f, OpId{i}};
    if (op.def().mnemonic != kRunParallel) continue;
    if (out || f.parent(op.id) != f.body())
      throw Unsupported("[interpreter.run_parallel] more than once, or in a region: a plugin starts processes once",
                        op.loc());
    out = op.id;
  }
  return out;
}

/// Values of the entry that depend on no argument and on no process.
class Constants {
 public:
  explicit Constants(const Function& f) : f_(f), is_known_(f.num_values()) {
    for (OpId op : f.ops(f.body())) {
      const OpView v{f, op};
      const bool known =
          v.def().mnemonic != kRunParallel && !v.def().is_terminator && record(v).effects == Effects::kPure &&
          std::ranges::all_of(v.operands(), [&](Value x) { return is_known_[x.index]; }) && captures_known(v);
      for (Value r : f.results(op)) is_known_[r.index] = known;
    }
  }
  bool has(Value v) const { return is_known_[v.index]; }

  std::vector<Tensor> values(std::span<const Value> wanted) const {
    auto constants = std::make_unique<Function>("constants");
    ValueMap map(f_);
    for (OpId op : f_.ops(f_.body())) {
      if (f_.num_results(op) > 0 && is_known_[f_.result(op).index])
        clone_op(f_, op, *constants, constants->body(), map);
    }
    std::vector<Value> results;
    for (Value v : wanted) results.push_back(map.at(v));
    OpBuilder(*constants, constants->body()).yield(results);
    Module module;
    module.add(std::move(constants));
    return evaluate(module, "constants", {});
  }

 private:
  bool captures_known(const OpView& op) const {
    return std::ranges::all_of(op.regions(), [&](RegionId r) {
      return std::ranges::all_of(captures(f_, r), [&](Value v) { return is_known_[v.index]; });
    });
  }
  const Function& f_;
  std::vector<bool> is_known_;
};

/// Numbers of the entry's arguments, then of the constants that are asked for.
class Arrays {
 public:
  explicit Arrays(const Function& f) : f_(f), constants_(f) {}

  /// Unsupported unless it is an argument of the entry or a constant.
  size_t number_of(Value v, std::string_view what, Loc loc) {
    if (!f_.defining_op(v)) return f_.position(v);
    if (!constants_.has(v)) {
      const OpId maker = f_.defining_op(v);
      throw Unsupported("[" + std::string(f_.def(maker).mnemonic) + "] makes " + std::string(what) +
                            ": beside processes a plugin computes nothing; move it into the program of the processes",
                        f_.loc(maker).known() ? f_.loc(maker) : loc);
    }
    const auto at = std::ranges::find(wanted_, v);
    if (at == wanted_.end()) wanted_.push_back(v);
    return f_.args().size() + static_cast<size_t>(std::ranges::find(wanted_, v) - wanted_.begin());
  }
  std::vector<Tensor> constants() const { return constants_.values(wanted_); }

 private:
  const Function& f_;
  const Constants constants_;
  std::vector<Value> wanted_;
};

/// The function as one that replicas run, in ops that plugins have.
std::unique_ptr<Function> for_replicas(const Module& module, const std::string& name, int64_t replicas,
                                       int64_t partitions) {
  std::unique_ptr<Function> out = flat_processes(*inline_calls(module, module.get(name)), module, replicas, partitions);
  if (auto plain = plain_collectives(*out, replicas * partitions)) out = std::move(plain);
  return out;
}

/// The entry itself is what each device runs.
DistributedProgram replicas(const Module& module, const std::string& entry, int64_t devices, DistributedProgram out) {
  const auto program = clone_module(*out.checks.program);
  program->foreign_ops.clear();  // meshes: groups are tables by now
  program->replace(for_replicas(*program, entry, devices, 1));
  out.text = program_text(*program, entry);
  out.arg_types = module.get(entry).arg_types();
  out.computed_types = out.text.result_types;
  out.settings.replicas = static_cast<int>(devices);
  for (int64_t d = 0; d < devices; ++d) {
    auto& args = out.args.emplace_back();
    for (size_t i = 0; i < out.arg_types.size(); ++i) args.push_back(whole_piece(i, out.arg_types[i]));
    auto& results = out.results.emplace_back();
    for (size_t j = 0; j < out.computed_types.size(); ++j)
      results.push_back(d == 0 ? std::vector{whole_piece(j, out.computed_types[j])} : std::vector<Piece>());
  }
  return out;
}

}  // namespace

DistributedProgram process_program(const Module& module, const std::string& entry, int64_t devices) {
  const auto whole = clone_module(module);
  whole->replace(inline_calls(module, module.get(entry)));
  DistributedProgram out;
  out.checks = split_checks(*whole, entry, true);
  const Function& main = out.checks.program->get(entry);
  const OpId id = only_grid(main);
  if (!id) return replicas(module, entry, devices, std::move(out));

  const OpView op{main, id};
  const Grid grid = grid_of(op);
  if (grid.replicas * grid.partitions != devices) {
    throw UserError("[interpreter.run_parallel] number of processes: got devices=" + std::to_string(devices) +
                        ", expected " + std::to_string(grid.replicas * grid.partitions),
                    op.loc());
  }
  const auto program = clone_module(*out.checks.program);
  program->foreign_ops.clear();  // meshes: groups are tables by now
  program->replace(for_replicas(*program, grid.program, grid.replicas, grid.partitions));
  out.text = program_text(*program, grid.program);
  out.settings.replicas = static_cast<int>(devices);
  out.arg_types = module.get(entry).arg_types();
  out.computed_types = main.result_types();

  Arrays arrays(main);
  const size_t num_args = out.text.arg_types.size(), num_results = out.text.result_types.size();
  for (size_t d = 0; d < static_cast<size_t>(devices); ++d) {
    auto& args = out.args.emplace_back();
    for (size_t i = 0; i < num_args; ++i) {
      const size_t array = arrays.number_of(op.operand(d * num_args + i), "what processes take", op.loc());
      args.push_back(whole_piece(array, out.text.arg_types[i]));
    }
    out.results.emplace_back(num_results);
  }
  const OpId end = main.terminator(main.body());
  for (size_t k = 0; k < out.computed_types.size(); ++k) {
    const Value v = main.operand(end, k);
    if (main.defining_op(v) != id) {
      out.passed.emplace_back(k, arrays.number_of(v, "what the entry returns", main.loc(end)));
      continue;
    }
    const size_t m = main.position(v);
    out.results[m / num_results][m % num_results].push_back(whole_piece(k, out.text.result_types[m % num_results]));
  }
  out.constants = arrays.constants();
  return out;
}

}  // namespace weft::pjrt
