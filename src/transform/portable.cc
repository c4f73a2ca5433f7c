#include "transform/portable.h"

#include <algorithm>
#include <ranges>
#include <set>

#include "ops/control_flow/named_functions.h"
#include "ops/record.h"
#include "transform/expand_quantized.h"
#include "transform/inline.h"
#include "transform/known_stacks.h"
#include "transform/lanes_together.h"
#include "transform/loop_rewriter.h"
#include "transform/loop_stacks.h"
#include "transform/simplify.h"

namespace weft {
namespace {

/// Ops that have a static form once their shape operands are constants.
bool takes_extents(std::string_view name) {
  constexpr std::string_view kNames[] = {"stablehlo.dynamic_broadcast_in_dim",
                                         "stablehlo.dynamic_conv",
                                         "stablehlo.dynamic_gather",
                                         "stablehlo.dynamic_iota",
                                         "stablehlo.dynamic_pad",
                                         "stablehlo.dynamic_reshape",
                                         "stablehlo.real_dynamic_slice"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Writes ops out by their records' rules.
class Writer : public LoopRewriter {
 public:
  Writer(const Function& f, const PortableOptions& options) : LoopRewriter(f), options_(options) {}

 protected:
  bool rewrite(OpId op, RegionId region) override {
    const OpView v{from(), op};
    for (size_t i = 0; i < v.num_results(); ++i) expect_portable(v, v.result_type(i));
    const std::string_view name = v.def().mnemonic;
    if (takes_extents(name)) {
      throw Unsupported("[" + std::string(name) +
                            "] extents or positions that only the data say: compilers of static programs need "
                            "them as constants",
                        v.loc());
    }
    // Of chlo's ops this one is known to few.
    if (options_.keep_chlo && name.starts_with("chlo.") && name != "chlo.ragged_dot") return false;
    PortableFn& rule = record(v).to_stablehlo.require(v, "no StableHLO form");
    std::vector<Value> operands;
    for (Value o : v.operands()) operands.push_back(map().at(o));
    Context context(OpBuilder(to(), region));
    context.builder().loc = v.loc();
    const std::vector<Value> results = rule(context, v, operands);
    if (results.empty()) return false;
    for (size_t i = 0; i < results.size(); ++i) map().set(v.result(i), results[i]);
    return true;
  }

 private:
  class Context : public PortableContext {
   public:
    explicit Context(OpBuilder builder) : builder_(builder) {}
    OpBuilder& builder() override { return builder_; }

   private:
    OpBuilder builder_;
  };

  static void expect_portable(const OpView& op, Type t) {
    if (t.is_tensor() && !t.is_static() && t.bounds().empty()) {
      throw Unsupported("[" + std::string(op.def().mnemonic) + "] result of type " + t.str() +
                            ": static extents are needed; refine the shapes first (weft transform --refine)",
                        op.loc());
    }
  }

  const PortableOptions options_;
};

bool has_op(const Function& f, std::string_view mnemonic) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    if (f.def(OpId{i}).mnemonic == mnemonic) return true;
  }
  return false;
}

/// Adds the functions of the module that ops of f name besides calling them.
void add_named(const Module& module, const Function& f, std::set<std::string>& names) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const Attrs& attrs = f.attrs(OpId{i});
    if (f.def(OpId{i}).mnemonic == "stablehlo.composite") names.insert(attrs.text("decomposition"));
    if (const Attr* called = attrs.find("called_computations")) {
      for (const std::string& name : named_functions(*called)) {
        if (module.find(name) != nullptr) names.insert(name);
      }
    }
  }
}

}  // namespace

std::unique_ptr<Function> to_portable(const Module& module, const Function& f, const PortableOptions& options) {
  if (const std::string chain = recursion_chain(module, f); !chain.empty())
    throw Unsupported("[func.call] a function that calls itself has no StableHLO form that compilers take: " + chain,
                      f.loc());
  for (size_t i = 0; i < f.args().size(); ++i) {
    const Type t = f.type(f.args()[i]);
    if (t.is_tensor() && !t.is_static() && t.bounds().empty())
      throw Unsupported("argument " + std::to_string(i) + " of @" + f.name() + " of type " + t.str() +
                            ": static extents are needed; refine the shapes first (weft transform --refine)",
                        f.loc());
  }
  std::unique_ptr<Function> out = inline_calls(module, f);
  const auto apply = [&](std::unique_ptr<Function> next) {
    if (next == nullptr) return false;
    out = std::move(next);
    return true;
  };
  if (std::ranges::any_of(std::views::iota(uint32_t{0}, static_cast<uint32_t>(out->num_ops())),
                          [&](uint32_t i) { return takes_extents(out->def(OpId{i}).mnemonic); }))
    apply(simplify(*out, &module));
  if (has_quantized_values(*out)) out = expand_quantized(*out);
  if (has_op(*out, "weft.stack_new")) {
    // Numbers of iterations must be constants to be known.
    apply(simplify(*out, &module));
    bool folded = apply(fold_counters(*out));
    folded = apply(know_stacks(*out)) || folded;
    if (apply(lay_out_stacks(*out)) || folded) apply(simplify(*out, &module));
  }
  if (has_op(*out, "weft.lane_while")) apply(run_lanes_together(*out));
  apply(Writer(*out, options).run());
  return out;
}

std::shared_ptr<Module> portable_program(const Module& module, const std::string& function,
                                         const PortableOptions& options) {
  auto out = std::make_shared<Module>();
  auto main = to_portable(module, module.get(function), options);
  main->set_name("main");
  main->set_public(true);
  std::set<std::string> wanted, done;
  add_named(module, *main, wanted);
  while (wanted != done) {
    for (const std::string& name : std::set<std::string>(wanted)) {
      if (!done.insert(name).second) continue;
      if (name == "main") throw Unsupported("an op names the function @main, which is the name of a program's entry");
      auto f = to_portable(module, module.get(name), options);
      f->set_public(false);
      add_named(module, *f, wanted);
      out->add(std::move(f));
    }
  }
  out->attrs = module.attrs;
  out->foreign_ops = module.foreign_ops;
  out->add(std::move(main));
  return out;
}

}  // namespace weft
