#include "native/open/extents_executable.h"

#include <algorithm>
#include <cstring>

#include "ir/account.h"
#include "ir/clone.h"
#include "native/open/own_code.h"
#include "ops/families.h"
#include "ops/quantized/quantization.h"
#include "transform/inline.h"
#include "transform/refine_shapes.h"
#include "transform/simplify.h"

namespace weft::native {
namespace {

/// Code that others may use too.
class Shared : public Executable {
 public:
  explicit Shared(std::shared_ptr<const Executable> code) : code_(std::move(code)) {}
  std::span<const Type> arg_types() const override { return code_->arg_types(); }
  std::span<const Type> result_types() const override { return code_->result_types(); }
  void invoke(const void* const* args, void* const* results) const override { code_->invoke(args, results); }
  std::unique_ptr<PreparedCall> bind(std::span<const void* const> args, std::span<void* const> results) const override {
    return code_->bind(args, results);
  }
  std::span<const std::pair<size_t, size_t>> donations() const override { return code_->donations(); }
  std::string explain() const override { return code_->explain(); }
  MemoryUse memory_use() const override { return code_->memory_use(); }
  const ProgramAccount* account() const override { return code_->account(); }
  std::vector<StepEvent> take_profile() const override { return code_->take_profile(); }

 private:
  const std::shared_ptr<const Executable> code_;
};

/// Such integers may decide extents.
bool may_decide(Type t) {
  constexpr int64_t kMostElements = 64;
  return t.is_tensor() && t.is_static() && is_integer(t.element_type()) && t.rank() <= 1 &&
         t.num_elements() <= kMostElements;
}

}  // namespace

ExtentsExecutable::ExtentsExecutable(std::shared_ptr<const Module> module, std::string entry,
                                     const CompileOptions& options, Compilers compilers)
    : module_(std::move(module)),
      entry_(std::move(entry)),
      compilers_(std::move(compilers)),
      arg_types_(module_->get(entry_).arg_types()),
      result_types_(module_->get(entry_).result_types()) {
  for (const HotCall& call : options.hot_calls) hot_.push_back(compile(call));
}

void ExtentsExecutable::invoke(const void* const*, void* const*) const {
  throw UserError("the extents of the arguments are open: a call needs them (Executable::for_extents)");
}

ExtentsExecutable::Special ExtentsExecutable::compile(HotCall call) const {
  if (call.arg_types.size() != arg_types_.size())
    throw UserError("wrong number of arguments: got " + std::to_string(call.arg_types.size()) + ", expected " +
                    std::to_string(arg_types_.size()));
  RefineOptions refine;
  refine.constants.assign(arg_types_.size(), nullptr);
  std::map<size_t, Literal> known;
  for (const auto& [i, elements] : call.elements) {
    if (i >= arg_types_.size())
      throw UserError("there is no argument " + std::to_string(i) + " whose elements decide extents");
    refine.constants[i] = &known.emplace(i, Literal::dense(elements)).first->second;
  }
  for (size_t i = 0; i < arg_types_.size(); ++i) {
    const Type given = call.arg_types[i],
               plain = arg_types_[i].is_quantized() ? storage_type(arg_types_[i]) : arg_types_[i];
    if (!is_compatible(plain, given) && !is_compatible(arg_types_[i], given))
      throw UserError("argument " + std::to_string(i) + ": got " + given.str() + ", expected " + arg_types_[i].str());
    if (arg_types_[i].is_quantized() && given.is_tensor())
      call.arg_types[i] = arg_types_[i].with_shape(std::vector<int64_t>(given.shape().begin(), given.shape().end()));
  }
  const std::shared_ptr<Module> copy = clone_module(*module_);
  refine_shapes(*copy, entry_, call.arg_types, refine);
  const Function& refined = copy->get(entry_);
  if (needs_refinement(*copy, entry_) && recursion_chain(*copy, refined).empty()) {
    // What constants say of extents may be known only after simplification.
    copy->replace(simplify(*inline_calls(*copy, refined), copy.get(), {}));
    refine_shapes(*copy, entry_, call.arg_types, refine);
  }
  std::shared_ptr<const Executable> code = compilers_.for_one(copy);
  return {std::move(call), std::move(code)};
}

bool ExtentsExecutable::fits(const Special& special, std::span<const Type> arg_types, const void* const* args) {
  const auto is_given = [](Type expected, Type given) {
    return expected == given || (expected.is_quantized() && storage_type(expected) == given);
  };
  if (!std::ranges::equal(special.code->arg_types(), arg_types, is_given)) return false;
  return std::ranges::all_of(special.call.elements, [&](const auto& entry) {
    return args[entry.first] != nullptr &&
           std::memcmp(args[entry.first], entry.second.raw(), entry.second.size_bytes()) == 0;
  });
}

const Executable* ExtentsExecutable::open() const {
  const std::lock_guard lock(open_mutex_);
  if (compilers_.open == nullptr && compilers_.refused.empty()) {
    try {
      compilers_.open = compilers_.for_all();
    } catch (const NeedsOwnCode& reason) { compilers_.refused = reason.text; }
  }
  return compilers_.open.get();
}

std::unique_ptr<Executable> ExtentsExecutable::for_extents(std::span<const Type> arg_types,
                                                           const void* const* args) const {
  {
    const std::lock_guard lock(mutex_);
    for (const Special& special : hot_) {
      if (!fits(special, arg_types, args)) continue;
      ++calls_.hot;
      return std::make_unique<Shared>(special.code);
    }
  }
  if (const Executable* all = open()) {
    try {
      std::unique_ptr<Executable> code = all->for_extents(arg_types, args);
      const std::lock_guard lock(mutex_);
      ++calls_.open;
      return code;
    } catch (const NeedsOwnCode&) {}
  }
  return own(arg_types, args);
}

std::unique_ptr<Executable> ExtentsExecutable::own(std::span<const Type> arg_types, const void* const* args) const {
  std::string key;
  for (size_t i = 0; i < arg_types.size(); ++i) {
    const void* id = arg_types[i].key();
    key.append(reinterpret_cast<const char*>(&id), sizeof id);
    if (may_decide(arg_types[i]) && args != nullptr && args[i] != nullptr)
      key.append(static_cast<const char*>(args[i]), arg_types[i].num_bytes());
  }
  const auto known = [&]() -> std::shared_ptr<const Executable> {
    const auto found =
        std::ranges::find_if(own_, [&](const Special& special) { return fits(special, arg_types, args); });
    if (found == own_.end()) return nullptr;
    found->used = ++clock_;
    ++calls_.own;
    return found->code;
  };
  std::shared_ptr<Making> making;
  {
    const std::lock_guard lock(mutex_);
    if (auto code = known()) return std::make_unique<Shared>(std::move(code));
    std::shared_ptr<Making>& slot = being_made_[key];
    if (slot == nullptr) slot = std::make_shared<Making>();
    making = slot;
  }
  // Callers of other extents go on meanwhile.
  const std::lock_guard wait(making->mutex);
  if (making->code == nullptr) {
    Special made;
    try {
      made = compile_own(arg_types, args);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      being_made_.erase(key);
      throw;
    }
    making->code = made.code;
    const std::lock_guard lock(mutex_);
    being_made_.erase(key);
    if (own_.size() >= kMostOwn) own_.erase(std::ranges::min_element(own_, {}, &Special::used));
    made.used = ++clock_;
    own_.push_back(std::move(made));
  }
  const std::lock_guard lock(mutex_);
  ++calls_.own;
  return std::make_unique<Shared>(making->code);
}

ExtentsExecutable::Special ExtentsExecutable::compile_own(std::span<const Type> arg_types,
                                                          const void* const* args) const {
  HotCall call;
  call.arg_types.assign(arg_types.begin(), arg_types.end());
  for (size_t i = 0; i < std::min(arg_types.size(), arg_types_.size()); ++i) {
    if (!may_decide(arg_types[i]) || args == nullptr || args[i] == nullptr) continue;
    Tensor elements(arg_types[i].element_type(), Shape(arg_types[i].shape().begin(), arg_types[i].shape().end()));
    std::memcpy(elements.raw(), args[i], elements.size_bytes());
    call.elements.emplace(i, std::move(elements));
  }
  // Integers that decide nothing stay open.
  try {
    HotCall plain{call.arg_types, {}};
    return compile(std::move(plain));
  } catch (const Unsupported&) {
    if (call.elements.empty()) throw;
    return compile(std::move(call));
  }
}

ExtentCalls ExtentsExecutable::extent_calls() const {
  const std::lock_guard lock(mutex_);
  return calls_;
}

std::string ExtentsExecutable::explain() const {
  const std::scoped_lock lock(mutex_, open_mutex_);
  const auto extents_of = [](const Special& special) {
    std::string line = "code for the extents of";
    for (Type t : special.call.arg_types) line += " " + t.str();
    return line + "\n";
  };
  std::string out;
  for (const Special& special : hot_) out += extents_of(special) + special.code->explain();
  if (compilers_.open != nullptr)
    return out + "code for all " + (hot_.empty() ? "" : "other ") + "extents\n" + compilers_.open->explain();
  if (compilers_.refused.empty()) return out + "code for all other extents: made when they come\n";
  out += "each set of extents is compiled for itself: " + compilers_.refused + "\n";
  for (const Special& special : own_) out += extents_of(special);
  return out;
}

}  // namespace weft::native
