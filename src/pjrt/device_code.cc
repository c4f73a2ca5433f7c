#include "pjrt/device_code.h"

#include <charconv>

#include "pjrt/executable.h"
#include "text/parse.h"

namespace weft::pjrt {
namespace {

constexpr std::string_view kMagic = "weft device code 1\n";

std::string signature(const DeviceCode& code) {
  std::string out = "func.func private @main(";
  for (size_t i = 0; i < code.arg_types.size(); ++i) out += (i == 0 ? "" : ", ") + code.arg_types[i].str();
  out += ") -> (";
  for (size_t i = 0; i < code.result_types.size(); ++i) out += (i == 0 ? "" : ", ") + code.result_types[i].str();
  return out + ")";
}

}  // namespace

std::string write_device_code(const DeviceCode& code) {
  return std::string(kMagic) + "plugin: " + code.plugin + "\ntopology: " + code.topology + "\nentry: " + code.entry +
         "\nsignature: " + signature(code) + "\nbytes: " + std::to_string(code.code.size()) + "\n" + code.code;
}

bool is_device_code(std::string_view file) { return file.starts_with(kMagic.substr(0, kMagic.size() - 2)); }

DeviceCode read_device_code(std::string_view file, const std::string& name) {
  const auto damaged = [&](const std::string& what) {
    return UserError(name + ": " + what + "; expected a file that weft build --pjrt-topology wrote");
  };
  if (!file.starts_with(kMagic)) throw damaged("not device code of version 1");
  file.remove_prefix(kMagic.size());
  const auto field = [&](std::string_view key) {
    const size_t end = file.find('\n');
    const std::string_view line = file.substr(0, end);
    if (end == std::string_view::npos || !line.starts_with(key) || line.substr(key.size(), 2) != ": ")
      throw damaged("no line \"" + std::string(key) + "\"");
    file.remove_prefix(end + 1);
    return std::string(line.substr(key.size() + 2));
  };
  DeviceCode out;
  out.plugin = field("plugin");
  out.topology = field("topology");
  out.entry = field("entry");
  const std::unique_ptr<Module> types = parse_module(field("signature"), name);
  const Function& main = types->get("main");
  out.arg_types = main.arg_types();
  out.result_types = main.result_types();
  const std::string count = field("bytes");
  size_t bytes = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), bytes);
  if (error != std::errc() || end != count.data() + count.size() || bytes != file.size())
    throw damaged("the code has " + std::to_string(file.size()) + " bytes where the file says " + count);
  out.code = file;
  return out;
}

std::unique_ptr<Executable> load_device_code(std::shared_ptr<const Client> client, const DeviceCode& code) {
  std::unique_ptr<LoadedCode> loaded = client->load(code.code);
  return make_executable(
      std::move(client), std::move(loaded),
      {.arg_types = code.arg_types, .computed_types = code.result_types, .checks = {}, .donations = {}});
}

}  // namespace weft::pjrt
