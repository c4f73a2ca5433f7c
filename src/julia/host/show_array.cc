#include <algorithm>
#include <climits>

#include "julia/host/array.h"
#include "julia/host/show_parts.h"
#include "julia/types/subtype.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

/// What the context says of the elements of an array that is being printed; null: nothing.
const Type* known_element(const Type* t) {
  const auto* d = t == nullptr ? nullptr : as<DataType>(t);
  if (d == nullptr || !subtype(d, core().abstract_array)) return nullptr;
  while (d->name != as<DataType>(unwrap_union_all(core().abstract_array))->name) d = d->super();
  return d->parameters[0];
}

/// The prefix that names the element type where the elements do not, and the context for the elements.
std::string prefix(const Type* element, bool is_empty, const ShowContext& c, ShowContext& inner) {
  inner = c;
  ++inner.depth;
  if (known_element(c.typeinfo) == element) {
    inner.typeinfo = element;
    return "";
  }
  if (!is_empty && is_implicit_type(element)) return "";
  inner.typeinfo = element;
  return type_text(element);
}

void show_matrix_part(std::string& out, const ArrayLook& a, const ShowContext& c, std::vector<int64_t> index) {
  const int64_t rows = a.dims[0], columns = a.dims[1];
  const auto ranges = [&](int64_t n) {
    std::vector<std::pair<int64_t, int64_t>> r = {{0, n}};
    if (c.limit && n > 4) r = {{0, 2}, {n - 2, n}};
    return r;
  };
  const auto row_ranges = ranges(rows), column_ranges = ranges(columns);
  for (const auto& [r0, r1] : row_ranges) {
    for (int64_t i = r0; i < r1; ++i) {
      for (const auto& [c0, c1] : column_ranges) {
        for (int64_t j = c0; j < c1; ++j) {
          if (j > c0) out += ' ';
          index[0] = i, index[1] = j;
          show(out, a.at(index.data()), c);
        }
        if (c1 == columns) {
          if (i + 1 < rows) out += "; ";
        } else {
          out += " … ";
        }
      }
    }
    if (r1 != rows) out += "… ; ";
  }
}

/// What follows when a text is not as wide as its column: the mark of a structural zero in its place.
std::string replaced(const ArrayLook& a, int64_t i, int64_t j, const std::string& text) {
  if (!a.is_structural_zero || !a.is_structural_zero(i, j)) return text;
  const int width = text_width(text);
  const int before = (width + 1) / 2 - 1;
  return std::string(static_cast<size_t>(before), ' ') + "⋅" +
         std::string(static_cast<size_t>(width - before - 1), ' ');
}

/// The text of an element in a table: the long form when it has one line.
std::string cell(const Value& v, const ShowContext& c) {
  std::string out;
  if (v.is_defined()) display(out, v, c);
  else return "#undef";
  if (out.find('\n') == std::string::npos) return out;
  out.clear();
  show(out, v, c);
  return out;
}

class Table {
 public:
  Table(const ArrayLook& a, const ShowContext& c)
      : a_(a), c_(c), rows_(a.dims.empty() ? 1 : a.dims[0]), columns_(a.dims.size() > 1 ? a.dims[1] : 1) {}

  void print(std::string& out) {
    int height = INT_MAX, width = INT_MAX;
    if (c_.limit) height = std::max(c_.rows - 4, 1), width = c_.columns;
    width -= 1;  // the space before each row
    const int half = height / 2;
    std::vector<int64_t> rows, columns;
    const auto some = [](std::vector<int64_t>& to, int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i) to.push_back(i);
    };
    const bool is_tall = rows_ > height;
    if (is_tall) {
      some(rows, 0, half);
      some(rows, rows_ - ((height - 1) / 2), rows_);
    } else {
      some(rows, 0, rows_);
    }
    const int possible = width / (1 + kSeparator);
    if (columns_ > possible) {
      some(columns, 0, possible);
      some(columns, columns_ - possible, columns_);
    } else {
      some(columns, 0, columns_);
    }
    std::vector<int64_t> reversed(columns.rbegin(), columns.rend());
    const std::vector<Alignment> all = aligned(rows, columns, width, width);
    const bool is_wide = columns_ > static_cast<int64_t>(all.size());
    std::vector<Alignment> left = all, right;
    if (is_wide) {
      const int right_width = (width - kDots + 1) / 2 + 1;
      right = aligned(rows, reversed, right_width, right_width);
      std::reverse(right.begin(), right.end());
      const int left_width = width - sum(right) - (static_cast<int>(right.size()) - 1) * kSeparator - kDots;
      left = aligned(rows, columns, left_width, left_width);
    }
    for (size_t r = 0; r < rows.size(); ++r) {
      out += ' ';
      row(out, left, rows[r], 0);
      if (is_wide) {
        out += rows[r] % kEvery == 0 ? "  …  " : "     ";
        row(out, right, rows[r], columns_ - static_cast<int64_t>(right.size()));
      }
      if (r + 1 < rows.size()) out += '\n';
      if (is_tall && static_cast<int>(r) + 1 == half) {
        out += ' ';
        if (is_wide) {
          dots(out, left, 1, true);
          out += "  ⋱  ";
          const auto n = static_cast<int64_t>(right.size());
          dots(out, right, static_cast<int>((((n - columns_ + 1) % kEvery) + kEvery) % kEvery), false);
        } else {
          dots(out, left, 1, false);
        }
        out += '\n';
      }
    }
  }

 private:
  static constexpr int kSeparator = 2, kDots = 5, kEvery = 5;

  Value at(int64_t i, int64_t j) const {
    const int64_t index[] = {i, j};
    return a_.at(index);
  }

  static int sum(const std::vector<Alignment>& a) {
    int n = 0;
    for (const Alignment& x : a) n += x.total();
    return n;
  }

  std::vector<Alignment> aligned(const std::vector<int64_t>& rows, const std::vector<int64_t>& columns, int if_complete,
                                 int otherwise) const {
    std::vector<Alignment> out;
    const auto width = [&] { return sum(out) + kSeparator * static_cast<int>(out.size()); };
    for (const int64_t j : columns) {
      Alignment a;
      for (const int64_t i : rows) {
        const Alignment e = alignment(at(i, j), c_);
        a.left = std::max(a.left, e.left);
        a.right = std::max(a.right, e.right);
      }
      out.push_back(a);
      if (out.size() > 1 && width() >= if_complete) {
        out.pop_back();
        break;
      }
    }
    if (out.size() > 1 && static_cast<int64_t>(out.size()) < columns_) {
      while (!out.empty() && width() >= otherwise) out.pop_back();
    }
    return out;
  }

  void row(std::string& out, const std::vector<Alignment>& columns, int64_t i, int64_t first) const {
    for (size_t k = 0; k < columns.size(); ++k) {
      const int64_t j = first + static_cast<int64_t>(k);
      const Value v = at(i, j);
      const Alignment a = alignment(v, c_);
      out.append(static_cast<size_t>(std::max(0, columns[k].left - a.left)), ' ');
      out += replaced(a_, i, j, cell(v, c_));
      if (j + 1 < columns_) out.append(static_cast<size_t>(std::max(0, columns[k].right - a.right)), ' ');
      if (k + 1 < columns.size()) out += "  ";
    }
  }

  static void dots(std::string& out, const std::vector<Alignment>& columns, int phase, bool pads_right) {
    for (size_t k = 0; k < columns.size(); ++k) {
      const bool is_last = k + 1 == columns.size();
      const int width = columns[k].total();
      if (static_cast<int>(k + 1) % kEvery == phase) {
        const int before = std::max(0, columns[k].left - 1);
        out.append(static_cast<size_t>(before), ' ');
        out += "⋮";
        if (!is_last || pads_right) out.append(static_cast<size_t>(std::max(0, width - 1 - before)), ' ');
      } else if (!is_last || pads_right) {
        out.append(static_cast<size_t>(width), ' ');
      }
      if (!is_last) out += "  ";
    }
  }

  const ArrayLook& a_;
  const ShowContext& c_;
  int64_t rows_, columns_;
};

}  // namespace

Alignment alignment(const Value& v, const ShowContext& c) {
  if (!v.is_defined()) return {3, 3};
  std::string text;
  show(text, v, c);
  const auto width = [](std::string_view s) { return text_width(s); };
  const auto kind = number_kind(v);
  if (kind && is_integer(*kind)) return {width(text), 0};
  const auto split = [&](size_t at) {
    return at == std::string::npos
               ? Alignment{width(text), 0}
               : Alignment{width(std::string_view(text).substr(0, at)), width(std::string_view(text).substr(at))};
  };
  if (kind) return split(text.find_first_of(".eEfF"));
  const TypeName* name = v.type()->name;
  if (name == as<DataType>(unwrap_union_all(core().complex))->name) {
    // After the sign between the parts; one after an exponent's mark is no such sign.
    size_t at = std::string::npos;
    for (size_t i = text.size(); i-- > 1;) {
      if ((text[i] == '+' || text[i] == '-') && text[i - 1] != 'e' && text[i - 1] != 'f') {
        at = i + 1;
        break;
      }
    }
    return split(at);
  }
  if (name == as<DataType>(unwrap_union_all(core().rational))->name) {
    const size_t at = text.find('/');
    return split(at == std::string::npos ? at : at + 1);
  }
  if (is_pair(v)) {
    std::string first;
    ShowContext inner = c;
    inner.typeinfo = v.type()->parameters[0];
    show(first, get_field(v, 0), inner);
    const int parentheses = is_delimited(get_field(v, 0), inner) ? 0 : 2;
    const int left = width(first) + parentheses + (c.compact ? 0 : 1);
    return {left, width(text) - left};
  }
  return {0, width(text)};
}

void show_list(std::string& out, const std::vector<Value>& elements, const Type* element, const ShowContext& c) {
  ArrayLook look;
  look.dims = {static_cast<int64_t>(elements.size())};
  look.element = element;
  look.at = [&](const int64_t* x) { return elements[static_cast<size_t>(x[0])]; };
  show_array(out, look, c);
}

void show_array(std::string& out, const ArrayLook& a, const ShowContext& c) {
  const int64_t n = a.length();
  const size_t rank = a.dims.size();
  ShowContext inner;
  const std::string before = prefix(a.element, n == 0, c, inner);
  if (rank == 0) {
    out += "fill(";
    show(out, a.at(nullptr), inner);
    out += ')';
  } else if (rank == 1) {
    out += before + "[";
    for (int64_t i = 0; i < n; ++i) {
      if (c.limit && n > 20 && i == 10) {
        out += "  …  ";
        i = n - 10;
      } else if (i > 0) {
        out += ", ";
      }
      show(out, a.at(&i), inner);
    }
    out += ']';
  } else if (n == 0) {
    out += type_text(array_type(a.element, static_cast<int64_t>(rank))) + "(undef";
    for (const int64_t d : a.dims) out += ", " + std::to_string(d);
    out += ')';
  } else if (rank == 2) {
    out += before + "[";
    show_matrix_part(out, a, inner, {0, 0});
    if (a.dims[1] <= 1) out += ";;";
    out += ']';
  } else {
    out += before + "[";
    std::vector<int64_t> index(rank, 0);
    const int64_t slices = n / (a.dims[0] * a.dims[1]);
    bool reached_last = false;
    for (int64_t s = 0; s < slices; ++s) {
      if (s > 0) {
        size_t d = 2;
        while (++index[d] == a.dims[d]) index[d++] = 0;
        out += std::string(d + 1, ';') + " ";
        reached_last = reached_last || d + 1 == rank;
      }
      show_matrix_part(out, a, inner, index);
    }
    if (!reached_last) out += std::string(rank, ';');
    out += ']';
  }
}

void print_matrix(std::string& out, const ArrayLook& a, const ShowContext& c) { Table(a, c).print(out); }

}  // namespace weft::julia
