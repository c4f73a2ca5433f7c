// The target "aot" of `weft test` and `weft run`: a program is built as a library, called in a process that holds nothing of Weft but
// that library, and its results compared with those of the JIT under no_libraries, byte by byte.
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "ir/target.h"
#include "native/aot/build_library.h"
#include "native/aot/toolchain.h"
#include "transform/split_checks.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// A program of this build that calls a library (tests/aot/call_library.c).
fs::path find_caller() {
  if (const char* given = std::getenv("WEFT_CALL_LIBRARY")) return given;
  return fs::read_symlink("/proc/self/exe").parent_path() / "weft_call_library";
}

/// A library, and the JIT that it is compared with.
class AotExecutable : public Executable {
 public:
  AotExecutable(const std::shared_ptr<const Module>& module, const std::string& entry, const CompileOptions& options)
      : arg_types_(module->get(entry).arg_types()),
        result_types_(module->get(entry).result_types()),
        caller_(find_caller()) {
    if (!fs::exists(caller_)) throw UserError("the target aot needs " + caller_.string() + ", a part of the tests");
    CompileOptions jit = options;
    jit.no_libraries = true;
    jit.donations.clear();
    // Values that checks look at are compared bit by bit: what checks take for equal is less.
    const SplitChecks split = split_checks(*module, entry, false);
    const std::shared_ptr<const Module>& plain = split.program;
    jit_ = get_target("native").compile(plain, entry, jit);
    if (split.checks != nullptr) checked_ = get_target("native").compile(module, entry, jit);
    BuildOptions build;
    build.library = folder_ / "lib.so";
    build.symbol = "program";
    build.with_lapack = true;
    build.partitions = options.partitions;
    build.disabled = options.disabled;
    built_ = build_library(*plain, entry, build);
  }

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  bool has_open_extents() const override { return jit_->has_open_extents(); }
  std::unique_ptr<Executable> for_extents(std::span<const Type> arg_types, const void* const* args) const override;

  void invoke(const void* const* args, void* const* results) const override {
    call(*jit_, checked_.get(), false, args, results);
  }

  /// `is_open`: the library is given the extents of the JIT's arguments.
  void call(const Executable& jit, const Executable* checked, bool is_open, const void* const* args,
            void* const* results) const {
    std::vector<std::string> mine;
    std::vector<void*> out;
    for (Type t : jit.result_types()) mine.emplace_back(t.num_bytes(), '\0');
    for (std::string& r : mine) out.push_back(r.data());
    std::optional<UserError> refusal;
    try {
      jit.invoke(args, out.data());
    } catch (const UserError& error) { refusal = error; }
    std::string input;
    std::vector<std::string> command = {caller_, folder_ / "lib.so", folder_ / "in", folder_ / "out"};
    const std::span<const Type> types = jit.arg_types();
    if (is_open) {
      command.emplace_back("-e");
      for (const auto& [argument, d] : built_.extents) command.push_back(std::to_string(types[argument].dim(d)));
      command.emplace_back("-");
    }
    for (size_t i = 0; i < types.size(); ++i) {
      input.append(static_cast<const char*>(args[i]), types[i].num_bytes());
      command.push_back(std::to_string(types[i].num_bytes()));
    }
    command.emplace_back("-");
    for (const std::string& r : mine) command.push_back(std::to_string(r.size()));
    write_file(folder_ / "in", input);
    try {
      native::run_tool(command, folder_);
    } catch (const UserError& error) {
      if (refusal) throw *refusal;
      throw;
    }
    if (refusal) throw InternalError("the library accepts what the JIT refuses: " + std::string(refusal->what()));
    const std::string got = read_file(folder_ / "out");
    size_t at = 0;
    for (size_t j = 0; j < mine.size(); ++j) {
      if (got.compare(at, mine[j].size(), mine[j]) != 0)
        throw InternalError("the library's result " + std::to_string(j) + " differs from the JIT's");
      at += mine[j].size();
    }
    if (checked != nullptr) checked->invoke(args, results);
    const size_t num_results = checked != nullptr ? checked->result_types().size() : result_types_.size();
    for (size_t j = 0; j < num_results; ++j) std::memcpy(results[j], mine[j].data(), mine[j].size());
  }

 private:
  const std::vector<Type> arg_types_, result_types_;
  const fs::path caller_;
  TemporaryFolder folder_;
  std::unique_ptr<Executable> jit_;
  std::unique_ptr<Executable> checked_;  // the program with its checks
  BuiltLibrary built_;
};

/// The same for the extents of one call.
class OneAotCall : public Executable {
 public:
  OneAotCall(const AotExecutable& whole, std::unique_ptr<Executable> jit, std::unique_ptr<Executable> checked)
      : whole_(whole), jit_(std::move(jit)), checked_(std::move(checked)) {}
  std::span<const Type> arg_types() const override { return jit_->arg_types(); }
  std::span<const Type> result_types() const override {
    return checked_ != nullptr ? checked_->result_types() : jit_->result_types();
  }
  void invoke(const void* const* args, void* const* results) const override {
    whole_.call(*jit_, checked_.get(), true, args, results);
  }

 private:
  const AotExecutable& whole_;
  std::unique_ptr<Executable> jit_, checked_;
};

std::unique_ptr<Executable> AotExecutable::for_extents(std::span<const Type> arg_types, const void* const* args) const {
  return std::make_unique<OneAotCall>(*this, jit_->for_extents(arg_types, args),
                                      checked_ != nullptr ? checked_->for_extents(arg_types, args) : nullptr);
}

class AotTarget : public Target {
 public:
  std::string_view name() const override { return "aot"; }
  std::unique_ptr<Executable> compile(std::shared_ptr<const Module> module, const std::string& entry,
                                      const CompileOptions& options) const override {
    return std::make_unique<AotExecutable>(module, entry, options);
  }
};

const Target& aot_target() {
  static const AotTarget target;
  return target;
}

const RegisterTarget kRegistered("aot", &aot_target);

}  // namespace
}  // namespace weft::cli
