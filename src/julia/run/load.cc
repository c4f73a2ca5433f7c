// Modules, imports, files, and the library.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "julia/lower/carried_sources.h"
#include "julia/lower/earlier_globals.h"
#include "julia/run/impl.h"
#include "julia/run/out_of_scope.h"
#include "julia/syntax/diagnostics.h"
#include "julia/types/roots.h"
#include "julia/types/type_show.h"

namespace weft::julia {

Module* module_of(const Value& v) {
  if (!v.is_defined() || !v.is(core().module) || !v.is_reference()) return nullptr;
  return static_cast<Module*>(static_cast<const HostObject*>(v.object())->contents.get());
}

Value Evaluator::Impl::function_value(Symbol name, Module& module) {
  return Value::singleton(declare_function_type(name, module.name)->primary);
}

Value Evaluator::Impl::intrinsic_value(std::string_view name) {
  Value& v = intrinsic_values[Symbol(name)];
  if (!v.is_defined()) {
    TypeName* type = declare_function_type(Symbol(name), "Core.Intrinsics");
    intrinsics[type] = find_intrinsic(name);
    v = Value::singleton(type->primary);
  }
  return v;
}

Module& Evaluator::Impl::make_module(Symbol name, Module* parent, bool is_bare) {
  modules.push_back(std::make_unique<Module>());
  Module& m = *modules.back();
  m.name = name;
  m.parent = parent;
  m.is_bare = is_bare;
  m.is_library = is_library;
  // Modules live as long as the evaluator, whoever refers to them.
  m.value = Value::of_object(core().module, new HostObject(std::shared_ptr<void>(std::shared_ptr<void>(), &m)));
  const auto constant = [&](Symbol key, const Value& v) {
    Binding& b = own_binding(m, key);
    b.value = v;
    b.is_const = true;
  };
  constant(name, m.value);
  constant("@__MODULE__", m.value);
  if (is_bare) return m;
  if (evaluator.base_ != nullptr) m.used.push_back(evaluator.base_);
  add_include(m);
  return m;
}

void Evaluator::Impl::add_include(Module& m) {
  // include belongs to the module that calls it.
  const Value include = function_value("include", m);
  Method method;
  const std::vector<const Type*> types = {dispatch_type(include), core().any};
  method.signature = make_tuple_type(types);
  method.name = "include";
  method.argument_names = {"path"};
  method.module = m.name;
  auto body = std::make_shared<MethodBody>();
  body->module = &m;
  body->native = [&m](Evaluator& e, const Target&, std::span<const Value> a) {
    if (!a[1].is(core().string)) throw_argument_error("include: the path must be a String");
    return e.include(string_of(a[1]), m);
  };
  method.body = std::move(body);
  add_method(std::move(method), dispatch_type(include));
  Binding& b = own_binding(m, "include");
  b.value = include;
  b.is_const = true;
}

void Evaluator::Impl::run_module(const ModuleForm& form, Frame& f) {
  Module& m = make_module(
      form.name, f.module.is_library && f.module.parent == nullptr && &f.module == library_root ? nullptr : &f.module,
      form.is_bare);
  Binding& b = own_binding(f.module, form.name);
  b.value = m.value;
  b.is_const = true;
  run_top_level(*form.body, m);
}

Value Evaluator::Impl::run_top_level(const Code& code, Module& module) {
  check_stack();
  const size_t at = top;
  const Mark mark(*this);
  if (at + code.slots.size() > stack_size) throw_stack_overflow();
  top = at + code.slots.size();
  Frame f{code, module, stack + at, frame};
  const Running running(*this, f);
  Value v = nothing();
  const Form& body = code.forms[code.body];
  const bool is_block = body.kind == FormKind::kBlock;
  for (uint32_t i = 0; i < (is_block ? body.count : 1); ++i) {
    const FormId statement = is_block ? code.children[body.first + i] : code.body;
    f.node = code.forms[statement].node;
    try {
      try {
        v = eval(statement, f);
      } catch (const std::bad_alloc&) { rethrow_named(); }
    } catch (const Error&) {
      if (!failed)
        failed = TracePoint{"top-level scope", code.source->name, code.source->line_of(code.forms[statement].node)};
      if (f.node != kNoNode) trace.push_back({"top-level scope", code.source->name, code.source->line_of(f.node)});
      throw;
    }
    if (f.jump != Frame::Jump::kNone) return f.jump == Frame::Jump::kReturn ? std::move(f.result) : nothing();
  }
  return v;
}

Value Evaluator::Impl::run_text(std::string text, const std::string& file, Module& module, int first_line) {
  std::vector<Diagnostic> diagnostics;
  const std::string kept = text;
  LowerOptions options;
  options.file = file;
  options.first_line = first_line;
  options.interactive = evaluator.options().interactive && !module.is_library;
  std::unordered_set<Symbol> globals;
  if (!module.is_library) {
    options.closures = closures;
    for (const auto& [name, binding] : module.bindings) {
      if (binding->owner == &module && binding->value.is_defined()) globals.insert(name);
    }
  }
  std::unique_ptr<Code> code = lower_source(std::move(text), options, std::move(globals), diagnostics);
  if (!code) throw UserError(render_all(diagnostics, kept, file));
  if (!diagnostics.empty()) evaluator.write_error(render_all(diagnostics, kept, file));
  codes.push_back(std::move(code));
  struct File {
    std::vector<std::string>& list;
    ~File() { list.pop_back(); }
  } including{files};
  files.push_back(file);
  return run_top_level(*codes.back(), module);
}

namespace {

std::string read_text(const std::string& file) {
  if (const std::string* carried = carried_source(file)) return *carried;
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw JuliaError(
        make_exception("SystemError", {make_string("opening file " + file), number(int32_t{2}), nothing()}));
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

/// The folder of a library file within the library: "base/" of "base/Base.jl".
std::string folder_of(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

}  // namespace

Value Evaluator::include(const std::string& file, Module& module) {
  Impl& impl = *impl_;
  if (module.is_library) {
    const std::string name = folder_of(impl.files.empty() ? "" : impl.files.back()) + file;
    const LibraryFile* library = library_file(name);
    if (library == nullptr) throw InternalError("the library has no file " + name);
    impl.run_library_file(*library, module);
    return nothing();
  }
  namespace fs = std::filesystem;
  fs::path path = file;
  if (path.is_relative() && !impl.files.empty()) path = fs::path(impl.files.back()).parent_path() / path;
  return impl.run_text(read_text(path.string()), path.string(), module);
}

Value Evaluator::run(std::string text, const std::string& file, Module& module) {
  impl_->trace.clear();
  impl_->failed.reset();
  return impl_->run_text(std::move(text), file, module);
}

// ---- using, import, export -----------------------------------------------------------------------------------------------

Module* Evaluator::Impl::package(Symbol name, bool visible) {
  if (visible) set_module_visible(name, true);
  const auto it = packages.find(name);
  if (it != packages.end()) return it->second;
  std::string file = name.text() + ".jl";
  const LibraryFile* library = library_file(file);
  if (library == nullptr) {
    file = name.text() + "/" + file;
    library = library_file(file);
  }
  if (library == nullptr) return nullptr;
  struct Library {
    bool& flag;
    bool before;
    ~Library() { flag = before; }
  } loading{is_library, is_library};
  is_library = true;
  if (library_root == nullptr) library_root = &make_module("Library", nullptr, false);
  run_library_file(*library, *library_root);
  Binding* b = find_binding(*library_root, name);
  Module* m = b == nullptr ? nullptr : module_of(b->value);
  if (m == nullptr) throw InternalError("library file " + file + " has no module " + name.text());
  packages[name] = m;
  // Types that the package keeps to itself are printed with its name.
  for (const auto& [key, binding] : m->bindings) {
    if (!binding->value.is_defined() || !binding->value.is_type()) continue;
    const auto* type = as<DataType>(unwrap_union_all(binding->value.as_type()));
    if (type != nullptr && type->name->module == name && type->name->name == key)
      type->name->is_exported = m->exported.contains(key);
  }
  return m;
}

bool Evaluator::Impl::load_standard_packages() {
  if (has_standard_packages || is_library) return false;
  has_standard_packages = true;
  const size_t at = top;
  for (const char* name : {"LinearAlgebra", "Random"}) package(name, false);
  pop_to(at);
  return true;
}

Module* Evaluator::Impl::find_module(const ImportForm::Path& path, Module& from, size_t names) {
  Module* m = nullptr;
  size_t i = 0;
  if (path.dots > 0) {
    m = &from;
    for (int d = 1; d < path.dots; ++d) {
      if (m->parent == nullptr) throw_argument_error("module " + m->name.text() + " has no parent");
      m = m->parent;
    }
  } else {
    const Symbol first = path.names.at(0);
    if (first == Symbol("Main") || first == Symbol("Base") || first == Symbol("Core")) {
      m = module_of(find_binding(evaluator.base(), first)->value);
    } else {
      m = package(first);
      if (m == nullptr) {
        Binding* b = find_binding(from, first);
        if (b != nullptr) m = module_of(b->value);
      }
    }
    if (m == nullptr) throw MissingPackage(first);
    i = 1;
  }
  for (; i < names; ++i) {
    Binding* b = find_binding(*m, path.names[i]);
    Module* inner = b == nullptr ? nullptr : module_of(b->value);
    if (inner == nullptr)
      throw JuliaError(
          make_exception("UndefVarError", {Value::of_symbol(path.names[i]), number(uint64_t{1}), m->value}));
    m = inner;
  }
  return m;
}

void Evaluator::Impl::run_import(const ImportForm& form, Frame& f) {
  Module& here = f.module;
  using What = ImportForm::What;
  const auto bind = [&](Module& from, Symbol name, Symbol as) {
    Binding* b = find_binding(from, name);
    if (b == nullptr && from.is_library && name.text().starts_with('@')) return;  // macros are known by name
    if (b == nullptr) {
      evaluator.write_error("WARNING: could not import " + from.qualified_name() + "." + name.text() + " into " +
                            here.qualified_name() + "\n");
      return;
    }
    here.bindings[as ? as : name] = b;
    here.found.erase(as ? as : name);
  };
  for (const ImportForm::Path& p : form.paths) {
    if (form.what == What::kExport || form.what == What::kPublic) {
      if (form.what == What::kExport) here.exported.insert(p.names.at(0));
      continue;
    }
    if (form.has_from) {
      bind(*find_module(form.from, here, form.from.names.size()), p.names.at(0), p.as);
      continue;
    }
    if (form.what == What::kUsing) {
      Module* m = find_module(p, here, p.names.size());
      if (std::ranges::find(here.used, m) == here.used.end() && m != &here) here.used.push_back(m);
      here.found.clear();
      if (!p.names.empty() && !here.bindings.contains(m->name)) {
        Binding& b = own_binding(here, m->name);
        b.value = m->value;
        b.is_const = true;
      }
      continue;
    }
    // import A.B.c: a module, or a name of one.
    const size_t last = p.names.size();
    const bool is_module = last == 1 && p.dots == 0;
    if (is_module) {
      Module* m = find_module(p, here, 1);
      Binding& b = own_binding(here, p.as ? p.as : m->name);
      b.value = m->value;
      b.is_const = true;
      continue;
    }
    bind(*find_module(p, here, last - 1), p.names.back(), p.as);
  }
  if (form.has_from && form.paths.empty()) find_module(form.from, here, form.from.names.size());
}

// ---- Base ------------------------------------------------------------------------------------------------------------------

void Evaluator::Impl::load_base() {
  is_library = true;
  Module& core_module = make_module("Core", nullptr, true);
  evaluator.base_ = &make_module("Base", nullptr, true);
  Module& base = *evaluator.base_;
  const auto constant = [&](Symbol key, const Value& v) {
    Binding& b = own_binding(base, key);
    b.value = v;
    b.is_const = true;
  };
  for (const std::string& full : builtin_type_names()) {
    const size_t dot = full.rfind('.');
    const std::string name = dot == std::string::npos ? full : full.substr(dot + 1);
    if (name.starts_with('#') || full.starts_with("LinearAlgebra.")) continue;
    constant(name, Value::of_type(builtin_type(full)));
    if (dot == std::string::npos) base.exported.insert(name);
  }
  constant("Union", Value::of_type(core().union_type));
  constant("Vararg", Value::of_type(roots().vararg_name->wrapper));
  constant("Core", core_module.value);
  for (const char* name : {"Union", "Vararg", "Base", "Core", "Main"}) base.exported.insert(name);
  core_module.used.push_back(&base);
  TypeName* box = declare_type("Box", "Core", Flavour::kMutable, {});
  set_fields(box, {"contents"}, {core().any});
  box_type = box->primary;
  is_library = false;
  evaluator.main_ = &make_module("Main", nullptr, false);
  constant("Main", evaluator.main_->value);
  is_library = true;
  base.is_bare = false;
  add_include(base);
  const LibraryFile* library = library_file("base/Base.jl");
  if (library == nullptr) throw InternalError("the library has no Base");
  run_library_file(*library, base);
  for (const char* name : {"bitcast", "donotdelete", "kwcall"}) {  // of Core, and not exported
    Binding& b = own_binding(core_module, name);
    b.value = find_binding(base, name)->value;
    b.is_const = true;
  }
  is_library = false;
}

Value Evaluator::base_function(std::string_view name) {
  Value& v = impl_->base_functions[Symbol(name)];
  if (!v.is_defined()) {
    Binding* b = find_binding(*base_, Symbol(name));
    if (b == nullptr || !b->value.is_defined()) throw InternalError("Base has no " + std::string(name));
    v = b->value;
  }
  return v;
}

Value Evaluator::call_base(std::string_view name, std::initializer_list<Value> arguments) {
  return call(base_function(name), std::span<const Value>(arguments.begin(), arguments.size()));
}

}  // namespace weft::julia
