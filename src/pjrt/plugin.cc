#include "pjrt/plugin.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "base/format.h"

namespace weft::pjrt {
namespace {

// In this version the table got the order that it has kept since.
constexpr int kOldestMinor = 57;

constexpr const char* kCodes[] = {
    "ok",        "cancelled",      "unknown",           "invalid argument",   "deadline exceeded",
    "not found", "already exists", "permission denied", "resource exhausted", "failed precondition",
    "aborted",   "out of range",   "unimplemented",     "internal",           "unavailable",
    "data loss", "unauthenticated"};
constexpr int kUnimplemented = 12;

const char* entry_name(c::Entry entry) {
  switch (entry) {
    case c::Entry::kErrorDestroy: return "PJRT_Error_Destroy";
    case c::Entry::kErrorMessage: return "PJRT_Error_Message";
    case c::Entry::kErrorGetCode: return "PJRT_Error_GetCode";
    case c::Entry::kPluginInitialize: return "PJRT_Plugin_Initialize";
    case c::Entry::kPluginAttributes: return "PJRT_Plugin_Attributes";
    case c::Entry::kEventDestroy: return "PJRT_Event_Destroy";
    case c::Entry::kEventIsReady: return "PJRT_Event_IsReady";
    case c::Entry::kEventAwait: return "PJRT_Event_Await";
    case c::Entry::kClientCreate: return "PJRT_Client_Create";
    case c::Entry::kClientDestroy: return "PJRT_Client_Destroy";
    case c::Entry::kClientPlatformName: return "PJRT_Client_PlatformName";
    case c::Entry::kClientPlatformVersion: return "PJRT_Client_PlatformVersion";
    case c::Entry::kClientAddressableDevices: return "PJRT_Client_AddressableDevices";
    case c::Entry::kClientCompile: return "PJRT_Client_Compile";
    case c::Entry::kClientBufferFromHostBuffer: return "PJRT_Client_BufferFromHostBuffer";
    case c::Entry::kDeviceDescriptionId: return "PJRT_DeviceDescription_Id";
    case c::Entry::kDeviceDescriptionKind: return "PJRT_DeviceDescription_Kind";
    case c::Entry::kDeviceGetDescription: return "PJRT_Device_GetDescription";
    case c::Entry::kExecutableDestroy: return "PJRT_Executable_Destroy";
    case c::Entry::kExecutableNumOutputs: return "PJRT_Executable_NumOutputs";
    case c::Entry::kExecutableSizeOfCode: return "PJRT_Executable_SizeOfGeneratedCodeInBytes";
    case c::Entry::kExecutableGetCostAnalysis: return "PJRT_Executable_GetCostAnalysis";
    case c::Entry::kExecutableSerialize: return "PJRT_Executable_Serialize";
    case c::Entry::kLoadedExecutableDestroy: return "PJRT_LoadedExecutable_Destroy";
    case c::Entry::kLoadedExecutableGetExecutable: return "PJRT_LoadedExecutable_GetExecutable";
    case c::Entry::kLoadedExecutableAddressableDevices: return "PJRT_LoadedExecutable_AddressableDevices";
    case c::Entry::kLoadedExecutableExecute: return "PJRT_LoadedExecutable_Execute";
    case c::Entry::kExecutableDeserializeAndLoad: return "PJRT_Executable_DeserializeAndLoad";
    case c::Entry::kBufferDestroy: return "PJRT_Buffer_Destroy";
    case c::Entry::kBufferElementType: return "PJRT_Buffer_ElementType";
    case c::Entry::kBufferDimensions: return "PJRT_Buffer_Dimensions";
    case c::Entry::kBufferIsDeleted: return "PJRT_Buffer_IsDeleted";
    case c::Entry::kBufferToHostBuffer: return "PJRT_Buffer_ToHostBuffer";
    case c::Entry::kBufferReadyEvent: return "PJRT_Buffer_ReadyEvent";
    case c::Entry::kBufferUnsafePointer: return "PJRT_Buffer_UnsafePointer";
    case c::Entry::kTopologyCreate: return "PJRT_TopologyDescription_Create";
    case c::Entry::kTopologyDestroy: return "PJRT_TopologyDescription_Destroy";
    case c::Entry::kTopologyPlatformName: return "PJRT_TopologyDescription_PlatformName";
    case c::Entry::kTopologyDeviceDescriptions: return "PJRT_TopologyDescription_GetDeviceDescriptions";
    case c::Entry::kCompile: return "PJRT_Compile";
    case c::Entry::kExecutableOutputElementTypes: return "PJRT_Executable_OutputElementTypes";
    case c::Entry::kExecutableOutputDimensions: return "PJRT_Executable_OutputDimensions";
    case c::Entry::kExecutableMemoryStats: return "PJRT_Executable_GetCompiledMemoryStats";
  }
  return "an entry";
}

/// Without what every plugin adds after the place of a fault.
std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

}  // namespace

PluginSpec parse_plugin_spec(std::string_view spec) {
  PluginSpec out;
  size_t at = spec.find(',');
  out.plugin = spec.substr(0, at);
  while (at != std::string_view::npos) {
    const size_t end = spec.find(',', at + 1);
    const std::string_view part =
        spec.substr(at + 1, end == std::string_view::npos ? std::string_view::npos : end - at - 1);
    at = end;
    const size_t equal = part.find('=');
    if (equal == std::string_view::npos || equal == 0)
      throw UserError("target pjrt: option \"" + std::string(part) + "\": expected name=value");
    const std::string_view value = part.substr(equal + 1);
    OptionValue& v = out.options[std::string(part.substr(0, equal))];
    const auto integer = [](std::string_view text) -> std::optional<int64_t> {
      int64_t n = 0;
      const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), n);
      if (error != std::errc() || last != text.data() + text.size()) return std::nullopt;
      return n;
    };
    if (const auto n = integer(value)) {
      v = *n;
    } else if (value == "true" || value == "false") {
      v = value == "true";
    } else {
      std::vector<int64_t> list;
      bool is_list = value.find(':') != std::string_view::npos;
      for (size_t from = 0; is_list && from <= value.size();) {
        const size_t to = std::min(value.find(':', from), value.size());
        const auto n = integer(value.substr(from, to - from));
        is_list = n.has_value();
        if (n) list.push_back(*n);
        from = to + 1;
      }
      if (is_list) {
        v = list;
      } else {
        v = std::string(value);
      }
    }
  }
  return out;
}

std::vector<c::NamedValue> named_values(const Options& options) {
  std::vector<c::NamedValue> out;
  for (const auto& [name, value] : options) {
    c::NamedValue v;
    v.struct_size = c::used_bytes(v);
    v.name = name.data();
    v.name_size = name.size();
    v.size = 1;
    if (const auto* text = std::get_if<std::string>(&value)) {
      v.kind = c::ValueKind::kString;
      v.value.string = text->data();
      v.size = text->size();
    } else if (const auto* n = std::get_if<int64_t>(&value)) {
      v.kind = c::ValueKind::kInt64;
      v.value.int64 = *n;
    } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      v.kind = c::ValueKind::kInt64List;
      v.value.int64_list = list->data();
      v.size = list->size();
    } else if (const auto* f = std::get_if<float>(&value)) {
      v.kind = c::ValueKind::kFloat;
      v.value.float32 = *f;
    } else {
      v.kind = c::ValueKind::kBool;
      v.value.boolean = std::get<bool>(value);
    }
    out.push_back(v);
  }
  return out;
}

Options options_of(const c::NamedValue* values, size_t count) {
  Options out;
  for (size_t i = 0; i < count; ++i) {
    const c::NamedValue& v = values[i];
    OptionValue& o = out[std::string(v.name, v.name_size)];
    switch (v.kind) {
      case c::ValueKind::kString: o = std::string(v.value.string, v.size); break;
      case c::ValueKind::kInt64: o = v.value.int64; break;
      case c::ValueKind::kInt64List: o = std::vector<int64_t>(v.value.int64_list, v.value.int64_list + v.size); break;
      case c::ValueKind::kFloat: o = v.value.float32; break;
      case c::ValueKind::kBool: o = v.value.boolean; break;
    }
  }
  return out;
}

namespace {

/// libtpu asks a metadata server for the machine it runs on, for minutes where there is none.
void prepare_environment(const std::filesystem::path& file) {
  if (file.filename() != "libtpu.so") return;
  constexpr const char* kSettings[][2] = {{"TPU_SKIP_MDS_QUERY", "1"},
                                          {"TPU_WORKER_HOSTNAMES", "localhost"},
                                          {"TPU_WORKER_ID", "0"},
                                          {"TPU_ACCELERATOR_TYPE", "v5litepod-4"},
                                          {"ALLOW_MULTIPLE_LIBTPU_LOAD", "1"}};
  // A machine with a TPU has devices of it, and answers.
  if (std::filesystem::exists("/dev/accel0") || std::filesystem::exists("/dev/vfio/0")) return;
  for (const auto& [name, value] : kSettings) setenv(name, value, 0);
}

}  // namespace

const Plugin& Plugin::load(const std::string& path) {
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, std::unique_ptr<const Plugin>>;
  const std::lock_guard lock(mutex);
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error) throw UserError("PJRT plugin " + path + ": " + error.message());
  std::unique_ptr<const Plugin>& plugin = (*loaded)[file];
  if (plugin == nullptr) {
    prepare_environment(file);
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw UserError("PJRT plugin " + path + ": " + dlerror());
    using GetApi = const c::Api* (*)();
    const auto get = reinterpret_cast<GetApi>(dlsym(handle, "GetPjrtApi"));
    if (get == nullptr) throw Unsupported("PJRT plugin " + path + ": the library has no GetPjrtApi");
    const c::Api* const api = get();
    if (api == nullptr) throw Unsupported("PJRT plugin " + path + ": GetPjrtApi returned nothing");
    plugin.reset(new Plugin(file, api));
  }
  return *plugin;
}

Plugin::Plugin(std::string path, const c::Api* api) : path_(std::move(path)), api_(api) {
  title_ = std::filesystem::path(path_).filename();
  // The size comes first: what lies beyond it may not be read.
  if (api_->struct_size < offsetof(c::Api, functions)) {
    throw Unsupported("PJRT plugin " + title_ + ": its table has " + std::to_string(api_->struct_size) +
                      " bytes, which do not hold a version");
  }
  const auto& [size, extension, major, minor] = api_->version;
  title_ += " (PJRT " + std::to_string(major) + "." + std::to_string(minor) + ")";
  if (major != 0 || minor < kOldestMinor) {
    throw Unsupported("PJRT plugin " + title_ + ": version 0." + std::to_string(kOldestMinor) +
                      " or later of major version 0 is needed");
  }
  if (has(c::Entry::kPluginInitialize)) {
    c::PluginInitializeArgs args;
    call(args);
  }
  if (has(c::Entry::kPluginAttributes)) {
    c::PluginAttributesArgs args;
    call(args);
    attributes_ = options_of(args.attributes, args.num_attributes);
  }
}

bool Plugin::has(c::Entry entry) const {
  const size_t end = offsetof(c::Api, functions) + (static_cast<size_t>(entry) + 1) * sizeof(c::Function);
  return end <= api_->struct_size && api_->functions[static_cast<size_t>(entry)] != nullptr;
}

c::Function Plugin::function(c::Entry entry) const {
  if (!has(entry)) throw Unsupported("PJRT plugin " + title_ + " has no " + entry_name(entry));
  return api_->functions[static_cast<size_t>(entry)];
}

void Plugin::raise(c::Error* error, c::Entry entry) const {
  std::string text;
  int code = 2;
  if (has(c::Entry::kErrorMessage)) {
    c::ErrorMessageArgs args;
    args.struct_size = c::used_bytes(args);
    args.error = error;
    function(c::Entry::kErrorMessage)(&args);
    if (args.message != nullptr) text = trimmed(std::string(args.message, args.message_size));
  }
  if (has(c::Entry::kErrorGetCode)) {
    c::ErrorGetCodeArgs args;
    args.struct_size = c::used_bytes(args);
    args.error = error;
    if (c::Error* inner = function(c::Entry::kErrorGetCode)(&args)) {
      drop(inner);
    } else {
      code = args.code;
    }
  }
  drop(error);
  const bool known = code >= 0 && code < static_cast<int>(std::size(kCodes));
  const std::string message = "PJRT plugin " + title_ + ", " + entry_name(entry) + ": " +
                              (known ? kCodes[code] : "code " + std::to_string(code)) +
                              (text.empty() ? "" : ": " + text);
  if (code == kUnimplemented) throw Unsupported(message);
  throw UserError(message);
}

void Plugin::drop(c::Error* error) const noexcept {
  if (!has(c::Entry::kErrorDestroy)) return;
  c::ErrorDestroyArgs args;
  args.struct_size = c::used_bytes(args);
  args.error = error;
  api_->functions[static_cast<size_t>(c::Entry::kErrorDestroy)](&args);
}

void Plugin::finish(c::Event* event) const {
  if (event == nullptr) return;
  c::EventAwaitArgs wait;
  wait.event = event;
  wait.struct_size = c::used_bytes(wait);
  c::Error* const error = function(c::Entry::kEventAwait)(&wait);
  c::EventDestroyArgs destroy;
  destroy.event = event;
  release(destroy);
  if (error != nullptr) raise(error, c::Entry::kEventAwait);
}

}  // namespace weft::pjrt
