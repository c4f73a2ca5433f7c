// How a tensor is cut over the devices of a mesh, as Shardy's dialect says it:
//   #sdy.sharding<@mesh, [{"data"}, {"model":(1)2, ?}p1], replicated={"pipe"}>
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/function.h"
#include "ops/distribution/mesh_axes.h"

namespace weft {

/// The argument, result or op attribute that holds one.
inline constexpr std::string_view kShardingAttribute = "sdy.sharding";

/// An axis of a mesh, or the part of one that "x":(2)4 names: 4 indices, with 2 of the axis before them.
struct ShardingAxis {
  std::string name;
  int64_t before = 1;
  int64_t size = 0;  // 0: the whole axis
};

struct DimensionSharding {
  std::vector<ShardingAxis> axes;  // the first is the slowest
  bool is_open = false;            // '?': propagation may add axes
  std::optional<int64_t> priority;
};

struct Sharding {
  MeshAxes mesh;  // its symbol, or its axes
  std::vector<DimensionSharding> dimensions;
  std::vector<ShardingAxis> replicated, unreduced;
};

/// Reads #sdy.sharding<…>; none when the text is not of that form.
std::optional<Sharding> read_sharding(const std::string& text);
/// Reads #sdy.sharding_per_value<[<…>, …]>, and #sdy.sharding<…> as one.
std::optional<std::vector<Sharding>> read_shardings(const std::string& text);
std::string text_of(const Sharding& sharding);
/// "[\"data\"=2, \"model\"=4]"
std::string describe(const MeshAxes& mesh);

/// Reads #sdy<manual_axes{"x", "y"}>: names of axes; none when the text is not of that form.
std::optional<std::vector<std::string>> read_manual_axes(const std::string& text);
/// Of a sharding only the axes named: how a manual computation's values are cut for its body.
Sharding along(Sharding sharding, const std::vector<std::string>& axes);

/// Why a value of this type cannot be cut so (unknown axis, one used twice, an extent that is no multiple of the parts); "" when it can. The mesh's
/// axes are known.
std::string fault_of(const Sharding& sharding, Type type);
/// Devices of the mesh. Its axes are known and without fault.
int64_t num_devices(const MeshAxes& mesh);

/// Throws UserError for the first sharding of the function that cannot be, or whose mesh the module lacks.
void verify_shardings(const Function& f, const Module& module);

/// The sharding of such values over lanes: of the lane axis nothing is said.
Sharding over_lanes(Sharding sharding);
/// Brings the shardings of ops whose results got a lane axis in front to it, and drops those that do not fit the results any more.
void fit_shardings(Function& f, const Module& module);

/// Into how many parts dimension d is cut.
int64_t num_parts(const Sharding& sharding, size_t d);
/// Which part of each dimension the device has. Devices are numbered as the mesh's device_ids say. The sharding has no fault.
std::vector<int64_t> parts_of_device(const Sharding& sharding, int64_t device);
/// The type of the part that one device holds.
Type part_type(const Sharding& sharding, Type whole);

}  // namespace weft
