// Arrays cut over several devices: a mesh gives the devices' grid names, `shard` says along which of them a value's axes are cut.
//
//   auto m = mesh({{"data", 2}, {"model", 2}});
//   auto xs = shard(x, m, {"data"}), w = shard(weights, m, {{}, "model"});
//   auto step = function({x}, {loss(dot(xs, w))}, {}, {.target = "pjrt:cpu", .devices = 4});
//
// No value changes: on a target of one device shard is the identity. Placeholders and variables that are used through shard, and results that
// shard makes, are cut outside of the function, too: each device gets and gives its part alone.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <vector>

#include "weft/symbolic.h"

namespace weft {

struct MeshAxis {
  std::string name;
  int64_t size = 0;
};

/// A grid of devices.
class Mesh {
 public:
  explicit Mesh(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {})
      : axes_(std::move(axes)), device_ids_(std::move(device_ids)) {}
  const std::vector<MeshAxis>& axes() const { return axes_; }
  /// The devices in row-major order of the axes; empty: 0, 1, 2, …
  const std::vector<int64_t>& device_ids() const { return device_ids_; }

 private:
  std::vector<MeshAxis> axes_;
  std::vector<int64_t> device_ids_;
};
/// UserError when an axis has no size or stands twice, or when `device_ids` are not each of 0 … n-1 once.
Mesh mesh(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids = {},
          std::source_location loc = std::source_location::current());

/// How one axis of an array is cut: along an axis of the mesh, along several (the first is the slowest), or not at all: {}. "?" leaves it, or
/// what it is cut by besides, to the compiler.
class AxisCut {
 public:
  AxisCut() = default;
  AxisCut(const char* mesh_axis) : mesh_axes_{mesh_axis} {}
  AxisCut(std::string mesh_axis) : mesh_axes_{std::move(mesh_axis)} {}
  AxisCut(std::vector<std::string> mesh_axes) : mesh_axes_(std::move(mesh_axes)) {}
  AxisCut(std::initializer_list<const char*> mesh_axes) : mesh_axes_(mesh_axes.begin(), mesh_axes.end()) {}
  const std::vector<std::string>& mesh_axes() const { return mesh_axes_; }

 private:
  std::vector<std::string> mesh_axes_;
};

/// x, cut over the devices of a mesh: one entry for each of its axes, those left out at the end are not cut. Its derivatives are cut as it is.
/// UserError for an axis that the mesh lacks or that is used twice, and for an extent that is no multiple of the number of parts.
Expr shard(const Expr& x, const Mesh& mesh, std::vector<AxisCut> cuts,
           std::source_location loc = std::source_location::current());

}  // namespace weft
