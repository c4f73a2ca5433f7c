// The target "aot" of `weft test` and `weft run`: a program is built as a library, called in a process that holds nothing of Weft but
// that library, and its results compared with those of the JIT under no_libraries, byte by byte.
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "ir/clone.h"
#include "ir/target.h"
#include "native/aot/build_library.h"
#include "native/aot/toolchain.h"
#include "ops/record.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// check.* of test programs: ops, and custom calls of such names.
bool is_check(const OpView& op) {
  if (op.def().mnemonic == "stablehlo.custom_call")
    return op.attrs().text("call_target_name").starts_with("check.") && op.num_results() == 0;
  return op.def().mnemonic.starts_with("check.") && op.num_results() == 0;
}

bool has_checks(const Function& f) {
  return std::ranges::any_of(f.ops(f.body()), [&](OpId id) { return is_check({f, id}); });
}

/// The module with an entry that returns what its checks look at, instead of looking: what they take for equal is less than the same bits.
std::shared_ptr<const Module> without_checks(const Module& module, const std::string& entry) {
  const Function& f = module.get(entry);
  auto changed = clone_function(f, entry);
  auto plain = std::make_unique<Function>(entry);
  Function& g = *plain;
  g.set_loc(f.loc());
  ValueMap map(f);
  for (Value v : f.args()) map.set(v, g.add_arg(g.body(), f.type(v)));
  std::vector<Value> seen;
  for (OpId id : f.ops(f.body())) {
    const OpView op{f, id};
    if (op.def().is_terminator) {
      std::vector<Value> results;
      for (Value v : op.operands()) results.push_back(map.at(v));
      for (Value v : seen) results.push_back(map.at(v));
      g.append(g.body(), op.def(), results, f.shared_attrs(id), {}, {}, op.loc());
    } else if (is_check(op)) {
      for (Value v : op.operands()) {
        if (f.type(v).is_tensor() && std::ranges::find(seen, v) == seen.end()) seen.push_back(v);
      }
    } else {
      clone_op(f, id, g, g.body(), map);
    }
  }
  g.arg_attrs() = f.arg_attrs();
  auto out = std::make_shared<Module>();
  for (const auto& other : module.functions()) {
    if (other->name() != entry) out->add(clone_function(*other, other->name()));
  }
  out->add(std::move(plain));
  return out;
}

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
    const std::shared_ptr<const Module> plain = without_checks(*module, entry);
    jit_ = get_target("native").compile(plain, entry, jit);
    if (has_checks(module->get(entry))) checked_ = get_target("native").compile(module, entry, jit);
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
  native::TemporaryFolder folder_;
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
