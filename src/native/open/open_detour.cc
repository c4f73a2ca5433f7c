#include "native/open/open_detour.h"

#include <algorithm>
#include <cstring>

#include "ops/families.h"

namespace weft::native {
namespace {

size_t tensor_bytes(Type t) { return t.is_tensor() ? t.num_bytes() : 0; }

bool is_aligned(Type t, const void* p) {
  if (!t.is_tensor() || t.num_elements() == 0) return true;
  return reinterpret_cast<uintptr_t>(p) % byte_size(part_type(t.element_type())) == 0;
}

}  // namespace

bool are_aligned(std::span<const Type> arg_types, std::span<const Type> result_types, const void* const* args,
                 void* const* results) {
  for (size_t i = 0; i < arg_types.size(); ++i) {
    if (!is_aligned(arg_types[i], args[i])) return false;
  }
  for (size_t j = 0; j < result_types.size(); ++j) {
    if (!is_aligned(result_types[j], results[j])) return false;
  }
  return true;
}

OpenDetour::OpenDetour(std::span<const Type> arg_types, std::span<const Type> result_types,
                       const CompileOptions& options, const void* const* args, void* const* results)
    : result_types_(result_types), results_(results) {
  guarded_.reserve(arg_types.size() + result_types.size());
  for (size_t i = 0; i < arg_types.size(); ++i) {
    void* place = add(arg_types[i], options.guard_pages);
    if (tensor_bytes(arg_types[i]) > 0) std::memcpy(place, args[i], tensor_bytes(arg_types[i]));
    const bool is_donated = std::ranges::any_of(options.donations, [&](const auto& d) { return d.first == i; });
    if (options.guard_pages && !is_donated) guarded_.back().make_read_only();
    in_.push_back(place);
  }
  for (size_t j = 0; j < result_types.size(); ++j) {
    const auto donation = std::ranges::find_if(options.donations, [&](const auto& d) { return d.second == j; });
    out_.push_back(donation == options.donations.end() ? add(result_types[j], options.guard_pages)
                                                       : const_cast<void*>(in_[donation->first]));
  }
}

void* OpenDetour::add(Type t, bool is_guarded) {
  if (is_guarded) return guarded_.emplace_back(tensor_bytes(t)).data();
  return plain_.emplace_back(tensor_bytes(t) / sizeof(std::max_align_t) + 1).data();
}

void OpenDetour::take_results() const {
  for (size_t j = 0; j < out_.size(); ++j) {
    if (tensor_bytes(result_types_[j]) > 0) std::memcpy(results_[j], out_[j], tensor_bytes(result_types_[j]));
  }
}

}  // namespace weft::native
