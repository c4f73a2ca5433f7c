// Short functions that call themselves, with some levels of the recursion written out.
#pragma once
#include <llvm/IR/Function.h>

namespace weft::native {

/// Whether f, optimized, is short and calls nothing but itself and what reports failures.
bool is_short_recursion(llvm::Function& f);

/// Puts `level` in the place of f's calls of itself, whose own calls are those of f, until f is long; then `level` is gone.
void write_out_levels(llvm::Function& f, llvm::Function& level);

}  // namespace weft::native
