#include "ops/distribution/process_groups.h"

#include <algorithm>
#include <cstring>

#include "ops/families.h"
#include "ops/structural/dimension_checks.h"

#include "ops/distribution/mesh_axes.h"

namespace weft {

int64_t table_at(const Literal& table, int64_t row, int64_t column) {
  const size_t bytes = byte_size(table.type.element_type());
  const int shift = 64 - static_cast<int>(bytes) * 8;
  uint64_t bits = 0;
  std::memcpy(&bits, table.element(row * table.type.dim(1) + column), bytes);
  return static_cast<int64_t>(bits << shift) >> shift;
}

namespace {

/// Processes per group; kDynamic when the mesh is one that cannot be read or parts of axes make the groups.
int64_t check_mesh(const TypeContext& c, const std::string& text) {
  std::optional<MeshAxes> mesh = read_mesh_axes(text);
  if (!mesh) c.fail("", "replica_groups: got " + text + ", expected a table of ids, or axes of a mesh");
  if (!mesh->symbol.empty()) {
    if (c.module == nullptr) return kDynamic;
    if (!defines_symbol(*c.module, mesh->symbol)) c.fail("", "replica_groups: there is no mesh @" + mesh->symbol);
    if (!resolve(*mesh, *c.module)) return kDynamic;
  }
  if (const std::string fault = fault_of(*mesh); !fault.empty()) c.fail("", "replica_groups: " + fault);
  return mesh->has_sub_axes ? kDynamic : group_size(*mesh);
}

/// The table of ids that replica_groups stands for.
Literal table_of_groups(const OpView& op, const Module& module) {
  const Attr* attr = op.attrs().find("replica_groups");
  if (const auto* table = attr->get_if<Literal>()) return *table;
  const auto* opaque = attr->get_if<OpaqueAttr>();
  std::optional<MeshAxes> mesh = opaque == nullptr ? std::nullopt : read_mesh_axes(opaque->text);
  const bool is_known = mesh && (mesh->symbol.empty() || resolve(*mesh, module));
  if (!is_known || mesh->has_sub_axes) {
    throw Unsupported("[" + std::string(op.def().mnemonic) + "] replica groups by mesh axes: " +
                          (mesh && !is_known ? "@" + mesh->symbol + " is no mesh that Weft can read"
                                             : "parts of axes are not known to Weft"),
                      op.loc());
  }
  const std::vector<std::vector<int64_t>> groups = groups_of(*mesh);
  Tensor table(ElementType::kI64, {static_cast<int64_t>(groups.size()), group_size(*mesh)});
  auto* to = static_cast<int64_t*>(table.raw());
  for (const auto& group : groups) to = std::copy(group.begin(), group.end(), to);
  return Literal::dense(std::move(table));
}

}  // namespace

int64_t check_replica_groups(const TypeContext& c, const GroupChecks& checks) {
  const Attr* attr = c.attrs.find("replica_groups");
  if (const auto* opaque = attr->get_if<OpaqueAttr>()) return check_mesh(c, opaque->text);
  const auto* table = attr->get_if<Literal>();
  if (table == nullptr || !is_integer(table->type.element_type()) || table->type.rank() != 2) {
    c.fail("", "replica_groups: got " + attr->str() + ", expected an integer table of rank 2");
  }
  const int64_t rows = table->type.dim(0), columns = table->type.dim(1);
  if (rows == 0 || columns == 0) {
    if (c.attrs.boolean_or("use_global_device_ids", false))
      c.fail(checks.complete, "replica_groups is empty: global ids need groups");
    return kDynamic;
  }
  std::vector<int64_t> ids;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < columns; ++k) {
      const int64_t id = table_at(*table, r, k);
      if (id == -1 && checks.may_be_ragged) continue;
      if (id < 0) c.fail(checks.range, "replica_groups: got " + std::to_string(id) + ", expected ids of at least 0");
      ids.push_back(id);
    }
  }
  std::sort(ids.begin(), ids.end());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i > 0 && ids[i] == ids[i - 1])
      c.fail(checks.unique, "replica_groups: id " + std::to_string(ids[i]) + " stands there more than once");
  }
  for (size_t i = 0; i < ids.size() && !checks.complete.empty(); ++i) {
    if (ids[i] != static_cast<int64_t>(i))
      c.fail(checks.complete, "replica_groups: id " + std::to_string(i) + " is missing");
  }
  return columns;
}

void check_global_ids(const TypeContext& c, std::string_view label) {
  if (!c.attrs.boolean_or("use_global_device_ids", false)) return;
  const int64_t channel = c.attrs.integer_or("handle", 0);
  if (channel <= 0)
    c.fail(label, "channel with use_global_device_ids: got " + std::to_string(channel) + ", expected a positive one");
}

void check_source_target_pairs(const TypeContext& c) {
  const Literal& pairs = c.attrs.literal("source_target_pairs");
  if (!is_integer(pairs.type.element_type()) || pairs.type.rank() != 2 || pairs.type.dim(1) != 2) {
    c.fail(constraint(c, 1), "source_target_pairs: got a " + pairs.type.str() + ", expected one of shape n x 2");
  }
  std::vector<int64_t> sides[2];
  for (int64_t r = 0; r < pairs.type.dim(0); ++r) {
    for (int64_t k = 0; k < 2; ++k) {
      sides[k].push_back(table_at(pairs, r, k));
      if (sides[k].back() < 0) {
        c.fail(constraint(c, 4),
               "source_target_pairs: got " + std::to_string(sides[k].back()) + ", expected ids of at least 0");
      }
    }
  }
  expect_unique(c, constraint(c, 2), "source_target_pairs (sources)", sides[0]);
  expect_unique(c, constraint(c, 3), "source_target_pairs (targets)", sides[1]);
}

int64_t channel_of(const OpView& op) { return op.attrs().integer_or("handle", 0); }

Grouping reduction_grouping(const OpView& op) {
  if (channel_of(op) <= 0) return Grouping::kCrossReplica;
  return op.attrs().boolean_or("use_global_device_ids", false) ? Grouping::kFlattenedIds
                                                               : Grouping::kCrossReplicaAndPartition;
}

Grouping movement_grouping(const OpView& op) {
  return channel_of(op) <= 0 ? Grouping::kCrossReplica : Grouping::kCrossPartition;
}

std::vector<std::vector<ProcessId>> process_groups(const OpView& op, const Processes& processes, const Literal& table,
                                                   Grouping grouping) {
  const int64_t replicas = processes.num_replicas(), partitions = processes.num_partitions();
  const int64_t limit = grouping == Grouping::kFlattenedIds     ? replicas * partitions
                        : grouping == Grouping::kCrossPartition ? partitions
                                                                : replicas;
  std::vector<std::vector<int64_t>> rows;
  for (int64_t r = 0; r < table.type.dim(0) && table.type.dim(1) > 0; ++r) {
    auto& row = rows.emplace_back();
    for (int64_t k = 0; k < table.type.dim(1); ++k) {
      const int64_t id = table_at(table, r, k);
      if (id == -1) continue;
      if (id < 0 || id >= limit) {
        throw UserError("[" + std::string(op.def().mnemonic) + "] id of a process: got " + std::to_string(id) +
                            ", expected one in [0, " + std::to_string(limit) + ") of the processes that run",
                        op.loc());
      }
      row.push_back(id);
    }
  }
  if (rows.empty()) {
    // No groups: all together.
    auto& row = rows.emplace_back();
    for (int64_t i = 0; i < limit; ++i) row.push_back(i);
  }
  std::vector<std::vector<ProcessId>> out;
  for (const auto& row : rows) {
    switch (grouping) {
      case Grouping::kCrossReplica:
        for (int64_t p = 0; p < partitions; ++p) {
          auto& group = out.emplace_back();
          for (int64_t id : row) group.push_back({id, p});
        }
        break;
      case Grouping::kCrossPartition:
        for (int64_t r = 0; r < replicas; ++r) {
          auto& group = out.emplace_back();
          for (int64_t id : row) group.push_back({r, id});
        }
        break;
      case Grouping::kCrossReplicaAndPartition: {
        auto& group = out.emplace_back();
        for (int64_t p = 0; p < partitions; ++p) {
          for (int64_t id : row) group.push_back({id, p});
        }
        break;
      }
      case Grouping::kFlattenedIds: {
        auto& group = out.emplace_back();
        for (int64_t id : row) group.push_back({id / partitions, id % partitions});
        break;
      }
    }
  }
  return out;
}

std::vector<ProcessId> own_group(const OpView& op, const Processes& processes, Grouping grouping) {
  for (auto& group : process_groups(op, processes, table_of_groups(op, processes.module()), grouping)) {
    if (std::ranges::find(group, processes.self()) != group.end()) return std::move(group);
  }
  return {};
}

}  // namespace weft
