#include "native/codegen/index.h"

#include "weft/error.h"

namespace weft::codegen {

Expr operator+(const Expr& a, const Expr& b) {
  Expr e(a.constant + b.constant);
  e.terms.reserve(a.terms.size() + b.terms.size());
  size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    if (j == b.terms.size() || (i < a.terms.size() && a.terms[i].first < b.terms[j].first)) {
      e.terms.push_back(a.terms[i++]);
    } else if (i == a.terms.size() || b.terms[j].first < a.terms[i].first) {
      e.terms.push_back(b.terms[j++]);
    } else {
      const int64_t c = a.terms[i].second + b.terms[j].second;
      if (c != 0) e.terms.push_back({a.terms[i].first, c});
      ++i, ++j;
    }
  }
  return e;
}

Expr operator*(const Expr& a, int64_t factor) {
  if (factor == 0) return Expr(0);
  Expr e = a;
  e.constant *= factor;
  for (auto& [atom, c] : e.terms) c *= factor;
  return e;
}

IndexSpace::Range IndexSpace::range(const Expr& e) const {
  Range r{e.constant, e.constant};
  for (const auto& [atom, c] : e.terms) {
    const Range a = range(atom);
    r.low += c * (c > 0 ? a.low : a.high);
    r.high += c * (c > 0 ? a.high : a.low);
  }
  return r;
}

namespace {
int64_t floor_div(int64_t a, int64_t b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
}  // namespace

IndexSpace::Split IndexSpace::split(const Expr& e, int64_t divisor) {
  if (divisor == 1) return {e, Expr(0)};
  Expr quotient, rest(e.constant);
  for (const auto& [atom, c] : e.terms) {
    if (c % divisor == 0) {
      quotient.terms.push_back({atom, c / divisor});
    } else {
      rest.terms.push_back({atom, c});
    }
  }
  const Range r = range(rest);
  const int64_t whole = floor_div(r.low, divisor);
  if (r.high - whole * divisor < divisor) { return {quotient + whole, rest + -whole * divisor}; }
  rest.constant -= whole * divisor;
  const auto key = std::make_pair(rest, divisor);
  auto it = quotients_.find(key);
  if (it == quotients_.end()) {
    const AtomId a = new_atom({0, (r.high - whole * divisor) / divisor});
    ++divisions_;
    on_division(a, rest, divisor);
    Expr remainder = rest + Expr::atom(a) * -divisor;
    if (names_remainder(rest)) {
      const AtomId named = new_atom({0, divisor - 1});
      on_name(named, remainder);
      remainder = Expr::atom(named);
    }
    it = quotients_.emplace(key, std::make_pair(a, remainder)).first;
  }
  return {quotient + Expr::atom(it->second.first) + whole, it->second.second};
}

std::vector<Expr> IndexSpace::digits(const Index& index, std::span<const int64_t> extents) {
  std::vector<Expr> out(extents.size());
  Index left = index;
  for (size_t d = extents.size(); d-- > 0;) {
    int64_t need = extents[d], scale = 1;
    while (need > 1) {
      if (left.empty()) throw InternalError("[codegen] index has fewer elements than the shape it is read by");
      Factor& f = left.back();
      if (need % f.extent == 0) {
        out[d] = out[d] + f.expr * scale;
        scale *= f.extent;
        need /= f.extent;
        left.pop_back();
      } else if (f.extent % need == 0) {
        Split s = split(f.expr, need);
        out[d] = out[d] + s.remainder * scale;
        f = {f.extent / need, s.quotient};
        need = 1;
      } else {
        if (left.size() < 2) throw InternalError("[codegen] index does not fit the shape it is read by");
        const Factor inner = f;
        left.pop_back();
        Factor& outer = left.back();
        outer = {outer.extent * inner.extent, outer.expr * inner.extent + inner.expr};
      }
    }
  }
  return out;
}

Index make_index(std::span<const int64_t> extents, std::span<const Expr> digits) {
  Index index;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] != 1) index.push_back({extents[d], digits[d]});
  }
  return index;
}

Expr linear(const Index& index) {
  Expr e;
  for (const Factor& f : index) e = e * f.extent + f.expr;
  return e;
}

}  // namespace weft::codegen
