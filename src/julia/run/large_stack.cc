#include "julia/run/large_stack.h"

#include <pthread.h>

#include <exception>

namespace weft::julia {
namespace {

struct Work {
  const std::function<void()>& body;
  std::exception_ptr failure;
};

void* run(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  try {
    work.body();
  } catch (...) { work.failure = std::current_exception(); }
  return nullptr;
}

}  // namespace

void on_large_stack(const std::function<void()>& body) {
#ifdef __SANITIZE_ADDRESS__
  constexpr size_t kBytes = size_t{1} << 26;  // AddressSanitizer unwinds no larger stacks
#else
  constexpr size_t kBytes = size_t{1} << 28;  // some 130,000 calls: what Julia has room for as well
#endif
  Work work{body, {}};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread = {};
  const bool is_started =
      pthread_attr_setstacksize(&attributes, kBytes) == 0 && pthread_create(&thread, &attributes, run, &work) == 0;
  pthread_attr_destroy(&attributes);
  if (is_started) pthread_join(thread, nullptr);
  else run(&work);  // without that much address space, on the stack there is
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace weft::julia
