// Where plugins lie: a path, an environment variable, and the folders of Python's installed packages, whose wheels carry plugins.
#include <cstdlib>
#include <filesystem>
#include <set>

#include "pjrt/plugin.h"

namespace weft::pjrt {
namespace {

namespace fs = std::filesystem;

struct Wheel {
  const char* name;  // as pip knows it
  const char* kind;  // what it runs on
  const char* file;  // below site-packages
};

// Of a kind, the first that is there is taken.
constexpr Wheel kWheels[] = {
    {"lammps-jax-pjrt-cpu", "cpu", "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so"},
    {"fastatomstruct-xla-cpu", "cpu", "fastatomstruct_xla_cpu/libpjrt_cpu.so"},
    {"xla-cpu-pjrt", "cpu", "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"},
    {"libtpu", "tpu", "libtpu/libtpu.so"},
    {"jax-cuda13-pjrt", "gpu", "jax_plugins/xla_cuda13/xla_cuda_plugin.so"},
    {"jax-cuda12-pjrt", "gpu", "jax_plugins/xla_cuda12/xla_cuda_plugin.so"},
};

/// Folders of packages below `root`/lib/python3*/.
void add_packages(const fs::path& root, std::vector<fs::path>& out) {
  std::error_code error;
  std::set<fs::path> found;  // in order of names
  for (const fs::directory_entry& e : fs::directory_iterator(root / "lib", error)) {
    if (!e.path().filename().string().starts_with("python3")) continue;
    for (const char* name : {"site-packages", "dist-packages"}) {
      if (fs::is_directory(e.path() / name, error)) found.insert(e.path() / name);
    }
  }
  out.insert(out.end(), found.rbegin(), found.rend());
}

std::vector<fs::path> package_folders() {
  std::vector<fs::path> out;
  if (const char* given = std::getenv("PYTHONPATH")) {
    const std::string list = given;
    for (size_t from = 0; from < list.size();) {
      const size_t to = std::min(list.find(':', from), list.size());
      if (to > from) out.emplace_back(list.substr(from, to - from));
      from = to + 1;
    }
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const char* root = std::getenv(variable)) add_packages(root, out);
  }
  if (const char* home = std::getenv("HOME")) add_packages(fs::path(home) / ".local", out);
  add_packages("/usr/local", out);
  add_packages("/usr", out);
  return out;
}

}  // namespace

std::string find_plugin(const std::string& name) {
  std::string wanted = name;
  if (wanted.empty()) {
    const char* given = std::getenv("WEFT_PJRT_PLUGIN");
    if (given == nullptr || *given == '\0')
      throw UserError(
          "target pjrt: no plugin named; write pjrt:PATH or pjrt:cpu, or set the environment variable "
          "WEFT_PJRT_PLUGIN");
    wanted = given;
  }
  if (wanted.find('/') != std::string::npos || wanted.ends_with(".so")) {
    std::error_code error;
    if (!fs::is_regular_file(wanted, error)) throw UserError("target pjrt: there is no file " + wanted);
    return wanted;
  }
  std::string names;
  bool known = false;
  for (const Wheel& wheel : kWheels) {
    known = known || wanted == wheel.name || wanted == wheel.kind;
    names += (names.empty() ? "" : ", ") + std::string(wheel.name);
  }
  if (!known)
    throw UserError("target pjrt: there is no plugin \"" + wanted +
                    "\"; give the path of a library, or cpu, tpu, gpu, or a wheel of " + names);
  std::string looked;
  for (const fs::path& folder : package_folders()) {
    for (const Wheel& wheel : kWheels) {
      std::error_code error;
      if ((wanted == wheel.name || wanted == wheel.kind) && fs::is_regular_file(folder / wheel.file, error))
        return folder / wheel.file;
    }
    looked += (looked.empty() ? "" : ", ") + folder.string();
  }
  std::string install;
  for (const Wheel& wheel : kWheels) {
    if (wanted == wheel.name || wanted == wheel.kind) {
      install = wheel.name;
      break;
    }
  }
  throw UserError("target pjrt: no plugin for \"" + wanted + "\" in " +
                  (looked.empty() ? "any folder of Python packages" : looked) + "; `pip install " + install +
                  "`, or give the library's path");
}

std::string portable_name(const std::string& name) {
  const fs::path file = fs::path(name).filename();
  for (const Wheel& wheel : kWheels) {
    if (fs::path(wheel.file).filename() == file) return wheel.kind;
  }
  return name;
}

}  // namespace weft::pjrt
