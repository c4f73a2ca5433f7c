#include "julia/run/evaluator.h"

#include <pthread.h>
#include <sys/mman.h>

#include <cstdio>

#include "julia/host/array_look.h"
#include "julia/host/method_error.h"
#include "julia/host/number_ops.h"
#include "julia/host/tracked.h"
#include "julia/intrinsics/array.h"
#include "julia/run/impl.h"
#include "julia/run/written.h"
#include "julia/types/subtype.h"

namespace weft::julia {
namespace {

/// Places of values: room for as many as a recursion over the whole stack of a thread can want; pages come when they are used.
constexpr size_t kStackValues = size_t{32} << 20;
/// What must be left of the thread's stack for a call: host functions run on it too.
constexpr size_t kStackReserve = size_t{192} << 10;

const char* lowest_stack_address() {
  pthread_attr_t attributes;
  void* address = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return nullptr;
  pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(address) + std::min(kStackReserve, size / 4);
}

}  // namespace

Evaluator::Impl::Impl(Evaluator& e) : evaluator(e) {
  void* memory = mmap(nullptr, kStackValues * sizeof(Value), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack = static_cast<Value*>(memory);  // zeros are values without a type
  stack_size = kStackValues;
  stack_limit = lowest_stack_address();
}

Evaluator::Impl::~Impl() {
  pop_to(0);
  munmap(static_cast<void*>(stack), stack_size * sizeof(Value));
}

Evaluator::Evaluator(EvaluatorOptions options) : options_(std::move(options)), impl_(std::make_unique<Impl>(*this)) {
  method_table_of() = [this](const Value& f) { return methods_of(f); };
  module_name_of() = [](const Value& v) {
    const Module* m = module_of(v);
    return m == nullptr ? "Module" : m->qualified_name();
  };
  foreign_look() = [this](const Value& v) { return look_at_foreign(*this, v); };
  impl_->load_base();
}

Evaluator::~Evaluator() {
  method_table_of() = nullptr;
  module_name_of() = nullptr;
  foreign_look() = nullptr;
}

const std::vector<TracePoint>& Evaluator::trace() const { return impl_->trace; }
const std::optional<TracePoint>& Evaluator::failed_statement() const { return impl_->failed; }

Value Evaluator::convert(const Type* to, const Value& v) {
  if (is_a(v, to)) return v;
  const auto from_kind = number_kind(v);
  const auto to_kind = number_kind(to);
  if (from_kind && to_kind && !tracked::is_tracked(v)) return convert_number(*to_kind, v);
  const Value out = call_base("convert", {Value::of_type(to), v});
  if (!is_a(out, to)) throw_type_error("typeassert", "", to, out);
  return out;
}

bool Evaluator::equal(const Value& a, const Value& b) {
  if (number_kind(a) && number_kind(b)) return numbers_equal(a, b);
  const Value v = call_base("==", {a, b});
  return v.is(core().bool_) && v.get<bool>();
}

bool Evaluator::is_equal(const Value& a, const Value& b) {
  const Value v = call_base("isequal", {a, b});
  return impl_->truth(v);
}

bool Evaluator::less(const Value& a, const Value& b) { return impl_->truth(call_base("isless", {a, b})); }

WrittenStreams& written() {
  static thread_local WrittenStreams streams;
  return streams;
}

void Evaluator::write_out(std::string_view text) {
  text = written().out.take(text);
  if (text.empty()) return;
  if (options_.out) options_.out(text);
  else std::fwrite(text.data(), 1, text.size(), stdout);
}

void Evaluator::write_error(std::string_view text) {
  text = written().error.take(text);
  if (text.empty()) return;
  if (options_.error) options_.error(text);
  else std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace weft::julia
