// Scalar programs as LLVM instructions, on one element or on vectors of lanes.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <span>
#include <vector>

#include "ops/scalar/scalar.h"

namespace weft::codegen {

/// Type of one element in a register: i1, the integer, float, double. Floats of 16 bits and fewer live in registers as float whose
/// value is exact in their type.
llvm::Type* register_type(llvm::LLVMContext& context, ElementType t);
/// Type of one element in memory; i1 and what has fewer than 8 bits take a byte.
llvm::Type* memory_type(llvm::LLVMContext& context, ElementType t);
/// The element type in which a value of type t is computed: f32 for floats of 16 bits and fewer, else t.
ElementType compute_type(ElementType t);
/// `t` itself for one lane, else a vector of it.
llvm::Type* with_lanes(llvm::Type* t, int lanes);

/// A constant of register type from its zero-extended bits in memory (narrow floats are widened).
llvm::Constant* register_constant(llvm::LLVMContext& context, ElementType t, uint64_t bits, int lanes);

/// Rounds a float (or vector of them) to the float type `t` of 16 bits or fewer; other types pass.
llvm::Value* round_to(llvm::IRBuilder<>& b, llvm::Value* v, ElementType t);
/// Between memory and register form.
llvm::Value* from_memory(llvm::IRBuilder<>& b, llvm::Value* v, ElementType t);
llvm::Value* to_memory(llvm::IRBuilder<>& b, llvm::Value* v, ElementType t);

/// StableHLO's convert between computable types, saturating, in register form; a float result of 16 bits or fewer is rounded, once.
llvm::Value* emit_convert(llvm::IRBuilder<>& b, llvm::Value* v, ElementType from, ElementType to, int lanes);
/// Lets what emit_scalar makes in this module round a product and a sum of the program once (CompileOptions::contract).
void allow_contraction(llvm::Module& module);

/// The nodes `results` of the program; arguments in register form, all of `lanes` lanes.
std::vector<llvm::Value*> emit_scalar(llvm::IRBuilder<>& b, const ScalarProgram& program, std::span<const int> results,
                                      std::span<llvm::Value* const> args, int lanes);
/// The nodes of an element: one, or two parts of a complex number.
std::vector<int> nodes_of(SExpr e);

}  // namespace weft::codegen
