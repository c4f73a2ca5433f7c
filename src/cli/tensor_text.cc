#include "cli/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/float_format.h"
#include "base/format.h"
#include "text/print.h"

namespace weft::cli {
namespace {

constexpr int64_t kElideAbove = 1000, kEdge = 3;

double value_of(ElementType type, const std::byte* element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, byte_size(type));
  return decode_float(type, bits);
}

std::string real_text(ElementType type, const std::byte* element) {
  if (!is_float(type)) return print_element(type, element);
  const double value = value_of(type, element);
  return type == ElementType::kF64 ? format_float(value) : format_float(static_cast<float>(value));
}

ElementType part_of(ElementType type) { return type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64; }

std::string element_text(ElementType type, const std::byte* element) {
  if (!is_complex(type)) return real_text(type, element);
  const ElementType part = part_of(type);
  return "(" + real_text(part, element) + ", " + real_text(part, element + byte_size(part)) + ")";
}

/// A number's columns before its point, itself included, and after. What has no point or exponent stands to the right.
struct Width {
  size_t before = 0, after = 0;
};
bool has_point(std::string_view text) {
  return text[0] != '(' && text.find_first_of(".e") != std::string_view::npos && text != "true" && text != "false";
}
Width width_of(std::string_view text) {
  if (!has_point(text)) return {text.size(), 0};
  const size_t point = text.find_first_of(".e");
  return {point, text.size() - point};
}

class Layout {
 public:
  Layout(const Tensor& t, const TensorTextOptions& options)
      : t_(t), options_(options), elides_(!options.full && t.size() > kElideAbove) {
    stride_.resize(t.shape().size());
    int64_t n = 1;
    for (size_t axis = stride_.size(); axis-- > 0; n *= t.shape()[axis]) stride_[axis] = n;
  }

  /// All on one line, as it would be written in a program; empty when it does not fit in `room` columns.
  std::string line(size_t room) {
    if (t_.rank() > 1 || elides_) return {};
    std::string out;
    if (t_.rank() == 0) return element(0);
    for (int64_t i = 0; i < t_.size(); ++i) {
      out += (i ? ", " : "[") + element(i);
      if (out.size() >= room) return {};
    }
    return out + "]";
  }

  std::string block() {
    measure(0, 0);
    out_.clear();
    append(0, 0);
    return std::move(out_);
  }

 private:
  std::string element(int64_t at) const {
    const ElementType type = t_.element_type();
    return element_text(type, t_.buffer().data() + static_cast<size_t>(at) * byte_size(type));
  }
  /// Calls f(i) for each position shown on the axis and gap() where some are left out.
  template <class F, class G>
  void for_shown(size_t axis, F f, G gap) const {
    const int64_t n = t_.shape()[axis];
    const bool elides = elides_ && n > 2 * kEdge;
    for (int64_t i = 0; i < n; ++i) {
      if (elides && i == kEdge) {
        gap();
        i = n - kEdge;
      }
      f(i);
    }
  }
  void measure(size_t axis, int64_t at) {
    if (axis < t_.shape().size()) {
      for_shown(axis, [&](int64_t i) { measure(axis + 1, at + i * stride_[axis]); }, [] {});
      return;
    }
    const std::string text = element(at);
    const Width w = width_of(text);
    widest_ = std::max(widest_, text.size());
    if (!has_point(text)) return;
    number_.before = std::max(number_.before, w.before);
    number_.after = std::max(number_.after, w.after);
  }

  void append(size_t axis, int64_t at) {
    if (axis + 1 == t_.shape().size()) return append_row(axis, at);
    const std::string indent(axis + 1, ' ');
    // Blank lines part the matrices of a tensor, one more for each further axis.
    const std::string between = "," + std::string(t_.shape().size() - axis - 1, '\n') + indent;
    out_ += '[';
    for_shown(
        axis,
        [&](int64_t i) {
          if (i) out_ += between;
          append(axis + 1, at + i * stride_[axis]);
        },
        [&] { out_ += between + "..."; });
    out_ += ']';
  }

  void append_row(size_t axis, int64_t at) {
    const std::string indent(axis + 1, ' ');
    const size_t total = std::max(number_.before + number_.after, widest_);
    size_t column = indent.size();
    std::string pad;  // behind the comma, so that none stands before it
    bool is_first = true;
    out_ += '[';
    const auto place = [&](const std::string& text, size_t left, size_t right) {
      if (!is_first) {
        out_ += ',';
        if (column + 2 + total > options_.columns) {
          out_ += '\n' + indent;
          column = indent.size();
        } else {
          out_ += pad + ' ';
          column += 2;
        }
      }
      is_first = false;
      out_ += std::string(left, ' ') + text;
      pad.assign(right, ' ');
      column += left + text.size() + right;
    };
    for_shown(
        axis,
        [&](int64_t i) {
          const std::string text = element(at + i);
          const size_t right = has_point(text) ? number_.after - width_of(text).after : 0;
          place(text, total - right - text.size(), right);
        },
        [&] { place("...", 0, 0); });
    out_ += ']';
  }

  const Tensor& t_;
  const TensorTextOptions& options_;
  bool elides_;
  std::vector<int64_t> stride_;
  Width number_;
  size_t widest_ = 0;
  std::string out_;
};

void append_json_number(std::string& out, ElementType type, const std::byte* element) {
  const bool is_word = is_float(type) && !std::isfinite(value_of(type, element));
  if (is_word) out += '"';
  out += real_text(type, element);
  if (is_word) out += '"';
}

void append_json(std::string& out, const Tensor& t, size_t axis, int64_t& next) {
  if (axis == t.shape().size()) {
    const ElementType type = t.element_type();
    const std::byte* element = t.buffer().data() + static_cast<size_t>(next++) * byte_size(type);
    if (!is_complex(type)) return append_json_number(out, type, element);
    const ElementType part = part_of(type);
    out += '[';
    append_json_number(out, part, element);
    out += ", ";
    append_json_number(out, part, element + byte_size(part));
    out += ']';
    return;
  }
  out += '[';
  for (int64_t i = 0; i < t.shape()[axis]; ++i) {
    if (i) out += ", ";
    append_json(out, t, axis + 1, next);
  }
  out += ']';
}

}  // namespace

std::string tensor_text(const Tensor& tensor, Type type, const TensorTextOptions& options) {
  const std::string head = type.str() + " =";
  if (tensor.size() == 0) return head + " []";
  Layout layout(tensor, options);
  const std::string line =
      layout.line(tensor.rank() == 0 ? SIZE_MAX : options.columns - std::min(options.columns, head.size() + 1));
  return line.empty() ? head + "\n" + layout.block() : head + " " + line;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string type_json(const Tensor& tensor, Type type) {
  return "\"type\": " + json_string(type.str()) + ", \"element_type\": " + json_string(type.element_str()) +
         ", \"shape\": " + format_list(tensor.shape());
}

std::string tensor_json(const Tensor& tensor, Type type) {
  std::string out = "{" + type_json(tensor, type) + ", \"values\": ";
  int64_t next = 0;
  // An extent of zero may stand behind one of any size.
  if (tensor.size() == 0) out += "[]";
  else append_json(out, tensor, 0, next);
  return out + "}";
}

}  // namespace weft::cli
