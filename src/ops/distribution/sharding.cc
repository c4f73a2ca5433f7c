#include "ops/distribution/sharding.h"

#include <algorithm>

#include "ops/distribution/attribute_reader.h"
#include "ops/record.h"

namespace weft {
namespace {

ShardingAxis read_axis(AttributeReader& r) {
  ShardingAxis axis;
  axis.name = r.quoted();
  if (r.accept(":")) {
    r.expect("(");
    axis.before = r.integer();
    r.expect(")");
    axis.size = r.integer();
    r.failed = r.failed || axis.before < 1 || axis.size < 1;
  }
  return axis;
}

std::vector<ShardingAxis> read_axis_set(AttributeReader& r) {
  std::vector<ShardingAxis> out;
  r.expect("{");
  r.list([&] { out.push_back(read_axis(r)); }, "}");
  return out;
}

DimensionSharding read_dimension(AttributeReader& r) {
  DimensionSharding out;
  r.expect("{");
  r.list(
      [&] {
        if (!out.is_open && r.accept("?")) {
          out.is_open = true;
        } else {
          r.failed = r.failed || out.is_open;
          out.axes.push_back(read_axis(r));
        }
      },
      "}");
  if (r.accept("p")) out.priority = r.integer();
  return out;
}

/// <@mesh, [{…}, …], replicated={…}, unreduced={…}>
Sharding read_brackets(AttributeReader& r) {
  Sharding out;
  r.expect("<");
  if (r.accept("@")) {
    out.mesh.symbol = r.rest.starts_with('"') ? r.quoted() : r.word();
  } else {
    r.expect("mesh");
    read_shardy_mesh(r, out.mesh);
  }
  r.expect(",", "[");
  r.list([&] { out.dimensions.push_back(read_dimension(r)); });
  while (r.accept(",")) {
    const std::string what = r.word();
    r.expect("=");
    (what == "replicated" ? out.replicated : out.unreduced) = read_axis_set(r);
    r.failed = r.failed || (what != "replicated" && what != "unreduced");
  }
  r.expect(">");
  return out;
}

bool is_at_end(AttributeReader& r) {
  r.skip_space();
  return !r.failed && r.rest.empty();
}

void append(std::string& out, const ShardingAxis& axis) {
  out += '"' + axis.name + '"';
  if (axis.size != 0) out += ":(" + std::to_string(axis.before) + ")" + std::to_string(axis.size);
}

void append(std::string& out, const std::vector<ShardingAxis>& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) out += ", ";
    append(out, axes[i]);
  }
}

const MeshAxes::Axis* find_axis(const MeshAxes& mesh, const std::string& name) {
  const auto at = std::ranges::find(mesh.axes, name, &MeshAxes::Axis::name);
  return at == mesh.axes.end() ? nullptr : &*at;
}

int64_t size_of(const Sharding& sharding, const ShardingAxis& axis) {
  return axis.size != 0 ? axis.size : find_axis(sharding.mesh, axis.name)->size;
}

std::string written(const ShardingAxis& axis) {
  std::string out;
  append(out, axis);
  return out;
}

/// Axes of one sharding, each to be used once.
class AxesInUse {
 public:
  explicit AxesInUse(const MeshAxes& mesh) : mesh_(mesh) {}

  std::string add(const ShardingAxis& axis) {
    const MeshAxes::Axis* of = find_axis(mesh_, axis.name);
    if (of == nullptr) return "the mesh has no axis \"" + axis.name + "\": got " + describe(mesh_);
    const int64_t size = axis.size != 0 ? axis.size : of->size;
    const bool fits = axis.before <= of->size && size <= of->size;  // and so the product is no overflow
    if (!fits || of->size % (axis.before * size) != 0)
      return "part " + written(axis) + " of an axis of " + std::to_string(of->size) + ": expected sizes that divide it";
    for (const ShardingAxis& used : used_) {
      if (used.name != axis.name) continue;
      const bool apart = axis.before >= used.before * used.size || used.before >= axis.before * size;
      if (!apart) return "axis \"" + axis.name + "\" is used twice: expected each axis of the mesh at most once";
    }
    used_.push_back({axis.name, axis.before, size});
    return "";
  }

 private:
  const MeshAxes& mesh_;
  std::vector<ShardingAxis> used_;
};

std::string fault_of_device_ids(const MeshAxes& mesh) {
  if (mesh.axes.empty()) return "";  // one device, whichever
  std::vector<int64_t> ids = mesh.device_ids;
  std::ranges::sort(ids);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != static_cast<int64_t>(i))
      return "device_ids of a mesh: expected each of 0 to " + std::to_string(ids.size() - 1) + " once";
  }
  return "";
}

/// Checks the shardings that one place holds.
class Checker {
 public:
  Checker(const Function& f, const Module& module) : f_(f), module_(module) {}

  void value(const Attrs& attrs, Type type, const std::string& what, Loc loc) const {
    const Attr* attr = attrs.find(kShardingAttribute);
    if (attr == nullptr) return;
    const auto* text = attr->get_if<OpaqueAttr>();
    const auto sharding = text == nullptr ? std::nullopt : read_sharding(text->text);
    if (!sharding) fail(what, "got " + attr->str() + ", expected #sdy.sharding<@mesh, [{…}, …]>", loc);
    check(*sharding, type, what, loc);
  }

  void op(const OpView& op) const {
    const Attr* attr = op.attrs().find(kShardingAttribute);
    if (attr == nullptr) return;
    const std::string what = "[" + std::string(op.def().mnemonic) + "] " + std::string(kShardingAttribute);
    const auto* text = attr->get_if<OpaqueAttr>();
    const auto shardings = text == nullptr ? std::nullopt : read_shardings(text->text);
    if (!shardings)
      fail(what, "got " + attr->str() + ", expected #sdy.sharding_per_value<[<@mesh, [{…}, …]>, …]>", op.loc());
    // An op without results may have one of no dimensions.
    if (shardings->size() != op.num_results() && op.num_results() != 0)
      fail(what,
           "got " + std::to_string(shardings->size()) + " shardings, expected one for each of " +
               std::to_string(op.num_results()) + " results",
           op.loc());
    for (size_t i = 0; i < op.num_results(); ++i) check((*shardings)[i], op.result_type(i), what, op.loc());
  }

  void check(Sharding sharding, Type type, const std::string& what, Loc loc) const {
    const std::string symbol = sharding.mesh.symbol;
    if (!symbol.empty() && !resolve(sharding.mesh, module_))
      fail(what, "the module has no mesh @" + symbol + ": expected sdy.mesh @" + symbol + " = <[…]>", loc);
    if (const std::string fault = fault_of(sharding, type); !fault.empty()) fail(what, fault, loc);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& fault, Loc loc) const {
    throw UserError(what.starts_with('[') ? what + ": " + fault
                                          : "[func.func] " + std::string(kShardingAttribute) + " of " + what + " of @" +
                                                f_.name() + ": " + fault,
                    loc);
  }

  const Function& f_;
  const Module& module_;
};

}  // namespace

std::optional<Sharding> read_sharding(const std::string& text) {
  AttributeReader r{text};
  r.expect("#sdy.sharding");
  Sharding out = read_brackets(r);
  return is_at_end(r) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<Sharding>> read_shardings(const std::string& text) {
  AttributeReader r{text};
  if (!r.accept("#sdy.sharding_per_value")) {
    auto one = read_sharding(text);
    return one ? std::optional(std::vector{std::move(*one)}) : std::nullopt;
  }
  std::vector<Sharding> out;
  r.expect("<", "[");
  r.list([&] { out.push_back(read_brackets(r)); });
  r.expect(">");
  return is_at_end(r) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<std::vector<std::string>> read_manual_axes(const std::string& text) {
  AttributeReader r{text};
  std::vector<std::string> out;
  r.expect("#sdy", "<", "manual_axes", "{");
  r.list([&] { out.push_back(r.quoted()); }, "}");
  r.expect(">");
  return is_at_end(r) ? std::optional(std::move(out)) : std::nullopt;
}

Sharding along(Sharding sharding, const std::vector<std::string>& axes) {
  for (DimensionSharding& d : sharding.dimensions) {
    std::erase_if(d.axes, [&](const ShardingAxis& a) { return std::ranges::find(axes, a.name) == axes.end(); });
  }
  return sharding;
}

std::string describe(const MeshAxes& mesh) {
  std::string out = "[";
  for (size_t i = 0; i < mesh.axes.size(); ++i)
    out += (i > 0 ? ", \"" : "\"") + mesh.axes[i].name + "\"=" + std::to_string(mesh.axes[i].size);
  return out + "]";
}

std::string text_of(const Sharding& sharding) {
  std::string out = "#sdy.sharding<";
  if (!sharding.mesh.symbol.empty()) {
    const std::string& name = sharding.mesh.symbol;
    const bool bare = std::ranges::all_of(
        name, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '$'; });
    out += bare ? "@" + name : "@\"" + name + "\"";
  } else {
    out += "mesh<" + describe(sharding.mesh);
    for (size_t i = 0; i < sharding.mesh.device_ids.size(); ++i)
      out += (i == 0 ? ", device_ids=[" : ", ") + std::to_string(sharding.mesh.device_ids[i]);
    out += sharding.mesh.device_ids.empty() ? ">" : "]>";
  }
  out += ", [";
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    const DimensionSharding& dimension = sharding.dimensions[d];
    out += d > 0 ? ", {" : "{";
    append(out, dimension.axes);
    if (dimension.is_open) out += dimension.axes.empty() ? "?" : ", ?";
    out += "}";
    if (dimension.priority) out += "p" + std::to_string(*dimension.priority);
  }
  out += "]";
  const auto set = [&](const char* name, const std::vector<ShardingAxis>& axes) {
    if (axes.empty()) return;
    out += std::string(", ") + name + "={";
    append(out, axes);
    out += "}";
  };
  set("replicated", sharding.replicated);
  set("unreduced", sharding.unreduced);
  return out + ">";
}

std::string fault_of(const Sharding& sharding, Type type) {
  if (const std::string fault = fault_of(sharding.mesh); !fault.empty()) return fault;
  if (const std::string fault = fault_of_device_ids(sharding.mesh); !fault.empty()) return fault;
  if (!type.is_tensor()) return sharding.dimensions.empty() ? "" : "a " + type.str() + " has no dimensions to cut";
  if (static_cast<int64_t>(sharding.dimensions.size()) != type.rank())
    return "number of dimensions: got " + std::to_string(sharding.dimensions.size()) + ", expected " +
           std::to_string(type.rank()) + " as in " + type.str();
  AxesInUse in_use(sharding.mesh);
  for (size_t d = 0; d < sharding.dimensions.size(); ++d) {
    for (const ShardingAxis& axis : sharding.dimensions[d].axes) {
      if (std::string fault = in_use.add(axis); !fault.empty()) return fault;
    }
    const int64_t parts = num_parts(sharding, d), extent = type.shape()[d];
    if (extent != kDynamic && extent % parts != 0)
      return "dimension " + std::to_string(d) + " of " + type.str() + " is cut into " + std::to_string(parts) +
             " parts: got extent " + std::to_string(extent) + ", expected a multiple of " + std::to_string(parts);
  }
  for (const auto* set : {&sharding.replicated, &sharding.unreduced}) {
    for (const ShardingAxis& axis : *set) {
      if (std::string fault = in_use.add(axis); !fault.empty()) return fault;
    }
  }
  return "";
}

int64_t num_devices(const MeshAxes& mesh) {
  int64_t out = 1;
  for (const MeshAxes::Axis& axis : mesh.axes) out *= axis.size;
  return out;
}

void verify_shardings(const Function& f, const Module& module) {
  const Checker checker(f, module);
  for (size_t i = 0; i < f.arg_attrs().size() && i < f.args().size(); ++i)
    checker.value(f.arg_attrs()[i], f.type(f.args()[i]), "argument " + std::to_string(i), f.loc());
  const bool any_result =
      std::ranges::any_of(f.result_attrs(), [](const Attrs& a) { return a.has(kShardingAttribute); });
  if (any_result) {
    const std::vector<Type> types = f.result_types();
    for (size_t i = 0; i < f.result_attrs().size() && i < types.size(); ++i)
      checker.value(f.result_attrs()[i], types[i], "result " + std::to_string(i), f.loc());
  }
  for (uint32_t i = 0; i < f.num_ops(); ++i) checker.op({f, OpId{i}});
}

Sharding over_lanes(Sharding sharding) {
  sharding.dimensions.insert(sharding.dimensions.begin(),
                             DimensionSharding{.axes = {}, .is_open = true, .priority = {}});
  return sharding;
}

void fit_shardings(Function& f, const Module& module) {
  for (uint32_t i = 0; i < f.num_ops(); ++i) {
    const OpView op{f, OpId{i}};
    const Attr* attr = op.attrs().find(kShardingAttribute);
    if (attr == nullptr) continue;
    const auto* text = attr->get_if<OpaqueAttr>();
    std::optional<std::vector<Sharding>> shardings = text == nullptr ? std::nullopt : read_shardings(text->text);
    bool fits = shardings && shardings->size() == op.num_results(), changed = false;
    std::string all;
    for (size_t k = 0; fits && k < op.num_results(); ++k) {
      Sharding& one = (*shardings)[k];
      const Type t = op.result_type(k);
      if (t.is_tensor() && t.rank() == static_cast<int64_t>(one.dimensions.size()) + 1) {
        one = over_lanes(std::move(one));
        changed = true;
      }
      Sharding known = one;
      fits = (known.mesh.symbol.empty() || resolve(known.mesh, module)) && fault_of(known, t).empty();
      all += (k > 0 ? ", " : "") + text_of(one).substr(std::string_view("#sdy.sharding").size());
    }
    if (fits && !changed) continue;
    Attrs attrs = op.attrs();
    attrs.erase(kShardingAttribute);
    if (fits) attrs.set(kShardingAttribute, OpaqueAttr{"#sdy.sharding_per_value<[" + all + "]>"});
    f.set_attrs(op.id, std::move(attrs));
  }
}

int64_t num_parts(const Sharding& sharding, size_t d) {
  int64_t out = 1;
  for (const ShardingAxis& axis : sharding.dimensions[d].axes) out *= size_of(sharding, axis);
  return out;
}

std::vector<int64_t> parts_of_device(const Sharding& sharding, int64_t device) {
  const MeshAxes& mesh = sharding.mesh;
  int64_t at = device;
  if (!mesh.device_ids.empty() && !mesh.axes.empty())
    at = std::ranges::find(mesh.device_ids, device) - mesh.device_ids.begin();
  std::vector<int64_t> place(mesh.axes.size());
  for (size_t i = place.size(); i-- > 0; at /= mesh.axes[i].size) place[i] = at % mesh.axes[i].size;
  std::vector<int64_t> out;
  for (const DimensionSharding& dimension : sharding.dimensions) {
    int64_t part = 0;
    for (const ShardingAxis& axis : dimension.axes) {
      const MeshAxes::Axis* of = find_axis(mesh, axis.name);
      const int64_t size = size_of(sharding, axis), behind = of->size / (axis.before * size);
      part = part * size + place[static_cast<size_t>(of - mesh.axes.data())] / behind % size;
    }
    out.push_back(part);
  }
  return out;
}

Type part_type(const Sharding& sharding, Type whole) {
  if (!whole.is_tensor()) return whole;
  std::vector<int64_t> shape(whole.shape().begin(), whole.shape().end());
  for (size_t d = 0; d < shape.size(); ++d) shape[d] /= num_parts(sharding, d);
  return Type::tensor(whole.element_type(), shape);
}

}  // namespace weft
