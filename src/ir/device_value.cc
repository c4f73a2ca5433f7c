#include "ir/device_value.h"

#include <cstring>
#include <exception>
#include <mutex>

#include "ir/target.h"

namespace weft {

void DeviceValue::expect_alive(const std::string& what) const {
  if (is_donated_)
    throw UserError(what + " (" + type_.str() +
                    ") was donated to an earlier call, whose result has its memory now: use that result");
}

void DeviceValue::read(void* to) const {
  const auto lock = hold();
  expect_alive("the value that is read");
  read_elements(to);
}

Tensor DeviceValue::read() const {
  Tensor out(type_.element_type(), Shape(type_.shape().begin(), type_.shape().end()));
  read(out.raw());
  return out;
}

void DeviceValue::wait() const {
  const auto lock = hold();
  expect_alive("the value that is waited for");
  await();
}

bool DeviceValue::donate() {
  const std::unique_lock lock(readers_);
  return !is_donated_.exchange(true);
}

Tensor HostValue::tensor() const {
  const auto lock = hold();
  expect_alive("the value that is read");
  return tensor_;
}

Tensor HostValue::take(const std::string& what) {
  // From here on nobody else looks at it.
  if (!donate()) expect_alive(what);
  return std::move(tensor_);
}

void HostValue::read_elements(void* to) const {
  if (tensor_.size_bytes() != 0) std::memcpy(to, tensor_.raw(), tensor_.size_bytes());
}

namespace {

/// A call that was over when it was started.
class DoneCall : public StartedCall {
 public:
  explicit DoneCall(std::vector<std::shared_ptr<DeviceValue>> results) { results_ = std::move(results); }
  void wait() override {}
  bool is_done() const override { return true; }
};

/// What a call that failed would have made.
class FailedValue : public DeviceValue {
 public:
  FailedValue(Type type, std::exception_ptr error) : DeviceValue(type), error_(std::move(error)) {}

 protected:
  void read_elements(void*) const override { std::rethrow_exception(error_); }
  void await() const override { std::rethrow_exception(error_); }

 private:
  const std::exception_ptr error_;
};

class FailedCall : public StartedCall {
 public:
  FailedCall(std::span<const Type> results, std::exception_ptr error) {
    for (Type t : results) results_.push_back(std::make_shared<FailedValue>(t, error));
    error_ = std::move(error);
  }
  void wait() override { std::rethrow_exception(error_); }
  bool is_done() const override { return true; }

 private:
  std::exception_ptr error_;
};

Tensor host_copy(const DeviceValue& value) {
  const auto* host = dynamic_cast<const HostValue*>(&value);
  return host != nullptr ? host->tensor() : value.read();
}

}  // namespace

Tensor take(DeviceValue& value, const std::string& what) {
  if (auto* host = dynamic_cast<HostValue*>(&value)) return host->take(what);
  Tensor out = value.read();
  if (!value.donate()) value.expect_alive(what);
  return out;
}

std::unique_ptr<StartedCall> done_call(std::vector<std::shared_ptr<DeviceValue>> results) {
  return std::make_unique<DoneCall>(std::move(results));
}

std::unique_ptr<StartedCall> failed_call(std::span<const Type> results, std::exception_ptr error) {
  return std::make_unique<FailedCall>(results, std::move(error));
}

std::shared_ptr<DeviceValue> Target::put(const Tensor& elements) const {
  return std::make_shared<HostValue>(elements.clone());
}

std::shared_ptr<DeviceValue> Executable::put(size_t, const Tensor& elements) const {
  return std::make_shared<HostValue>(elements.clone());
}

bool Executable::is_in_place(size_t, const DeviceValue& value) const {
  return dynamic_cast<const HostValue*>(&value) != nullptr;
}

void Executable::check_values(std::span<const std::shared_ptr<DeviceValue>> args) const {
  const auto types = arg_types();
  if (args.size() != types.size()) {
    throw UserError("wrong number of arguments: got " + std::to_string(args.size()) + ", expected " +
                    std::to_string(types.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string label = "argument " + std::to_string(i);
    if (args[i] == nullptr) throw UserError(label + ": got an empty handle, expected " + types[i].str());
    // Values of quantized types are their stored integers.
    const Type expected = types[i].is_quantized() ? types[i].with_element(types[i].element_type()) : types[i];
    if (args[i]->type() != expected)
      throw UserError(label + ": got " + args[i]->type().str() + ", expected " + types[i].str());
    args[i]->expect_alive(label);
  }
  for (const auto& [arg, result] : donations()) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (i != arg && args[i] == args[arg])
        throw UserError("arguments " + std::to_string(std::min(i, arg)) + " and " + std::to_string(std::max(i, arg)) +
                        " are the same value, and argument " + std::to_string(arg) +
                        " is donated: its memory would change while it is read");
    }
  }
}

std::unique_ptr<StartedCall> Executable::start(std::span<const std::shared_ptr<DeviceValue>> args, bool) const {
  if (has_open_extents()) {
    std::vector<Type> types;
    std::vector<Tensor> kept;
    std::vector<const void*> elements;
    for (size_t i = 0; i < args.size(); ++i) {
      if (args[i] == nullptr) throw UserError("argument " + std::to_string(i) + ": got an empty handle");
      types.push_back(args[i]->type());
      // Only integers decide extents.
      const bool is_read = is_integer(types[i].element_type());
      kept.push_back(is_read ? host_copy(*args[i]) : Tensor());
      elements.push_back(kept.back().raw());
    }
    return for_extents(types, elements.data())->start(args);
  }
  check_values(args);
  std::vector<Tensor> in(args.size()), out;
  for (Type t : result_types()) out.push_back(result_room(t, out.size()));
  for (const auto& [arg, result] : donations()) {
    in[arg] = take(*args[arg], "argument " + std::to_string(arg));
    // Memory that somebody else holds as well stays as it is.
    if (!in[arg].buffer().unique()) in[arg] = in[arg].clone();
    out[result] = in[arg];
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!in[i]) in[i] = host_copy(*args[i]);
  }
  std::vector<const void*> in_places;
  std::vector<void*> out_places;
  for (const Tensor& t : in) in_places.push_back(t.raw());
  for (const Tensor& t : out) out_places.push_back(t.raw());
  try {
    invoke(in_places.data(), out_places.data());
  } catch (const Error&) { return failed_call(result_types(), std::current_exception()); }
  std::vector<std::shared_ptr<DeviceValue>> results;
  for (Tensor& t : out) results.push_back(std::make_shared<HostValue>(std::move(t)));
  return done_call(std::move(results));
}

}  // namespace weft
