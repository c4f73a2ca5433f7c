// weft.pfor as a structure.
#pragma once
#include <string>
#include <vector>

#include "ops/record.h"

namespace weft {

struct PforCall {
  std::string callee;
  Attr::Ints varies;  // by operand
  std::string level;
  int64_t chunk = 0;

  PforCall() = default;
  explicit PforCall(const Attrs& attrs);
  Attrs attrs() const;
};

/// `one_lane_results`: what the function returns.
std::vector<Value> emit_pfor(OpBuilder& b, const PforCall& call, std::span<const Value> operands,
                             std::span<const Type> one_lane_results);

/// A type without its axis 0.
Type one_lane(Type t);

}  // namespace weft
