#include "ir/target.h"

#include <map>
#include <mutex>

#include "base/format.h"
#include "base/memory.h"
#include "ir/account.h"
#include "ir/device_value.h"

namespace weft {

std::vector<StepEvent> Executable::take_profile() const { return {}; }

std::unique_ptr<Executable> Executable::for_extents(std::span<const Type>, const void* const*) const { return nullptr; }

Tensor result_room(Type t, size_t index) {
  const std::string label = "result " + std::to_string(index);
  if (!t.is_tensor()) throw Unsupported(label + " is a " + t.str() + ": only tensors can be returned");
  if (!t.is_static()) throw Unsupported(label + " is a " + t.str() + ": its extents must be known");
  expect_memory(t.num_bytes(), label + " of type " + t.str());
  return {t.element_type(), Shape(t.shape().begin(), t.shape().end())};
}

std::vector<Tensor> Executable::run(std::span<const Tensor> args) const {
  if (has_open_extents()) {
    std::vector<Type> given;
    std::vector<const void*> elements;
    for (const Tensor& t : args) {
      given.push_back(Type::tensor(t.element_type(), t.shape()));
      elements.push_back(t.raw());
    }
    return for_extents(given, elements.data())->run(args);
  }
  const auto types = arg_types();
  if (args.size() != types.size()) {
    throw UserError("wrong number of arguments: got " + std::to_string(args.size()) + ", expected " +
                    std::to_string(types.size()));
  }
  std::vector<const void*> in;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type got = Type::tensor(args[i].element_type(), args[i].shape());
    // Values of quantized types come as their stored integers.
    const Type expected = types[i].is_quantized() ? types[i].with_element(types[i].element_type()) : types[i];
    if (got != expected) {
      throw UserError("argument " + std::to_string(i) + ": got " + got.str() + ", expected " + types[i].str());
    }
    in.push_back(args[i].raw());
  }
  std::vector<Tensor> results;
  std::vector<void*> out;
  for (Type t : result_types()) {
    results.push_back(result_room(t, results.size()));
    out.push_back(results.back().raw());
  }
  invoke(in.data(), out.data());
  return results;
}

namespace {

/// Where a target prepares nothing: the pointers are kept.
class StoredCall : public PreparedCall {
 public:
  StoredCall(const Executable& executable, std::span<const void* const> args, std::span<void* const> results)
      : executable_(executable), args_(args.begin(), args.end()), results_(results.begin(), results.end()) {}
  void run() override { executable_.invoke(args_.data(), results_.data()); }

 private:
  const Executable& executable_;
  const std::vector<const void*> args_;
  const std::vector<void*> results_;
};

}  // namespace

std::unique_ptr<PreparedCall> Executable::bind(std::span<const void* const> args,
                                               std::span<void* const> results) const {
  return std::make_unique<StoredCall>(*this, args, results);
}

namespace {

struct Targets {
  std::mutex mutex;
  std::map<std::string, const Target& (*)(), std::less<>> by_name;
  std::map<std::string, const Target& (*)(const std::string&), std::less<>> families;
};

Targets& targets() {
  static Targets* t = new Targets;
  return *t;
}

}  // namespace

void register_target(const std::string& name, const Target& (*target)()) {
  std::lock_guard lock(targets().mutex);
  targets().by_name[name] = target;
}

void register_target_family(const std::string& family, const Target& (*target)(const std::string&)) {
  std::lock_guard lock(targets().mutex);
  targets().families[family] = target;
}

const Target& get_target(std::string_view name) {
  Targets& t = targets();
  std::unique_lock lock(t.mutex);
  const size_t colon = name.find(':');
  if (const auto family = t.families.find(name.substr(0, colon)); family != t.families.end()) {
    const auto make = family->second;
    lock.unlock();
    return make(colon == std::string_view::npos ? "" : std::string(name.substr(colon + 1)));
  }
  const auto it = t.by_name.find(name);
  if (it == t.by_name.end()) {
    std::string names;
    for (const auto& [known, make] : t.by_name) names += (names.empty() ? "" : ", ") + known;
    for (const auto& [known, make] : t.families) names += (names.empty() ? "" : ", ") + known + ":…";
    throw UserError("there is no target \"" + std::string(name) + "\"; this program has " +
                    (names.empty() ? "none" : names));
  }
  const auto make = it->second;
  lock.unlock();
  return make();
}

}  // namespace weft
