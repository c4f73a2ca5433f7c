// Calls of compiled functions: in the host's memory or on a device, with locks, leases of result memory, and bound calls.
#include <algorithm>

#include "symbolic/compiled_function.h"
#include "text/print.h"

namespace weft {
namespace symbolic {

CompiledFunction::CompiledFunction() = default;
CompiledFunction::~CompiledFunction() = default;

namespace {

Tensor tensor_of(Type t) { return Tensor(t.element_type(), Shape(t.shape().begin(), t.shape().end())); }

/// Holds the variables of a call: shared for reading, alone for updating.
class VariableLocks {
 public:
  explicit VariableLocks(const std::vector<CompiledFunction::Bound>& variables) : variables_(variables) {
    for (const auto& v : variables_) v.is_updated ? v.state->mutex.lock() : v.state->mutex.lock_shared();
  }
  ~VariableLocks() {
    for (const auto& v : variables_) v.is_updated ? v.state->mutex.unlock() : v.state->mutex.unlock_shared();
  }
  VariableLocks(const VariableLocks&) = delete;
  VariableLocks& operator=(const VariableLocks&) = delete;

 private:
  const std::vector<CompiledFunction::Bound>& variables_;
};

Tensor host_tensor(const DeviceTensor& t) {
  const auto* host = dynamic_cast<const HostValue*>(t.handle().get());
  return host != nullptr ? host->tensor() : t.value();
}

}  // namespace

void ResultSet::set_values(std::vector<std::shared_ptr<DeviceValue>> outputs) {
  values = std::move(outputs);
  is_read.assign(values.size(), false);
}

const Tensor& ResultSet::read(size_t i) {
  if (values.empty()) return tensors[i];
  const std::lock_guard lock(mutex);
  if (!is_read[i]) {
    // Somebody may still hold a tensor of an earlier call.
    if (!tensors[i] || !tensors[i].buffer().unique()) tensors[i] = tensor_of(values[i]->type());
    values[i]->read(tensors[i].raw());
    is_read[i] = true;
  }
  return tensors[i];
}

std::unique_ptr<ResultSet> CompiledFunction::make_set() const {
  auto set = std::make_unique<ResultSet>();
  if (executable->has_device()) {
    set->tensors.resize(outputs.size());
    return set;
  }
  set->in.resize(inputs.size());
  for (const Bound& v : variables) set->in.push_back(v.state->residence.home().raw());
  for (Type t : outputs) {
    set->tensors.push_back(tensor_of(t));
    set->out.push_back(set->tensors.back().raw());
  }
  for (size_t v : updated) set->out.push_back(variables[v].state->residence.home().raw());
  return set;
}

ResultSet* CompiledFunction::lease() {
  std::unique_ptr<ResultSet> set;
  {
    const std::lock_guard lock(mutex);
    if (!idle.empty()) {
      set = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (set == nullptr) return make_set().release();
  if (executable->has_device()) return set.release();
  for (size_t i = 0; i < set->tensors.size(); ++i) {
    // Somebody still holds a tensor of an earlier call: that memory is theirs now.
    if (!set->tensors[i].buffer().unique()) set->tensors[i] = tensor_of(outputs[i]);
    set->out[i] = set->tensors[i].raw();
  }
  return set.release();
}

void CompiledFunction::give_back(ResultSet* set) {
  set->values.clear();
  const std::lock_guard lock(mutex);
  idle.emplace_back(set);
}

void CompiledFunction::check_count(size_t args) const {
  if (args != inputs.size()) {
    fail(name, loc, "number of arguments: got " + std::to_string(args) + ", expected " + std::to_string(inputs.size()));
  }
}

namespace {

[[noreturn]] void fail_argument(const CompiledFunction& f, size_t i, const std::string& got) {
  const CompiledFunction::Input& expected = f.inputs[i];
  const std::string label =
      "argument " + std::to_string(i) + (expected.name.empty() ? "" : " \"" + expected.name + "\"");
  fail(f.name, expected.loc,
       label + ": got " + got + ", expected " + Type::tensor(expected.element, expected.shape).str());
}

}  // namespace

void CompiledFunction::check_argument(size_t i, const Tensor& t) const {
  const Input& expected = inputs[i];
  if (t.element_type() == expected.element && t.shape() == expected.shape && t) return;
  fail_argument(*this, i, t ? Type::tensor(t.element_type(), t.shape()).str() : "an empty tensor handle");
}

void CompiledFunction::check_argument(size_t i, const DeviceTensor& t) const {
  if (!t) fail_argument(*this, i, "an empty tensor handle");
  const Type got = t.handle()->type();
  const Input& expected = inputs[i];
  if (got.element_type() != expected.element || !std::ranges::equal(got.shape(), expected.shape))
    fail_argument(*this, i, got.str());
  t.handle()->expect_alive("argument " + std::to_string(i) +
                           (expected.name.empty() ? "" : " \"" + expected.name + "\""));
}

bool CompiledFunction::overlaps_update(const Tensor& t) const {
  const auto* begin = static_cast<const std::byte*>(t.raw());
  return std::ranges::any_of(updated, [&](size_t v) {
    const Tensor& s = variables[v].state->residence.home();
    const auto* first = static_cast<const std::byte*>(s.raw());
    return std::less<>()(begin, first + s.size_bytes()) && std::less<>()(first, begin + t.size_bytes());
  });
}

template <class Run>
void CompiledFunction::with_variables(const Run& run) {
  const VariableLocks locks(lock_order);
  for (const Bound& v : variables) v.state->residence.at_home();
  for (size_t v : updated) variables[v].state->residence.changed_at_home();
  run();
}

std::unique_ptr<StartedCall> CompiledFunction::start(std::vector<std::shared_ptr<DeviceValue>> args, bool host_stays,
                                                     bool waits) {
  const VariableLocks locks(lock_order);
  for (size_t v = 0; v < variables.size(); ++v)
    args.push_back(variables[v].state->residence.at(*executable, inputs.size() + v));
  std::unique_ptr<StartedCall> call = executable->start(args, host_stays);
  const auto update = [&] {
    for (size_t i = 0; i < updated.size(); ++i)
      variables[updated[i]].state->residence.changed_at(call->results()[outputs.size() + i]);
  };
  try {
    if (waits) call->wait();
  } catch (const Error&) {
    // Where the old values are gone, the new ones tell why.
    const bool is_gone = std::ranges::any_of(updated, [&](size_t v) { return args[inputs.size() + v]->is_donated(); });
    if (is_gone) update();
    throw;
  }
  update();
  return call;
}

}  // namespace symbolic

using namespace symbolic;

// ---- results --------------------------------------------------------------------------------------------------------

Results::Results(std::shared_ptr<CompiledFunction> owner, ResultSet* set) : owner_(std::move(owner)), set_(set) {}
Results::Results(Results&& other) noexcept
    : owner_(std::move(other.owner_)), set_(std::exchange(other.set_, nullptr)) {}
Results& Results::operator=(Results&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(set_, other.set_);
  return *this;
}
Results::~Results() {
  if (set_ != nullptr) owner_->give_back(set_);
}
size_t Results::size() const { return set_ == nullptr ? 0 : set_->tensors.size(); }

void Results::expect_index(size_t i) const {
  if (i < size()) return;
  throw UserError("[results] there is no such output: got " + std::to_string(i) + ", expected an index below " +
                      std::to_string(size()),
                  owner_ ? owner_->loc : Loc{});
}
const Tensor& Results::operator[](size_t i) const {
  expect_index(i);
  return set_->read(i);
}
DeviceTensor Results::on_device(size_t i) const {
  expect_index(i);
  return set_->values.empty() ? DeviceTensor(set_->tensors[i]) : DeviceTensor(set_->values[i]);
}

// ---- calls ----------------------------------------------------------------------------------------------------------

namespace {

CompiledFunction& expect_made(const std::shared_ptr<CompiledFunction>& state, const char* what, const char* verb) {
  if (state == nullptr)
    throw UserError(std::string("[") + what + "] an empty function is " + verb + ": make it with function(...) first");
  return *state;
}

std::vector<std::shared_ptr<DeviceValue>> outputs_of(const CompiledFunction& f, const StartedCall& call) {
  return {call.results().begin(), call.results().begin() + static_cast<std::ptrdiff_t>(f.outputs.size())};
}

std::vector<std::shared_ptr<DeviceValue>> handles_of(const CompiledFunction& f, std::span<const DeviceTensor> args) {
  f.check_count(args.size());
  std::vector<std::shared_ptr<DeviceValue>> out;
  for (size_t i = 0; i < args.size(); ++i) {
    f.check_argument(i, args[i]);
    out.push_back(args[i].handle());
  }
  return out;
}

}  // namespace

Results CompiledGraph::call(std::span<const Tensor* const> args) const {
  CompiledFunction& f = expect_made(state_, "call", "called");
  f.check_count(args.size());
  if (f.batches != nullptr) return f.batches->of(f.batches->examples(args)).call(args);
  for (size_t i = 0; i < args.size(); ++i) f.check_argument(i, *args[i]);
  if (f.executable->has_device() || !f.options.donations.empty()) {
    std::vector<DeviceTensor> handles;
    for (const Tensor* t : args) handles.emplace_back(*t);
    return call(handles);
  }
  Results results(state_, f.lease());
  ResultSet& set = *results.set_;
  std::vector<Tensor> copies;
  for (size_t i = 0; i < args.size(); ++i) {
    set.in[i] = args[i]->raw();
    if (!f.overlaps_update(*args[i])) continue;
    copies.push_back(args[i]->clone());  // the argument is a variable's own memory, which the call is about to change
    set.in[i] = copies.back().raw();
  }
  f.with_variables([&] { f.executable->invoke(set.in.data(), set.out.data()); });
  return results;
}

Results CompiledGraph::call(std::span<const DeviceTensor> args) const {
  CompiledFunction& f = expect_made(state_, "call", "called");
  f.check_count(args.size());
  if (f.batches != nullptr) {
    std::vector<Tensor> tensors;
    std::vector<const Tensor*> table;
    for (const DeviceTensor& t : args) tensors.push_back(host_tensor(t));
    for (const Tensor& t : tensors) table.push_back(&t);
    return call(table);
  }
  std::vector<std::shared_ptr<DeviceValue>> handles = handles_of(f, args);
  Results results(state_, f.lease());
  ResultSet& set = *results.set_;
  if (f.executable->has_device()) {
    set.set_values(outputs_of(f, *f.start(std::move(handles), true, true)));
    return results;
  }
  std::vector<Tensor> tensors(args.size());
  const auto& donations = f.options.donations;
  for (const auto& [input, output] : donations) {
    if (std::ranges::count(handles, handles[input]) > 1)
      fail(f.name, f.inputs[input].loc,
           "argument " + std::to_string(input) +
               " is donated and given twice: its memory would change while it is read");
  }
  for (const auto& [input, output] : donations) {
    tensors[input] = take(*handles[input], "argument " + std::to_string(input));
    if (!tensors[input].buffer().unique()) tensors[input] = tensors[input].clone();
    set.tensors[output] = tensors[input];
    set.out[output] = tensors[input].raw();
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!tensors[i]) tensors[i] = host_tensor(args[i]);
    if (f.overlaps_update(tensors[i])) tensors[i] = tensors[i].clone();
    set.in[i] = tensors[i].raw();
  }
  f.with_variables([&] { f.executable->invoke(set.in.data(), set.out.data()); });
  return results;
}

Pending CompiledGraph::start(std::vector<DeviceTensor> args) const {
  CompiledFunction& f = expect_made(state_, "start", "started");
  if (f.batches != nullptr)
    fail(f.name, f.loc, "a batched function is started: call it, or start the function of one example");
  std::vector<std::shared_ptr<DeviceValue>> handles = handles_of(f, args);
  if (f.executable->has_device()) return {state_, f.start(std::move(handles), false, false)};
  try {
    const Results results = call(args);
    std::vector<std::shared_ptr<DeviceValue>> values;
    for (size_t i = 0; i < results.size(); ++i) values.push_back(results.on_device(i).handle());
    return {state_, done_call(std::move(values))};
  } catch (const Error&) { return {state_, failed_call(f.outputs, std::current_exception())}; }
}

BoundCall CompiledGraph::bind(std::vector<Tensor> args) const {
  CompiledFunction& f = expect_made(state_, "bind", "bound");
  f.check_count(args.size());
  if (f.batches != nullptr) {
    std::vector<const Tensor*> table;
    for (const Tensor& t : args) table.push_back(&t);
    return f.batches->of(f.batches->examples(table)).bind(std::move(args));
  }
  BoundCall bound;
  bound.function_ = state_;
  for (size_t i = 0; i < args.size(); ++i) {
    f.check_argument(i, args[i]);
    if (f.overlaps_update(args[i])) {
      fail(f.name, f.inputs[i].loc,
           "argument " + std::to_string(i) + " is the memory of a variable that the call updates: bind a clone of it");
    }
  }
  if (f.executable->has_device()) {
    for (const Tensor& t : args) bound.args_.emplace_back(t);
    return bind_device(std::move(bound.args_));
  }
  if (!f.options.donations.empty())
    fail(f.name, f.loc, "a function that takes an argument's memory is bound: call it, with new arguments each time");
  bound.results_ = Results(state_, f.lease());
  for (size_t i = 0; i < args.size(); ++i) {
    bound.results_.set_->in[i] = args[i].raw();
    bound.args_.emplace_back(args[i]);
  }
  bound.prepared_ = f.executable->bind(bound.results_.set_->in, bound.results_.set_->out);
  return bound;
}

BoundCall CompiledGraph::bind_device(std::vector<DeviceTensor> args) const {
  CompiledFunction& f = expect_made(state_, "bind", "bound");
  f.check_count(args.size());
  if (f.batches != nullptr || !f.executable->has_device()) {
    std::vector<Tensor> tensors;
    for (const DeviceTensor& t : args) tensors.push_back(host_tensor(t));
    return bind(std::move(tensors));
  }
  if (!f.options.donations.empty())
    fail(f.name, f.loc, "a function that takes an argument's memory is bound: call it, with new arguments each time");
  BoundCall bound;
  bound.function_ = state_;
  handles_of(f, args);
  bound.args_ = std::move(args);
  bound.results_ = Results(state_, f.lease());
  return bound;
}

void BoundCall::run() {
  if (function_ == nullptr) throw UserError("[run] an empty call is run: make it with bind(...) first");
  CompiledFunction& f = *function_;
  if (prepared_ != nullptr) {
    f.with_variables([&] { prepared_->run(); });
    return;
  }
  std::vector<std::shared_ptr<DeviceValue>> handles;
  for (const DeviceTensor& t : args_) handles.push_back(t.handle());
  results_.set_->set_values(outputs_of(f, *f.start(std::move(handles), true, true)));
}

DeviceTensor BoundCall::on_device(size_t i) const {
  DeviceTensor out = results_.on_device(i);
  // The next run writes to the same memory.
  return prepared_ != nullptr ? DeviceTensor(results_[i].clone()) : out;
}

std::string CompiledGraph::text() const {
  if (state_ == nullptr) return "";
  return state_->batches != nullptr ? CompiledGraph(state_->batches->one).text() : print_module(*state_->module);
}
std::string CompiledGraph::explain() const {
  if (state_ == nullptr) return "";
  if (state_->batches == nullptr) return state_->executable->explain();
  const std::lock_guard lock(state_->batches->mutex);
  std::string out;
  for (const auto& [examples, graph] : state_->batches->compiled)
    out += "for " + std::to_string(examples) + " examples:\n" + graph.explain();
  return out;
}

}  // namespace weft
