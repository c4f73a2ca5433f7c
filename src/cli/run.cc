// `weft run`: values in, values out.
#include <fstream>
#include <iostream>

#include "base/file.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/interrupt_on_signal.h"
#include "cli/io/inputs.h"
#include "cli/io/outputs.h"
#include "cli/refine.h"
#include "cli/source.h"
#include "cli/tensor_text.h"
#include "pjrt/device_code.h"
#include "transform/refine_shapes.h"

namespace weft::cli {
namespace {

void expect_tensors(const Module& module, const std::string& entry) {
  const std::vector<Type> results = module.get(entry).result_types();
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string label = "@" + entry + ": result " + std::to_string(i) + " is a " + results[i].str();
    if (!results[i].is_tensor()) throw Unsupported(label + ": only tensors can be printed or written");
    if (!results[i].is_static()) throw Unsupported(label + ", whose extents depend on data");
  }
}

/// The program as one for all extents, where the target has such a form of it; else null.
std::unique_ptr<Executable> compiled_open(const RunOptions& options, const std::shared_ptr<Module>& module,
                                          const std::string& entry, const CompileOptions& compile) {
  if (options.target == "eval") return nullptr;
  try {
    auto whole = get_target(options.target).compile(module, entry, compile);
    if (whole->has_open_extents()) return whole;
  } catch (const Unsupported&) {}  // what depends on data may be known from the inputs
  return nullptr;
}

/// The call with these arguments, whose small integers may decide extents.
HotCall call_of(const Function& f, const std::vector<Tensor>& args) {
  constexpr int64_t kMostElements = 64;
  HotCall call;
  for (size_t i = 0; i < args.size(); ++i) {
    call.arg_types.push_back(Type::tensor(args[i].element_type(), args[i].shape()));
    const Type declared = f.type(f.args()[i]);
    if (is_integer(args[i].element_type()) && !declared.is_quantized() && args[i].shape().size() <= 1 &&
        args[i].size() <= kMostElements)
      call.elements.emplace(i, args[i]);
  }
  return call;
}

std::unique_ptr<Executable> for_inputs(const Executable& whole, const std::vector<Tensor>& args) {
  std::vector<Type> types;
  std::vector<const void*> elements;
  for (const Tensor& t : args) {
    types.push_back(Type::tensor(t.element_type(), t.shape()));
    elements.push_back(t.raw());
  }
  return whole.for_extents(types, elements.data());
}

std::string as_json(const std::vector<Tensor>& results, std::span<const Type> types,
                    const std::vector<std::string>& paths) {
  std::string out = "{\"results\": [";
  for (size_t i = 0; i < results.size(); ++i) {
    out += i ? ",\n  " : "\n  ";
    out += paths.empty() ? tensor_json(results[i], types[i])
                         : "{" + type_json(results[i], types[i]) + ", \"file\": " + json_string(paths[i]) + "}";
  }
  return out + (results.empty() ? "]}\n" : "\n]}\n");
}

/// What is called, and with what.
struct Call {
  std::unique_ptr<Executable> whole, executable;  // whole: what the executable is a part of
  std::vector<Tensor> args;
};

Call call_program(const RunOptions& options, Timings& timings) {
  const std::shared_ptr<Module> module = timings.time("parse and verify", [&] { return load(options.file); });
  const std::string entry = entry_of(*module, options.entry);
  Call call;
  const std::vector<Tensor>& args = call.args = read_inputs(module->get(entry), options.inputs);
  CompileOptions compile;
  timings.apply(compile);
  // Machines read standard output as one JSON value.
  if (options.json) compile.print = [](const std::string& text) { std::cerr << text; };
  if (!options.memory_limit.empty()) compile.memory_limit = parse_memory_size(options.memory_limit, "--memory-limit");
  auto& [whole, executable, unused] = call;
  if (needs_refinement(*module, entry)) {
    if (options.specialize) compile.hot_calls.push_back(call_of(module->get(entry), args));
    whole = compiled_open(options, module, entry, compile);
    compile.hot_calls.clear();
    if (whole != nullptr) {
      executable = for_inputs(*whole, args);
    } else {
      refine_to(*module, entry, args);
    }
  }
  if (executable == nullptr) {
    expect_tensors(*module, entry);
    executable = get_target(options.target).compile(module, entry, compile);
  }
  return call;
}

Call call_device_program(const std::string& bytes, const RunOptions& options) {
  DeviceProgram program = load_device_program(bytes, options);
  Call call;
  call.args = read_inputs(program.signature->get(program.entry), options.inputs);
  call.executable = std::move(program.executable);
  return call;
}

/// Whether the file is code for a device. Standard input is a program.
bool holds_device_code(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(64, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return file != "-" && pjrt::is_device_code(start);
}

}  // namespace

int run(const RunOptions& options) {
  Timings timings(options.compile);
  const Call call = holds_device_code(options.file) ? call_device_program(read_file(options.file), options)
                                                    : call_program(options, timings);
  std::vector<Tensor> results;
  try {
    const InterruptOnSignal interruptible;
    results = timings.time("first call", [&] { return call.executable->run(call.args); });
  } catch (const UserError& error) {
    if (!InterruptOnSignal::has_happened()) throw;
    std::cerr << "weft: " << error.what() << "\n";
    return kInterrupted;
  }
  const auto types = call.executable->result_types();
  std::vector<std::string> paths;
  if (!options.out.empty()) paths = write_results(options.out, results);
  if (options.json) {
    std::cout << as_json(results, types, paths);
  } else if (options.out.empty()) {
    for (size_t i = 0; i < results.size(); ++i)
      std::cout << tensor_text(results[i], types[i], {.full = options.full}) << "\n";
  }
  return 0;
}

}  // namespace weft::cli
