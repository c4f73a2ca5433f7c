// Symbolic indices of the pull model: which element of an operand a kernel needs for an element of a result, as affine
// expressions in loop variables. Knows no LLVM: the same rules serve the dry run that chooses the loops and the emitter.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace weft::codegen {

using AtomId = int32_t;

/// constant + Σ coefficient · atom; terms sorted by atom, coefficients not zero.
struct Expr {
  int64_t constant = 0;
  std::vector<std::pair<AtomId, int64_t>> terms;

  Expr() = default;
  explicit Expr(int64_t c) : constant(c) {}
  static Expr atom(AtomId a) {
    Expr e;
    e.terms.push_back({a, 1});
    return e;
  }
  bool is_constant() const { return terms.empty(); }
  auto operator<=>(const Expr&) const = default;
};
Expr operator+(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, int64_t factor);
inline Expr operator+(const Expr& a, int64_t c) {
  Expr e = a;
  e.constant += c;
  return e;
}

/// Place of an element: mixed-radix digits of its row-major number, most significant first; the product of the extents is
/// the number of elements of the tensor. The digits need not be the tensor's dimensions: a reshape keeps them.
struct Factor {
  int64_t extent;
  Expr expr;
  auto operator<=>(const Factor&) const = default;
};
using Index = std::vector<Factor>;

/// The atoms of a kernel and their ranges. A quotient that is not affine becomes an atom of its own.
class IndexSpace {
 public:
  virtual ~IndexSpace() = default;

  struct Range {
    int64_t low, high;  // inclusive
  };
  AtomId new_atom(Range range) {
    ranges_.push_back(range);
    return static_cast<AtomId>(ranges_.size() - 1);
  }
  /// Starts with the atoms of another space (a trial run on its indices).
  void adopt_atoms(const IndexSpace& other) { ranges_ = other.ranges_; }
  Range range(AtomId a) const { return ranges_[static_cast<size_t>(a)]; }
  Range range(const Expr& e) const;

  /// e = quotient · divisor + remainder with 0 <= remainder < divisor.
  struct Split {
    Expr quotient, remainder;
  };
  Split split(const Expr& e, int64_t divisor);

  /// Digits of `index` by `extents` (all >= 1), whose product must be that of the index.
  std::vector<Expr> digits(const Index& index, std::span<const int64_t> extents);
  /// Quotients that had to become atoms so far: what a good choice of loops avoids.
  int64_t divisions() const { return divisions_; }

 protected:
  /// Makes the value of an atom that stands for e / divisor; e is not negative.
  virtual void on_division(AtomId, const Expr& /*e*/, int64_t /*divisor*/) {}
  /// Makes the value of an atom that stands for e.
  virtual void on_name(AtomId, const Expr& /*e*/) {}
  /// A remainder that is not named keeps its terms, so that an affine whole may come together again; a named one has a tight range.
  virtual bool names_remainder(const Expr& /*e*/) const { return true; }

 private:
  std::vector<Range> ranges_;
  std::map<std::pair<Expr, int64_t>, std::pair<AtomId, Expr>> quotients_;  // and the remainder
  int64_t divisions_ = 0;
};

/// An index made of digits; digits of extent 1 are left out.
Index make_index(std::span<const int64_t> extents, std::span<const Expr> digits);
/// The row-major number of the element.
Expr linear(const Index& index);

}  // namespace weft::codegen
