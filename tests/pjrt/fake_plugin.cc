// A PJRT plugin for tests, whose programs the evaluator runs. It counts what happens, finishes calls only when they are waited for
// (switch "defer"), and has faults on order: the environment variable WEFT_FAKE_PLUGIN names one when GetPjrtApi is called, the switch "fault" later. Faults that begin with "two" give it
// two devices; programs on both are taken for the identity of arrays that are cut in two.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "pjrt/c_api.h"
#include "pjrt/client.h"
#include "text/parse.h"

namespace {

/// A call that runs when somebody waits for it. Its error is what the call ends with.
class Work {
 public:
  explicit Work(std::function<std::string()> run) : run_(std::move(run)) {}
  const std::string& finish() {
    std::call_once(once_, [&] {
      error_ = run_();
      run_ = nullptr;
      is_done_ = true;
    });
    return error_;
  }
  bool is_done() const { return is_done_; }

 private:
  std::once_flag once_;
  std::function<std::string()> run_;
  std::string error_;
  std::atomic<bool> is_done_ = false;
};

/// Elements, once `work` is done.
struct Content {
  weft::Tensor tensor;
  std::shared_ptr<Work> work;
};

struct Source {
  std::string text;
  std::shared_ptr<const weft::Module> module;
  std::vector<weft::Type> result_types;
  std::vector<bool> is_donated;
};

}  // namespace

namespace weft::pjrt::c {
struct Error {
  int code;
  std::string message;
};
struct Event {
  std::shared_ptr<Work> work;
};
struct Client {
  int unused;
};
struct Device {};
struct DeviceDescription {};
struct LoadedExecutable {
  std::shared_ptr<const Source> code;
};
struct Executable {
  std::shared_ptr<const Source> code;
  std::vector<BufferType> types;
  std::vector<int64_t> dims;
  std::vector<size_t> ranks;
};
struct SerializedExecutable {
  std::string text;
};
struct Buffer {
  BufferType type;
  std::vector<int64_t> dims;
  std::shared_ptr<Content> content;
  bool is_deleted;
};
}  // namespace weft::pjrt::c

namespace {

using namespace weft::pjrt::c;

std::mutex state;  // of what follows
std::map<std::string, int, std::less<>> counts;
std::string fault;
bool defers = false;
std::atomic<int> live = 0;

Device the_devices[2];
Device* const device_list[] = {&the_devices[0], &the_devices[1]};
DeviceDescription the_description;

bool has_fault(std::string_view name) {
  const std::lock_guard lock(state);
  return fault == name;
}

size_t num_devices() {
  const std::lock_guard lock(state);
  return fault.starts_with("two") ? 2 : 1;
}

bool is_deferring() {
  const std::lock_guard lock(state);
  return defers;
}

void count(const char* what) {
  const std::lock_guard lock(state);
  ++counts[what];
}

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

constexpr int kUnknown = 2, kInvalid = 3, kExhausted = 8, kInternal = 13, kUnavailable = 14, kUnimplemented = 12;

Error* wrong(int code, const std::string& message) { return make<Error>(code, message); }

std::shared_ptr<Work> done_work(const std::string& error = "") {
  auto work = std::make_shared<Work>([error] { return error; });
  work->finish();
  return work;
}

Error* as_error(const std::string& message) { return message.empty() ? nullptr : wrong(kUnavailable, message); }

/// Null, with the message in `problem`, for what is no program.
std::shared_ptr<const Source> read_code(std::string text, std::string& problem) {
  auto code = std::make_shared<Source>();
  try {
    code->module = weft::parse_module(text, "program");
    const weft::Function& main = code->module->get("main");
    code->result_types = main.result_types();
    code->is_donated.resize(main.args().size());
    for (size_t i = 0; i < main.arg_attrs().size(); ++i)
      code->is_donated[i] =
          main.arg_attrs()[i].has("tf.aliasing_output") || main.arg_attrs()[i].has("jax.buffer_donor");
  } catch (const std::exception& error) {
    problem = error.what();
    return nullptr;
  }
  code->text = std::move(text);
  return code;
}

Error* execute_on_both(ExecuteArgs& args) {
  for (size_t d = 0; d < args.num_devices; ++d) {
    for (size_t i = 0; i < args.num_args; ++i) args.output_lists[d][i] = make<Buffer>(*args.argument_lists[d][i]);
    const bool is_lost = has_fault("two, one lost") && d == 1;
    if (args.device_complete_events != nullptr)
      args.device_complete_events[d] = make<Event>(done_work(is_lost ? "device lost" : ""));
  }
  return nullptr;
}

Error* execute(ExecuteArgs& args) {
  if (has_fault("execute")) return wrong(kInvalid, "wrong device");
  if (args.num_devices == 2) return execute_on_both(args);
  const std::shared_ptr<const Source> code = args.executable->code;
  const ExecuteOptions& options = *args.options;
  std::vector<std::shared_ptr<Content>> in;
  for (size_t i = 0; i < args.num_args; ++i) {
    if (args.argument_lists[0][i]->is_deleted) return wrong(kInvalid, "the buffer was deleted or donated");
    in.push_back(args.argument_lists[0][i]->content);
  }
  for (size_t i = 0; i < args.num_args; ++i) {
    const auto* kept_end = options.not_donated + options.num_not_donated;
    const bool is_kept = std::find(options.not_donated, kept_end, static_cast<int64_t>(i)) != kept_end;
    args.argument_lists[0][i]->is_deleted = code->is_donated[i] && !is_kept;
    if (args.argument_lists[0][i]->is_deleted) count("donated");
  }
  std::vector<std::shared_ptr<Content>> out;
  for (size_t j = 0; j < code->result_types.size(); ++j) out.push_back(std::make_shared<Content>());
  // Results must not own the work that makes them: it owns what it reads.
  std::vector<std::weak_ptr<Content>> places(out.begin(), out.end());
  const bool is_lost = has_fault("lost");
  auto work = std::make_shared<Work>([code, in, places, is_lost]() -> std::string {
    if (is_lost) return "device lost";
    std::vector<weft::Tensor> values;
    for (const auto& c : in) {
      if (const std::string& error = c->work->finish(); !error.empty()) return error;
      values.push_back(c->tensor);
    }
    count("executed");
    try {
      std::vector<weft::Tensor> results = weft::evaluate(*code->module, "main", values);
      for (size_t j = 0; j < places.size(); ++j) {
        if (const auto place = places[j].lock()) place->tensor = results[j];
      }
    } catch (const std::exception& error) { return error.what(); }
    return "";
  });
  for (size_t j = 0; j < out.size(); ++j) {
    out[j]->work = work;
    const weft::Type t = code->result_types[j];
    args.output_lists[0][j] = make<Buffer>(*weft::pjrt::buffer_type(t.element_type()),
                                           std::vector<int64_t>(t.shape().begin(), t.shape().end()), out[j], false);
  }
  if (!is_deferring()) work->finish();
  if (args.device_complete_events != nullptr) args.device_complete_events[0] = make<Event>(work);
  return nullptr;
}

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
     [](void* a) -> Error* { return has_fault("initialize") ? wrong(kInternal, "no driver") : nullptr; }},
    {Entry::kEventDestroy,
     [](void* a) -> Error* {
       destroy(as<EventDestroyArgs>(a).event);
       return nullptr;
     }},
    {Entry::kEventAwait, [](void* a) -> Error* { return as_error(as<EventAwaitArgs>(a).event->work->finish()); }},
    {Entry::kEventIsReady,
     [](void* a) -> Error* {
       as<EventIsReadyArgs>(a).is_ready = as<EventIsReadyArgs>(a).event->work->is_done();
       return nullptr;
     }},
    {Entry::kClientCreate,
     [](void* a) -> Error* {
       if (has_fault("client")) return wrong(kInternal, "no devices at hand");
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
       args.num_devices = has_fault("no device") ? 0 : num_devices();
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
       auto& args = as<ClientCompileArgs>(a);
       if (has_fault("compile")) return wrong(kUnknown, "-:3:5: error: the fake plugin compiles nothing\n");
       if (has_fault("unimplemented")) return wrong(kUnimplemented, "no such op");
       std::string problem;
       auto code = read_code({args.program->code, args.program->code_size}, problem);
       if (code == nullptr) return wrong(kUnknown, problem);
       count("compiled");
       args.executable = make<LoadedExecutable>(std::move(code));
       return nullptr;
     }},
    {Entry::kExecutableDeserializeAndLoad,
     [](void* a) -> Error* {
       auto& args = as<DeserializeAndLoadArgs>(a);
       if (has_fault("load")) return wrong(kInvalid, "made by another version");
       std::string problem;
       auto code = read_code({args.bytes, args.num_bytes}, problem);
       if (code == nullptr) return wrong(kInvalid, problem);
       count("loaded");
       args.executable = make<LoadedExecutable>(std::move(code));
       return nullptr;
     }},
    {Entry::kExecutableSerialize,
     [](void* a) -> Error* {
       auto& args = as<ExecutableSerializeArgs>(a);
       if (has_fault("serialize")) return wrong(kUnimplemented, "cannot be serialised");
       args.owner = make<SerializedExecutable>(args.executable->code->text);
       args.bytes = args.owner->text.data();
       args.num_bytes = args.owner->text.size();
       args.release = [](SerializedExecutable* owner) { destroy(owner); };
       return nullptr;
     }},
    {Entry::kExecutableMemoryStats,
     [](void* a) -> Error* {
       if (has_fault("no figures")) return wrong(kUnimplemented, "nobody counted");
       auto& args = as<ExecutableMemoryStatsArgs>(a);
       args.code = 100;
       args.arguments = 16;
       args.outputs = 8;
       args.temporaries = 32;
       return nullptr;
     }},
    {Entry::kExecutableGetCostAnalysis,
     [](void* a) -> Error* {
       if (has_fault("no figures")) return wrong(kUnimplemented, "nobody counted");
       static NamedValue flops;
       flops.name = "flops";
       flops.name_size = 5;
       flops.kind = ValueKind::kFloat;
       flops.value.float32 = 2;
       flops.size = 1;
       as<ExecutableCostArgs>(a).properties = &flops;
       as<ExecutableCostArgs>(a).num_properties = 1;
       return nullptr;
     }},
    {Entry::kExecutableOutputElementTypes,
     [](void* a) -> Error* {
       auto& args = as<ExecutableOutputElementTypesArgs>(a);
       Executable& e = *args.executable;
       e.types.clear();
       for (weft::Type t : e.code->result_types) e.types.push_back(*weft::pjrt::buffer_type(t.element_type()));
       args.types = e.types.data();
       args.num_types = e.types.size();
       return nullptr;
     }},
    {Entry::kExecutableOutputDimensions,
     [](void* a) -> Error* {
       auto& args = as<ExecutableOutputDimensionsArgs>(a);
       Executable& e = *args.executable;
       e.dims.clear();
       e.ranks.clear();
       for (weft::Type t : e.code->result_types) {
         e.dims.insert(e.dims.end(), t.shape().begin(), t.shape().end());
         e.ranks.push_back(t.shape().size());
         if (num_devices() == 2 && !has_fault("two, whole results")) e.dims[e.dims.size() - t.shape().size()] /= 2;
       }
       args.num_outputs = e.ranks.size();
       args.dims = e.dims.data();
       args.ranks = e.ranks.data();
       return nullptr;
     }},
    {Entry::kLoadedExecutableDestroy,
     [](void* a) -> Error* {
       destroy(as<LoadedExecutableDestroyArgs>(a).executable);
       return nullptr;
     }},
    {Entry::kLoadedExecutableGetExecutable,
     [](void* a) -> Error* {
       if (has_fault("executable")) return wrong(kInternal, "lost the executable");
       as<GetExecutableArgs>(a).executable = make<Executable>();
       as<GetExecutableArgs>(a).executable->code = as<GetExecutableArgs>(a).loaded->code;
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
       args.num_devices = has_fault("two, one used") ? 1 : num_devices();
       return nullptr;
     }},
    {Entry::kClientBufferFromHostBuffer,
     [](void* a) -> Error* {
       auto& args = as<BufferFromHostArgs>(a);
       if (has_fault("memory")) return wrong(kExhausted, "out of memory");
       const auto element = weft::pjrt::element_type(args.type);
       if (!element) return wrong(kInvalid, "no such type");
       auto content = std::make_shared<Content>();
       content->tensor = weft::Tensor(*element, weft::Shape(args.dims, args.dims + args.num_dims));
       if (content->tensor.size_bytes() != 0)
         std::memcpy(content->tensor.raw(), args.data, content->tensor.size_bytes());
       content->work = done_work();
       count("sent");
       args.buffer =
           make<Buffer>(args.type, std::vector<int64_t>(args.dims, args.dims + args.num_dims), content, false);
       args.done_with_host_buffer = make<Event>(done_work());
       return nullptr;
     }},
    {Entry::kBufferDestroy,
     [](void* a) -> Error* {
       destroy(as<BufferDestroyArgs>(a).buffer);
       return nullptr;
     }},
    {Entry::kBufferIsDeleted,
     [](void* a) -> Error* {
       as<BufferIsDeletedArgs>(a).is_deleted = as<BufferIsDeletedArgs>(a).buffer->is_deleted;
       return nullptr;
     }},
    {Entry::kBufferToHostBuffer,
     [](void* a) -> Error* {
       auto& args = as<BufferToHostArgs>(a);
       if (args.buffer->is_deleted) return wrong(kInvalid, "the buffer was deleted or donated");
       Content& content = *args.buffer->content;
       if (const std::string& error = content.work->finish(); !error.empty()) return as_error(error);
       if (args.dst_size < content.tensor.size_bytes()) return wrong(kInvalid, "too little room");
       std::memcpy(args.dst, content.tensor.raw(), content.tensor.size_bytes());
       count("fetched");
       args.event = make<Event>(done_work(has_fault("read") ? "device lost" : ""));
       return nullptr;
     }},
    {Entry::kLoadedExecutableExecute, [](void* a) -> Error* { return execute(as<ExecuteArgs>(a)); }},
};

constexpr size_t kEntries = 97;
struct Table {
  Api head;
  Function rest[kEntries - 1];
} table;

}  // namespace

extern "C" __attribute__((visibility("default"))) int weft_fake_live_objects() { return live; }

/// "sent", "fetched", "executed", "compiled", "loaded", "donated": how often so far.
extern "C" __attribute__((visibility("default"))) int weft_fake_count(const char* what) {
  const std::lock_guard lock(state);
  return counts[what];
}

/// "fault" to one's name, or ""; "defer" to "on" or "off".
extern "C" __attribute__((visibility("default"))) void weft_fake_set(const char* what, const char* value) {
  const std::lock_guard lock(state);
  if (std::string_view(what) == "fault") fault = value;
  if (std::string_view(what) == "defer") defers = std::string_view(value) == "on";
}

extern "C" __attribute__((visibility("default"))) const void* GetPjrtApi() {
  const char* asked = std::getenv("WEFT_FAKE_PLUGIN");
  {
    const std::lock_guard lock(state);
    fault = asked != nullptr ? asked : "";
  }
  if (has_fault("null table")) return nullptr;
  table.head.struct_size = offsetof(Api, functions) + kEntries * sizeof(Function);
  table.head.version = {sizeof(Version), nullptr, 0, 81};
  for (const Slot& s : kSlots) (&table.head.functions[0])[static_cast<size_t>(s.entry)] = s.function;
  if (has_fault("old")) table.head.version.minor = 40;
  if (has_fault("new major")) table.head.version.major = 1;
  if (has_fault("short table")) table.head.struct_size = offsetof(Api, functions) + 20 * sizeof(Function);
  if (has_fault("tiny table")) table.head.struct_size = 24;
  if (has_fault("null function")) (&table.head.functions[0])[static_cast<size_t>(Entry::kClientCompile)] = nullptr;
  return &table;
}
