#include "native/kernels/onednn_plan.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

#include "native/kernels/library_threads.h"
#include "native/kernels/relu.h"

namespace weft::native {

dnnl::engine& onednn_engine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::primitive_attr onednn_attr() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

std::optional<dnnl::memory::data_type> onednn_type(ElementType type) {
  switch (type) {
    case ElementType::kF32: return dnnl::memory::data_type::f32;
    case ElementType::kBF16: return dnnl::memory::data_type::bf16;
    case ElementType::kF16: return dnnl::memory::data_type::f16;
    default: return std::nullopt;
  }
}

bool is_reference(const std::string& implementation) {
  return implementation.rfind("ref", 0) == 0 || implementation.find(":ref") != std::string::npos ||
         implementation.rfind("simple", 0) == 0;
}

namespace {

constexpr size_t kSerialBelowBytes = size_t{1} << 16;

size_t rounded_up(size_t bytes) { return (bytes + 63) / 64 * 64; }

enum class Kind { kInput, kOutput, kScratch, kConstant };

struct PlaceInfo {
  Kind kind;
  size_t at;  // index of the input, output or constant; offset in the scratch
  dnnl::memory::desc desc;
};

struct Step {
  dnnl::primitive primitive;  // empty: relu of `relu_place`
  std::vector<std::pair<int, int>> arguments;
  int relu_place = -1;
  bool is_serial = false;
  bool is_copy = false;  // a reorder between equal layouts: nothing to do when both places are the same memory
};

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<void, FreeMemory>;

Buffer new_buffer(size_t bytes) {
  Buffer buffer(std::aligned_alloc(64, rounded_up(bytes ? bytes : 1)));
  if (!buffer) throw std::bad_alloc();
  return buffer;
}

// The memory objects of one call at a time: setting their handles is not thread-safe, and making them allocates.
struct CallState {
  dnnl::stream stream{onednn_engine()};
  std::vector<dnnl::memory> memories;
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;  // per step
};

}  // namespace

struct OneDnnPlan::Data {
  int partitions;
  std::string implementation;
  std::vector<PlaceInfo> places;
  std::vector<Step> steps;
  std::vector<Buffer> constants;
  size_t scratch_bytes = 0;

  int add(Kind kind, size_t at, const dnnl::memory::desc& desc) {
    places.push_back({kind, at, desc});
    return static_cast<int>(places.size()) - 1;
  }
};

class OneDnnKernel final : public LibraryKernel {
 public:
  explicit OneDnnKernel(std::unique_ptr<OneDnnPlan::Data> data) : data_(std::move(data)) {
    states_.emplace_back(new_state());
    idle_.push_back(states_.back().get());
  }

  std::string implementation() const override { return "onednn " + data_->implementation; }
  size_t scratch_bytes() const override { return data_->scratch_bytes; }

  bool execute(const void* const* inputs, void* const* outputs, void* scratch) const noexcept override {
    try {
      CallState* state = lease();
      bool is_done = false;
      with_library_team(data_->partitions,
                        [&] { is_done = run(*state, inputs, outputs, static_cast<char*>(scratch)); });
      std::lock_guard guard(mutex_);
      idle_.push_back(state);
      return is_done;
    } catch (...) { return false; }
  }

 private:
  CallState* new_state() const {
    auto state = std::make_unique<CallState>();
    for (const PlaceInfo& place : data_->places) {
      void* handle = place.kind == Kind::kConstant ? data_->constants[place.at].get() : nullptr;
      state->memories.emplace_back(place.desc, onednn_engine(), handle);
    }
    for (const Step& step : data_->steps) {
      auto& list = state->arguments.emplace_back();
      for (auto [argument, place] : step.arguments) list.push_back({argument, state->memories[place].get()});
    }
    return state.release();
  }

  CallState* lease() const {
    {
      std::lock_guard guard(mutex_);
      if (!idle_.empty()) {
        CallState* state = idle_.back();
        idle_.pop_back();
        return state;
      }
    }
    std::unique_ptr<CallState> state(new_state());
    std::lock_guard guard(mutex_);
    // Room for all of them, so that giving one back never allocates.
    idle_.reserve(states_.size() + 1);
    states_.push_back(std::move(state));
    return states_.back().get();
  }

  bool run(CallState& state, const void* const* inputs, void* const* outputs, char* scratch) const {
    const auto& places = data_->places;
    auto handle_of = [&](const PlaceInfo& place) -> void* {
      switch (place.kind) {
        case Kind::kInput: return const_cast<void*>(inputs[place.at]);
        case Kind::kOutput: return outputs[place.at];
        case Kind::kScratch: return scratch + place.at;
        case Kind::kConstant: return data_->constants[place.at].get();
      }
      return nullptr;
    };
    for (size_t at = 0; at < places.size(); ++at) {
      if (places[at].kind == Kind::kConstant) continue;
      if (dnnl_memory_set_data_handle(state.memories[at].get(), handle_of(places[at])) != dnnl_success) return false;
    }
    for (size_t at = 0; at < data_->steps.size(); ++at) {
      const Step& step = data_->steps[at];
      if (step.relu_place >= 0) {
        const PlaceInfo& place = places[step.relu_place];
        relu_in_place(static_cast<float*>(handle_of(place)), place.desc.get_size() / sizeof(float),
                      library_threads(data_->partitions));
        continue;
      }
      const auto& arguments = state.arguments[at];
      std::optional<LibraryTeam> alone;
      if (step.is_serial) alone.emplace(1);
      if (step.is_copy && handle_of(places[step.arguments[0].second]) == handle_of(places[step.arguments[1].second]))
        continue;
      if (dnnl_primitive_execute(step.primitive.get(), state.stream.get(), static_cast<int>(arguments.size()),
                                 arguments.data()) != dnnl_success)
        return false;
    }
    return dnnl_stream_wait(state.stream.get()) == dnnl_success;
  }

  std::unique_ptr<OneDnnPlan::Data> data_;
  mutable std::mutex mutex_;
  mutable std::vector<CallState*> idle_;
  mutable std::vector<std::unique_ptr<CallState>> states_;
};

OneDnnPlan::OneDnnPlan(int partitions, std::string implementation) : data_(std::make_unique<Data>()) {
  data_->partitions = partitions;
  data_->implementation = std::move(implementation);
}
OneDnnPlan::~OneDnnPlan() = default;
OneDnnPlan::OneDnnPlan(OneDnnPlan&&) noexcept = default;

OneDnnPlan::Place OneDnnPlan::add_input(int index, const dnnl::memory::desc& desc) {
  return data_->add(Kind::kInput, index, desc);
}

OneDnnPlan::Place OneDnnPlan::add_output(int index, const dnnl::memory::desc& desc) {
  return data_->add(Kind::kOutput, index, desc);
}

OneDnnPlan::Place OneDnnPlan::add_scratch(const dnnl::memory::desc& desc) {
  size_t offset = data_->scratch_bytes;
  data_->scratch_bytes = offset + rounded_up(desc.get_size());
  return data_->add(Kind::kScratch, offset, desc);
}

OneDnnPlan::Place OneDnnPlan::add_constant(const void* data, const dnnl::memory::desc& from,
                                           const dnnl::memory::desc& to) {
  data_->constants.push_back(new_buffer(to.get_size()));
  void* packed = data_->constants.back().get();
  dnnl::memory source(from, onednn_engine(), const_cast<void*>(data)), target(to, onednn_engine(), packed);
  dnnl::stream stream(onednn_engine());
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
  return data_->add(Kind::kConstant, data_->constants.size() - 1, to);
}

void OneDnnPlan::add_step(const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, Arguments arguments) {
  if (scratchpad.get_size() > 0) arguments.emplace_back(DNNL_ARG_SCRATCHPAD, add_scratch(scratchpad));
  data_->steps.push_back({primitive, std::move(arguments)});
}

void OneDnnPlan::add_reorder(Place from, Place to) {
  const dnnl::memory::desc &source = data_->places[from].desc, &target = data_->places[to].desc;
  // Weights are often so small that waking a team takes longer than the reorder; its bits do not depend on threads.
  const bool is_serial = target.get_size() < kSerialBelowBytes;
  std::optional<LibraryTeam> alone;
  if (is_serial) alone.emplace(1);
  dnnl::reorder::primitive_desc desc(onednn_engine(), source, onednn_engine(), target, onednn_attr());
  const bool is_copy = source == target;
  add_step(dnnl::reorder(desc), desc.scratchpad_desc(), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  data_->steps.back().is_copy = is_copy;
  data_->steps.back().is_serial = is_serial;
}

OneDnnPlan::Place OneDnnPlan::reordered(Place place, const dnnl::memory::desc& wanted) {
  if (data_->places[place].desc == wanted) return place;
  Place copy = add_scratch(wanted);
  add_reorder(place, copy);
  return copy;
}

void OneDnnPlan::add_relu(Place place) {
  Step step;
  step.relu_place = place;
  data_->steps.push_back(std::move(step));
}

std::unique_ptr<LibraryKernel> OneDnnPlan::finish() && { return std::make_unique<OneDnnKernel>(std::move(data_)); }

}  // namespace weft::native
