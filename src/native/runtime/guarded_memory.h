// Memory for verification: what lies behind it must not be touched.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

namespace weft::rt {

/// Pages of their own, filled with a pattern that is no sensible number.
class GuardedMemory {
 public:
  /// `bytes` that end at a page that cannot be touched.
  explicit GuardedMemory(size_t bytes);
  /// `bytes` from the beginning of a page on, in which the parts (offset, bytes), whole pages, cannot be touched.
  GuardedMemory(size_t bytes, std::span<const std::pair<size_t, size_t>> guards);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&&) = delete;

  std::byte* data() const { return data_; }
  void make_read_only(bool is_read_only = true);

 private:
  std::byte* map_;
  size_t mapped_;
  std::byte* data_;
};

}  // namespace weft::rt
