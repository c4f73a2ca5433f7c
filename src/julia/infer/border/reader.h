// Host values as what a compiled program takes.
#pragma once
#include <forward_list>
#include <map>
#include <set>

#include "julia/infer/border/packed.h"
#include "julia/run/evaluator.h"

namespace weft::julia {

/// Where the leaves of a plain-bits type lie in its bytes.
struct LeafPlace {
  const DataType* type;
  size_t offset, size;
};
/// Machine numbers and complex numbers of floats; what holds others is refused.
void leaf_places(const DataType* type, size_t offset, std::vector<LeafPlace>& out);

bool is_machine_float(const Type* t);

/// The type of a value when integers are taken as floats; null: what it is.
const DataType* floats_for(const Type* t);
/// Integers, complex ones, and arrays and tuples of them as Float64: the numbers to differentiate by. Other values are what they are.
Value as_floats(const Value& v);

/// Numbers and arrays become leaves, in a fixed order: their types, and where their bytes are.
struct ArgumentReader {
  Heap* heap = nullptr;         // null: only bytes are wanted
  bool fixed_integers = false;  // Int arguments are constants
  bool fixed_floats = false;    // and so are floats
  bool open_extents = false;    // extents above 1 are open; those that are equal now stay equal
  const std::map<int64_t, std::string>* open_names = nullptr;  // only these, where there are any
  bool fixed_characters = false;                               // Char arguments are constants
  bool float_integers = false;    // numbers and arrays of integers are taken as Float64: what is differentiated is
  bool wants_types = false;       // without a heap as well
  std::vector<weft::Type> types;  // where there is a heap
  std::vector<const void*> bytes;
  std::forward_list<Value> held;                    // what the bytes belong to
  std::forward_list<std::vector<std::byte>> parts;  // of arrays of structs: each leaf of the elements on its own
  std::vector<Value> objects;
  std::map<int64_t, uint32_t> open_numbers;  // of extents
  uint32_t last_open = 0;                    // numbers of extents and of integers that may become extents
  std::map<const Object*, uint32_t> places;

  /// Fails for what compiled code cannot take.
  Abstract read(const Value& v);

 private:
  IrValue leaf(ElementType element, const Extents& dims, const void* data);
  uint32_t new_place(const Value& v);
  Abstract read_array(const Value& v);
  Extents extents_of(const std::vector<int64_t>& dims);
};

}  // namespace weft::julia
