#include "eval/evaluator.h"

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <unordered_map>

#include "base/interrupts.h"
#include "eval/liveness.h"
#include "eval/processes.h"
#include "ops/quantized/quantization.h"
#include "ops/record.h"
#include "ops/runnable.h"
#include "ops/structural/dynamic.h"

namespace weft {
namespace {

/// Lowest address of this thread's stack that the evaluator still uses; recursion below it is the user's error, not a crash.
const char* stack_floor() {
  thread_local const char* floor = [] {
    constexpr size_t kReserveBytes = 512 * 1024;
    pthread_attr_t attr;
    void* low = nullptr;
    size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
      pthread_attr_getstack(&attr, &low, &bytes);
      pthread_attr_destroy(&attr);
    }
    // A stack with an unlimited size says so by a huge extent: allow it what the default would.
    constexpr size_t kMostBytes = size_t{1} << 28;
    const char* top = static_cast<const char*>(low) + bytes;
    return top - std::min(bytes, kMostBytes) + kReserveBytes;
  }();
  return floor;
}

class Program {
 public:
  Program(std::shared_ptr<const Module> module, const CompileOptions& options)
      : module_(std::move(module)), options_(options) {
    for (const auto& f : module_->functions()) plans_.emplace(f->name(), plan_of(*f));
    strict_checks_ = std::ranges::find(options.disabled, "strict_checks") == options.disabled.end();
  }
  const Module& module() const { return *module_; }
  /// As the only process of a run.
  std::vector<EvalValue> run(const std::string& name, std::span<const EvalValue> args) const {
    ProcessGrid grid(*module_, [this](const std::string& callee, std::span<const EvalValue> callee_args, Loc loc,
                                      Processes& processes) { return call(callee, callee_args, loc, processes); });
    return call(name, args, {}, grid.only());
  }

 private:
  std::vector<EvalValue> call(const std::string& name, std::span<const EvalValue> args, Loc loc,
                              Processes& processes) const;
  struct Plan {
    const Function* function;
    Liveness liveness;
    bool has_quantized, has_open_extents;
  };
  template <class Is>
  static bool any_value(const Function& f, Is is) {
    for (uint32_t i = 0; i < f.num_values(); ++i) {
      if (is(f.type(Value{i}))) return true;
    }
    return false;
  }
  static Plan plan_of(const Function& f) {
    return {&f, Liveness(f), any_value(f, [](Type t) { return t.is_quantized(); }),
            any_value(f, [](Type t) { return t.is_tensor() && !t.is_static(); })};
  }
  /// One call in progress: the values of the function, by id.
  class Frame : public EvalContext {
   public:
    Frame(const Program& program, const Plan& plan, Processes& processes)
        : program_(program),
          processes_(processes),
          f_(*plan.function),
          liveness_(plan.liveness),
          has_quantized_(plan.has_quantized),
          has_open_extents_(plan.has_open_extents),
          values_(f_.num_values()) {}

    std::vector<EvalValue> run_region(RegionId region, std::span<const EvalValue> args) override {
      return run_region(region, std::vector<EvalValue>(args.begin(), args.end()));
    }
    std::vector<EvalValue> run_region(RegionId region, std::vector<EvalValue>&& args) override {
      if (static_cast<const char*>(__builtin_frame_address(0)) < stack_floor()) {
        throw UserError("[func.call] recursion too deep: the evaluator's stack is exhausted in @" + f_.name(),
                        f_.loc());
      }
      const auto formal = f_.args(region);
      for (size_t i = 0; i < formal.size(); ++i) {
        if (liveness_.is_used(formal[i])) values_[formal[i].index] = std::move(args[i]);
      }
      args.clear();
      for (OpId op : f_.ops(region)) {
        if (__atomic_load_n(interrupt_count(), __ATOMIC_RELAXED) != interrupts_before_)
          throw UserError("interrupted: @" + f_.name() + " was ended before it was done");
        std::vector<EvalValue> operands = operands_of(op);
        if (f_.def(op).is_terminator) return operands;
        run_op(OpView{f_, op}, operands);
      }
      throw InternalError("@" + f_.name() + " has a region without a terminator", f_.loc());
    }
    std::vector<EvalValue> call(const std::string& callee, std::span<const EvalValue> args, Loc loc) override {
      return program_.call(callee, args, loc, processes_);
    }
    void print(const std::string& text) override {
      if (program_.options_.print) {
        program_.options_.print(text);
      } else {
        std::fwrite(text.data(), 1, text.size(), stdout);
      }
    }
    const EvalValue& value(Value v) override { return values_[v.index]; }
    bool strict_checks() const override { return program_.strict_checks_; }
    Processes& processes(const OpView&) override { return processes_; }

   private:
    std::vector<EvalValue> operands_of(OpId op) {
      const auto sources = f_.operands(op);
      std::vector<EvalValue> out;
      out.reserve(sources.size());
      for (size_t i = 0; i < sources.size(); ++i) {
        EvalValue& v = values_[sources[i].index];
        if (liveness_.is_last_use(op, i)) {
          out.push_back(std::move(v));
          v = EvalValue();
        } else {
          out.push_back(v);
        }
      }
      return out;
    }
    std::vector<EvalValue> results_of(const OpView& op, std::span<const EvalValue> operands) {
      // A tensor that memory cannot hold does not know whose it is.
      const auto named = [&](const std::string& message) {
        return UserError(message.starts_with("[") ? message : "[" + std::string(op.def().mnemonic) + "] " + message,
                         op.loc());
      };
      try {
        if (has_quantized_ && touches_quantized(op)) return eval_quantized(*this, op, operands, stand_ins_);
        if (has_open_extents_ && has_open_shape(op)) return eval_with_extents(*this, op, operands);
        return record(op).eval.require(op, "evaluation")(*this, op, operands);
      } catch (const UserError& error) {
        if (error.loc().known()) throw;
        throw named(error.what());
      } catch (const std::bad_alloc&) { throw named("out of memory"); }
    }
    void run_op(const OpView& op, std::span<const EvalValue> operands) {
      std::vector<EvalValue> results = results_of(op, operands);
      if (results.size() != op.num_results()) {
        throw InternalError("[" + std::string(op.def().mnemonic) + "] number of results: got " +
                                std::to_string(results.size()) + ", expected " + std::to_string(op.num_results()),
                            op.loc());
      }
      for (size_t i = 0; i < results.size(); ++i) values_[op.result(i).index] = std::move(results[i]);
      for (Value v : liveness_.dead_after(op.id)) values_[v.index] = EvalValue();
    }

    const Program& program_;
    Processes& processes_;
    const Function& f_;
    const Liveness& liveness_;
    const bool has_quantized_, has_open_extents_;
    StandIns stand_ins_;
    std::vector<EvalValue> values_;
    const uint32_t interrupts_before_ = __atomic_load_n(interrupt_count(), __ATOMIC_RELAXED);
  };

  std::shared_ptr<const Module> module_;
  CompileOptions options_;
  bool strict_checks_ = true;
  std::unordered_map<std::string, Plan> plans_;
};

std::vector<EvalValue> Program::call(const std::string& name, std::span<const EvalValue> args, Loc loc,
                                     Processes& processes) const {
  const auto plan = plans_.find(name);
  if (plan == plans_.end()) throw UserError("[func.call] there is no function @" + name, loc);
  if (plan->second.function->is_declaration())
    throw Unsupported("[func.call] @" + name + " has no body: there is nothing to run", loc);
  Frame frame(*this, plan->second, processes);
  return frame.run_region(plan->second.function->body(), args);
}

class EvalExecutable : public Executable {
 public:
  EvalExecutable(std::shared_ptr<const Module> module, const std::string& entry, const CompileOptions& options)
      : program_(std::move(module), options), entry_(entry), donations_(options.donations) {
    const Function& f = program_.module().get(entry);
    arg_types_ = f.arg_types();
    result_types_ = f.result_types();
  }
  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  std::span<const std::pair<size_t, size_t>> donations() const override { return donations_; }

  void invoke(const void* const* args, void* const* results) const override {
    // Held here as well, so that no rule takes the caller's memory for its own.
    const auto owner = std::make_shared<int>(0);
    std::vector<EvalValue> values;
    for (size_t i = 0; i < arg_types_.size(); ++i) {
      const auto shape = arg_types_[i].shape();
      values.emplace_back(Tensor(arg_types_[i].element_type(), Shape(shape.begin(), shape.end()),
                                 Buffer::wrap(const_cast<void*>(args[i]), arg_types_[i].num_bytes(), owner)));
    }
    std::vector<EvalValue> out = program_.run(entry_, values);
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].tensor.size_bytes() != result_types_[i].num_bytes()) {
        throw InternalError("result " + std::to_string(i) + " of @" + entry_ + ": got " +
                            std::to_string(out[i].tensor.size_bytes()) + " bytes, expected " +
                            std::to_string(result_types_[i].num_bytes()));
      }
    }
    // Results may have been asked for in arguments' memory, which other results may still read.
    for (size_t i = 0; i < out.size(); ++i) {
      const bool is_argument =
          std::any_of(args, args + arg_types_.size(), [&](const void* arg) { return arg == out[i].tensor.raw(); });
      if (is_argument && results[i] != out[i].tensor.raw()) out[i].tensor = out[i].tensor.clone();
    }
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].tensor.size_bytes() != 0) std::memmove(results[i], out[i].tensor.raw(), out[i].tensor.size_bytes());
    }
  }

 private:
  Program program_;
  std::string entry_;
  std::vector<Type> arg_types_, result_types_;
  std::vector<std::pair<size_t, size_t>> donations_;
};

}  // namespace

std::unique_ptr<Executable> EvalTarget::compile(std::shared_ptr<const Module> module, const std::string& entry,
                                                const CompileOptions& options) const {
  verify(*module);
  expect_runnable(*module, entry);
  return std::make_unique<EvalExecutable>(std::move(module), entry, options);
}

std::vector<Tensor> evaluate(const Module& module, const std::string& function, std::span<const Tensor> args,
                             const CompileOptions& options) {
  // The module outlives the call, so nothing owns it here.
  const std::shared_ptr<const Module> borrowed(std::shared_ptr<const Module>(), &module);
  return EvalTarget().compile(borrowed, function, options)->run(args);
}

namespace {
const RegisterTarget kRegistered("eval", []() -> const Target& {
  static const EvalTarget target;
  return target;
});
}  // namespace

}  // namespace weft
