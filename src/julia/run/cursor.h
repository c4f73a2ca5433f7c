// The elements of builtin iterators one after the other, without a call of `iterate` for each.
#pragma once
#include <memory>

#include "julia/run/evaluator.h"

namespace weft::julia {

class Cursor {
 public:
  Cursor() = default;
  Cursor(const Cursor&) = delete;
  Cursor& operator=(const Cursor&) = delete;
  virtual ~Cursor() = default;
  /// False: there are no more.
  virtual bool next(Value& out) = 0;
};

/// Over arrays, ranges, tuples, and generators, zip, enumerate, filters, take and flatten of such; anything else by its `iterate`.
std::unique_ptr<Cursor> make_cursor(Evaluator& e, const Value& iterable);
/// Whether make_cursor has more for it than `iterate`.
bool has_cursor(const Value& iterable);

}  // namespace weft::julia
