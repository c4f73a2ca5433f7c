#include "pjrt/device_code.h"

#include <charconv>

#include "pjrt/executable.h"
#include "pjrt/several_devices.h"
#include "text/parse.h"

namespace weft::pjrt {
namespace {

constexpr std::string_view kMagic = "weft device code 2\n";

/// "tensor<4xf32> {sdy.sharding = …}, …"
std::string list(const std::vector<Type>& types, const std::vector<Sharding>& shardings) {
  std::string out;
  for (size_t i = 0; i < types.size(); ++i) {
    out += (i == 0 ? "" : ", ") + types[i].str();
    if (!shardings.empty()) out += " {" + std::string(kShardingAttribute) + " = " + text_of(shardings[i]) + "}";
  }
  return out;
}

std::string signature(const DeviceCode& code) {
  return "func.func private @main(" + list(code.arg_types, code.arg_shardings) + ") -> (" +
         list(code.result_types, code.result_shardings) + ")";
}

/// One for each, or none at all.
std::vector<Sharding> shardings_of(const std::vector<Attrs>& attrs) {
  std::vector<Sharding> out;
  for (const Attrs& a : attrs) {
    const Attr* attr = a.find(kShardingAttribute);
    const auto* text = attr == nullptr ? nullptr : attr->get_if<OpaqueAttr>();
    if (auto sharding = text == nullptr ? std::nullopt : read_sharding(text->text)) out.push_back(*std::move(sharding));
  }
  return out;
}

}  // namespace

std::string write_device_code(const DeviceCode& code) {
  return std::string(kMagic) + "plugin: " + code.plugin + "\ntopology: " + code.topology + "\nentry: " + code.entry +
         "\nsignature: " + signature(code) + "\nchecks: " + std::to_string(code.checks.size()) +
         "\nbytes: " + std::to_string(code.code.size()) + "\n" + code.checks + code.code;
}

bool is_device_code(std::string_view file) { return file.starts_with(kMagic.substr(0, kMagic.size() - 2)); }

DeviceCode read_device_code(std::string_view file, const std::string& name) {
  const auto damaged = [&](const std::string& what) {
    return UserError(name + ": " + what + "; expected a file that weft build --pjrt-topology wrote");
  };
  if (!file.starts_with(kMagic)) throw damaged("not device code of version 2");
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
  out.arg_shardings = shardings_of(main.arg_attrs());
  out.result_shardings = shardings_of(main.result_attrs());
  const size_t cut = out.arg_shardings.size() + out.result_shardings.size();
  if (cut != 0 && cut != out.arg_types.size() + out.result_types.size())
    throw damaged("some arguments and results have shardings and some have none");
  const auto count = [&](std::string_view key) {
    const std::string text = field(key);
    size_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
      throw damaged(std::string(key) + ": got " + text + ", expected a number of bytes");
    return n;
  };
  const size_t checks = count("checks"), bytes = count("bytes");
  if (checks > file.size() || bytes != file.size() - checks)
    throw damaged("checks and code have " + std::to_string(file.size()) + " bytes where the file says " +
                  std::to_string(checks) + " and " + std::to_string(bytes));
  out.checks = file.substr(0, checks);
  out.code = file.substr(checks);
  return out;
}

std::unique_ptr<Executable> load_device_code(std::shared_ptr<const Client> client, const DeviceCode& code) {
  Signature signature{.arg_types = code.arg_types, .computed_types = code.result_types, .checks = {}, .donations = {}};
  if (!code.checks.empty()) {
    signature.checks.checks = parse_module(code.checks, "checks of " + code.entry);
    signature.checks.num_results = code.result_types.size();
    const std::vector<Type> seen = signature.checks.checks->get("checks").arg_types();
    signature.computed_types.insert(signature.computed_types.end(), seen.begin(), seen.end());
  }
  std::unique_ptr<LoadedCode> loaded = client->load(code.code);
  if (!code.arg_shardings.empty() || !code.result_shardings.empty()) {
    DistributedProgram program;
    program.arg_types = code.arg_types;
    program.computed_types = code.result_types;
    program.arg_shardings = code.arg_shardings;
    program.result_shardings = code.result_shardings;
    lay_out(program, num_devices((code.arg_shardings.empty() ? code.result_shardings : code.arg_shardings)[0].mesh));
    return make_distributed(std::move(client), std::move(loaded), std::move(program));
  }
  return make_executable(std::move(client), std::move(loaded), std::move(signature));
}

}  // namespace weft::pjrt
