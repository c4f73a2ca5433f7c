// A PJRT plugin: a shared library with one entry that returns a table of functions. Loaded once, never unloaded (plugins keep threads).
#pragma once
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "pjrt/c_api.h"
#include "weft/error.h"

namespace weft::pjrt {

/// A value of an option or attribute.
using OptionValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;
using Options = std::map<std::string, OptionValue>;

/// What a plugin is asked for: `PLUGIN[,option=value…]`. PLUGIN is a path, or a name that `find_plugin` knows.
struct PluginSpec {
  std::string plugin;
  Options options;
};
/// Options that read as integers are integers, `true` and `false` booleans, `1:2:3` lists of integers, others text. UserError at a part
/// without "=".
PluginSpec parse_plugin_spec(std::string_view spec);

/// The library of a plugin. `name`: a path, or one of "cpu", "tpu", "gpu", or the name of a Python wheel that holds a plugin
/// (plugin_files.h). Empty: the environment variable WEFT_PJRT_PLUGIN. UserError lists the places that were looked at.
std::string find_plugin(const std::string& name);

/// The name by which find_plugin finds a plugin of this file's kind on another machine: "tpu" for …/libtpu.so. The path itself where there
/// is none.
std::string portable_name(const std::string& name);

class Plugin {
 public:
  /// Loads, checks version and size of the table, initialises. The same object for the same file. UserError when there is no such library,
  /// Unsupported when it is no plugin or one too old.
  static const Plugin& load(const std::string& path);

  const std::string& path() const { return path_; }
  /// File name and version, for messages.
  const std::string& title() const { return title_; }
  int minor_version() const { return api_->version.minor; }
  /// "stablehlo_current_version": {1, 13, 3}, "xla_version": 2, …
  const Options& attributes() const { return attributes_; }
  bool has(c::Entry entry) const;

  /// Calls an entry. Unsupported when the plugin lacks it or says "unimplemented", else UserError with the plugin's code and message.
  template <class Args>
  void call(Args& args) const {
    args.struct_size = c::used_bytes(args);
    if (c::Error* error = function(Args::kEntry)(&args)) raise(error, Args::kEntry);
  }
  /// For destructors: what goes wrong is dropped.
  template <class Args>
  void release(Args& args) const noexcept {
    if (!has(Args::kEntry)) return;
    args.struct_size = c::used_bytes(args);
    if (c::Error* error = api_->functions[static_cast<size_t>(Args::kEntry)](&args)) drop(error);
  }
  /// Waits for an event, destroys it, and raises the error that it carries.
  void finish(c::Event* event) const;

 private:
  Plugin(std::string path, const c::Api* api);
  c::Function function(c::Entry entry) const;
  [[noreturn]] void raise(c::Error* error, c::Entry entry) const;
  void drop(c::Error* error) const noexcept;

  std::string path_, title_;
  const c::Api* api_;
  Options attributes_;
};

/// Options in the form of the C API; pointers into `options`, which must outlive the result.
std::vector<c::NamedValue> named_values(const Options& options);
/// Values that a plugin gave.
Options options_of(const c::NamedValue* values, size_t count);

}  // namespace weft::pjrt
