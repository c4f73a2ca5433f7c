// Modules, imports and exports.
#include "julia/lower/lowerer.h"
#include "julia/syntax/literals.h"

namespace weft::julia {

FormId Lowerer::module_form(NodeId id) {
  ModuleForm module;
  module.name = name_of(child(id, 0));
  module.is_bare = tree()[id].has(Node::kForm);
  module.body = std::make_unique<Code>();
  module.body->source = source_;
  module.body->name = "top-level scope";
  Lowerer(source_, *module.body).top_level(child(id, 1));
  code_.modules.push_back(std::move(module));
  return form(FormKind::kModule, static_cast<uint32_t>(code_.modules.size() - 1));
}

ImportForm::Path Lowerer::import_path(NodeId id) const {
  ImportForm::Path path;
  if (is(id, Kind::kAs)) {
    path = import_path(child(id, 0));
    path.as = name_of(child(id, 1));
    return path;
  }
  if (!is(id, Kind::kImportPath)) {
    path.names.push_back(is(id, Kind::kMacroName) ? Symbol("@" + name_of(child(id, 0)).text()) : name_of(id));
    return path;
  }
  for (const NodeId c : children(id)) {
    const bool dot = path.names.empty() && tree().text(c).find_first_not_of('.') == std::string_view::npos;
    if (dot) {
      path.dots += static_cast<int>(tree().text(c).size());
    } else if (is(c, Kind::kMacroName)) {
      path.names.push_back("@" + name_of(child(c, 0)).text());
    } else if (is(c, Kind::kQuoteExpr)) {
      path.names.push_back(name_of(tree().unparen(child(c, 0))));
    } else {
      path.names.push_back(name_of(c));
    }
  }
  return path;
}

FormId Lowerer::import_form(NodeId id) {
  ImportForm import;
  import.what = is(id, Kind::kUsing) ? ImportForm::What::kUsing : ImportForm::What::kImport;
  auto paths = children(id);
  if (paths.size() == 1 && is(paths[0], Kind::kImportFrom)) {
    paths = children(paths[0]);
    import.has_from = true;
    import.from = import_path(paths[0]);
    paths = paths.subspan(1);
  }
  for (const NodeId p : paths) import.paths.push_back(import_path(p));
  code_.imports.push_back(std::move(import));
  return form(FormKind::kImport, static_cast<uint32_t>(code_.imports.size() - 1));
}

FormId Lowerer::export_form(NodeId id) {
  ImportForm names;
  names.what = is(id, Kind::kExport) ? ImportForm::What::kExport : ImportForm::What::kPublic;
  for (NodeId c : children(id)) names.paths.push_back(import_path(tree().unparen(c)));
  code_.imports.push_back(std::move(names));
  return form(FormKind::kImport, static_cast<uint32_t>(code_.imports.size() - 1));
}

}  // namespace weft::julia
