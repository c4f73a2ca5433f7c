// `weft build --pjrt-topology`: a program compiled for devices that are elsewhere; and `weft run` of such a file where they are.
#include <iomanip>
#include <iostream>
#include <sstream>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/io/inputs.h"
#include "cli/source.h"
#include "pjrt/device_code.h"
#include "pjrt/pjrt_target.h"

namespace weft::cli {
namespace {

/// 1234567 as "1.23 M".
std::string amount(double v) {
  constexpr const char* kUnits[] = {"", " k", " M", " G", " T"};
  size_t unit = 0;
  while (v >= 1000 && unit + 1 < std::size(kUnits)) {
    v /= 1000;
    ++unit;
  }
  std::ostringstream out;
  out << std::setprecision(unit == 0 ? 6 : 3) << v << kUnits[unit];
  return out.str();
}

void report(const pjrt::TopologyBuild& built, const std::string& output, size_t file_bytes) {
  const pjrt::CodeFigures& f = built.figures;
  const auto line = [](const char* name, const std::string& value) {
    std::cout << std::left << std::setw(20) << name << value << "\n";
  };
  const auto bytes = [&](const char* name, const std::optional<int64_t>& value) {
    if (value) line(name, amount(static_cast<double>(*value)) + "B");
  };
  line("file", output + ", " + amount(static_cast<double>(file_bytes)) + "B");
  line("plugin", built.plugin_title);
  line("topology", built.code.topology + ", " + std::to_string(built.num_devices) + " devices");
  const std::vector<Sharding>& cut =
      built.code.arg_shardings.empty() ? built.code.result_shardings : built.code.arg_shardings;
  if (!cut.empty()) line("cut over", describe(cut[0].mesh) + ", bytes are of one device");
  std::ostringstream seconds;
  seconds << std::setprecision(3) << built.seconds << " s";
  line("compiled in", seconds.str());
  bytes("code", f.code_bytes);
  bytes("arguments", f.argument_bytes);
  bytes("results", f.output_bytes);
  bytes("temporaries", f.temporary_bytes);
  bytes("peak", f.peak_bytes);
  if (f.flops) line("arithmetic", amount(*f.flops) + "FLOP");
  if (f.bytes_accessed) line("memory traffic", amount(*f.bytes_accessed) + "B");
}

}  // namespace

int build_for_topology(const std::string& file, const std::string& entry, const TopologyBuildOptions& options) {
  const std::unique_ptr<Module> module = load(file);
  pjrt::TopologyTarget target;
  target.plugin = pjrt::parse_plugin_spec(options.plugin.empty() ? "tpu" : options.plugin);
  target.topology = options.topology;
  const pjrt::TopologyBuild built = pjrt::build_for_topology(*module, entry_of(*module, entry), target);
  const std::string bytes = pjrt::write_device_code(built.code);
  write_file(options.output, bytes);
  report(built, options.output, bytes.size());
  return 0;
}

DeviceProgram load_device_program(const std::string& bytes, const RunOptions& options) {
  const pjrt::DeviceCode code = pjrt::read_device_code(bytes, options.file);
  const bool is_named = options.target.starts_with("pjrt:");
  if (!is_named && options.target != "native")  // the default
    throw UserError(options.file + " holds code for " + code.topology + ": --target " + options.target +
                    " cannot run it, expected pjrt:PLUGIN");
  DeviceProgram out;
  auto module = std::make_shared<Module>();
  auto main = std::make_unique<Function>(code.entry);
  for (Type t : code.arg_types) main->add_arg(main->body(), t);
  main->declare_results(code.result_types);
  main->set_declaration(true);
  module->add(std::move(main));
  out.signature = module;
  out.entry = code.entry;
  out.executable = pjrt::load_device_code(
      pjrt::client_of(is_named ? options.target.substr(std::string_view("pjrt:").size()) : code.plugin), code);
  return out;
}

}  // namespace weft::cli
