#include "native/host/host_call.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "native/executable.h"
#include "native/host/process_programs.h"
#include "ops/control_flow/check_rules.h"

namespace weft::native {
namespace {

class HostContext : public EvalContext {
 public:
  HostContext(HostCall& call, const OpView& op) : call_(call), op_(op) {}
  /// Bodies of collectives, compiled as programs of their own.
  std::vector<EvalValue> run_region(RegionId, std::span<const EvalValue> args) override {
    std::vector<Tensor> tensors;
    for (const EvalValue& v : args) tensors.push_back(v.tensor);
    std::vector<EvalValue> out;
    for (Tensor& t : call_.executable().body(op_).run(tensors)) out.emplace_back(std::move(t));
    return out;
  }
  std::vector<EvalValue> call(const std::string& callee, std::span<const EvalValue>, Loc loc) override {
    throw Unsupported("the native target does not call @" + callee + " from a custom call", loc);
  }
  void print(const std::string& text) override {
    const auto& print = call_.executable().options().print;
    if (print) {
      print(text);
    } else {
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
  }
  bool strict_checks() const override {
    return std::ranges::find(call_.executable().options().disabled, "strict_checks") ==
           call_.executable().options().disabled.end();
  }
  const EvalValue& value(Value) override { throw InternalError("a host op of the native target captures a value"); }
  Processes& processes(const OpView& op) override { return call_.processes(op); }

 private:
  HostCall& call_;
  const OpView op_;
};

}  // namespace

Processes& HostCall::processes(const OpView& op) {
  if (processes_ == nullptr) {
    ProcessPrograms* programs = executable_.programs();
    if (programs == nullptr) throw InternalError("[" + std::string(op.def().mnemonic) + "] no processes were prepared");
    alone_ = programs->alone();
    processes_ = &alone_->only();
  }
  return *processes_;
}

std::optional<CallHandler> HostCall::handler_of(const OpView& op) const {
  if (op.def().mnemonic == "stablehlo.custom_call") return registered_handler(op.attrs().text("call_target_name"));
  // Among processes effects are theirs.
  if (record(op).effects != Effects::kIo || processes_ != nullptr || !op.regions().empty()) return std::nullopt;
  return registered_handler(op.def().mnemonic);
}

int32_t HostCall::run(weft_rt_context* context, int64_t site, void* const* buffers) {
  try {
    const OpView op = executable_.site(site);
    if (const auto handler = handler_of(op)) {
      run_handler(*handler, op, buffers, buffers + op.num_operands());
      return WEFT_RT_OK;
    }
    // What checks and custom calls are given they do not keep; processes do.
    const bool keeps = record(op).effects != Effects::kCheck;
    const auto owner = std::make_shared<int>(0);
    std::vector<EvalValue> operands;
    for (size_t i = 0; i < op.num_operands(); ++i) {
      const Type t = op.operand_type(i);
      if (!t.is_tensor()) {
        operands.emplace_back();
        continue;
      }
      const Tensor given(t.element_type(), Shape(t.shape().begin(), t.shape().end()),
                         Buffer::wrap(buffers[i], t.num_bytes(), owner));
      operands.emplace_back(keeps ? given.clone() : given);
    }
    HostContext host(*this, op);
    const auto results = record(op).eval.require(op, "native")(host, op, operands);
    for (size_t i = 0; i < op.num_results(); ++i) {
      const Tensor& t = results[i].tensor;
      if (op.result_type(i).is_tensor() && t.size_bytes() != 0)
        std::memcpy(buffers[op.num_operands() + i], t.raw(), t.size_bytes());
    }
    return WEFT_RT_OK;
  } catch (...) {
    error_ = std::current_exception();
    weft_rt_fail(context, WEFT_RT_CHECK_FAILED, 0, site, nullptr, 0);
    return WEFT_RT_CHECK_FAILED;
  }
}

void HostCall::rethrow() {
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

}  // namespace weft::native
