#include "pjrt/client.h"

#include <algorithm>
#include <cstring>

namespace weft::pjrt {
namespace {

struct TypePair {
  ElementType ours;
  c::BufferType theirs;
};

constexpr TypePair kTypes[] = {
    {ElementType::kI1, c::BufferType::kPred},
    {ElementType::kI2, c::BufferType::kS2},
    {ElementType::kI4, c::BufferType::kS4},
    {ElementType::kI8, c::BufferType::kS8},
    {ElementType::kI16, c::BufferType::kS16},
    {ElementType::kI32, c::BufferType::kS32},
    {ElementType::kI64, c::BufferType::kS64},
    {ElementType::kU2, c::BufferType::kU2},
    {ElementType::kU4, c::BufferType::kU4},
    {ElementType::kU8, c::BufferType::kU8},
    {ElementType::kU16, c::BufferType::kU16},
    {ElementType::kU32, c::BufferType::kU32},
    {ElementType::kU64, c::BufferType::kU64},
    {ElementType::kF4E2M1FN, c::BufferType::kF4E2M1FN},
    {ElementType::kF8E3M4, c::BufferType::kF8E3M4},
    {ElementType::kF8E4M3, c::BufferType::kF8E4M3},
    {ElementType::kF8E4M3FN, c::BufferType::kF8E4M3FN},
    {ElementType::kF8E4M3FNUZ, c::BufferType::kF8E4M3FNUZ},
    {ElementType::kF8E4M3B11FNUZ, c::BufferType::kF8E4M3B11FNUZ},
    {ElementType::kF8E5M2, c::BufferType::kF8E5M2},
    {ElementType::kF8E5M2FNUZ, c::BufferType::kF8E5M2FNUZ},
    {ElementType::kF8E8M0FNU, c::BufferType::kF8E8M0FNU},
    {ElementType::kF16, c::BufferType::kF16},
    {ElementType::kBF16, c::BufferType::kBF16},
    {ElementType::kF32, c::BufferType::kF32},
    {ElementType::kF64, c::BufferType::kF64},
    {ElementType::kC64, c::BufferType::kC64},
    {ElementType::kC128, c::BufferType::kC128},
};

}  // namespace

std::optional<c::BufferType> buffer_type(ElementType t) {
  const auto* it = std::ranges::find(kTypes, t, &TypePair::ours);
  return it == std::end(kTypes) ? std::nullopt : std::optional(it->theirs);
}

std::optional<ElementType> element_type(c::BufferType t) {
  const auto* it = std::ranges::find(kTypes, t, &TypePair::theirs);
  return it == std::end(kTypes) ? std::nullopt : std::optional(it->ours);
}

c::Program mlir_program(std::string& text) {
  constexpr std::string_view kFormat = "mlir";
  c::Program program;
  program.struct_size = c::used_bytes(program);
  program.code = text.data();
  program.code_size = text.size();
  program.format = kFormat.data();
  program.format_size = kFormat.size();
  return program;
}

namespace {

bool is_small_integer(ElementType t) { return is_integer(t) && bit_width(t) < 8; }

/// Integers of fewer than eight bits take a byte each here; what a plugin leaves in the bits above is not theirs.
void extend_small_integers(void* elements, Type type) {
  const ElementType t = type.element_type();
  if (!is_small_integer(t)) return;
  auto* const bytes = static_cast<uint8_t*>(elements);
  const int unused = 8 - bit_width(t);
  for (int64_t i = 0; i < type.num_elements(); ++i) {
    const auto high = static_cast<uint8_t>(bytes[i] << unused);
    bytes[i] = is_signed_integer(t) ? static_cast<uint8_t>(static_cast<int8_t>(high) >> unused)
                                    : static_cast<uint8_t>(high >> unused);
  }
}

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (buffer_ == nullptr) return;
  c::BufferDestroyArgs args;
  args.buffer = buffer_;
  plugin_->release(args);
}

Type DeviceBuffer::type() const {
  c::BufferElementTypeArgs element;
  element.buffer = buffer_;
  plugin_->call(element);
  c::BufferDimensionsArgs dims;
  dims.buffer = buffer_;
  plugin_->call(dims);
  const std::optional<ElementType> t = element_type(element.type);
  if (!t)
    throw Unsupported("PJRT plugin " + plugin_->title() + ": a buffer has element type " +
                      std::to_string(static_cast<int>(element.type)) + ", which Weft does not have");
  return Type::tensor(*t, std::span(dims.dims, dims.num_dims));
}

bool DeviceBuffer::is_deleted() const {
  c::BufferIsDeletedArgs args;
  args.buffer = buffer_;
  plugin_->call(args);
  return args.is_deleted;
}

void DeviceBuffer::read(void* to, Type type, bool on_host) const {
  const size_t bytes = type.num_bytes();
  if (bytes == 0) return;
  // Where elements lie, those of fewer than eight bits may be packed.
  if (on_host && !is_small_integer(type.element_type()) && plugin_->has(c::Entry::kBufferUnsafePointer)) {
    c::BufferUnsafePointerArgs args;
    args.buffer = buffer_;
    plugin_->call(args);
    std::memcpy(to, reinterpret_cast<const void*>(args.pointer), bytes);
    return;
  }
  std::vector<int64_t> axes(static_cast<size_t>(type.rank()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(axes.size() - 1 - i);
  c::MemoryLayout layout;
  layout.tiled.struct_size = c::used_bytes(layout.tiled);
  layout.tiled.minor_to_major = axes.data();
  layout.tiled.rank = axes.size();
  layout.struct_size = c::used_bytes(layout);
  c::BufferToHostArgs args;
  args.buffer = buffer_;
  args.host_layout = &layout;
  args.dst = to;
  args.dst_size = bytes;
  plugin_->call(args);
  plugin_->finish(args.event);
  extend_small_integers(to, type);
}

Code::~Code() {
  if (executable_ == nullptr) return;
  c::ExecutableDestroyArgs args;
  args.executable = executable_;
  plugin_->release(args);
}

std::string Code::serialize() const {
  c::ExecutableSerializeArgs args;
  args.executable = executable_;
  plugin_->call(args);
  std::string out(args.bytes, args.num_bytes);
  if (args.release != nullptr) args.release(args.owner);
  return out;
}

CodeFigures Code::figures() const {
  CodeFigures out;
  const auto ask = [&](auto& args) {
    if (!plugin_->has(std::remove_reference_t<decltype(args)>::kEntry)) return false;
    args.executable = executable_;
    try {
      plugin_->call(args);
    } catch (const Error&) {  // not every plugin knows every figure
      return false;
    }
    return true;
  };
  if (c::ExecutableSizeOfCodeArgs size; ask(size) && size.bytes > 0) out.code_bytes = size.bytes;
  if (c::ExecutableMemoryStatsArgs memory; ask(memory)) {
    out.argument_bytes = memory.arguments;
    out.output_bytes = memory.outputs;
    out.aliased_bytes = memory.aliased;
    out.temporary_bytes = memory.temporaries;
    if (memory.peak > 0) out.peak_bytes = memory.peak;
    if (!out.code_bytes && memory.code > 0) out.code_bytes = memory.code;
  }
  if (c::ExecutableCostArgs cost; ask(cost)) {
    const Options values = options_of(cost.properties, cost.num_properties);
    const auto number = [&](const char* name) -> std::optional<double> {
      const auto it = values.find(name);
      if (it == values.end()) return std::nullopt;
      if (const auto* f = std::get_if<float>(&it->second)) return *f;
      return std::nullopt;
    };
    out.flops = number("flops");
    out.bytes_accessed = number("bytes accessed");
  }
  return out;
}

std::string figures_text(const CodeFigures& f) {
  std::string out;
  const auto line = [&](const char* name, const auto& value, const char* unit) {
    out += std::string(name) + ": " +
           (value ? std::to_string(static_cast<int64_t>(*value)) + unit : "the plugin does not say") + "\n";
  };
  line("code", f.code_bytes, " bytes");
  line("arguments", f.argument_bytes, " bytes");
  line("results", f.output_bytes, " bytes");
  line("of them in arguments' memory", f.aliased_bytes, " bytes");
  line("temporaries", f.temporary_bytes, " bytes");
  line("peak", f.peak_bytes, " bytes");
  line("arithmetic", f.flops, " FLOP");
  line("memory traffic", f.bytes_accessed, " bytes");
  return out;
}

std::vector<Type> Code::result_types() const {
  std::vector<Type> out;
  if (!plugin_->has(c::Entry::kExecutableOutputElementTypes) || !plugin_->has(c::Entry::kExecutableOutputDimensions))
    return out;
  c::ExecutableOutputElementTypesArgs types;
  types.executable = executable_;
  plugin_->call(types);
  c::ExecutableOutputDimensionsArgs dims;
  dims.executable = executable_;
  plugin_->call(dims);
  const int64_t* next = dims.dims;
  for (size_t i = 0; i < types.num_types; ++i) {
    const std::optional<ElementType> t = element_type(types.types[i]);
    if (!t) return {};
    out.push_back(Type::tensor(*t, std::span(next, dims.ranks[i])));
    next += dims.ranks[i];
  }
  return out;
}

std::unique_ptr<LoadedCode> LoadedCode::adopt(std::shared_ptr<const Client> client, c::LoadedExecutable* executable) {
  std::unique_ptr<LoadedCode> out(new LoadedCode(std::move(client), executable));
  const Plugin& plugin = out->client_->plugin();
  c::GetExecutableArgs code;
  code.loaded = executable;
  plugin.call(code);
  out->code_.emplace(plugin, code.executable);
  c::LoadedExecutableDevicesArgs devices;
  devices.executable = executable;
  plugin.call(devices);
  out->devices_.assign(devices.devices, devices.devices + devices.num_devices);
  return out;
}

LoadedCode::~LoadedCode() {
  c::LoadedExecutableDestroyArgs args;
  args.executable = executable_;
  client_->plugin().release(args);
}

void LoadedCode::execute(std::span<c::Buffer* const* const> args, size_t num_args, std::span<c::Buffer** const> results,
                         std::span<c::Event*> done, std::span<const int64_t> kept) const {
  c::ExecuteOptions options;
  options.struct_size = c::used_bytes(options);
  options.not_donated = kept.data();
  options.num_not_donated = kept.size();
  c::ExecuteArgs call;
  call.executable = executable_;
  call.options = &options;
  call.argument_lists = args.data();
  call.num_devices = args.size();
  call.num_args = num_args;
  call.output_lists = results.data();
  call.device_complete_events = done.data();
  client_->plugin().call(call);
}

std::shared_ptr<Client> Client::open(const Plugin& plugin, const Options& options) {
  const std::vector<c::NamedValue> values = named_values(options);
  c::ClientCreateArgs args;
  args.options = values.data();
  args.num_options = values.size();
  plugin.call(args);
  std::shared_ptr<Client> out(new Client(plugin, args.client));
  out->ask_about_itself();
  return out;
}

void Client::ask_about_itself() {
  c::ClientAddressableDevicesArgs devices;
  devices.client = client_;
  plugin_.call(devices);
  devices_.assign(devices.devices, devices.devices + devices.num_devices);
  c::ClientPlatformNameArgs name;
  name.client = client_;
  plugin_.call(name);
  platform_.assign(name.text, name.size);
  if (plugin_.has(c::Entry::kClientPlatformVersion)) {
    c::ClientPlatformVersionArgs version;
    version.client = client_;
    plugin_.call(version);
    version_.assign(version.text, version.size);
  }
  if (devices_.empty()) throw UserError("PJRT plugin " + plugin_.title() + ": no devices");
}

Client::~Client() {
  c::ClientDestroyArgs args;
  args.client = client_;
  plugin_.release(args);
}

std::string Client::device_kind(c::Device* device) const {
  c::DeviceGetDescriptionArgs description;
  description.device = device;
  plugin_.call(description);
  c::DeviceDescriptionKindArgs kind;
  kind.description = description.description;
  plugin_.call(kind);
  return {kind.kind, kind.kind_size};
}

std::unique_ptr<LoadedCode> Client::compile(std::string program, const CompileSettings& settings) const {
  const c::Program text = mlir_program(program);
  const std::string options = encode_compile_options(settings);
  c::ClientCompileArgs args;
  args.client = client_;
  args.program = &text;
  args.options = options.data();
  args.options_size = options.size();
  plugin_.call(args);
  return LoadedCode::adopt(shared_from_this(), args.executable);
}

std::unique_ptr<LoadedCode> Client::load(std::string_view serialized) const {
  c::DeserializeAndLoadArgs args;
  args.client = client_;
  args.bytes = serialized.data();
  args.num_bytes = serialized.size();
  plugin_.call(args);
  return LoadedCode::adopt(shared_from_this(), args.executable);
}

DeviceBuffer Client::put(const void* elements, Type type, c::Device* device, bool may_keep) const {
  const std::optional<c::BufferType> t = buffer_type(type.element_type());
  if (!t) throw Unsupported("PJRT has no element type " + std::string(name(type.element_type())));
  static const char kNothing[64] = {};
  const bool aligned = reinterpret_cast<uintptr_t>(elements) % 64 == 0;
  c::BufferFromHostArgs args;
  args.client = client_;
  args.data = elements != nullptr ? elements : kNothing;
  args.type = *t;
  args.dims = type.shape().data();
  args.num_dims = type.shape().size();
  args.use = may_keep && aligned && is_on_host() && !is_small_integer(type.element_type())
                 ? c::HostBufferUse::kZeroCopy
                 : c::HostBufferUse::kUntilTransferred;
  args.device = device;
  plugin_.call(args);
  DeviceBuffer out(plugin_, args.buffer);
  // Without a copy this event ends only with the buffer.
  if (args.use == c::HostBufferUse::kZeroCopy) {
    c::EventDestroyArgs destroy;
    destroy.event = args.done_with_host_buffer;
    plugin_.release(destroy);
  } else {
    plugin_.finish(args.done_with_host_buffer);
  }
  return out;
}

}  // namespace weft::pjrt
