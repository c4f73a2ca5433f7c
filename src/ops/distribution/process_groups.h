// Which processes a collective op joins (specification: Distribution, "Process groups").
#pragma once
#include "ops/distribution/processes.h"

namespace weft {

/// How ids in replica_groups name processes.
enum class Grouping : uint8_t { kCrossReplica, kCrossPartition, kCrossReplicaAndPartition, kFlattenedIds };

struct GroupChecks {
  std::string_view unique, complete, range;  // constraint labels
  bool may_be_ragged = false;                // groups may be filled up with -1
};
/// Checks replica_groups as far as the type rule can: rank 2, ids unique, none missing, in range. Extent 1 of the table, or
/// kDynamic when it names no processes (empty, or by axes of a mesh that cannot be read).
int64_t check_replica_groups(const TypeContext& context, const GroupChecks& checks);
/// label unless use_global_device_ids comes with a positive channel.
void check_global_ids(const TypeContext& context, std::string_view label);

/// source_target_pairs of collective_permute, send and recv: n x 2 ids of at least 0, sources and targets unique (constraints 1 to 4).
void check_source_target_pairs(const TypeContext& context);

/// The channel, 0 without a handle.
int64_t channel_of(const OpView& op);
/// all_gather, all_reduce, reduce_scatter: by channel and use_global_device_ids.
Grouping reduction_grouping(const OpView& op);
/// all_to_all, the broadcasts and permutations: by channel.
Grouping movement_grouping(const OpView& op);

/// The processes of each row of an n×m table of ids. UserError for ids that the grid does not have.
std::vector<std::vector<ProcessId>> process_groups(const OpView& op, const Processes& processes, const Literal& table,
                                                   Grouping grouping);
/// The one group of replica_groups that this process is in; empty when there is none.
std::vector<ProcessId> own_group(const OpView& op, const Processes& processes, Grouping grouping);

/// Element (row, column) of an integer table.
int64_t table_at(const Literal& table, int64_t row, int64_t column);

}  // namespace weft
