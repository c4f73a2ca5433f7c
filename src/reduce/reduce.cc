#include "reduce/reduce.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/control_flow/region_flow.h"
#include "ops/record.h"
#include "reduce/isolated.h"
#include "reduce/random.h"
#include "reduce/rebuild.h"
#include "text/print.h"
#include "transform/dead_code.h"
#include "transform/inline.h"

namespace weft::reduce {
namespace {

using Clock = std::chrono::steady_clock;

/// Copies @main with some ops taken out.
class Editor {
 public:
  enum class Action : uint8_t {
    kConstant,   // results become constants
    kTakeApart,  // a loop's results become its operands, a branch's those of one of its regions
  };
  struct Edit {
    Action action;
    size_t branch = 0;
  };

  Editor(const Function& f, const std::map<uint32_t, Tensor>& known)
      : f_(f), known_(known), to_(std::make_unique<Function>(f.name())), map_(f) {}

  /// Null when an op cannot be taken out.
  std::unique_ptr<Function> run(const std::map<uint32_t, Edit>& edits) {
    edits_ = &edits;
    for (Value v : f_.args()) map_.set(v, to_->add_arg(to_->body(), f_.type(v)));
    const std::vector<Value> results = fill(f_.body(), to_->body());
    OpBuilder b(*to_, to_->body());
    b.yield(results);
    return std::move(to_);
  }

 private:
  std::vector<Value> fill(RegionId source, RegionId region) {
    for (OpId op : f_.ops(source)) {
      const OpView view{f_, op};
      if (view.def().is_terminator) return operands(view, region);
      const auto edit = edits_->find(op.index);
      if (edit == edits_->end()) {
        copy(view, region);
      } else if (edit->second.action == Action::kConstant) {
        for (Value v : f_.results(op)) constants_.insert(v.index);
      } else {
        take_apart(view, edit->second.branch, region);
      }
    }
    return {};
  }

  std::vector<Value> operands(const OpView& op, RegionId region) {
    std::vector<Value> out;
    for (Value v : op.operands()) out.push_back(constants_.count(v.index) ? constant(v, region) : map_.at(v));
    return out;
  }
  Value constant(Value v, RegionId region) {
    OpBuilder b(*to_, region);
    const Type t = f_.type(v);
    if (!t.is_tensor() || !t.is_static() || t.is_quantized()) throw UserError("no constant of type " + t.str());
    const auto value = known_.find(v.index);
    return value == known_.end() ? b.splat(t, 0) : b.constant(Literal::dense(value->second));
  }
  void copy(const OpView& op, RegionId region) {
    const std::vector<Value> in = operands(op, region);
    std::vector<RegionId> regions;
    for (RegionId r : op.regions()) {
      const RegionId inner = to_->new_region();
      for (Value v : f_.args(r)) map_.set(v, to_->add_arg(inner, f_.type(v)));
      const std::vector<Value> results = fill(r, inner);
      to_->append(inner, f_.def(f_.terminator(r)), results, Attrs(), {});
      regions.push_back(inner);
    }
    std::vector<Type> types;
    for (size_t i = 0; i < op.num_results(); ++i) types.push_back(op.result_type(i));
    const OpId made = to_->append(region, op.def(), in, f_.shared_attrs(op.id), types, regions, op.loc());
    for (size_t i = 0; i < types.size(); ++i) map_.set(op.result(i), to_->result(made, i));
  }
  void take_apart(const OpView& op, size_t branch, RegionId region) {
    std::vector<Value> results;
    const RegionFlow flow = region_flow(op);
    if (flow.kind == RegionFlow::Kind::kLoop) {
      const std::vector<Value> in = operands(op, region);
      if (branch == 0) {
        results.assign(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(op.num_results()));
      } else {
        const auto formal = f_.args(op.region(1));
        for (size_t i = 0; i < formal.size(); ++i) map_.set(formal[i], in[i]);
        results = fill(op.region(1), region);
      }
    } else if (flow.kind == RegionFlow::Kind::kBranches && branch < op.regions().size()) {
      results = fill(op.region(branch), region);
    } else {
      // Or an operand of the result's type stands for it.
      for (size_t i = 0; i < op.num_results(); ++i) {
        std::vector<Value> fit;
        for (Value v : op.operands()) {
          if (f_.type(v) == op.result_type(i))
            fit.push_back(constants_.count(v.index) ? constant(v, region) : map_.at(v));
        }
        if (branch >= fit.size()) throw UserError("nothing stands for a result");
        results.push_back(fit[branch]);
      }
    }
    for (size_t i = 0; i < results.size(); ++i) map_.set(op.result(i), results[i]);
  }

  const Function& f_;
  const std::map<uint32_t, Tensor>& known_;
  std::unique_ptr<Function> to_;
  ValueMap map_;
  std::set<uint32_t> constants_;
  const std::map<uint32_t, Edit>* edits_ = nullptr;
};

class Reducer {
 public:
  Reducer(Program program, const StillFails& still_fails, double seconds)
      : best_(std::move(program)),
        still_fails_(still_fails),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  Program run() {
    one_input();
    inline_all();
    for (bool smaller = true; smaller && !is_late();) {
      smaller = false;
      attempt([&] { return with_main(eliminate_dead_code(main(), best_.module.get())); });
      smaller |= fewer_results();
      smaller |= fewer_ops();
      smaller |= taken_apart();
      smaller |= fewer_arguments();
      smaller |= smaller_extents();
    }
    return best_;
  }

 private:
  bool is_late() const { return Clock::now() > end_; }
  const Function& main() const { return best_.module->get("main"); }

  bool keep(Program candidate) {
    if (is_late()) return false;
    try {
      verify(*candidate.module);
    } catch (const Error&) {
      // A program that fails because it does not verify stays one.
      if (!still_fails_(candidate)) return false;
      best_ = std::move(candidate);
      return true;
    }
    if (!still_fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }
  Program with_main(std::unique_ptr<Function> f) const {
    Program p = best_;
    p.module = clone_module(*best_.module);
    p.module->replace(std::move(f));
    return p;
  }
  template <class Make>
  bool attempt(Make&& make) {
    Program candidate;
    try {
      candidate = make();
    } catch (const std::exception&) { return false; }
    return keep(std::move(candidate));
  }

  void one_input() {
    const auto inputs = best_.inputs;
    for (const auto& input : inputs) {
      Program p = best_;
      p.inputs = {input};
      if (keep(p)) return;
    }
  }

  void inline_all() {
    const bool done = attempt([&] {
      Program p = best_;
      p.module = std::make_shared<Module>();
      p.module->foreign_ops = best_.module->foreign_ops;
      p.module->add(inline_calls(*best_.module, main()));
      return p;
    });
    if (done || best_.module->functions().size() < 2) return;
    // The fault may lie in a function that @main calls.
    for (const auto& g : best_.module->functions()) {
      if (g->name() == "main") continue;
      const bool in_g = attempt([&] {
        Program p = best_;
        p.module = std::make_shared<Module>();
        p.module->foreign_ops = best_.module->foreign_ops;
        for (const auto& f : best_.module->functions()) {
          if (f->name() != "main" && f != g) p.module->add(clone_function(*f, f->name()));
        }
        const Function& main = p.module->add(clone_function(*g, "main"));
        Random random(1);
        p.inputs = {{}};
        for (Type t : main.arg_types()) p.inputs[0].push_back(random_tensor(random, t, Numbers::kMixed));
        return p;
      });
      if (in_g) return inline_all();
    }
    for (size_t i = best_.module->functions().size(); i-- > 0;) {
      attempt([&] {
        Program p = best_;
        p.module = std::make_shared<Module>();
        p.module->foreign_ops = best_.module->foreign_ops;
        for (const auto& f : best_.module->functions()) {
          if (f.get() != best_.module->functions()[i].get() || f->name() == "main")
            p.module->add(clone_function(*f, f->name()));
        }
        return p;
      });
    }
  }

  bool fewer_results() {
    const size_t n = main().result_types().size();
    bool any = false;
    const auto only = [&](auto&& wanted) {
      return attempt([&] {
        auto f = std::make_unique<Function>("main");
        ValueMap map(main());
        for (Value v : main().args()) map.set(v, f->add_arg(f->body(), main().type(v)));
        const auto all = clone_ops(main(), main().body(), *f, f->body(), map);
        std::vector<Value> kept;
        for (size_t i = 0; i < all.size(); ++i) {
          if (wanted(i)) kept.push_back(all[i]);
        }
        OpBuilder(*f, f->body()).yield(kept);
        return with_main(std::move(f));
      });
    };
    if (n < 2) return false;
    for (size_t k = 0; k < n; ++k) {
      if (only([&](size_t i) { return i == k; })) return true;
    }
    for (size_t k = n; k-- > 0;) {
      if (main().result_types().size() > 1 && only([&](size_t i) { return i != k; })) any = true;
    }
    return any;
  }

  /// The values that @main's own ops have on the input.
  std::map<uint32_t, Tensor> known() const {
    std::map<uint32_t, Tensor> out;
    try {
      Module m;
      m.foreign_ops = best_.module->foreign_ops;
      for (const auto& g : best_.module->functions()) {
        if (g->name() != "main") m.add(clone_function(*g, g->name()));
      }
      auto f = std::make_unique<Function>("main");
      ValueMap map(main());
      for (Value v : main().args()) map.set(v, f->add_arg(f->body(), main().type(v)));
      clone_ops(main(), main().body(), *f, f->body(), map);
      std::vector<Value> results, sources;
      for (uint32_t i = 0; i < main().num_values(); ++i) {
        const Value v{i};
        const Type t = main().type(v);
        if (main().region(v) != main().body() || !t.is_tensor() || !t.is_static() || t.is_quantized()) continue;
        if (!map.get(v)) continue;
        sources.push_back(v);
        results.push_back(map.at(v));
      }
      OpBuilder(*f, f->body()).yield(results);
      m.add(std::move(f));
      // What is left of a loop's condition may hold for ever.
      const auto ends = [&] {
        evaluate(m, "main", best_.inputs.at(0));
        return std::string();
      };
      if (!isolated(ends, 3).empty()) return out;
      const auto values = evaluate(m, "main", best_.inputs.at(0));
      for (size_t i = 0; i < values.size(); ++i) out.emplace(sources[i].index, values[i]);
    } catch (const std::exception&) { return out; }
    return out;
  }

  std::vector<OpId> ops_of(bool constants_too) const {
    std::vector<OpId> out;
    for (uint32_t i = 0; i < main().num_ops(); ++i) {
      const OpView op{main(), OpId{i}};
      if (op.def().is_terminator) continue;
      const bool is_constant = op.num_operands() == 0 && op.attrs().has("value");
      if (!is_constant || constants_too) out.push_back(OpId{i});
    }
    return out;
  }

  bool fewer_ops() {
    bool any = false;
    auto values = known();
    for (size_t chunk = std::max<size_t>(ops_of(false).size() / 2, 1); chunk > 0; chunk /= 2) {
      for (size_t at = ops_of(false).size(); at > 0 && !is_late();) {
        const auto ops = ops_of(false);
        at = std::min(at, ops.size());
        const size_t first = at > chunk ? at - chunk : 0;
        std::map<uint32_t, Editor::Edit> edits;
        for (size_t i = first; i < at; ++i) edits[ops[i].index] = {Editor::Action::kConstant};
        // Constants come into being where they are used: those in place go along.
        for (OpId op : ops_of(true)) {
          const OpView view{main(), op};
          if (view.num_operands() == 0 && view.attrs().has("value")) {
            if (!values.count(view.result().index)) continue;
            edits[op.index] = {Editor::Action::kConstant};
          }
        }
        if (attempt([&] { return with_main(Editor(main(), values).run(edits)); })) {
          any = true;
          values = known();
        }
        at = first;
      }
    }
    return any;
  }

  bool taken_apart() {
    bool any = false;
    auto values = known();
    for (size_t k = ops_of(false).size(); k-- > 0 && !is_late();) {
      for (size_t branch = 0; branch < 3; ++branch) {
        const auto ops = ops_of(false);
        if (k >= ops.size()) break;
        if (attempt([&] {
              return with_main(Editor(main(), values).run({{ops[k].index, {Editor::Action::kTakeApart, branch}}}));
            })) {
          any = true;
          values = known();
          break;
        }
      }
    }
    return any;
  }

  /// Arguments become constants, or go when nothing uses them.
  bool fewer_arguments() {
    bool any = false;
    for (size_t k = main().args().size(); k-- > 0;) {
      const bool done = attempt([&] {
        auto f = std::make_unique<Function>("main");
        ValueMap map(main());
        OpBuilder b(*f, f->body());
        bool used = false;
        for (uint32_t i = 0; i < main().num_ops(); ++i) {
          for (Value v : main().operands(OpId{i})) used |= v == main().args()[k];
        }
        for (size_t i = 0; i < main().args().size(); ++i) {
          const Value v = main().args()[i];
          if (i != k) map.set(v, f->add_arg(f->body(), main().type(v)));
        }
        if (used) map.set(main().args()[k], b.constant(Literal::dense(best_.inputs.at(0).at(k))));
        b.yield(clone_ops(main(), main().body(), *f, f->body(), map));
        Program p = with_main(std::move(f));
        for (auto& input : p.inputs) input.erase(input.begin() + static_cast<std::ptrdiff_t>(k));
        return p;
      });
      any |= done;
    }
    return any;
  }

  bool smaller_extents() {
    bool any = false;
    std::set<int64_t> extents;
    for (uint32_t i = 0; i < main().num_values(); ++i) {
      const Type t = main().type(Value{i});
      if (t.is_tensor()) extents.insert(t.shape().begin(), t.shape().end());
    }
    for (int64_t from : extents) {
      for (int64_t to = 0; to < std::min<int64_t>(from, 3); ++to) {
        for (const bool attributes_too : {true, false}) {
          const bool done = attempt([&] {
            Rewrite r;
            const auto change = [&](std::vector<int64_t> list) {
              std::replace(list.begin(), list.end(), from, to);
              return list;
            };
            r.type = [&](Type t) { return t.with_shape(change({t.shape().begin(), t.shape().end()})); };
            if (attributes_too) {
              r.attrs = [&](const OpView&, Attrs& attrs) {
                const Attrs old = attrs;
                for (const auto& [name, attr] : old.entries()) {
                  if (const auto* ints = attr.get_if<Attr::Ints>()) attrs.set(name, change(*ints));
                }
              };
            }
            Program p = best_;
            p.module = std::make_shared<Module>();
            p.module->foreign_ops = best_.module->foreign_ops;
            for (const auto& f : best_.module->functions()) p.module->add(rebuild(*f, p.module.get(), r));
            const auto types = p.module->get("main").arg_types();
            for (auto& input : p.inputs) {
              for (size_t i = 0; i < input.size(); ++i)
                input[i] = retyped(Literal::dense(input[i]), types[i]).materialize();
            }
            return p;
          });
          if (done) {
            any = true;
            break;
          }
        }
      }
    }
    return any;
  }

  Program best_;
  const StillFails& still_fails_;
  Clock::time_point end_;
};

}  // namespace

Program reduced(Program program, const StillFails& still_fails, double seconds) {
  return Reducer(std::move(program), still_fails, seconds).run();
}

std::string self_contained(const Program& program) {
  const Function& main = program.module->get("main");
  if (main.args().empty() || program.inputs.empty()) return print_module(*program.module);
  Module out;
  out.foreign_ops = program.module->foreign_ops;
  const std::string name = program.module->unique_name("case");
  for (const auto& f : program.module->functions()) {
    out.add(clone_function(*f, f->name() == "main" ? name : f->name())).set_public(false);
  }
  Function& caller = out.add(std::make_unique<Function>("main"));
  OpBuilder b(caller, caller.body(), &out);
  std::vector<Value> args;
  for (const Tensor& t : program.inputs[0]) args.push_back(b.constant(Literal::dense(t)));
  b.yield(b.create("func.call", args, {{"callee", name}}, main.result_types()));
  return print_module(out);
}

}  // namespace weft::reduce
