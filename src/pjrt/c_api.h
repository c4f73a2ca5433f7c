// The part of the PJRT C API that Weft calls, declared from its documented layout (version 0.57 and later): a table that begins with
// its size and version, then pointers to functions of one shape, `Error* f(Args*)`. Args begin with their own size, by which a plugin
// tells how old its caller is; a table that is too short lacks the entry.
#pragma once
#include <cstddef>
#include <cstdint>

namespace weft::pjrt::c {

struct Error;
struct Event;
struct Client;
struct Device;
struct DeviceDescription;
struct Memory;
struct Topology;
struct Executable;
struct LoadedExecutable;
struct Buffer;
struct SerializedExecutable;

/// Position in the table of functions.
enum class Entry : uint32_t {
  kErrorDestroy = 0,
  kErrorMessage = 1,
  kErrorGetCode = 2,
  kPluginInitialize = 3,
  kPluginAttributes = 4,
  kEventDestroy = 5,
  kEventIsReady = 6,
  kEventAwait = 8,
  kClientCreate = 10,
  kClientDestroy = 11,
  kClientPlatformName = 12,
  kClientPlatformVersion = 14,
  kClientAddressableDevices = 16,
  kClientCompile = 20,
  kClientBufferFromHostBuffer = 22,
  kDeviceDescriptionId = 23,
  kDeviceDescriptionKind = 26,
  kDeviceGetDescription = 29,
  kExecutableDestroy = 40,
  kExecutableNumOutputs = 44,
  kExecutableSizeOfCode = 45,
  kExecutableGetCostAnalysis = 46,
  kExecutableSerialize = 49,
  kLoadedExecutableDestroy = 50,
  kLoadedExecutableGetExecutable = 51,
  kLoadedExecutableAddressableDevices = 52,
  kLoadedExecutableExecute = 55,
  kExecutableDeserializeAndLoad = 56,
  kBufferDestroy = 58,
  kBufferElementType = 59,
  kBufferDimensions = 60,
  kBufferIsDeleted = 68,
  kBufferToHostBuffer = 70,
  kBufferReadyEvent = 72,
  kBufferUnsafePointer = 73,
  kTopologyCreate = 82,
  kTopologyDestroy = 83,
  kTopologyPlatformName = 84,
  kTopologyDeviceDescriptions = 86,
  kCompile = 89,
  kExecutableOutputElementTypes = 90,
  kExecutableOutputDimensions = 91,
  kExecutableMemoryStats = 96,
};

using Function = Error* (*)(void* args);

struct Version {
  size_t struct_size;
  void* extension;
  int major, minor;
};

/// What `GetPjrtApi` returns.
struct Api {
  size_t struct_size;
  void* extension;
  Version version;
  Function functions[1];  // as many as struct_size says
};
static_assert(offsetof(Api, functions) == 40);

/// What all args begin with.
struct Head {
  size_t struct_size = 0;
  void* extension = nullptr;
};

// Each Args names its entry and its last field, which says how many bytes are in use.

struct ErrorDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kErrorDestroy;
  Error* error = nullptr;
  static constexpr auto kLast = &ErrorDestroyArgs::error;
};
struct ErrorMessageArgs : Head {
  static constexpr Entry kEntry = Entry::kErrorMessage;
  const Error* error = nullptr;
  const char* message = nullptr;
  size_t message_size = 0;
  static constexpr auto kLast = &ErrorMessageArgs::message_size;
};
struct ErrorGetCodeArgs : Head {
  static constexpr Entry kEntry = Entry::kErrorGetCode;
  const Error* error = nullptr;
  int code = 0;
  static constexpr auto kLast = &ErrorGetCodeArgs::code;
};

struct PluginInitializeArgs : Head {
  static constexpr Entry kEntry = Entry::kPluginInitialize;
  static constexpr auto kLast = &Head::extension;
};

enum class ValueKind : int { kString = 0, kInt64, kInt64List, kFloat, kBool };
/// An option or an attribute. `size`: characters of a string, elements of a list, else 1.
struct NamedValue : Head {
  const char* name = nullptr;
  size_t name_size = 0;
  ValueKind kind = ValueKind::kString;
  union {
    const char* string;
    int64_t int64;
    const int64_t* int64_list;
    float float32;
    bool boolean;
  } value = {};
  size_t size = 0;
  static constexpr auto kLast = &NamedValue::size;
};
static_assert(sizeof(NamedValue) == 56);

struct PluginAttributesArgs : Head {
  static constexpr Entry kEntry = Entry::kPluginAttributes;
  const NamedValue* attributes = nullptr;
  size_t num_attributes = 0;
  static constexpr auto kLast = &PluginAttributesArgs::num_attributes;
};

struct EventDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kEventDestroy;
  Event* event = nullptr;
  static constexpr auto kLast = &EventDestroyArgs::event;
};
struct EventIsReadyArgs : Head {
  static constexpr Entry kEntry = Entry::kEventIsReady;
  Event* event = nullptr;
  bool is_ready = false;
  static constexpr auto kLast = &EventIsReadyArgs::is_ready;
};
struct EventAwaitArgs : Head {
  static constexpr Entry kEntry = Entry::kEventAwait;
  Event* event = nullptr;
  static constexpr auto kLast = &EventAwaitArgs::event;
};

struct ClientCreateArgs : Head {
  static constexpr Entry kEntry = Entry::kClientCreate;
  const NamedValue* options = nullptr;
  size_t num_options = 0;
  void* key_value_get = nullptr;
  void* key_value_get_arg = nullptr;
  void* key_value_put = nullptr;
  void* key_value_put_arg = nullptr;
  Client* client = nullptr;
  void* key_value_try_get = nullptr;
  void* key_value_try_get_arg = nullptr;
  static constexpr auto kLast = &ClientCreateArgs::key_value_try_get_arg;
};
struct ClientDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kClientDestroy;
  Client* client = nullptr;
  static constexpr auto kLast = &ClientDestroyArgs::client;
};
template <Entry E>
struct ClientTextArgs : Head {
  static constexpr Entry kEntry = E;
  Client* client = nullptr;
  const char* text = nullptr;
  size_t size = 0;
  static constexpr auto kLast = &ClientTextArgs::size;
};
using ClientPlatformNameArgs = ClientTextArgs<Entry::kClientPlatformName>;
using ClientPlatformVersionArgs = ClientTextArgs<Entry::kClientPlatformVersion>;
struct ClientAddressableDevicesArgs : Head {
  static constexpr Entry kEntry = Entry::kClientAddressableDevices;
  Client* client = nullptr;
  Device* const* devices = nullptr;
  size_t num_devices = 0;
  static constexpr auto kLast = &ClientAddressableDevicesArgs::num_devices;
};

struct Program : Head {
  char* code = nullptr;
  size_t code_size = 0;
  const char* format = nullptr;
  size_t format_size = 0;
  static constexpr auto kLast = &Program::format_size;
};
struct ClientCompileArgs : Head {
  static constexpr Entry kEntry = Entry::kClientCompile;
  Client* client = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;
  size_t options_size = 0;
  LoadedExecutable* executable = nullptr;
  static constexpr auto kLast = &ClientCompileArgs::executable;
};

enum class BufferType : int {
  kInvalid = 0,
  kPred,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kBF16,
  kC64,
  kC128,
  kF8E5M2,
  kF8E4M3FN,
  kF8E4M3B11FNUZ,
  kF8E5M2FNUZ,
  kF8E4M3FNUZ,
  kS4,
  kU4,
  kToken,
  kS2,
  kU2,
  kF8E4M3,
  kF8E3M4,
  kF8E8M0FNU,
  kF4E2M1FN,
};

/// Order of elements in memory. As declared here always tiled without tiles, the axes from the fastest to the slowest; the rest of the
/// union (tiles; or strides) stays zero.
struct MemoryLayout : Head {
  struct Tiled : Head {
    const int64_t* minor_to_major = nullptr;
    size_t rank = 0;
    const int64_t* tile_dims = nullptr;
    const size_t* tile_dim_sizes = nullptr;
    size_t num_tiles = 0;
    static constexpr auto kLast = &Tiled::num_tiles;
  } tiled;
  int kind = 0;
  static constexpr auto kLast = &MemoryLayout::kind;
};
static_assert(sizeof(MemoryLayout) == 80);

/// How long the plugin may read the host's bytes.
enum class HostBufferUse : int { kDuringCall = 0, kUntilTransferred = 1, kZeroCopy = 2 };

struct BufferFromHostArgs : Head {
  static constexpr Entry kEntry = Entry::kClientBufferFromHostBuffer;
  Client* client = nullptr;
  const void* data = nullptr;
  BufferType type = BufferType::kInvalid;
  const int64_t* dims = nullptr;
  size_t num_dims = 0;
  const int64_t* byte_strides = nullptr;
  size_t num_byte_strides = 0;
  HostBufferUse use = HostBufferUse::kDuringCall;
  Device* device = nullptr;
  Memory* memory = nullptr;
  MemoryLayout* device_layout = nullptr;
  Event* done_with_host_buffer = nullptr;
  Buffer* buffer = nullptr;
  static constexpr auto kLast = &BufferFromHostArgs::buffer;
};

struct DeviceGetDescriptionArgs : Head {
  static constexpr Entry kEntry = Entry::kDeviceGetDescription;
  Device* device = nullptr;
  DeviceDescription* description = nullptr;
  static constexpr auto kLast = &DeviceGetDescriptionArgs::description;
};
struct DeviceDescriptionIdArgs : Head {
  static constexpr Entry kEntry = Entry::kDeviceDescriptionId;
  DeviceDescription* description = nullptr;
  int id = 0;
  static constexpr auto kLast = &DeviceDescriptionIdArgs::id;
};
struct DeviceDescriptionKindArgs : Head {
  static constexpr Entry kEntry = Entry::kDeviceDescriptionKind;
  DeviceDescription* description = nullptr;
  const char* kind = nullptr;
  size_t kind_size = 0;
  static constexpr auto kLast = &DeviceDescriptionKindArgs::kind_size;
};

struct ExecutableDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableDestroy;
  Executable* executable = nullptr;
  static constexpr auto kLast = &ExecutableDestroyArgs::executable;
};
struct ExecutableNumOutputsArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableNumOutputs;
  Executable* executable = nullptr;
  size_t num_outputs = 0;
  static constexpr auto kLast = &ExecutableNumOutputsArgs::num_outputs;
};
struct ExecutableSizeOfCodeArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableSizeOfCode;
  Executable* executable = nullptr;
  int64_t bytes = 0;
  static constexpr auto kLast = &ExecutableSizeOfCodeArgs::bytes;
};
struct ExecutableCostArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableGetCostAnalysis;
  Executable* executable = nullptr;
  size_t num_properties = 0;
  const NamedValue* properties = nullptr;
  static constexpr auto kLast = &ExecutableCostArgs::properties;
};
struct ExecutableMemoryStatsArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableMemoryStats;
  Executable* executable = nullptr;
  int64_t code = 0, arguments = 0, outputs = 0, aliased = 0, temporaries = 0;
  int64_t host_code = 0, host_arguments = 0, host_outputs = 0, host_aliased = 0, host_temporaries = 0;
  int64_t peak = 0;
  static constexpr auto kLast = &ExecutableMemoryStatsArgs::peak;
};
struct ExecutableOutputElementTypesArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableOutputElementTypes;
  Executable* executable = nullptr;
  BufferType* types = nullptr;
  size_t num_types = 0;
  static constexpr auto kLast = &ExecutableOutputElementTypesArgs::num_types;
};
struct ExecutableOutputDimensionsArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableOutputDimensions;
  Executable* executable = nullptr;
  size_t num_outputs = 0;
  const int64_t* dims = nullptr;  // of all outputs, one after the other
  const size_t* ranks = nullptr;
  static constexpr auto kLast = &ExecutableOutputDimensionsArgs::ranks;
};
struct ExecutableSerializeArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableSerialize;
  const Executable* executable = nullptr;
  const char* bytes = nullptr;
  size_t num_bytes = 0;
  SerializedExecutable* owner = nullptr;
  void (*release)(SerializedExecutable*) = nullptr;
  static constexpr auto kLast = &ExecutableSerializeArgs::release;
};
struct DeserializeAndLoadArgs : Head {
  static constexpr Entry kEntry = Entry::kExecutableDeserializeAndLoad;
  Client* client = nullptr;
  const char* bytes = nullptr;
  size_t num_bytes = 0;
  LoadedExecutable* executable = nullptr;
  const char* options = nullptr;
  size_t options_size = 0;
  static constexpr auto kLast = &DeserializeAndLoadArgs::options_size;
};

struct LoadedExecutableDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kLoadedExecutableDestroy;
  LoadedExecutable* executable = nullptr;
  static constexpr auto kLast = &LoadedExecutableDestroyArgs::executable;
};
struct GetExecutableArgs : Head {
  static constexpr Entry kEntry = Entry::kLoadedExecutableGetExecutable;
  LoadedExecutable* loaded = nullptr;
  Executable* executable = nullptr;
  static constexpr auto kLast = &GetExecutableArgs::executable;
};
struct LoadedExecutableDevicesArgs : Head {
  static constexpr Entry kEntry = Entry::kLoadedExecutableAddressableDevices;
  LoadedExecutable* executable = nullptr;
  Device* const* devices = nullptr;
  size_t num_devices = 0;
  static constexpr auto kLast = &LoadedExecutableDevicesArgs::num_devices;
};

struct ExecuteOptions : Head {
  void* send_callbacks = nullptr;
  void* recv_callbacks = nullptr;
  size_t num_send_ops = 0;
  size_t num_recv_ops = 0;
  int launch_id = 0;
  const int64_t* not_donated = nullptr;
  size_t num_not_donated = 0;
  void* context = nullptr;
  const char* call_location = nullptr;
  size_t num_tasks = 0;
  int* task_ids = nullptr;
  int64_t* incarnation_ids = nullptr;
  static constexpr auto kLast = &ExecuteOptions::incarnation_ids;
};
struct ExecuteArgs : Head {
  static constexpr Entry kEntry = Entry::kLoadedExecutableExecute;
  LoadedExecutable* executable = nullptr;
  ExecuteOptions* options = nullptr;
  Buffer* const* const* argument_lists = nullptr;  // [device][argument]
  size_t num_devices = 0;
  size_t num_args = 0;
  Buffer** const* output_lists = nullptr;  // [device][output], filled by the plugin
  Event** device_complete_events = nullptr;
  Device* execute_device = nullptr;
  static constexpr auto kLast = &ExecuteArgs::execute_device;
};

struct BufferDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferDestroy;
  Buffer* buffer = nullptr;
  static constexpr auto kLast = &BufferDestroyArgs::buffer;
};
struct BufferElementTypeArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferElementType;
  Buffer* buffer = nullptr;
  BufferType type = BufferType::kInvalid;
  static constexpr auto kLast = &BufferElementTypeArgs::type;
};
struct BufferDimensionsArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferDimensions;
  Buffer* buffer = nullptr;
  const int64_t* dims = nullptr;
  size_t num_dims = 0;
  static constexpr auto kLast = &BufferDimensionsArgs::num_dims;
};
struct BufferIsDeletedArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferIsDeleted;
  Buffer* buffer = nullptr;
  bool is_deleted = false;
  static constexpr auto kLast = &BufferIsDeletedArgs::is_deleted;
};
struct BufferToHostArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferToHostBuffer;
  Buffer* buffer = nullptr;
  MemoryLayout* host_layout = nullptr;  // null: row-major
  void* dst = nullptr;
  size_t dst_size = 0;
  Event* event = nullptr;
  static constexpr auto kLast = &BufferToHostArgs::event;
};
struct BufferReadyEventArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferReadyEvent;
  Buffer* buffer = nullptr;
  Event* event = nullptr;
  static constexpr auto kLast = &BufferReadyEventArgs::event;
};
struct BufferUnsafePointerArgs : Head {
  static constexpr Entry kEntry = Entry::kBufferUnsafePointer;
  Buffer* buffer = nullptr;
  uintptr_t pointer = 0;
  static constexpr auto kLast = &BufferUnsafePointerArgs::pointer;
};

struct TopologyCreateArgs : Head {
  static constexpr Entry kEntry = Entry::kTopologyCreate;
  const char* name = nullptr;
  size_t name_size = 0;
  const NamedValue* options = nullptr;
  size_t num_options = 0;
  Topology* topology = nullptr;
  static constexpr auto kLast = &TopologyCreateArgs::topology;
};
struct TopologyDestroyArgs : Head {
  static constexpr Entry kEntry = Entry::kTopologyDestroy;
  Topology* topology = nullptr;
  static constexpr auto kLast = &TopologyDestroyArgs::topology;
};
struct TopologyDevicesArgs : Head {
  static constexpr Entry kEntry = Entry::kTopologyDeviceDescriptions;
  Topology* topology = nullptr;
  DeviceDescription* const* descriptions = nullptr;
  size_t num_descriptions = 0;
  static constexpr auto kLast = &TopologyDevicesArgs::num_descriptions;
};
struct CompileArgs : Head {
  static constexpr Entry kEntry = Entry::kCompile;
  const Topology* topology = nullptr;
  const Program* program = nullptr;
  const char* options = nullptr;
  size_t options_size = 0;
  Client* client = nullptr;
  Executable* executable = nullptr;
  static constexpr auto kLast = &CompileArgs::executable;
};

/// Bytes of `args` that the plugin may look at: up to the end of its last field.
template <class Args>
size_t used_bytes(const Args& args) {
  const auto& last = args.*Args::kLast;
  return static_cast<size_t>(reinterpret_cast<const char*>(&last + 1) - reinterpret_cast<const char*>(&args));
}

}  // namespace weft::pjrt::c
