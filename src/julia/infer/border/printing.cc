#include "julia/infer/border/printing.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "julia/infer/border/rebuilt.h"
#include "julia/run/written.h"
#include "weft/custom_call.h"

namespace weft::julia {
namespace {

thread_local Printing* current = nullptr;

/// The number behind `site = ` among the op's attributes.
size_t site_of(const char* config) {
  constexpr const char* kName = "site = ";
  const char* at = std::strstr(config, kName);
  // A message may hold the same words; the site stands last.
  for (const char* next = at; next != nullptr; next = std::strstr(next + 1, kName)) at = next;
  return at == nullptr ? SIZE_MAX : std::strtoul(at + std::strlen(kName), nullptr, 10);
}

extern "C" int weft_julia_print(const weft_call* call) {
  try {
    if (current == nullptr) throw InternalError("a program of Julia's prints outside of a call");
    std::vector<const void*> leaves;
    for (size_t i = 0; i < call->num_operands; ++i) leaves.push_back(call->operands[i].data);
    current->print(site_of(call->config), leaves);
    return 0;
  } catch (const std::exception& e) {
    std::snprintf(call->message, call->message_bytes, "%s", e.what());
    return 1;
  }
}

}  // namespace

Printing::Printing(Evaluator& evaluator, const std::vector<Packed>& sites)
    : evaluator_(evaluator), sites_(sites), before_(current), out_(written().out.count), error_(written().error.count) {
  static const int registered = weft_register_custom_call("weft.print", weft_julia_print, nullptr);
  if (registered != 0) throw std::bad_alloc();
  current = this;
}

Printing::~Printing() { current = before_; }

void Printing::repeat() const {
  written().out.to_skip += written().out.count - out_;
  written().error.to_skip += written().error.count - error_;
}

void Printing::print(size_t site, std::span<const void* const> leaves) const {
  const Packed& call = sites_.at(site);
  Rebuilt rebuilt(evaluator_, call, leaves);
  std::vector<Value> values;
  for (const Abstract& a : call.values) values.push_back(rebuilt.value(a));
  evaluator_.call(values.front(), std::span(values).subspan(1));
}

}  // namespace weft::julia
