// Arrays: column-major elements over one reference-counted buffer that compiled code can take as it is.
#pragma once
#include "julia/host/value.h"
#include "weft/tensor.h"

namespace weft::julia {

/// Elements of a plain-bits type lie flat in `buffer`; all others (references, abstract types, unions) as values in `boxes`.
/// Arrays that are reshaped share both.
struct ArrayObject : Object {
  const Type* element = nullptr;
  const DataType* flat = nullptr;  ///< the element type when elements lie flat
  std::vector<int64_t> dims;
  int64_t length = 0;
  int64_t first = 0;  ///< elements before the first one, left by popfirst!
  Buffer buffer;
  std::shared_ptr<std::vector<Value>> boxes;
  ArrayObject() : Object(ObjectKind::kArray) {}

  std::byte* data() const { return buffer.data() + static_cast<size_t>(first) * flat->layout().size; }
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(data());
  }
};

/// Of zeros; references are undefined. Throws UserError for more than memory can hold.
Value make_array(const Type* element, std::vector<int64_t> dims);
/// BitArray{rank}: a byte per element here.
Value make_bit_array(std::vector<int64_t> dims);
/// Of the elements' values, which must be of the element type.
Value make_vector(const Type* element, std::vector<Value> elements);
Value make_array(const Type* element, std::vector<int64_t> dims, std::vector<Value> elements);
bool is_array(const Value& v);
ArrayObject& array_of(const Value& v);

/// Linear index from 0, within the length. Undefined where the place is.
Value get_element(const ArrayObject& a, int64_t index);
/// The value must be of the element type.
void set_element(ArrayObject& a, int64_t index, const Value& v);
/// Of a vector. Values already of the element type.
void push_back(ArrayObject& a, Value v);
void resize(ArrayObject& a, int64_t length);
void erase(ArrayObject& a, int64_t index, int64_t count);
void insert(ArrayObject& a, int64_t index, Value v);
/// The same elements under other extents, whose product must be the length.
Value reshaped(const Value& v, std::vector<int64_t> dims);
Value copied(const Value& v);

/// The tensor that compiled code sees: the same memory, row-major with reversed extents. Throws Unsupported for elements that
/// no tensor has.
Tensor tensor_of(const ArrayObject& a);
Value array_of_tensor(const Tensor& t);
std::optional<ElementType> element_type(const Type* t);
const DataType* julia_type(ElementType t);

}  // namespace weft::julia
