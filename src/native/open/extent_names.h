// Names for numbers that are known only when a program is called: extents, and what attributes derive from them. A name is a
// prime that divides no number of the program, so that products of extents are products of names: types whose extents are
// names are static types to the schedule and the memory plan, equal where the extents are always equal.
#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace weft::native {

class ExtentNames {
 public:
  ExtentNames() = default;
  /// `numbers`: those of the program that names must not divide.
  explicit ExtentNames(const std::set<int64_t>& numbers);

  /// A new name. Throws Unsupported when there are too many.
  int64_t add();
  size_t count() const { return names_.size(); }
  int64_t name(size_t symbol) const { return names_[symbol]; }

  /// number = coefficient · Π names[symbols]; symbols ascending, repeated for powers.
  struct Product {
    int64_t coefficient = 0;
    std::vector<size_t> symbols;
    bool operator==(const Product&) const = default;
  };
  Product decode(int64_t number) const;
  bool is_open(int64_t number) const { return !decode(number).symbols.empty(); }
  bool any_open(std::span<const int64_t> numbers) const;
  /// The number when the symbols have these values.
  int64_t value(int64_t number, std::span<const int64_t> values) const;

 private:
  std::vector<int64_t> candidates_;  // primes that are left, to be taken from the end
  std::vector<int64_t> names_;
};

}  // namespace weft::native
