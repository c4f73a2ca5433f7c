#include "cli/tensor_text.h"

#include <cmath>
#include <cstring>

#include "base/float_format.h"
#include "base/format.h"
#include "ir/type.h"
#include "text/print.h"

namespace weft::cli {
namespace {

std::string number(ElementType type, const std::byte* element) {
  if (!is_float(type)) return print_element(type, element);
  uint64_t bits = 0;
  std::memcpy(&bits, element, byte_size(type));
  const double value = decode_float(type, bits);
  return type == ElementType::kF64 ? format_float(value) : format_float(static_cast<float>(value));
}

void append(std::string& out, const Tensor& t, size_t axis, int64_t& next) {
  if (axis == t.shape().size()) {
    const ElementType type = t.element_type();
    const std::byte* element = t.buffer().data() + static_cast<size_t>(next++) * byte_size(type);
    if (is_complex(type)) {
      const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
      out += "(" + number(part, element) + ", " + number(part, element + byte_size(part)) + ")";
    } else {
      out += number(type, element);
    }
    return;
  }
  out += '[';
  for (int64_t i = 0; i < t.shape()[axis]; ++i) {
    if (i) out += ", ";
    append(out, t, axis + 1, next);
  }
  out += ']';
}

}  // namespace

std::string tensor_text(const Tensor& tensor) {
  std::string out = Type::tensor(tensor.element_type(), tensor.shape()).str() + " = ";
  int64_t next = 0;
  append(out, tensor, 0, next);
  return out;
}

}  // namespace weft::cli
