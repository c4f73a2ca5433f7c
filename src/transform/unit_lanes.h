// A linear function applied to every unit vector: the lanes of a Jacobian.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ops/builder.h"

namespace weft {

struct UnitLanes {
  Type seed;                  // of the vectors
  bool is_batched = false;    // a lane's vector is the same in every example, along axis 0 of the seed
  bool is_imaginary = false;  // i times the unit vectors, of a complex seed
  int64_t chunk = 0;          // so many lanes at once; 0: as many as `memory` holds
  double memory = 0;          // bytes; 0: by what the outcome takes
  double outcome = 0;         // bytes
};

/// Number of unit vectors.
int64_t num_lanes(const UnitLanes& units);

/// `product` takes `args`, then a seed. Writes what it returns for each unit vector in row-major order, on a new axis 0. Where not all lanes
/// run at once, what does not depend on the seed is computed once, before the loop over chunks. Adds functions to the module.
std::vector<Value> write_unit_lanes(OpBuilder& b, Module& module, const std::string& product,
                                    std::span<const Value> args, const UnitLanes& units);

}  // namespace weft
