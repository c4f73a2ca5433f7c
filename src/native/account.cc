#include "native/account.h"

#include <algorithm>
#include <set>

#include "ops/control_flow/region_flow.h"
#include "ops/record.h"

namespace weft::native {
namespace {

const char* kind_name(StepKind kind) {
  switch (kind) {
    case StepKind::kScalar: return "scalar";
    case StepKind::kConstant: return "constant";
    case StepKind::kElement: return "element";
    case StepKind::kKernel: return "kernel";
    case StepKind::kLibrary: return "library";
    case StepKind::kSort: return "sort";
    case StepKind::kFft: return "fft";
    case StepKind::kView: return "view";
    case StepKind::kWhile: return "while";
    case StepKind::kCase: return "case";
    case StepKind::kLaneWhile: return "lane_while";
    case StepKind::kStackNew: return "stack_new";
    case StepKind::kStackPush: return "stack_push";
    case StepKind::kStackPop: return "stack_pop";
    case StepKind::kCheck: return "check";
    case StepKind::kHost: return "host";
    case StepKind::kCall: return "call";
  }
  return "step";
}

const char* home_name(Home home) {
  switch (home) {
    case Home::kArena: return "arena";
    case Home::kArgument: return "argument";
    case Home::kResult: return "result";
    case Home::kConstant: return "constant";
    case Home::kLane: return "lane";
  }
  return "memory";
}

size_t bytes_or_zero(Type t) { return t.is_tensor() && t.is_static() ? value_bytes(t) : 0; }

class Accountant {
 public:
  Accountant(const Function& f, const MemoryPlan& memory, const std::function<std::string(const Step&)>& kernel_name,
             ProgramAccount& out)
      : f_(f),
        memory_(memory),
        kernel_name_(kernel_name),
        out_(out),
        first_buffer_(static_cast<int>(out.buffers.size())) {}

  void run(const Block& schedule, bool is_entry) {
    int parent = -1;
    if (!is_entry) {
      parent = static_cast<int>(out_.steps.size());
      StepAccount function;
      function.kind = "function";
      function.name = f_.name();
      out_.steps.push_back(std::move(function));
    }
    block(schedule, parent, 0);
    buffers();
    out_.copies.insert(out_.copies.end(), memory_.copies.begin(), memory_.copies.end());
    count_kernels();
  }

 private:
  OpAccount op_account(const Function& f, OpId op) const {
    return {std::string(f.def(op).mnemonic), f.num_results(op) > 0 ? f.type(f.result(op)).str() : std::string(),
            f.loc(op)};
  }

  static double flops(const OpView& op) {
    const auto& cost = record(op).cost;
    return cost.refused() ? 0 : (*cost.rule())(op).flops;
  }

  void block(const Block& b, int parent, int region) {
    for (const Step& step : b.steps) {
      positions_.emplace_back(step.begin, step.id);
      StepAccount s;
      s.parent = parent;
      s.region = region;
      s.kind = kind_name(step.kind);
      s.notes = step.note;
      if (step.kind == StepKind::kKernel) {
        kernel(step, s);
      } else {
        s.ops.push_back(op_account(f_, step.op));
        if (step.kind == StepKind::kCall) s.name = *callee(OpView{f_, step.op});
        add_places(f_.operands(step.op), s.reads, s.bytes);
        for (Value v : f_.results(step.op)) s.outputs.push_back(f_.type(v).str());
        add_places(f_.results(step.op), s.writes, s.bytes);
        if (step.blocks.empty()) s.flops = flops({f_, step.op});
        // A view moves nothing, a constant lies where it is, a loop's own bytes are its steps'.
        if (step.kind == StepKind::kElement)
          s.bytes = static_cast<double>(byte_size(f_.type(f_.operand(step.op, 0)).element_type()));
        if (step.kind == StepKind::kView || step.kind == StepKind::kConstant || !step.blocks.empty()) s.bytes = 0;
      }
      out_.steps.push_back(std::move(s));
      for (size_t i = 0; i < step.blocks.size(); ++i) block(step.blocks[i], step.id, static_cast<int>(i));
    }
  }

  /// Of an argument that only slices and gathers read, as much as they take.
  static double bytes_read(const Function& k, Value arg) {
    static const std::set<std::string_view> kTakesPart = {"stablehlo.slice", "stablehlo.dynamic_slice",
                                                          "stablehlo.gather"};
    const auto whole = static_cast<double>(bytes_or_zero(k.type(arg)));
    double part = 0;
    for (OpId op : k.ops(k.body())) {
      const auto operands = k.operands(op);
      if (std::ranges::find(operands, arg) == operands.end()) continue;
      const OpView v{k, op};
      if (is_update(v) && operands[0] == arg) continue;  // what is not written over stays
      if (k.def(op).is_terminator || !kTakesPart.contains(v.def().mnemonic) || operands[0] != arg) return whole;
      part += static_cast<double>(bytes_or_zero(v.result_type()));
    }
    return std::min(part, whole);
  }

  static bool is_update(const OpView& op) { return op.def().mnemonic == "stablehlo.dynamic_update_slice"; }

  static double bytes_written(const Function& k, Value root) {
    const OpId op = k.defining_op(root);
    const bool is_part = op && is_update({k, op}) && !k.defining_op(k.operand(op, 0));
    return static_cast<double>(bytes_or_zero(k.type(is_part ? k.operand(op, 1) : root)));
  }

  void kernel(const Step& step, StepAccount& s) {
    s.name = kernel_name_(step);
    const Function& k = *step.kernel.function;
    for (OpId op : k.ops(k.body())) {
      if (k.def(op).is_terminator) continue;
      s.ops.push_back(op_account(k, op));
      s.flops += flops({k, op});
    }
    double whole = 0;  // not what is read and written of values that only a part of is
    add_places(step.kernel.inputs, s.reads, whole);
    for (Value v : step.kernel.outputs) s.outputs.push_back(f_.type(v).str());
    add_places(step.kernel.outputs, s.writes, whole);
    for (Value arg : k.args()) s.bytes += bytes_read(k, arg);
    for (Value root : k.operands(k.terminator(k.body()))) s.bytes += bytes_written(k, root);
  }

  template <class Values>
  void add_places(const Values& values, std::vector<int>& places, double& bytes) const {
    for (Value v : values) {
      bytes += static_cast<double>(bytes_or_zero(f_.type(v)));
      if (const int b = memory_.find(v); b >= 0) places.push_back(first_buffer_ + b);
    }
  }

  void count_kernels() {
    std::set<std::string_view> names;
    for (const StepAccount& s : out_.steps) {
      if (s.kind == "kernel") names.insert(s.name);
    }
    out_.kernels = names.size();
  }

  void buffers() {
    const auto step_at = [&](int64_t position) {
      const auto after = std::ranges::upper_bound(positions_, position, {}, [](const auto& p) { return p.first; });
      return after == positions_.begin() ? 0 : std::prev(after)->second;
    };
    for (const BufferPlan& plan : memory_.buffers) {
      BufferAccount b;
      b.home = home_name(plan.home);
      b.bytes = plan.bytes;
      b.offset = plan.offset;
      b.first_step = step_at(plan.begin);
      b.last_step = step_at(plan.end);
      out_.buffers.push_back(std::move(b));
    }
    for (const auto& [value, buffer] : memory_.buffer_of)
      ++out_.buffers[static_cast<size_t>(first_buffer_) + static_cast<size_t>(buffer)].values;
  }

  const Function& f_;
  const MemoryPlan& memory_;
  const std::function<std::string(const Step&)>& kernel_name_;
  ProgramAccount& out_;
  const int first_buffer_;
  std::vector<std::pair<int64_t, int>> positions_;  // of the plan, ascending, and the step that begins there
};

void number(Block& block, int& next) {
  for (Step& step : block.steps) {
    step.id = next++;
    for (Block& inner : step.blocks) number(inner, next);
  }
}

}  // namespace

int number_steps(Block& schedule, int first, bool is_entry) {
  int next = first + (is_entry ? 0 : 1);
  number(schedule, next);
  return next;
}

void add_account(const Function& function, const Block& schedule, const MemoryPlan& memory,
                 const std::function<std::string(const Step&)>& kernel_name, bool is_entry, ProgramAccount& out) {
  Accountant(function, memory, kernel_name, out).run(schedule, is_entry);
}

}  // namespace weft::native
