#include "weft/sharding.h"

#include "ops/distribution/sharding.h"
#include "symbolic/node.h"

namespace weft {

using namespace symbolic;

namespace {

MeshAxes axes_of(const Mesh& mesh) {
  MeshAxes out;
  for (const MeshAxis& a : mesh.axes()) out.axes.push_back({a.name, a.size});
  out.device_ids = mesh.device_ids();
  return out;
}

/// Names are written into the program as they are.
std::string fault_of_names(const Mesh& mesh) {
  for (const MeshAxis& a : mesh.axes()) {
    if (a.name.empty() || a.name.find_first_of("\"\\?") != std::string::npos)
      return "name of an axis: got \"" + a.name + "\", expected one without quotes, backslashes and question marks";
  }
  return "";
}

}  // namespace

Mesh mesh(std::vector<MeshAxis> axes, std::vector<int64_t> device_ids, std::source_location loc) {
  Mesh out(std::move(axes), std::move(device_ids));
  std::string fault = fault_of_names(out);
  if (fault.empty()) fault = fault_of(Sharding{axes_of(out), {}, {}, {}}, Type::scalar(ElementType::kF32));
  if (!fault.empty()) fail("mesh", to_loc(loc), fault);
  return out;
}

Expr shard(const Expr& x, const Mesh& mesh, std::vector<AxisCut> cuts, std::source_location where) {
  const Loc loc = to_loc(where);
  if (!x.has_value())
    fail("shard", loc, "the operand is an empty expression: make it with placeholder, variable or an operation first");
  const Type type = type_of(x);
  if (static_cast<int64_t>(cuts.size()) > type.rank()) {
    fail("shard", loc,
         "number of axes: got " + std::to_string(cuts.size()) + ", expected at most " + std::to_string(type.rank()) +
             " for " + describe(x));
  }
  Sharding sharding;
  sharding.mesh = axes_of(mesh);
  sharding.dimensions.resize(static_cast<size_t>(type.rank()));
  for (size_t d = 0; d < cuts.size(); ++d) {
    for (const std::string& name : cuts[d].mesh_axes()) {
      if (name == "?") {
        sharding.dimensions[d].is_open = true;
      } else {
        sharding.dimensions[d].axes.push_back({name});
      }
    }
  }
  if (const std::string fault = fault_of(sharding, type); !fault.empty()) fail("shard", loc, fault);
  return make_op(loc, {x}, [text = text_of(sharding)](OpBuilder& b, std::span<const Value> v) {
    return b.create("sdy.sharding_constraint", v, Attrs{{"sharding", OpaqueAttr{text}}});
  });
}

}  // namespace weft
