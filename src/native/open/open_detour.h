// A call with open extents on copies of its arguments, whose results are copied to the caller's places afterwards: where these
// places are not aligned to their elements, and under CompileOptions::guard_pages.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "ir/target.h"
#include "native/runtime/guarded_memory.h"

namespace weft::native {

/// Whether generated code may work on the places as they are.
bool are_aligned(std::span<const Type> arg_types, std::span<const Type> result_types, const void* const* args,
                 void* const* results);

class OpenDetour {
 public:
  OpenDetour(std::span<const Type> arg_types, std::span<const Type> result_types, const CompileOptions& options,
             const void* const* args, void* const* results);
  const void* const* args() const { return in_.data(); }
  void* const* results() const { return out_.data(); }
  void take_results() const;

 private:
  void* add(Type t, bool is_guarded);

  std::vector<std::vector<std::max_align_t>> plain_;
  std::vector<rt::GuardedMemory> guarded_;
  std::vector<const void*> in_;
  std::vector<void*> out_;
  std::span<const Type> result_types_;
  void* const* results_;
};

}  // namespace weft::native
