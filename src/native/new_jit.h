// The JIT of a program in this process, with what generated code may call.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>

#include "native/codegen/jit.h"
#include "native/runtime/symbols.h"

namespace weft::native {

/// Generated code may call the runtime and, beside it, what `tables` name.
std::unique_ptr<codegen::Jit> new_jit(const codegen::Isa& isa,
                                      std::initializer_list<std::span<const rt::Symbol>> tables);

}  // namespace weft::native
