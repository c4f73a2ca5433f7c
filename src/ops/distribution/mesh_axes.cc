#include "ops/distribution/mesh_axes.h"

#include <algorithm>
#include <string_view>

#include "ops/distribution/attribute_reader.h"

namespace weft {
namespace {

constexpr int64_t kMostDevices = int64_t{1} << 24;

void read_device_ids(AttributeReader& r, MeshAxes& out) {
  r.expect("dense", "<");
  if (r.accept("[")) {
    r.list([&] { out.device_ids.push_back(r.integer()); });
  } else {
    out.device_ids.push_back(r.integer());
  }
  r.expect(">", ":", "tensor", "<");
  r.word();
  r.expect(">");
}

void read_mesh(AttributeReader& r, MeshAxes& out) {
  r.expect("#stablehlo.mesh", "<", "axes", "=", "[");
  r.list([&] {
    MeshAxes::Axis& axis = out.axes.emplace_back();
    r.expect("#stablehlo.mesh_axis", "<", "name", "=");
    axis.name = r.quoted();
    r.expect(",", "size", "=");
    axis.size = r.integer();
    r.expect(">");
  });
  if (r.accept(",")) {
    r.expect("device_ids", "=");
    read_device_ids(r, out);
  }
  r.expect(">");
}

/// {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[0, 1]> : tensor<2xi64>}
void read_mesh_dictionary(AttributeReader& r, MeshAxes& out) {
  r.expect("{", "axes", "=", "[");
  r.list([&] {
    MeshAxes::Axis& axis = out.axes.emplace_back();
    r.expect("{", "name", "=");
    axis.name = r.quoted();
    r.expect(",", "size", "=");
    axis.size = r.integer();
    if (r.accept(":")) r.word();
    r.expect("}");
  });
  if (r.accept(",")) {
    r.expect("device_ids", "=");
    read_device_ids(r, out);
  }
  r.expect("}");
}

/// The name that an op of a module defines; "" when it defines none.
std::string symbol_of(const std::string& op) {
  constexpr std::string_view kName = "sym_name = ";
  if (op.starts_with('"')) {
    const size_t at = op.find(kName);
    return at == std::string::npos ? "" : AttributeReader{std::string_view(op).substr(at + kName.size())}.quoted();
  }
  const size_t at = op.find('@');
  if (at == std::string::npos) return "";
  AttributeReader r{std::string_view(op).substr(at + 1)};
  return r.rest.starts_with('"') ? r.quoted() : r.word();
}

const MeshAxes::Axis* find_axis(const MeshAxes& mesh, const std::string& name) {
  const auto at = std::ranges::find(mesh.axes, name, &MeshAxes::Axis::name);
  return at == mesh.axes.end() ? nullptr : &*at;
}

}  // namespace

void read_shardy_mesh(AttributeReader& r, MeshAxes& out) {
  r.expect("<", "[");
  r.list([&] {
    MeshAxes::Axis& axis = out.axes.emplace_back();
    axis.name = r.quoted();
    r.expect("=");
    axis.size = r.integer();
  });
  if (r.accept(",")) {
    r.expect("device_ids", "=", "[");
    r.list([&] { out.device_ids.push_back(r.integer()); });
  }
  r.expect(">");
}

std::optional<MeshAxes> read_mesh_axes(const std::string& text) {
  MeshAxes out;
  AttributeReader r{text};
  r.expect("#stablehlo.replica_group_mesh_axes", "<", "mesh", "=");
  if (r.accept("@")) {
    out.symbol = r.rest.starts_with('"') ? r.quoted() : r.word();
  } else {
    read_mesh(r, out);
  }
  r.expect(",", "axes", "=", "[");
  r.list([&] {
    r.expect("#stablehlo.axis_ref", "<", "name", "=");
    out.grouped.push_back(r.quoted());
    if (r.accept(",")) {
      out.has_sub_axes = true;
      r.expect("sub_axis_info", "=");
      // Both the bare form and the one with the attribute's name are written.
      const bool named = r.accept("#stablehlo.sub_axis_info");
      if (named) r.accept("<");
      r.expect("(");
      r.integer();
      r.expect(")");
      r.integer();
      if (named) r.accept(">");
    }
    r.expect(">");
  });
  r.expect(">");
  r.skip_space();
  if (r.failed || !r.rest.empty()) return std::nullopt;
  return out;
}

std::string fault_of(const MeshAxes& mesh) {
  int64_t devices = 1;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    const MeshAxes::Axis& axis = mesh.axes[i];
    if (axis.size <= 0)
      return "size of axis \"" + axis.name + "\": got " + std::to_string(axis.size) + ", expected a positive one";
    if (find_axis(mesh, axis.name) != &axis) return "axis \"" + axis.name + "\" stands twice in the mesh";
    if (__builtin_mul_overflow(devices, axis.size, &devices) || devices > kMostDevices)
      return "the mesh has more than " + std::to_string(kMostDevices) + " devices";
  }
  if (!mesh.device_ids.empty() && static_cast<int64_t>(mesh.device_ids.size()) != devices) {
    return "number of device_ids: got " + std::to_string(mesh.device_ids.size()) + ", expected " +
           std::to_string(devices) + ", one for each device of the mesh";
  }
  for (size_t i = 0; i < mesh.grouped.size(); ++i) {
    if (find_axis(mesh, mesh.grouped[i]) == nullptr) return "the mesh has no axis \"" + mesh.grouped[i] + "\"";
    if (std::ranges::count(mesh.grouped, mesh.grouped[i]) > 1) return "axis \"" + mesh.grouped[i] + "\" stands twice";
  }
  return "";
}

int64_t group_size(const MeshAxes& mesh) {
  int64_t size = 1;
  for (const std::string& name : mesh.grouped) size *= find_axis(mesh, name)->size;
  return size;
}

std::vector<std::vector<int64_t>> groups_of(const MeshAxes& mesh) {
  // The device at each position along (other axes, grouped axes), counted with the last one fastest.
  std::vector<size_t> order;
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (std::ranges::find(mesh.grouped, mesh.axes[i].name) == mesh.grouped.end()) order.push_back(i);
  }
  for (const std::string& name : mesh.grouped)
    order.push_back(static_cast<size_t>(find_axis(mesh, name) - mesh.axes.data()));
  int64_t devices = 1;
  for (const MeshAxes::Axis& axis : mesh.axes) devices *= axis.size;
  const int64_t per_group = group_size(mesh);
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(devices / per_group));
  std::vector<int64_t> index(mesh.axes.size(), 0);
  for (int64_t n = 0; n < devices; ++n) {
    int64_t at = 0;
    for (size_t i = 0; i < mesh.axes.size(); ++i) at = at * mesh.axes[i].size + index[i];
    const int64_t id = mesh.device_ids.empty() ? at : mesh.device_ids[static_cast<size_t>(at)];
    groups[static_cast<size_t>(n / per_group)].push_back(id);
    for (size_t k = order.size(); k-- > 0;) {
      if (++index[order[k]] < mesh.axes[order[k]].size) break;
      index[order[k]] = 0;
    }
  }
  return groups;
}

bool defines_symbol(const Module& module, const std::string& name) {
  if (module.find(name) != nullptr) return true;
  return std::ranges::any_of(module.foreign_ops, [&](const std::string& op) { return symbol_of(op) == name; });
}

bool resolve(MeshAxes& mesh, const Module& module) {
  for (const std::string& op : module.foreign_ops) {
    if (symbol_of(op) != mesh.symbol) continue;
    MeshAxes read;
    AttributeReader r{op};
    if (r.accept("sdy.mesh")) {
      r.rest.remove_prefix(std::min(r.rest.find('='), r.rest.size()));
      r.expect("=");
      read_shardy_mesh(r, read);
    } else if (size_t at = op.find("stablehlo.mesh = "); at != std::string::npos) {
      r.rest.remove_prefix(at);
      r.expect("stablehlo.mesh", "=");
      read_mesh_dictionary(r, read);
    } else if (at = op.find("#sdy.mesh<"); at != std::string::npos) {
      r.rest.remove_prefix(at);
      r.expect("#sdy.mesh");
      read_shardy_mesh(r, read);
    } else {
      return false;
    }
    if (r.failed) return false;
    mesh.axes = std::move(read.axes);
    mesh.device_ids = std::move(read.device_ids);
    mesh.symbol.clear();
    return true;
  }
  return false;
}

}  // namespace weft
