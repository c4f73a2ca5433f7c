#include "native/runtime/symbols.h"

#include "native/aot_runtime/weft_rt.h"
#include "native/aot_runtime/weft_rt_fft.h"
#include "native/aot_runtime/weft_rt_sort.h"

namespace weft::rt {

#define WEFT_RT_SYMBOL(name) {#name, reinterpret_cast<void*>(&name)}

std::span<const Symbol> runtime_symbols() {
  static const Symbol kSymbols[] = {
      WEFT_RT_SYMBOL(weft_rt_parallel),
      WEFT_RT_SYMBOL(weft_rt_section_enter),
      WEFT_RT_SYMBOL(weft_rt_section_leave),
      WEFT_RT_SYMBOL(weft_rt_in_section),
      WEFT_RT_SYMBOL(weft_rt_arena_lease),
      WEFT_RT_SYMBOL(weft_rt_arena_return),
      WEFT_RT_SYMBOL(weft_rt_context_begin),
      WEFT_RT_SYMBOL(weft_rt_context_end),
      WEFT_RT_SYMBOL(weft_rt_fail),
      WEFT_RT_SYMBOL(weft_rt_run_recursive),
      WEFT_RT_SYMBOL(weft_rt_fft),
      WEFT_RT_SYMBOL(weft_rt_sort),
      WEFT_RT_SYMBOL(weft_rt_stack_new),
      WEFT_RT_SYMBOL(weft_rt_stack_drop),
      WEFT_RT_SYMBOL(weft_rt_stack_push),
      WEFT_RT_SYMBOL(weft_rt_stack_pop),
      WEFT_RT_SYMBOL(weft_rt_stack_try_pop),
      WEFT_RT_SYMBOL(weft_rt_stack_push_slot),
      WEFT_RT_SYMBOL(weft_rt_stack_pop_slot),
      WEFT_RT_SYMBOL(weft_rt_complex_f32),
      WEFT_RT_SYMBOL(weft_rt_complex_f64),
  };
  return kSymbols;
}

#undef WEFT_RT_SYMBOL

}  // namespace weft::rt
