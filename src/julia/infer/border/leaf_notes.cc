#include "julia/infer/border/leaf_notes.h"

#include <algorithm>

#include "julia/host/array.h"
#include "julia/infer/state.h"
#include "julia/infer/stored.h"
#include "julia/infer/texts.h"
#include "julia/infer/wide.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using How = Abstract::Kind;

std::string field_path(const std::string& path, const DataType* type, size_t i) {
  if (type->is_tuple) return path + "[" + std::to_string(i + 1) + "]";
  return path + "." + type->field_names().at(i).text();
}

/// Leaves of an array's elements in order, as they are below an element.
void element_paths(const std::string& path, const DataType* type, std::vector<std::string>& out) {
  if (element_type(type)) {
    out.push_back(path + ": " + type_text(type));
    return;
  }
  for (size_t i = 0; i < type->field_count(); ++i)
    element_paths(field_path(path, type, i), static_cast<const DataType*>(type->field_types()[i]), out);
}

/// "2" or "1, 2": where the element stands, counted column by column from 0.
std::string position(const Extents& dims, size_t element) {
  std::string out;
  auto rest = static_cast<int64_t>(element);
  for (size_t i = 0; i < dims.size(); ++i) {
    const bool is_last = i + 1 == dims.size();
    out += (i > 0 ? ", " : "") + std::to_string((is_last ? rest : rest % dims[i]) + 1);
    if (!is_last) rest /= dims[i];
  }
  return out;
}

struct Notes {
  const std::string& entry;
  const std::vector<HeapObject>& objects;
  std::vector<std::string>& out;               // by leaf
  std::vector<std::string>* places = nullptr;  // of objects, when they are wanted
  std::string suffix = {};
  std::vector<bool> seen = std::vector<bool>(objects.size());

  void add(const Abstract& a, const std::string& path) {
    switch (a.kind) {
      case How::kScalar: put(a.ir, path + suffix + ": " + type_text(a.type)); return;
      case How::kFields:
        if (is_wide_integer(a.type)) {
          put(a.fields[0].ir, path + suffix + ": " + type_text(a.type) + ", the low 64 bits");
          put(a.fields[1].ir, path + suffix + ": " + type_text(a.type) + ", the high 64 bits");
          return;
        }
        if (is_text(a)) {
          throw Unsupported("entry " + entry + ": " + path + suffix +
                            " is a String that only the host can make from its numbers\n  fix: return the numbers");
        }
        for (size_t i = 0; i < a.fields.size(); ++i) add(a.fields[i], field_path(path, a.type, i));
        return;
      case How::kObject: add_object(a.object, path); return;
      case How::kConstant:
      case How::kUnknown:
      case How::kUndefined: return;
    }
  }

  void add_object(size_t place, const std::string& path) {
    if (seen[place]) return;
    seen[place] = true;
    if (places != nullptr) (*places)[place] = path;
    const HeapObject& o = objects[place];
    if (is_list(o)) {
      for (size_t i = 0; i < o.fields.size(); ++i) add(o.fields[i], path + "[" + position(o.dims, i) + "]");
      return;
    }
    const bool has_room = is_bounded(o);
    if (has_room) {
      add(o.fields[0], "length of " + path);
      add(o.fields[1], "whether the room of " + path + " was asked for");
    }
    if (!o.is_array && !has_room) {
      for (size_t i = 0; i < o.fields.size(); ++i) add(o.fields[i], field_path(path, o.type, i));
      return;
    }
    const std::string order = has_room            ? ", room for more behind its length"
                              : o.dims.size() > 1 ? ", column by column"
                                                  : "";
    if (o.leaves.size() == 1) {
      put(o.leaves[0], path + suffix + ": " + type_text(o.type) + order);
      return;
    }
    std::vector<std::string> parts;
    element_paths(path + "[]", static_cast<const DataType*>(o.element), parts);
    for (size_t i = 0; i < o.leaves.size() && i < parts.size(); ++i)
      put(o.leaves[i], parts[i] + " of each element" + suffix + order);
  }

 private:
  void put(IrValue leaf, std::string text) { out.at(leaf.index - kPlaceholders) = std::move(text); }
};

/// The parameters' names as the method has them.
std::vector<std::string> parameter_names(Evaluator& e, const Entry& entry) {
  std::vector<const Type*> types = {dispatch_type(entry.callee)};
  for (const Value& v : entry.arguments) types.push_back(dispatch_type(v));
  const auto target = e.impl().target_of_types(&entry.callee, entry.callee.type(), types, !entry.keywords.empty());
  std::vector<std::string> out;
  for (size_t i = 0; i < entry.arguments.size(); ++i) {
    const bool has_name = target && target->method != nullptr && i < target->method->argument_names.size();
    const std::string name = has_name ? target->method->argument_names[i].text() : "";
    out.push_back(name.empty() || name.starts_with('#') ? "argument " + std::to_string(i + 1) : name);
  }
  return out;
}

}  // namespace

LeafNotes leaf_notes(Evaluator& e, const Entry& entry, const TracedCall& traced) {
  LeafNotes out;
  out.arguments.resize(traced.types.size());
  out.results.resize(traced.results.types.size());
  const std::vector<std::string> names = parameter_names(e, entry);
  std::vector<std::string> places(traced.objects.size());
  Notes arguments{entry.name, traced.objects, out.arguments, &places};
  arguments.add(traced.arguments[0], entry.name);
  for (size_t i = 0; i < names.size(); ++i) arguments.add(traced.arguments[i + 1], names[i]);
  for (size_t i = 0; i < entry.keywords.size(); ++i)
    arguments.add(traced.arguments[names.size() + 1 + i], entry.keywords[i].name.text());
  Notes results{entry.name, traced.results.objects, out.results};
  results.suffix = " after the call";
  // An argument that is changed is named as what it was.
  for (size_t i = 0; i < traced.results.objects.size(); ++i) {
    const uint32_t id = traced.results.ids[i];
    const bool is_changed = std::ranges::find(traced.changed, id) != traced.changed.end();
    if (is_changed) results.add_object(i, places[id]);
  }
  results.suffix.clear();
  results.add(traced.results.values.front(), "value");
  return out;
}

}  // namespace weft::julia
