#include "native/kernels/lapack_calls.h"

#include <algorithm>
#include <atomic>

#include "lapack/batch_call.h"
#include "native/kernels/library_threads.h"
#include "native/runtime/parallel.h"
#include "ops/foreign/call_handlers.h"

namespace weft::native {
namespace {

Shape shape_of(Type t) { return {t.shape().begin(), t.shape().end()}; }

class LapackCall final : public LibraryKernel {
 public:
  LapackCall(const lapack::Routine& routine, const OpView& op, int partitions)
      : routine_(routine), op_(op), call_{op_, {}, {}}, partitions_(partitions) {
    for (size_t i = 0; i < op.num_operands(); ++i) call_.in.push_back({shape_of(op.operand_type(i))});
    for (size_t i = 0; i < op.num_results(); ++i) call_.out.push_back({shape_of(op.result_type(i))});
    call_.last = routine.count(call_.in);
  }
  std::string implementation() const override {
    const std::string_view target = routine_.target;
    return "lapack " + std::string(target.starts_with("lapack_") ? target.substr(7, target.size() - 11) : target);
  }
  size_t scratch_bytes() const override { return 0; }

  bool execute(const void* const* inputs, void* const* outputs, void*) const noexcept override {
    try {
      lapack::BatchCall call{op_, call_.in, call_.out, 0, call_.last};
      for (size_t i = 0; i < call.in.size(); ++i) call.in[i].data = const_cast<void*>(inputs[i]);
      for (size_t i = 0; i < call.out.size(); ++i) call.out[i].data = outputs[i];
      if (call.last < partitions_ || partitions_ == 1) {
        // The library's own threads share a matrix.
        with_library_team(partitions_, [&] { routine_.run(call); });
        return true;
      }
      std::atomic<bool> is_done = true;
      rt::parallel(partitions_, [&](int64_t part, int64_t parts) noexcept {
        try {
          LibraryTeam alone(1);
          lapack::BatchCall share{op_, call.in, call.out, call.last * part / parts, call.last * (part + 1) / parts};
          routine_.run(share);
        } catch (...) { is_done = false; }
      });
      return is_done;
    } catch (...) { return false; }
  }

 private:
  const lapack::Routine& routine_;
  const OpView op_;
  lapack::BatchCall call_;  // without addresses
  int partitions_;
};

}  // namespace

std::unique_ptr<LibraryKernel> make_lapack_call(const OpView& op, int partitions) {
  const lapack::Routine* routine = lapack::find_routine(op);
  if (routine == nullptr || registered_handler(routine->target)) return nullptr;
  try {
    expect_form(*routine, op);
  } catch (const Unsupported&) { return nullptr; } catch (const UserError&) {
    return nullptr;
  }
  return std::make_unique<LapackCall>(*routine, op, std::max(partitions, 1));
}

}  // namespace weft::native
