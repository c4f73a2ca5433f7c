// Gradients as Zygote gives them, from those by the leaves of a compiled call.
#pragma once
#include "julia/host/array.h"
#include "julia/infer/border/compiled.h"

namespace weft::julia {

/// The type of a gradient by a value of plain bits: of a struct a named tuple, Nothing where there is nothing to differentiate by. `has` says so of
/// each leaf, from `next` on.
const DataType* gradient_type(const DataType* type, const std::vector<bool>& has, size_t& next);

Value value_of_tensor(const Tensor& t, const DataType* type);
/// Gradients by complex numbers point where the value grows; IR pairs without conjugation.
void conjugate(const Tensor& t);

/// By what a call was given.
class CompiledGradients {
 public:
  /// Of each leaf its gradient, conjugated; null: nothing to differentiate by.
  CompiledGradients(const TracedCall& call, std::vector<const Tensor*> by_leaf)
      : call_(call), by_leaf_(std::move(by_leaf)) {}
  /// A number, an array, a tuple, a named tuple of a struct's fields; nothing where there is nothing to differentiate by.
  Value of(const Abstract& a) const;

 private:
  const Tensor* leaf(IrValue v) const;
  Value of_fields(const DataType* type, const std::vector<Abstract>& fields) const;
  Value complex_of(const Abstract& a) const;
  Value of_array(const HeapObject& o) const;

  const TracedCall& call_;
  std::vector<const Tensor*> by_leaf_;
};

}  // namespace weft::julia
