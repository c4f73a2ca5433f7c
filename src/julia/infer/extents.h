// Extents of an array while it is compiled. Some may be open: known only when the program runs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace weft::julia {

/// In Julia's order. An open extent has a number; extents of equal numbers are equal in every run. It reads as a vector of known extents, which fails
/// (NotCompiled, Cause::kShape) where one is open: code that has no form for open extents refuses them without a test of its own.
class Extents {
 public:
  Extents() = default;
  Extents(std::vector<int64_t> known) : raw_(std::move(known)) {}  // every vector of extents is one
  Extents(std::initializer_list<int64_t> known) : raw_(known) {}
  operator const std::vector<int64_t>&() const { return known(); }

  const std::vector<int64_t>& known() const;
  size_t size() const { return raw_.size(); }
  bool empty() const { return raw_.empty(); }
  int64_t operator[](size_t k) const;
  const int64_t* begin() const { return known().data(); }
  const int64_t* end() const { return known().data() + raw_.size(); }
  const int64_t* data() const { return begin(); }
  bool operator==(const Extents&) const = default;

  bool is_open() const;
  bool is_open(size_t k) const { return raw_[k] < 0; }
  /// Dimension k of both.
  bool is_equal(size_t k, const Extents& other) const { return raw_[k] == other.raw_[k]; }
  void push_back(int64_t known) { raw_.push_back(known); }
  void push_open(uint32_t number) { raw_.push_back(-1 - static_cast<int64_t>(number)); }
  uint32_t open_number(size_t k) const { return static_cast<uint32_t>(-1 - raw_[k]); }
  void resize(size_t rank, int64_t known) { raw_.resize(rank, known); }
  /// The shape of its tensor in IR: reversed, `?` where it is open.
  std::vector<int64_t> shape() const;

 private:
  std::vector<int64_t> raw_;  // -1 - number: open
};

}  // namespace weft::julia
