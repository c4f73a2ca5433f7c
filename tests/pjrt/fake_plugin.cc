// A PJRT plugin with faults on order: the environment variable WEFT_FAKE_PLUGIN names one when GetPjrtApi is called. It compiles whatever it is
// given to a program without arguments' meaning: each result is the argument of the same position. It counts the objects that live. Faults that
// begin with "two" give it two devices; such programs run on both.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "pjrt/c_api.h"

namespace weft::pjrt::c {
struct Error {
  int code;
  std::string message;
};
struct Event {
  bool device_lost;
};
struct Client {
  int unused;
};
struct Device {};
struct DeviceDescription {};
struct LoadedExecutable {
  int unused;
};
struct Executable {
  int unused;
};
struct Buffer {
  BufferType type;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};
}  // namespace weft::pjrt::c

namespace {

using namespace weft::pjrt::c;

std::atomic<int> live = 0;
std::string fault;
Device the_devices[2];
Device* const device_list[] = {&the_devices[0], &the_devices[1]};
DeviceDescription the_description;

template <class T, class... Args>
T* make(Args&&... args) {
  ++live;
  return new T{std::forward<Args>(args)...};
}
template <class T>
void destroy(T* object) {
  --live;
  delete object;
}

Error* wrong(int code, const char* message) { return make<Error>(code, message); }

size_t num_devices() { return fault.starts_with("two") ? 2 : 1; }

constexpr int kInvalid = 3, kInternal = 13, kUnavailable = 14, kUnimplemented = 12;

template <class Args>
Args& as(void* args) {
  return *static_cast<Args*>(args);
}

struct Slot {
  Entry entry;
  Function function;
};

const Slot kSlots[] = {
    {Entry::kErrorDestroy,
     [](void* a) -> Error* {
       destroy(as<ErrorDestroyArgs>(a).error);
       return nullptr;
     }},
    {Entry::kErrorMessage,
     [](void* a) -> Error* {
       auto& args = as<ErrorMessageArgs>(a);
       args.message = args.error->message.data();
       args.message_size = args.error->message.size();
       return nullptr;
     }},
    {Entry::kErrorGetCode,
     [](void* a) -> Error* {
       as<ErrorGetCodeArgs>(a).code = as<ErrorGetCodeArgs>(a).error->code;
       return nullptr;
     }},
    {Entry::kPluginInitialize,
     [](void* a) -> Error* { return fault == "initialize" ? wrong(kInternal, "no driver") : nullptr; }},
    {Entry::kEventDestroy,
     [](void* a) -> Error* {
       destroy(as<EventDestroyArgs>(a).event);
       return nullptr;
     }},
    {Entry::kEventAwait,
     [](void* a) -> Error* {
       return as<EventAwaitArgs>(a).event->device_lost ? wrong(kUnavailable, "device lost") : nullptr;
     }},
    {Entry::kClientCreate,
     [](void* a) -> Error* {
       if (fault == "client") return wrong(kInternal, "no devices at hand");
       if (as<ClientCreateArgs>(a).struct_size < used_bytes(ClientCreateArgs())) return wrong(kInvalid, "short args");
       as<ClientCreateArgs>(a).client = make<Client>(0);
       return nullptr;
     }},
    {Entry::kClientDestroy,
     [](void* a) -> Error* {
       destroy(as<ClientDestroyArgs>(a).client);
       return nullptr;
     }},
    {Entry::kClientPlatformName,
     [](void* a) -> Error* {
       as<ClientPlatformNameArgs>(a).text = "fake";
       as<ClientPlatformNameArgs>(a).size = 4;
       return nullptr;
     }},
    {Entry::kClientAddressableDevices,
     [](void* a) -> Error* {
       auto& args = as<ClientAddressableDevicesArgs>(a);
       args.devices = device_list;
       args.num_devices = fault == "no device" ? 0 : num_devices();
       return nullptr;
     }},
    {Entry::kDeviceGetDescription,
     [](void* a) -> Error* {
       as<DeviceGetDescriptionArgs>(a).description = &the_description;
       return nullptr;
     }},
    {Entry::kDeviceDescriptionKind,
     [](void* a) -> Error* {
       as<DeviceDescriptionKindArgs>(a).kind = "nothing";
       as<DeviceDescriptionKindArgs>(a).kind_size = 7;
       return nullptr;
     }},
    {Entry::kClientCompile,
     [](void* a) -> Error* {
       if (fault == "compile") return wrong(2, "-:3:5: error: the fake plugin compiles nothing\n");
       if (fault == "unimplemented") return wrong(kUnimplemented, "no such op");
       as<ClientCompileArgs>(a).executable = make<LoadedExecutable>(0);
       return nullptr;
     }},
    {Entry::kLoadedExecutableDestroy,
     [](void* a) -> Error* {
       destroy(as<LoadedExecutableDestroyArgs>(a).executable);
       return nullptr;
     }},
    {Entry::kLoadedExecutableGetExecutable,
     [](void* a) -> Error* {
       if (fault == "executable") return wrong(kInternal, "lost the executable");
       as<GetExecutableArgs>(a).executable = make<Executable>(0);
       return nullptr;
     }},
    {Entry::kExecutableDestroy,
     [](void* a) -> Error* {
       destroy(as<ExecutableDestroyArgs>(a).executable);
       return nullptr;
     }},
    {Entry::kLoadedExecutableAddressableDevices,
     [](void* a) -> Error* {
       auto& args = as<LoadedExecutableDevicesArgs>(a);
       args.devices = device_list;
       args.num_devices = fault == "two, one used" ? 1 : num_devices();
       return nullptr;
     }},
    // Of one result: a tensor<4xf32>, or half of it.
    {Entry::kExecutableOutputElementTypes,
     [](void* a) -> Error* {
       static BufferType type[] = {BufferType::kF32};
       as<ExecutableOutputElementTypesArgs>(a).types = type;
       as<ExecutableOutputElementTypesArgs>(a).num_types = 1;
       return nullptr;
     }},
    {Entry::kExecutableOutputDimensions,
     [](void* a) -> Error* {
       static int64_t dims[] = {0};
       static size_t ranks[] = {1};
       dims[0] = fault == "two, whole results" ? 4 : 2;
       auto& args = as<ExecutableOutputDimensionsArgs>(a);
       args.dims = dims;
       args.ranks = ranks;
       args.num_outputs = 1;
       return nullptr;
     }},
    {Entry::kClientBufferFromHostBuffer,
     [](void* a) -> Error* {
       auto& args = as<BufferFromHostArgs>(a);
       if (fault == "memory") return wrong(8, "out of memory");
       size_t bytes = args.type == BufferType::kF32 ? 4 : 1;
       for (size_t i = 0; i < args.num_dims; ++i) bytes *= static_cast<size_t>(args.dims[i]);
       const char* data = static_cast<const char*>(args.data);
       args.buffer = make<Buffer>(args.type, std::vector<int64_t>(args.dims, args.dims + args.num_dims),
                                  std::vector<char>(data, data + bytes));
       args.done_with_host_buffer = make<Event>(false);
       return nullptr;
     }},
    {Entry::kBufferDestroy,
     [](void* a) -> Error* {
       destroy(as<BufferDestroyArgs>(a).buffer);
       return nullptr;
     }},
    {Entry::kBufferToHostBuffer,
     [](void* a) -> Error* {
       auto& args = as<BufferToHostArgs>(a);
       if (args.dst_size < args.buffer->bytes.size()) return wrong(kInvalid, "too little room");
       std::memcpy(args.dst, args.buffer->bytes.data(), args.buffer->bytes.size());
       args.event = make<Event>(fault == "read");
       return nullptr;
     }},
    {Entry::kLoadedExecutableExecute,
     [](void* a) -> Error* {
       auto& args = as<ExecuteArgs>(a);
       if (fault == "execute") return wrong(kInvalid, "wrong device");
       for (size_t d = 0; d < args.num_devices; ++d) {
         for (size_t i = 0; i < args.num_args; ++i) args.output_lists[d][i] = make<Buffer>(*args.argument_lists[d][i]);
         if (args.device_complete_events != nullptr)
           args.device_complete_events[d] = make<Event>(fault == "lost" || (fault == "two, one lost" && d == 1));
       }
       return nullptr;
     }},
};

constexpr size_t kEntries = 97;
struct Table {
  Api head;
  Function rest[kEntries - 1];
} table;

}  // namespace

extern "C" __attribute__((visibility("default"))) int weft_fake_live_objects() { return live; }

extern "C" __attribute__((visibility("default"))) const void* GetPjrtApi() {
  const char* asked = std::getenv("WEFT_FAKE_PLUGIN");
  fault = asked != nullptr ? asked : "";
  if (fault == "null table") return nullptr;
  table.head.struct_size = offsetof(Api, functions) + kEntries * sizeof(Function);
  table.head.version = {sizeof(Version), nullptr, 0, 81};
  for (const Slot& s : kSlots) (&table.head.functions[0])[static_cast<size_t>(s.entry)] = s.function;
  if (num_devices() == 1) {  // says nothing of results
    for (const Entry e : {Entry::kExecutableOutputElementTypes, Entry::kExecutableOutputDimensions})
      (&table.head.functions[0])[static_cast<size_t>(e)] = nullptr;
  }
  if (fault == "old") table.head.version.minor = 40;
  if (fault == "new major") table.head.version.major = 1;
  if (fault == "short table") table.head.struct_size = offsetof(Api, functions) + 20 * sizeof(Function);
  if (fault == "tiny table") table.head.struct_size = 24;
  if (fault == "null function") (&table.head.functions[0])[static_cast<size_t>(Entry::kClientCompile)] = nullptr;
  return &table;
}
