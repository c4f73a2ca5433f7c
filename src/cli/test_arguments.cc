// A program whose inputs are its own constants tests constant folding; this makes them run-time arguments.
#include "cli/test_record.h"
#include "ir/clone.h"

namespace weft::cli {

namespace {

std::shared_ptr<Module> copy_of(const Module& module) {
  auto copy = std::make_shared<Module>();
  copy->name = module.name;
  copy->attrs = module.attrs;
  for (const auto& f : module.functions()) copy->add(clone_function(*f, f->name()));
  return copy;
}

}  // namespace

Hoisted constants_as_arguments(const Module& module, const std::string& entry) {
  const Function& f = module.get(entry);
  if (!f.args().empty()) return {};
  Hoisted out;
  auto changed = std::make_unique<Function>(entry);
  Function& g = *changed;
  g.set_loc(f.loc());
  ValueMap map(f);
  for (OpId id : f.ops(f.body())) {
    const OpView op{f, id};
    std::vector<Tensor> values;
    if (op.def().mnemonic == "stablehlo.constant") {
      values.push_back(op.attrs().literal("value").materialize());
    } else if (op.def().mnemonic == "func.call" && op.attrs().text("callee") == "inputs" && op.num_operands() == 0) {
      values = get_target("eval").compile(copy_of(module), "inputs")->run({});
    } else {
      clone_op(f, id, g, g.body(), map);
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i) {
      map.set(op.result(i), g.add_arg(g.body(), op.result_type(i), op.loc()));
      out.args.push_back(std::move(values[i]));
    }
  }
  if (out.args.empty()) return {};
  g.arg_attrs().resize(g.args().size());
  g.result_attrs() = f.result_attrs();
  const auto all = copy_of(module);
  all->replace(std::move(changed));
  out.module = all;
  return out;
}

}  // namespace weft::cli
