// Programs compiled for devices that are elsewhere, and the files that hold them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ops/distribution/sharding.h"
#include "pjrt/client.h"

namespace weft::pjrt {

/// Compiled code with what a caller must know of it.
struct DeviceCode {
  std::string plugin;    // as find_plugin takes it: "tpu"
  std::string topology;  // "v5e:2x2"
  std::string entry;
  std::vector<Type> arg_types, result_types;
  /// How they are cut over the devices, with their meshes; empty: the code is for one device.
  std::vector<Sharding> arg_shardings, result_shardings;
  /// Text of a module with the function "checks" of what the code returns after its results; may be empty.
  std::string checks;
  std::string code;  // as the plugin serialised it
};

/// Besides the code what compiling it showed.
struct TopologyBuild {
  DeviceCode code;
  CodeFigures figures;
  std::string plugin_title;
  size_t num_devices = 0;
  double seconds = 0;  // of the plugin's compilation
};

struct TopologyTarget {
  PluginSpec plugin;     // options are the topology's ("num_slices=2", "target_config=@FILE")
  std::string topology;  // the plugin's name for it: "v5e:2x2"
  CompileSettings settings;
};

/// The options with which a plugin makes the topology of that name. To plugins for GPUs the name says nothing: their option `topology`
/// is the shape that stands in it ("h200:1x1x4": slices, hosts of each, GPUs of each), unless it is given.
Options topology_options(const std::string& plugin_file, const std::string& topology, Options options);

/// Compiles the entry of a module for devices that this machine need not have: for one of them, or for as many as its shardings name. The plugin runs in a process of its own, since plugins
/// end the process on some programs: that, too, is a UserError here, with the plugin's last words. To be called before the plugin was loaded in
/// this process. Throws Unsupported for what PJRT does not take.
TopologyBuild build_for_topology(const Module& module, const std::string& entry, const TopologyTarget& target);

/// One file: a few lines of text that say what it is, the checks, then the code.
std::string write_device_code(const DeviceCode& code);
bool is_device_code(std::string_view file);
/// UserError when the file is damaged or of another version. `name` is for messages.
DeviceCode read_device_code(std::string_view file, const std::string& name);

/// Code from a file on a client's device.
std::unique_ptr<Executable> load_device_code(std::shared_ptr<const Client> client, const DeviceCode& code);

}  // namespace weft::pjrt
