// Functions of a module that several kernels call: what is rare, what the run-time library computes, and mathematical functions
// that a kernel uses too often to repeat their code each time.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <span>
#include <string>
#include <vector>

#include "ops/scalar/scalar.h"

namespace weft::codegen {

/// An internal function without a body, for the same processor as the caller's.
llvm::Function* new_shared_function(llvm::IRBuilder<>& b, llvm::FunctionType* signature, const std::string& name);

/// (x, pred, otherwise) → pred ? f(x) : otherwise, by lane. A function of its own, so that the branch around the rare calls does
/// not cut the caller's block.
llvm::Function* libm_helper(llvm::IRBuilder<>& b, LibmFunction which, llvm::Type* type);

/// (operand parts of `lanes` elements) → both parts of the results: in f32 by complex_programs.h where these are right for all lanes, else by
/// one call of the run-time library.
llvm::Function* complex_helper(llvm::IRBuilder<>& b, ComplexFunction which, llvm::Type* type);

/// Scalar programs as code of one function: in place while that is short; beyond, long ones are functions that are called, since the
/// time to compile a function grows faster than its length. Values do not depend on which.
class ScalarCode {
 public:
  /// As emit_scalar; a single float result is rounded to `rounded`, as by round_to.
  std::vector<llvm::Value*> emit(llvm::IRBuilder<>& b, const ScalarProgram& program, std::span<const int> results,
                                 std::span<llvm::Value* const> args, int lanes, ElementType rounded);

 private:
  size_t size_ = 0;
};

}  // namespace weft::codegen
