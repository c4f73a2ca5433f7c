// Grids of replicas and partitions as one row of replicas.
#pragma once
#include <memory>

#include "ir/function.h"

namespace weft {

/// A copy of a function for replicas × partitions processes of which process (r, p) is replica r * partitions + p: groups of collectives are
/// written out as tables of such numbers, without channels, and replica_id and partition_id follow from the replica's. UserError for
/// numbers of processes that there are not.
std::unique_ptr<Function> flat_processes(const Function& f, const Module& module, int64_t replicas, int64_t partitions);

}  // namespace weft
