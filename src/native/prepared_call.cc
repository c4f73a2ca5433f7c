// The ways into a compiled program: a plain call, a prepared one, and the detour over memory of our own for places that generated
// code may not work on.
#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/memory.h"
#include "native/executable.h"

namespace weft::native {
namespace {

size_t bytes_of(Type t) { return t.is_tensor() ? t.num_bytes() : 0; }

struct FreeAligned {
  void operator()(std::byte* p) const { operator delete(p, std::align_val_t(WEFT_RT_ALIGNMENT)); }
};

/// Memory in the place of an argument or a result.
class Replacement {
 public:
  Replacement(size_t bytes, bool is_guarded) {
    if (is_guarded) {
      guarded_.emplace(bytes);
      data_ = guarded_->data();
    } else {
      plain_.reset(
          static_cast<std::byte*>(operator new(std::max<size_t>(bytes, 1), std::align_val_t(WEFT_RT_ALIGNMENT))));
      data_ = plain_.get();
    }
  }
  std::byte* data() const { return data_; }
  void make_read_only(bool is_read_only) {
    if (guarded_) guarded_->make_read_only(is_read_only);
  }

 private:
  std::optional<rt::GuardedMemory> guarded_;
  std::unique_ptr<std::byte, FreeAligned> plain_;
  std::byte* data_;
};

/// A call on copies of the arguments, whose results are copied to the caller's places afterwards.
class Detour {
 public:
  Detour(const NativeExecutable& executable, const CompileOptions& options, const void* const* args,
         void* const* results)
      : arg_types_(executable.arg_types()),
        result_types_(executable.result_types()),
        args_(args, args + arg_types_.size()),
        results_(results, results + result_types_.size()) {
    for (Type t : arg_types_) in_.push_back(add(bytes_of(t), options.guard_pages));
    for (size_t i = 0; i < in_.size(); ++i)
      is_donated_.push_back(std::ranges::any_of(options.donations, [&](const auto& d) { return d.first == i; }));
    for (size_t j = 0; j < result_types_.size(); ++j) {
      const auto donation = std::ranges::find_if(options.donations, [&](const auto& d) { return d.second == j; });
      out_.push_back(donation == options.donations.end() ? add(bytes_of(result_types_[j]), options.guard_pages)
                                                         : const_cast<void*>(in_[donation->first]));
    }
  }
  void bring_arguments() const {
    for (size_t i = 0; i < in_.size(); ++i) {
      owned_[i]->make_read_only(false);
      copy(const_cast<void*>(in_[i]), args_[i], bytes_of(arg_types_[i]));
      owned_[i]->make_read_only(!is_donated_[i]);
    }
  }
  void take_results() const {
    for (size_t j = 0; j < out_.size(); ++j) copy(results_[j], out_[j], bytes_of(result_types_[j]));
  }
  const void* const* args() const { return in_.data(); }
  void* const* results() const { return out_.data(); }

 private:
  void* add(size_t bytes, bool is_guarded) {
    owned_.push_back(std::make_unique<Replacement>(bytes, is_guarded));
    return owned_.back()->data();
  }
  static void copy(void* to, const void* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }

  std::span<const Type> arg_types_, result_types_;
  std::vector<const void*> args_;  // the caller's
  std::vector<void*> results_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
  std::vector<bool> is_donated_;
  std::vector<std::unique_ptr<Replacement>> owned_;  // of the arguments, then of results
};

}  // namespace

/// The workspace of a call, leased or with guards.
class Workspace {
 public:
  explicit Workspace(const NativeExecutable& executable) {
    const CompiledProgram& program = executable.program_;
    if (program.workspace_bytes == 0) return;
    try {
      if (!program.guards.empty()) {
        guarded_.emplace(program.workspace_bytes, program.guards);
        data_ = guarded_->data();
      } else {
        leased_.emplace(executable.arenas_, program.workspace_bytes);
        data_ = leased_->data();
      }
    } catch (const std::bad_alloc&) {
      throw UserError("out of memory: the working memory of @" + program.function->name() + " needs " +
                      memory_text(program.workspace_bytes));
    }
  }
  void* data() const { return data_; }

 private:
  std::optional<rt::ArenaPool::Lease> leased_;
  std::optional<rt::GuardedMemory> guarded_;
  void* data_ = nullptr;
};

class NativeCall : public PreparedCall {
 public:
  NativeCall(const NativeExecutable& executable, std::span<const void* const> args, std::span<void* const> results)
      : executable_(executable),
        args_(args.begin(), args.end()),
        results_(results.begin(), results.end()),
        workspace_(executable) {
    expect_apart();
    executable.expect_donated(args_.data(), results_.data());
    if (executable.are_usable(args_.data(), results_.data())) return;
    detour_.emplace(executable, executable.options_, args_.data(), results_.data());
  }

  void run() override {
    if (!detour_) return executable_.call(nullptr, args_.data(), results_.data(), workspace_.data());
    detour_->bring_arguments();
    executable_.call(nullptr, detour_->args(), detour_->results(), workspace_.data());
    detour_->take_results();
  }

 private:
  /// A result may share memory only with the argument that is donated to it.
  void expect_apart() const {
    struct Range {
      const std::byte *begin, *end;
      bool is_result;
      size_t index;
      std::string name() const { return (is_result ? "result " : "argument ") + std::to_string(index); }
    };
    std::vector<Range> ranges;
    const auto add = [&](const void* p, Type t, bool is_result, size_t i) {
      const auto* begin = static_cast<const std::byte*>(p);
      if (bytes_of(t) > 0) ranges.push_back({begin, begin + bytes_of(t), is_result, i});
    };
    for (size_t i = 0; i < args_.size(); ++i) {
      const auto& donations = executable_.options_.donations;
      if (std::ranges::none_of(donations, [&](const auto& d) { return d.first == i; }))
        add(args_[i], executable_.arg_types()[i], false, i);
    }
    for (size_t j = 0; j < results_.size(); ++j) add(results_[j], executable_.result_types()[j], true, j);
    std::ranges::sort(ranges, std::less<>(), &Range::begin);
    const Range *last = nullptr, *last_result = nullptr;  // those that reach furthest
    for (const Range& r : ranges) {
      const Range* before = r.is_result ? last : last_result;
      if (before != nullptr && std::less<>()(r.begin, before->end))
        throw UserError("[bind] " + r.name() + " of @" + executable_.program_.function->name() + " overlaps " +
                        before->name() + ": results need memory of their own");
      if (last == nullptr || std::less<>()(last->end, r.end)) last = &r;
      if (r.is_result && (last_result == nullptr || std::less<>()(last_result->end, r.end))) last_result = &r;
    }
  }

  const NativeExecutable& executable_;
  const std::vector<const void*> args_;
  const std::vector<void*> results_;
  const Workspace workspace_;
  std::optional<Detour> detour_;
};

bool NativeExecutable::are_usable(const void* const* args, void* const* results) const {
  uintptr_t wrong = options_.guard_pages ? 1 : 0;
  for (size_t i = 0; i < arg_masks_.size(); ++i) wrong |= reinterpret_cast<uintptr_t>(args[i]) & arg_masks_[i];
  for (size_t j = 0; j < result_masks_.size(); ++j) wrong |= reinterpret_cast<uintptr_t>(results[j]) & result_masks_[j];
  return wrong == 0;
}

void NativeExecutable::expect_donated(const void* const* args, void* const* results) const {
  for (const auto& [argument, result] : options_.donations) {
    if (args[argument] != results[result])
      throw UserError("argument " + std::to_string(argument) + " of @" + program_.function->name() +
                      " is donated to result " + std::to_string(result) + ": got two addresses, expected one");
  }
}

void NativeExecutable::invoke_as(Processes* processes, const void* const* args, void* const* results) const {
  expect_donated(args, results);
  const Workspace workspace(*this);
  if (are_usable(args, results)) return call(processes, args, results, workspace.data());
  const Detour detour(*this, options_, args, results);
  detour.bring_arguments();
  call(processes, detour.args(), detour.results(), workspace.data());
  detour.take_results();
}

std::unique_ptr<PreparedCall> NativeExecutable::bind(std::span<const void* const> args,
                                                     std::span<void* const> results) const {
  if (args.size() != arg_types().size() || results.size() != result_types().size())
    throw UserError("[bind] @" + program_.function->name() + ": got " + std::to_string(args.size()) +
                    " arguments and " + std::to_string(results.size()) + " results, expected " +
                    std::to_string(arg_types().size()) + " and " + std::to_string(result_types().size()));
  return std::make_unique<NativeCall>(*this, args, results);
}

}  // namespace weft::native
