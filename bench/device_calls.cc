// What a call on a PJRT plugin costs above the plugin's own: x + x of four floats, by the entries of the C API alone and through Weft, with arguments
// from the host and with those that lie on the device.
//
//   device_calls PLUGIN
//
// Prints `device_calls NAME MICROSECONDS` lines: what the quickest tenth of blocks stays below. Blocks alternate, so that other work on the
// machine meets all cases alike.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "ir/device_value.h"
#include "pjrt/executable.h"
#include "pjrt/pjrt_target.h"
#include "pjrt/started_call.h"
#include "text/parse.h"
#include "weft/symbolic.h"

namespace {

using namespace weft;
using Clock = std::chrono::steady_clock;

constexpr const char* kTwice =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { %y = stablehlo.add %x, %x : tensor<4xf32>  return %y : "
    "tensor<4xf32> }";

struct Case {
  const char* name;
  std::function<void()> call;
  std::vector<double> microseconds = {};
};

/// Executes, waits, and copies the result from where it lies: what a C program would do.
void call_plugin(const pjrt::Plugin& plugin, const pjrt::LoadedCode& code, pjrt::c::Buffer* x, void* to) {
  namespace c = pjrt::c;
  c::Buffer* y = nullptr;
  c::Event* done = nullptr;
  c::Buffer* const* const in = &x;
  c::Buffer** const out = &y;
  code.execute(std::span(&in, 1), 1, std::span(&out, 1), std::span(&done, 1));
  plugin.finish(done);
  c::BufferUnsafePointerArgs pointer;
  pointer.buffer = y;
  plugin.call(pointer);
  std::memcpy(to, reinterpret_cast<const void*>(pointer.pointer), 4 * sizeof(float));
  c::BufferDestroyArgs destroy;
  destroy.buffer = y;
  plugin.release(destroy);
}

int run(const std::string& name) {
  const auto client = pjrt::client_of(name);
  const pjrt::Plugin& plugin = client->plugin();
  const auto code = client->compile(kTwice, {});
  const auto ours = pjrt::compile_program(client, *parse_module(kTwice, "twice"), "main", {});
  const Expr x = placeholder<float>({4}, "x");
  const Variable v = variable(zeros<float>({4}), "v");
  const CompiledGraph graph = function({x}, {x + x}, {}, {.target = "pjrt:" + name});
  const CompiledGraph step = function({}, {}, updates{{v, v + v}}, {.target = "pjrt:" + name});

  const Tensor in = Tensor::of<float>({1, 2, 3, 4}, {4}), out(ElementType::kF32, {4});
  const Type type = Type::tensor(ElementType::kF32, {4});
  const pjrt::DeviceBuffer there = client->put(in.raw(), type, client->devices()[0], false);
  const std::vector<std::shared_ptr<DeviceValue>> value = {pjrt::put_value(client, in, client->devices()[0])};
  const DeviceTensor tensor{value[0]};
  const void* in_place[] = {in.raw()};
  void* out_place[] = {out.raw()};
  BoundCall bound = graph.bind_device({tensor});

  std::vector<Case> cases = {
      {"plugin_device_us", [&] { call_plugin(plugin, *code, there.get(), out.raw()); }},
      {"start_read_us", [&] { ours->start(value)->results()[0]->read(out.raw()); }},
      {"bound_read_us", [&] { bound.run(), std::memcpy(out.raw(), bound[0].raw(), 4 * sizeof(float)); }},
      {"call_read_us", [&] { std::memcpy(out.raw(), graph(tensor)[0].raw(), 4 * sizeof(float)); }},
      {"update_us", [&] { step(); }},
      {"plugin_host_us",
       [&] {
         const pjrt::DeviceBuffer sent = client->put(in.raw(), type, client->devices()[0], true);
         call_plugin(plugin, *code, sent.get(), out.raw());
       }},
      {"invoke_us", [&] { ours->invoke(in_place, out_place); }},
  };
  constexpr int kBlocks = 1001, kCalls = 30;  // short: most blocks are not interrupted
  for (int block = 0; block < kBlocks; ++block) {
    for (Case& c : cases) {
      const auto begin = Clock::now();
      for (int i = 0; i < kCalls; ++i) c.call();
      c.microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / kCalls);
    }
  }
  if (out.data<float>()[3] != 8) return 1;
  std::printf("%s\n", plugin.title().c_str());
  const double* base = nullptr;
  for (Case& c : cases) {
    std::ranges::sort(c.microseconds);
    const double& decile = c.microseconds[kBlocks / 10];
    if (std::string_view(c.name).starts_with("plugin")) base = &decile;
    std::printf("device_calls %-18s %6.2f  (%.2f of the plugin's own, %+.2f us)\n", c.name, decile, decile / *base,
                decile - *base);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
