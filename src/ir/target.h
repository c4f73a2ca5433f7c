// What a front end knows of a back end: compile a module's entry, call the result.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft {

class DeviceValue;
class StartedCall;
struct ProgramAccount;
struct StepEvent;

/// A part of compiling a program, once it is done.
struct CompileStage {
  std::string name;
  double seconds = 0;
  size_t count = 0;  // of what it worked on
  std::string unit;  // "ops", "kernels", "bytes", …; or a remark
};

/// A call of a program with open extents, known in advance: the types of its arguments, and the elements of those integer arguments
/// that decide extents (by position; others may be given too).
struct HotCall {
  std::vector<Type> arg_types;
  std::map<size_t, Tensor> elements;
};

struct CompileOptions {
  /// (argument, result) pairs: the result is written into the argument's buffer. The caller passes the same pointer for
  /// both; values are those of a pure program (every read of the argument sees its old contents).
  std::vector<std::pair<size_t, size_t>> donations;
  /// Number of parts that parallel loops are cut into; fixes the bits of results. 0 = cores of this machine.
  int partitions = 0;
  /// No contraction or convolution library: generated kernels only (bits equal to ahead-of-time code).
  bool no_libraries = false;
  /// Passes and implementation rows switched off by name, for verification modes ("fuse", "in_place", "simplify", "onednn_convolution", …).
  std::vector<std::string> disabled;
  /// Times each step (Executable::take_profile), at the price of two clock reads a step.
  bool profile = false;
  /// Receives the program after each stage: ("simplified", entry, text), then ("llvm", symbol, text) and ("asm", symbol, text) of
  /// every generated function.
  std::function<void(const std::string& stage, const std::string& name, const std::string& text)> dump;
  /// Receives the stages of compiling with the time each took, in order.
  std::function<void(const CompileStage&)> timing;
  /// The folder of a persistent cache of generated code, made when it is missing; "off": none. Empty: the environment variable
  /// WEFT_CACHE_DIR, else none.
  std::string cache;
  /// Threads that generate code, which does not depend on their number. 0: as many as there are CPUs for this process.
  int compile_threads = 0;
  /// Receives what `print` ops say; default stdout.
  std::function<void(const std::string&)> print;
  /// Most bytes that a call may need (MemoryUse::total); a program that needs more is refused with a UserError that names both.
  /// 0: the environment variable WEFT_MEMORY_LIMIT ("2000000000", "500M", "2G"), else what this machine and the cgroup have left.
  size_t memory_limit = 0;
  /// The instruction set: a level ("x86-64", "x86-64-v3", "x86-64-v4") or another name of a CPU. Empty: the environment variable
  /// WEFT_CPU, else everything that this machine has. A UserError names what this machine lacks.
  std::string cpu;
  /// A product whose only use is a sum may round once together with it (a fused multiply-add). Without: each op rounds, as the
  /// specification says, and results are those of the evaluator.
  bool contract = false;
  /// A verification mode: every argument, result and value in memory ends where a page begins that must not be touched.
  bool guard_pages = false;
  /// A verification mode, always on in debug builds: each pair of values that share bytes is proved to be allowed to.
  bool check_memory_plan = false;
  /// Calls that get code with static extents of their own, where the program's extents are open. The code for all other extents is made
  /// when the first of these comes.
  std::vector<HotCall> hot_calls;
};

/// Bytes of one call while it runs.
struct MemoryUse {
  size_t arguments = 0, results = 0;  // results that are written over donated arguments are not counted again
  size_t constants = 0;
  size_t arena = 0;    // values between kernels
  size_t scratch = 0;  // what one kernel or library call needs besides
  size_t total() const { return arguments + results + constants + arena + scratch; }
};

/// Sets of extents that a program with open extents was called with (Executable::for_extents), by the code that serves them.
struct ExtentCalls {
  size_t hot = 0;   // code of CompileOptions::hot_calls
  size_t open = 0;  // the code for all extents
  size_t own = 0;   // compiled for the call, where no code for all extents exists
};

/// A call whose arguments and results are laid down. It must not outlive its executable.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  /// As Executable::invoke, without its preparations; by one thread at a time. Allocates nothing.
  virtual void run() = 0;
};

/// A compiled entry. May be called from many threads at once.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual std::span<const Type> arg_types() const = 0;
  virtual std::span<const Type> result_types() const = 0;
  /// Raw call: args[i] points to the dense row-major elements of argument i, results[j] to room for result j, 64-byte
  /// aligned where possible (elements that are not even aligned to their own size are copied). Nothing is allocated after the first
  /// call. Throws UserError for a failed check, and when interrupt() (weft/interrupt.h) was called while it ran.
  virtual void invoke(const void* const* args, void* const* results) const = 0;
  /// The same call, to be made many times on these places, whose contents may change in between. Throws UserError when memory of a
  /// result overlaps that of an argument (unless donated) or of another result.
  virtual std::unique_ptr<PreparedCall> bind(std::span<const void* const> args, std::span<void* const> results) const;
  /// Whether types of arguments or results leave extents open that a call decides. `invoke` and `bind` are then those of `for_extents`.
  virtual bool has_open_extents() const { return false; }
  /// The same code for arguments of these static types: its arg_types() and result_types() are static. `args`: their elements, of
  /// which integers that decide extents are read (the others may be null). The result must not outlive this executable. Throws UserError when
  /// the types do not fit the program or one another. Null where no extents are open.
  virtual std::unique_ptr<Executable> for_extents(std::span<const Type> arg_types, const void* const* args) const;
  virtual ExtentCalls extent_calls() const { return {}; }
  /// Checked call with allocated results, of any extents that fit. Throws UserError when number, type or shape of an argument is wrong.
  std::vector<Tensor> run(std::span<const Tensor> args) const;

  // Values that stay where the target keeps them (ir/device_value.h).
  /// CompileOptions::donations.
  virtual std::span<const std::pair<size_t, size_t>> donations() const { return {}; }
  /// Whether values of calls are kept elsewhere than in the host's memory, so that `start` moves less than `invoke`.
  virtual bool has_device() const { return false; }
  /// Whether a call uses this value as its argument `arg` without moving it.
  virtual bool is_in_place(size_t arg, const DeviceValue& value) const;
  /// A copy of the elements where calls use them as argument `arg`.
  virtual std::shared_ptr<DeviceValue> put(size_t arg, const Tensor& elements) const;
  /// Starts a call and returns at once where the target can do that; on the host when the call is over. Values that are not in place are moved.
  /// Donated arguments are given up, unless a check of the program may still fail. Throws UserError for arguments that do not fit, before anything is given up;
  /// errors of the call itself come when it is waited for. `host_stays`: memory of HostValues stays as it is until then, so that it need not be copied.
  virtual std::unique_ptr<StartedCall> start(std::span<const std::shared_ptr<DeviceValue>> args,
                                             bool host_stays = false) const;

  /// A printable account of what was compiled (kernels, library choices with reasons, copies, memory plan).
  virtual std::string explain() const { return {}; }
  /// Zero where a target does not know.
  virtual MemoryUse memory_use() const { return {}; }
  /// The same as data (ir/account.h); null where the target gives none.
  virtual const ProgramAccount* account() const { return nullptr; }
  /// Step times of the calls since the last take, of an executable compiled with CompileOptions::profile.
  virtual std::vector<StepEvent> take_profile() const;

 protected:
  /// Throws UserError when number, types or states of the arguments are wrong.
  void check_values(std::span<const std::shared_ptr<DeviceValue>> args) const;
};

class Target {
 public:
  virtual ~Target() = default;
  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                              const CompileOptions& options = {}) const = 0;
  /// A copy of the elements where programs of this target use them.
  virtual std::shared_ptr<DeviceValue> put(const Tensor& elements) const;
};

/// Targets by name. Back ends add themselves when they are loaded; front ends reach them only so.
void register_target(const std::string& name, const Target& (*target)());
/// Targets named "family:what", where `target` is given what follows the colon ("" when nothing does).
void register_target_family(const std::string& family, const Target& (*target)(const std::string& what));
/// Throws UserError that lists the names there are.
const Target& get_target(std::string_view name);
struct RegisterTarget {
  RegisterTarget(const char* name, const Target& (*target)()) { register_target(name, target); }
};
struct RegisterTargetFamily {
  RegisterTargetFamily(const char* family, const Target& (*target)(const std::string&)) {
    register_target_family(family, target);
  }
};

}  // namespace weft
