// What a compiled loop can run over: a number of elements, and each by its position.
#pragma once
#include <memory>

#include "julia/infer/compiler.h"

namespace weft::julia {

struct Iterable {
  bool is_unrolled = false;
  std::vector<Abstract> elements;                      // of one that is unrolled
  std::function<IrValue(Compiler&)> count;             // rank-0 i64
  std::function<Abstract(Compiler&, IrValue)> at;      // by a 0-based rank-0 i64
  std::function<IrValue(Compiler&, IrValue)> accepts;  // of filters: whether the element is one; null: all are
  std::vector<IrValue> shape;                          // extents, of what has more than one dimension
};

/// Fails for what the compiler cannot run over.
Iterable iterable_of(Compiler& c, const Abstract& v);

/// Whether a method stands in the program, not in the library.
bool is_of_program(const std::shared_ptr<const Target>& target);

/// Whether `iterate` of the program's own says what the elements are, by itself or inside an iterator of the library.
bool iterates_itself(Compiler& c, const Abstract& v);

/// The fold of the elements that a filter takes, which begins with the first of them; `found`: whether there is one.
Abstract fold_accepted(Compiler& c, const Abstract& f, const Abstract& op, const Iterable& it, IrValue* found);

}  // namespace weft::julia
