// Tensors for people and for machines. What a program's constants look like is text/print.h's affair; that one never elides.
#pragma once
#include <string>

#include "ir/type.h"

namespace weft::cli {

struct TensorTextOptions {
  bool full = false;  // every element, however many
  size_t columns = 100;
};

/// "tensor<2xf32> = [1.0, 2.5]" on one line; from rank 2 on, and where a line does not hold it, the elements stand below the type,
/// rows under each other and aligned at the point. Of more than 1000 elements each axis shows its first and last three.
/// Numbers are the shortest decimals that read back, nan, inf, true, (re, im); of a quantized `type` the stored integers.
std::string tensor_text(const Tensor& tensor, Type type, const TensorTextOptions& options = {});

/// {"type": "tensor<2xf32>", "element_type": "f32", "shape": [2], "values": [1.0, 2.5]}: values nested as the shape says and exact,
/// integers of any width as numbers, "nan", "inf", "-inf" as strings, complex numbers as [re, im].
std::string tensor_json(const Tensor& tensor, Type type);
/// The same without the values: "type": …, "element_type": …, "shape": ….
std::string type_json(const Tensor& tensor, Type type);
/// A text as JSON writes it, quotes included.
std::string json_string(const std::string& text);

}  // namespace weft::cli
