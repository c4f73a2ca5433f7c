// Compilation for a named topology. The child process writes what it made to a file, which its parent reads.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "pjrt/device_code.h"
#include "pjrt/program_text.h"
#include "pjrt/several_devices.h"
#include "text/print.h"
#include "transform/inline.h"
#include "transform/split_checks.h"

namespace weft::pjrt {
namespace {

class Topology {
 public:
  Topology(const Plugin& plugin, const std::string& name, const Options& options) : plugin_(plugin) {
    const std::vector<c::NamedValue> values = named_values(options);
    c::TopologyCreateArgs args;
    args.name = name.data();
    args.name_size = name.size();
    args.options = values.data();
    args.num_options = values.size();
    plugin_.call(args);
    topology_ = args.topology;
  }
  ~Topology() {
    c::TopologyDestroyArgs args;
    args.topology = topology_;
    plugin_.release(args);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;

  size_t num_devices() const {
    c::TopologyDevicesArgs args;
    args.topology = topology_;
    plugin_.call(args);
    return args.num_descriptions;
  }

  Code compile(std::string text, const CompileSettings& settings) const {
    const c::Program program = mlir_program(text);
    const std::string options = encode_compile_options(settings);
    c::CompileArgs args;
    args.topology = topology_;
    args.program = &program;
    args.options = options.data();
    args.options_size = options.size();
    plugin_.call(args);
    return {plugin_, args.executable};
  }

 private:
  const Plugin& plugin_;
  c::Topology* topology_ = nullptr;
};

/// What the child tells of its work: figures in the order of this function.
template <class F>
void for_each_figure(CodeFigures& f, F&& visit) {
  visit(f.code_bytes);
  visit(f.argument_bytes);
  visit(f.output_bytes);
  visit(f.aliased_bytes);
  visit(f.temporary_bytes);
  visit(f.peak_bytes);
  visit(f.flops);
  visit(f.bytes_accessed);
}

/// Options whose value begins with @ are read from the file of that name.
Options with_files(Options options) {
  for (auto& [name, value] : options) {
    if (auto* text = std::get_if<std::string>(&value); text != nullptr && text->starts_with("@"))
      *text = read_file(text->substr(1));
  }
  return options;
}

bool is_for_gpus(const std::string& plugin_file) {
  const std::string name = std::filesystem::path(plugin_file).filename();
  return name.find("cuda") != std::string::npos || name.find("rocm") != std::string::npos;
}

constexpr char kUserError = 'u', kUnsupported = 'n', kInternal = 'i', kDone = 'd';

std::string compile_here(const TopologyTarget& target, std::string text) {
  const std::string file = find_plugin(target.plugin.plugin);
  const Plugin& plugin = Plugin::load(file);
  const Options options = topology_options(file, target.topology, with_files(target.plugin.options));
  // Where there is a GPU, the plugin takes that one.
  if (is_for_gpus(file) && !options.contains("target_config") && !std::filesystem::exists("/dev/nvidiactl"))
    throw UserError("PJRT plugin " + plugin.title() +
                    ": which GPU the code is for stands in an option: got none, expected target_config=@FILE with the "
                    "text of a GpuTargetConfigProto (docs/tpu.md)");
  const Topology topology(plugin, target.topology, options);
  if (static_cast<size_t>(target.settings.partitions) > topology.num_devices())
    throw UserError("the program is for " + std::to_string(target.settings.partitions) + " devices: topology " +
                    target.topology + " has " + std::to_string(topology.num_devices()));
  const auto start = std::chrono::steady_clock::now();
  const Code code = topology.compile(std::move(text), target.settings);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CodeFigures figures = code.figures();
  std::string out(1, kDone);
  out += plugin.title() + "\n" + std::to_string(topology.num_devices()) + "\n" + std::to_string(seconds) + "\n";
  for_each_figure(figures, [&](const auto& v) { out += (v ? std::to_string(*v) : "?") + "\n"; });
  return out + code.serialize();
}

std::string last_lines(const std::string& text) {
  size_t at = text.size();
  for (int i = 0; i < 6 && at != 0 && at != std::string::npos; ++i) at = text.rfind('\n', at - 1);
  return at == std::string::npos || at == 0 ? text : text.substr(at + 1);
}

}  // namespace

Options topology_options(const std::string& plugin_file, const std::string& topology, Options options) {
  if (!is_for_gpus(plugin_file) || options.contains("topology")) return options;
  const std::string shape = topology.substr(topology.rfind(':') + 1);  // the whole when there is no colon
  if (std::ranges::count(shape, 'x') == 2 && shape.find_first_not_of("0123456789x") == std::string::npos)
    options["topology"] = shape;
  return options;
}

TopologyBuild build_for_topology(const Module& module, const std::string& entry, const TopologyTarget& wanted) {
  verify(module);
  TopologyTarget target = wanted;
  DistributedProgram cut;
  SplitChecks split;
  ProgramText program;
  const DeviceNeeds needs = device_needs(module, entry);
  if (needs.distribution == Distribution::kShardings && needs.devices > 1) {
    cut = cut_program(module, entry, needs.devices, {});
    if (cut.checks.checks != nullptr)
      throw Unsupported(
          "@" + entry +
          " checks values: checks run on the host, which code for several devices of a topology is without");
    program = std::move(cut.text);
    target.settings.partitions = cut.settings.partitions;
  } else {
    const auto whole =
        needs.distribution == Distribution::kShardings ? without_shardings(module, entry) : clone_module(module);
    const auto inlined = clone_module(*whole);
    inlined->replace(inline_calls(*whole, whole->get(entry)));  // checks of callees, too
    split = split_checks(*inlined, entry, true);
    program = program_text(*split.program, entry);
    if (split.checks != nullptr) program.result_types.resize(split.num_results);
  }
  const TemporaryFolder folder;
  const std::string result = folder / "result", said = folder / "said";
  const pid_t child = fork();
  if (child < 0) throw UserError(std::string("no process for the plugin: ") + std::strerror(errno));
  if (child == 0) {
    const int to = open(said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (to >= 0) {
      dup2(to, STDERR_FILENO);
      dup2(to, STDOUT_FILENO);
    }
    std::string outcome;
    try {
      outcome = compile_here(target, std::move(program.text));
    } catch (const Unsupported& error) {
      outcome = kUnsupported + std::string(error.what());
    } catch (const UserError& error) {
      outcome = kUserError + std::string(error.what());
    } catch (const std::exception& error) { outcome = kInternal + std::string(error.what()); }
    try {
      write_file(result, outcome);
    } catch (const std::exception&) { _exit(1); }
    _exit(0);  // no destructors: they are the parent's
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::error_code ignored;
    const std::string words = std::filesystem::exists(said, ignored) ? last_lines(read_file(said)) : "";
    throw UserError("PJRT plugin " + target.plugin.plugin + " ended its process while it compiled @" + entry +
                    (WIFSIGNALED(status) ? std::string(" (") + strsignal(WTERMSIG(status)) + ")" : "") +
                    (words.empty() ? "" : "; its last words:\n" + words));
  }
  const std::string outcome = read_file(result);
  const std::string message = outcome.empty() ? "" : outcome.substr(1);
  switch (outcome.empty() ? kInternal : outcome[0]) {
    case kUserError: throw UserError(message);
    case kUnsupported: throw Unsupported(message);
    case kDone: break;
    default: throw InternalError(message);
  }
  TopologyBuild out;
  size_t at = 1;
  const auto line = [&] {
    const size_t end = outcome.find('\n', at);
    std::string text = outcome.substr(at, end - at);
    at = end + 1;
    return text;
  };
  out.plugin_title = line();
  out.num_devices = std::stoull(line());
  out.seconds = std::stod(line());
  for_each_figure(out.figures, [&](auto& v) {
    const std::string text = line();
    using Number = typename std::remove_reference_t<decltype(v)>::value_type;
    if (text != "?") v = static_cast<Number>(std::stod(text));
  });
  out.code = {.plugin = portable_name(find_plugin(target.plugin.plugin)),
              .topology = target.topology,
              .entry = entry,
              .arg_types = std::move(program.arg_types),
              .result_types = std::move(program.result_types),
              .arg_shardings = std::move(cut.arg_shardings),
              .result_shardings = std::move(cut.result_shardings),
              .checks = split.checks == nullptr ? "" : print_module(*split.checks),
              .code = outcome.substr(at)};
  return out;
}

}  // namespace weft::pjrt
