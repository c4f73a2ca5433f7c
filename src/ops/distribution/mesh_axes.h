// Groups of processes that are named by axes of a mesh: #stablehlo.replica_group_mesh_axes<mesh = …, axes = […]>.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

struct MeshAxes {
  struct Axis {
    std::string name;
    int64_t size = 0;
  };
  std::string symbol;      // of a mesh that the module defines elsewhere; the next two are empty until it is resolved
  std::vector<Axis> axes;  // of the mesh
  std::vector<int64_t> device_ids;   // in row-major order of the axes; empty: 0, 1, 2, …
  std::vector<std::string> grouped;  // axes along which the processes of one group lie
  bool has_sub_axes = false;         // some of them are parts of axes
};

/// Reads what follows `#sdy.mesh`: <["x"=2, "y"=4], device_ids=[0, 1]>.
void read_shardy_mesh(struct AttributeReader& reader, MeshAxes& out);
/// Reads the attribute's text; none when it is not of that form.
std::optional<MeshAxes> read_mesh_axes(const std::string& text);
/// Fills in the mesh that the module defines under `symbol`, which becomes empty; false when there is none that can be read.
bool resolve(MeshAxes& mesh, const Module& module);
/// Why the groups cannot be formed (an axis that the mesh lacks, device ids of another number); "" when they can.
std::string fault_of(const MeshAxes& mesh);
/// Processes per group. The mesh is given and has no fault.
int64_t group_size(const MeshAxes& mesh);
/// The groups, each in order of its grouped axes. The mesh is given and has no fault.
std::vector<std::vector<int64_t>> groups_of(const MeshAxes& mesh);

/// Whether the module has a function or another op of that name.
bool defines_symbol(const Module& module, const std::string& name);

}  // namespace weft
