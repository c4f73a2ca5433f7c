#include "pjrt/code_cache.h"

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/file_cache.h"

namespace weft::pjrt {
namespace {

void add(Hasher& h, const Options& options) {
  h.add(options.size());
  for (const auto& [name, value] : options) {
    h.add(std::string_view(name));
    h.add(value.index());
    if (const auto* text = std::get_if<std::string>(&value)) h.add(std::string_view(*text));
    if (const auto* n = std::get_if<int64_t>(&value)) h.add(static_cast<uint64_t>(*n));
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) h.add(std::as_bytes(std::span(*list)));
    if (const auto* f = std::get_if<float>(&value)) h.add(std::as_bytes(std::span(f, 1)));
    if (const auto* b = std::get_if<bool>(&value)) h.add(static_cast<uint64_t>(*b));
  }
}

/// What code for a CPU depends on: its instruction sets.
const std::string& cpu_flags() {
  static const std::string flags = [] {
    std::ifstream info("/proc/cpuinfo");
    std::string line, out;
    while (std::getline(info, line) && !line.empty()) {  // of the first CPU
      if (line.starts_with("flags") || line.starts_with("Features") || line.starts_with("model name"))
        out += line + "\n";
    }
    return out;
  }();
  return flags;
}

Hash key_of(const Client& client, const std::string& text, const CompileSettings& settings) {
  const Plugin& plugin = client.plugin();
  Hasher h;
  h.add(std::string_view("pjrt"));
  h.add(std::string_view(text));
  h.add(std::string_view(encode_compile_options(settings)));
  std::error_code error;
  h.add(std::string_view(plugin.path()));
  h.add(std::filesystem::file_size(plugin.path(), error));
  h.add(static_cast<uint64_t>(std::filesystem::last_write_time(plugin.path(), error).time_since_epoch().count()));
  h.add(static_cast<uint64_t>(plugin.minor_version()));
  add(h, plugin.attributes());
  h.add(std::string_view(client.platform()));
  h.add(std::string_view(client.platform_version()));
  h.add(client.devices().size());
  for (c::Device* device : client.devices()) h.add(std::string_view(client.device_kind(device)));
  if (client.is_on_host()) h.add(std::string_view(cpu_flags()));
  return h.value();
}

}  // namespace

std::unique_ptr<LoadedCode> compile_or_load(const Client& client, std::string text, const CompileSettings& settings,
                                            const CompileOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  const auto report = [&](const char* stage, const std::string& remark) {
    if (!options.timing) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    options.timing({.name = stage, .seconds = seconds, .count = 0, .unit = remark});
  };
  const Plugin& plugin = client.plugin();
  // A dump shows code as it is generated.
  const bool is_kept = !options.dump && plugin.has(c::Entry::kExecutableSerialize) &&
                       plugin.has(c::Entry::kExecutableDeserializeAndLoad);
  const std::optional<FileCache> cache = is_kept ? FileCache::of(options.cache) : std::nullopt;
  if (!cache) {
    auto code = client.compile(std::move(text), settings);
    report("plugin", "compiled");
    return code;
  }
  const Hash key = key_of(client, text, settings);
  std::string remark;
  if (const std::optional<std::string> found = cache->load(key)) {
    try {
      auto code = client.load(*found);
      report("plugin", "found in the cache");
      return code;
    } catch (const Error& error) { remark = std::string("the plugin does not load what it made: ") + error.what(); }
  } else {
    remark = cache->problem();
  }
  auto code = client.compile(std::move(text), settings);
  report("plugin", "compiled: " + remark);
  std::string serialized;
  try {
    serialized = code->code().serialize();
  } catch (const Error&) { return code; }  // not every plugin can
  cache->store(key, serialized);
  if (!cache->problem().empty()) report("cache", cache->problem());
  return code;
}

}  // namespace weft::pjrt
