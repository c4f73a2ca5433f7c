// run, check, fmt, explain, build: one program in, one answer out.
#include <filesystem>
#include <iostream>

#include "base/diagnostic.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/npy.h"
#include "cli/tensor_text.h"
#include "text/cursor.h"
#include "text/literals.h"
#include "text/parse.h"
#include "text/print.h"
#include "transform/refine_shapes.h"

namespace weft::cli {

std::unique_ptr<Module> load(const std::string& file) { return parse_module(read_file(file), file); }

std::string entry_of(const Module& module, const std::string& given) {
  if (!given.empty()) return module.get(given).name();
  if (module.find("main") != nullptr) return "main";
  if (module.functions().size() == 1) return module.functions()[0]->name();
  return module.get("main").name();
}

namespace {

/// A .npy file, or the text of the elements.
Tensor read_input(const std::string& given, Type type, size_t position) {
  if (!type.is_tensor())
    throw Unsupported("argument " + std::to_string(position) + " is a " + type.str() + ": only tensors can be given");
  if (given.ends_with(".npy")) return read_npy(given, type);
  if (!type.is_static())
    throw UserError("argument " + std::to_string(position) + " of type " + type.str() + " needs a .npy file");
  text::Cursor cursor(given, intern_file("--input " + std::to_string(position), given));
  const Literal literal = text::parse_dense_content(cursor, type);
  if (!cursor.at_end()) cursor.fail_expected("the end", "an input");
  return literal.materialize();
}

}  // namespace

int run(const RunOptions& options) {
  const std::shared_ptr<Module> module = load(options.file);
  const std::string entry = entry_of(*module, options.entry);
  const std::vector<Type> types = module->get(entry).arg_types();
  if (options.inputs.size() != types.size()) {
    std::string list;
    for (Type t : types) list += (list.empty() ? "" : ", ") + t.str();
    throw UserError("@" + entry + ": got " + std::to_string(options.inputs.size()) + " inputs, expected " +
                    std::to_string(types.size()) +
                    (types.empty() ? "" : " (" + list + "); give --input once for each"));
  }
  std::vector<Tensor> args;
  for (size_t i = 0; i < types.size(); ++i) args.push_back(read_input(options.inputs[i], types[i], i));
  if (needs_refinement(*module, entry)) {
    std::vector<Type> given;
    for (const Tensor& t : args) given.push_back(Type::tensor(t.element_type(), t.shape()));
    refine_shapes(*module, entry, given);
    for (Type t : module->get(entry).result_types()) {
      if (t.is_tensor() && !t.is_static())
        throw Unsupported("@" + entry + " has a result " + t.str() + " whose extents depend on data");
    }
  }
  const auto executable = get_target(options.target).compile(module, entry);
  const std::vector<Tensor> results = executable->run(args);
  if (!options.out.empty()) std::filesystem::create_directories(options.out);
  for (size_t i = 0; i < results.size(); ++i) {
    if (options.out.empty()) {
      std::cout << tensor_text(results[i]) << "\n";
    } else {
      write_npy(options.out + "/result" + std::to_string(i) + ".npy", results[i]);
    }
  }
  std::cout.flush();
  return 0;
}

int check(const std::string& file) {
  load(file);
  return 0;
}

int fmt(const std::string& file, bool generic) {
  std::cout << print_module(*load(file), {generic});
  return 0;
}

int explain(const std::string& file, const std::string& entry, const std::string& target) {
  const std::shared_ptr<const Module> module = load(file);
  std::cout << get_target(target).compile(module, entry_of(*module, entry))->explain();
  return 0;
}

int build(const std::string& file, const std::string& entry, const BuildOptions& options) {
  const std::unique_ptr<Module> module = load(file);
  build_library(*module, entry_of(*module, entry), options);
  return 0;
}

}  // namespace weft::cli
