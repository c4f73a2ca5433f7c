// Groups of ops as functions of their own: the kernels that code is generated for.
#pragma once
#include <span>
#include <unordered_set>

#include "ir/function.h"
#include "native/schedule/schedule.h"

namespace weft::native {

struct OutlinedGroup {
  const Function& function;
  RegionId region;
  std::span<const OpId> roots;              // last in program order first
  std::span<const OpId> members;            // roots included, in reverse program order
  const std::unordered_set<OpId>& free;     // ops that every kernel computes for itself
  const std::unordered_set<Value>& needed;  // what must exist in memory
};

/// Copies the group's ops, with the free ops that they use, into a function of their own.
FusedKernel outline(const OutlinedGroup& group);

}  // namespace weft::native
