#include "native/open/extent_names.h"

#include <algorithm>

#include "weft/error.h"

namespace weft::native {
namespace {

// Products of three names and of what tensors add to them stay far below 2^63.
constexpr int64_t kLowest = 1000, kHighest = 9000;

bool is_prime(int64_t n) {
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) return false;
  }
  return n > 1;
}

}  // namespace

ExtentNames::ExtentNames(const std::set<int64_t>& numbers) {
  for (int64_t p = kLowest; p < kHighest; ++p) {
    if (is_prime(p) && std::ranges::none_of(numbers, [&](int64_t n) { return n != 0 && n % p == 0; }))
      candidates_.push_back(p);
  }
}

int64_t ExtentNames::add() {
  if (candidates_.empty()) throw Unsupported("the program has too many different open extents for the native target");
  names_.push_back(candidates_.back());
  candidates_.pop_back();
  return names_.back();
}

ExtentNames::Product ExtentNames::decode(int64_t number) const {
  Product p{number, {}};
  if (number == 0) return p;
  for (size_t s = 0; s < names_.size(); ++s) {
    while (p.coefficient % names_[s] == 0) {
      p.coefficient /= names_[s];
      p.symbols.push_back(s);
    }
  }
  return p;
}

bool ExtentNames::any_open(std::span<const int64_t> numbers) const {
  return std::ranges::any_of(numbers, [&](int64_t n) { return is_open(n); });
}

int64_t ExtentNames::value(int64_t number, std::span<const int64_t> values) const {
  const Product p = decode(number);
  int64_t v = p.coefficient;
  for (size_t s : p.symbols) v *= values[s];
  return v;
}

}  // namespace weft::native
