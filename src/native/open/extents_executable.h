// A program with open extents as its callers see it: hot calls have code of their own, all others share the code for all extents,
// and where there is none (recursion, ops that depend on extents) each set of extents is compiled for itself.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ir/target.h"

namespace weft::native {

class ExtentsExecutable : public Executable {
 public:
  struct Compilers {
    std::function<std::unique_ptr<Executable>(std::shared_ptr<const Module>)> for_one;  // the entry has static types
    std::function<std::unique_ptr<Executable>()> for_all;
    std::unique_ptr<Executable> open;  // what for_all made; null: not yet
    std::string refused;               // why it makes nothing
  };

  /// Compiles the hot calls. Throws UserError for those that do not fit the program.
  ExtentsExecutable(std::shared_ptr<const Module> module, std::string entry, const CompileOptions& options,
                    Compilers compilers);

  std::span<const Type> arg_types() const override { return arg_types_; }
  std::span<const Type> result_types() const override { return result_types_; }
  /// UserError: the extents are not known here.
  void invoke(const void* const* args, void* const* results) const override;
  bool has_open_extents() const override { return true; }
  std::unique_ptr<Executable> for_extents(std::span<const Type> arg_types, const void* const* args) const override;
  ExtentCalls extent_calls() const override;
  std::string explain() const override;

 private:
  /// Code for one set of extents, and the integers that decided some.
  struct Special {
    HotCall call;
    std::shared_ptr<const Executable> code;
    uint64_t used = 0;
  };
  /// As many sets of extents that are compiled for themselves are kept.
  static constexpr size_t kMostOwn = 64;

  /// Code that one caller compiles and others with the same extents wait for.
  struct Making {
    std::mutex mutex;
    std::shared_ptr<const Executable> code;
  };

  Special compile(HotCall call) const;
  Special compile_own(std::span<const Type> arg_types, const void* const* args) const;
  /// Code for all extents; null: there is none.
  const Executable* open() const;
  static bool fits(const Special& special, std::span<const Type> arg_types, const void* const* args);
  std::unique_ptr<Executable> own(std::span<const Type> arg_types, const void* const* args) const;

  const std::shared_ptr<const Module> module_;
  const std::string entry_;
  mutable std::mutex open_mutex_;  // while the code for all extents is made
  mutable Compilers compilers_;
  std::vector<Type> arg_types_, result_types_;
  std::vector<Special> hot_;
  mutable std::mutex mutex_;
  mutable std::vector<Special> own_;
  mutable std::map<std::string, std::shared_ptr<Making>> being_made_;
  mutable ExtentCalls calls_;
  mutable uint64_t clock_ = 0;
};

}  // namespace weft::native
