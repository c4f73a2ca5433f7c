// What generated code asks of the process it runs in: one object per call of an entry, which it hands back with each request.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "eval/processes.h"
#include "native/aot_runtime/weft_rt.h"
#include "ops/foreign/call_handlers.h"
#include "ops/record.h"

namespace weft::native {

class NativeExecutable;

class HostCall {
 public:
  /// `processes`: the process of a grid on whose behalf the entry runs; null: it is the only one.
  HostCall(const NativeExecutable& executable, Processes* processes) : executable_(executable), processes_(processes) {}

  const NativeExecutable& executable() const { return executable_; }
  /// Made at the first request when the entry is the only process of its run.
  Processes& processes(const OpView& op);

  /// Does what the op at a site does by a registered handler (weft/custom_call.h), else by its eval rule: effects on the outside world,
  /// and custom calls. buffers: operands, then results.
  /// Returns a status, also written to the context; what was thrown waits for `rethrow`.
  int32_t run(weft_rt_context* context, int64_t site, void* const* buffers);
  /// Throws what a request of this call threw, if one did.
  void rethrow();

 private:
  const NativeExecutable& executable_;
  Processes* processes_;
  std::unique_ptr<ProcessGrid> alone_;
  std::exception_ptr error_;

  std::optional<CallHandler> handler_of(const OpView& op) const;
};

}  // namespace weft::native
