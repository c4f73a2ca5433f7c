#include "reduce/difference.h"

#include <algorithm>

#include "base/diagnostic.h"
#include "ir/clone.h"
#include "ops/control_flow/check_rules.h"
#include "reduce/isolated.h"
#include "transform/dead_code.h"
#include "transform/inline.h"

namespace weft::reduce {
namespace {

struct Ran {
  std::vector<Tensor> results;
  std::string error;
};

Ran run_one_way(const Program& program, const Way& way) {
  Ran out;
  try {
    out.results = way.target->compile(program.module, "main", way.options)->run(program.inputs.at(0));
  } catch (const std::exception& e) { out.error = e.what(); }
  return out;
}

std::string compared(const Program& program, const Way& a, const Way& b) {
  const Ran x = run_one_way(program, a), y = run_one_way(program, b);
  if (x.error.empty() != y.error.empty()) {
    const bool first = !x.error.empty();
    return "error on " + (first ? a.name : b.name) + ": " + (first ? x.error : y.error);
  }
  for (size_t i = 0; i < x.results.size() && i < y.results.size(); ++i) {
    if (const auto text = compare_tensors(y.results[i], x.results[i], {CheckRule::kUlp}, false))
      return "result " + std::to_string(i) + ", " + b.name + " against " + a.name + ": " + *text;
  }
  return "";
}

bool is_observable(Type t) { return t.is_tensor() && t.is_static() && !t.is_foreign(); }

/// @main up to an op, returning that op's tensors; null when it gives none.
Program cut_after(const Program& whole, OpId last) {
  const Function& main = whole.module->get("main");
  auto f = std::make_unique<Function>("main");
  ValueMap map(main);
  for (Value v : main.args()) map.set(v, f->add_arg(f->body(), main.type(v)));
  std::vector<Value> results;
  for (OpId op : main.ops(main.body())) {
    if (main.def(op).is_terminator) break;
    clone_op(main, op, *f, f->body(), map);
    if (op != last) continue;
    for (Value v : main.results(op)) {
      if (is_observable(main.type(v))) results.push_back(map.at(v));
    }
    break;
  }
  if (results.empty()) return {};
  OpBuilder(*f, f->body()).yield(results);
  Program out;
  out.inputs = whole.inputs;
  out.module = std::make_shared<Module>();
  out.module->foreign_ops = whole.module->foreign_ops;
  for (const auto& g : whole.module->functions()) {
    if (g->name() != "main") out.module->add(clone_function(*g, g->name()));
  }
  out.module->add(eliminate_dead_code(*f, out.module.get()));
  return out;
}

Program with_calls_inlined(const Program& program) {
  Program out = program;
  out.module = std::make_shared<Module>();
  out.module->foreign_ops = program.module->foreign_ops;
  for (const auto& g : program.module->functions()) {
    if (g->name() != "main") out.module->add(clone_function(*g, g->name()));
  }
  out.module->add(inline_calls(*program.module, program.module->get("main")));
  return out;
}

}  // namespace

std::string difference(const Program& program, const Way& a, const Way& b, double seconds) {
  std::string text = isolated([&] { return compared(program, a, b); }, seconds);
  if (!text.starts_with("crash: ") && !text.starts_with("hang: ")) return text;
  // Which of them it was.
  const std::string alone = isolated([&] { return run_one_way(program, a), std::string(); }, seconds);
  return text.substr(0, text.find(':')) + " on " + (alone.empty() ? b.name : a.name) + text.substr(text.find(':'));
}

std::optional<FirstDifference> first_difference(const Program& program, const Way& a, const Way& b) {
  const Program whole = with_calls_inlined(program);
  const Function& main = whole.module->get("main");
  std::vector<OpId> ops;
  for (OpId op : main.ops(main.body())) {
    const bool is_observed =
        std::ranges::any_of(main.results(op), [&](Value v) { return is_observable(main.type(v)); });
    if (!main.def(op).is_terminator && is_observed && !main.operands(op).empty()) ops.push_back(op);
  }
  // A difference goes on to what is computed from it, mostly: bisect for the earliest.
  size_t low = 0, high = ops.size();
  std::string reason;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const std::string text = difference(cut_after(whole, ops[middle]), a, b);
    if (text.empty()) {
      low = middle + 1;
    } else {
      high = middle;
      reason = text;
    }
  }
  if (low == ops.size()) return std::nullopt;
  FirstDifference out;
  const OpView op{main, ops[low]};
  out.op = "[" + std::string(op.def().mnemonic) + "] of type " + op.result_type().str();
  out.loc = op.loc();
  out.program = cut_after(whole, ops[low]);
  out.reason = reason;
  return out;
}

}  // namespace weft::reduce
