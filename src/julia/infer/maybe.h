// What is `nothing` on some ways and a T on others: a pair of a flag and the T. Calls that get one are written for both.
#pragma once
#include "julia/infer/compiler.h"

namespace weft::julia {

bool is_maybe(const Type* t);
inline bool is_maybe(const Abstract& a) { return is_maybe(a.type); }
bool is_nothing(const Abstract& a);
/// `flag` is a Bool: whether the value is there.
Abstract maybe_of(Compiler& c, const Abstract& flag, const Abstract& value);
/// The value where Julia would throw for `nothing`: a check that it is there. Everything else is given back.
Abstract present(Compiler& c, const Abstract& a);
/// A value that nobody looks at.
Abstract absent_value(Compiler& c, const Abstract& like);

/// The variables of an activation that hold one whose flag is a condition: what they are where it holds, and where it does not.
struct Narrowing {
  struct Slot {
    SlotId slot;
    bool is_value_where_true;
  };
  std::vector<Slot> slots;

  static Narrowing by(Compiler& c, IrValue condition, const Activation& a);
  bool empty() const { return slots.empty(); }
  void apply(Activation& a, bool holds) const;
  /// Variables that were not assigned on a way are what they were before it.
  void undo(std::vector<Abstract>& now, const std::vector<Abstract>& before, bool holds) const;
};

}  // namespace weft::julia
