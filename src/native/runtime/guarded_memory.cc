#include "native/runtime/guarded_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace weft::rt {
namespace {

constexpr size_t kPage = 4096;
constexpr int kPattern = 0xfb;  // large negative floats and integers

size_t whole_pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

std::byte* map_pages(size_t bytes) {
  void* map = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(map);
}

void forbid(std::byte* pages, size_t bytes) {
  if (mprotect(pages, bytes, PROT_NONE) != 0) throw std::bad_alloc();
}

}  // namespace

GuardedMemory::GuardedMemory(size_t bytes) : mapped_(whole_pages(bytes) + kPage) {
  map_ = map_pages(mapped_);
  data_ = map_ + mapped_ - kPage - bytes;
  std::memset(map_, kPattern, mapped_ - kPage);
  forbid(map_ + mapped_ - kPage, kPage);
}

GuardedMemory::GuardedMemory(size_t bytes, std::span<const std::pair<size_t, size_t>> guards)
    : mapped_(whole_pages(bytes) + kPage) {
  map_ = data_ = map_pages(mapped_);
  std::memset(map_, kPattern, bytes);
  for (const auto& [offset, length] : guards) forbid(map_ + offset, length);
  forbid(map_ + mapped_ - kPage, kPage);
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : map_(std::exchange(other.map_, nullptr)), mapped_(other.mapped_), data_(other.data_) {}

GuardedMemory::~GuardedMemory() {
  if (map_ != nullptr) munmap(map_, mapped_);
}

void GuardedMemory::make_read_only(bool is_read_only) {
  if (mapped_ > kPage) mprotect(map_, mapped_ - kPage, is_read_only ? PROT_READ : PROT_READ | PROT_WRITE);
}

}  // namespace weft::rt
