// What the static compiler knows of a value while it writes IR: its exact type always, its parts as constants or IR values.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "ir/function.h"
#include "julia/host/value.h"
#include "julia/infer/extents.h"
#include "julia/lower/form.h"

namespace weft::julia {

using IrValue = weft::Value;

struct Abstract {
  enum class Kind : uint8_t {
    kUndefined,  // a variable without a value
    kConstant,   // known now: numbers, types, functions, symbols, strings …
    kScalar,     // a machine number or Bool in a rank-0 tensor
    kFields,     // an immutable struct, tuple or closure, field by field
    kObject,     // an array, a mutable struct or a box: Heap::objects[object]
    kUnknown,    // of a diagnosis only: what could not be compiled gave it
  };
  Kind kind = Kind::kUndefined;
  bool maybe_undefined = false;  // on some way to here it has no value
  const DataType* type = nullptr;
  Value constant;
  IrValue ir;
  /// Of an Int64 scalar that is another one and a constant: which, and how much more. Lengths of ranges such as i:i+9 follow from it.
  IrValue origin;
  int64_t offset = 0;
  uint32_t extent = 0;  // an Int64 scalar that is the open extent of this number (Extents); 0: none
  std::vector<Abstract> fields;
  uint32_t object = 0;

  static Abstract of_constant(const Value& v);
  static Abstract of_scalar(const DataType* type, IrValue ir);
  static Abstract of_fields(const DataType* type, std::vector<Abstract> fields);
  static Abstract of_object(const DataType* type, uint32_t object);
  static Abstract nothing() { return of_constant(julia::nothing()); }

  bool is_defined() const { return kind != Kind::kUndefined; }
  bool is_constant() const { return kind == Kind::kConstant; }
  bool is_unknown() const { return kind == Kind::kUnknown; }
  /// The type that dispatch sees.
  const Type* dispatched() const;
};

/// a - b where it is known, whatever the two are.
std::optional<int64_t> known_difference(const Abstract& a, const Abstract& b);

/// Something with an identity. Arrays of machine numbers and of Complex are one tensor of reversed extents; arrays of other plain-bits structs
/// are one tensor for each leaf of the element type.
struct HeapObject {
  const DataType* type = nullptr;
  bool is_array = false;
  const Type* element = nullptr;
  Extents dims;
  std::vector<IrValue> leaves;   // of an array
  std::vector<Abstract> fields;  // of a mutable struct or box
  bool is_read_only = false;     // a constant of the program: its changes would be lost
  /// Of an array that has its elements in common with others, as a reshaped one has: the object that all of them name.
  uint32_t shares = kAlone;
  static constexpr uint32_t kAlone = UINT32_MAX;
  /// Others that this may be when the program runs, as a variable that a branch or loop sets may refer to one of several. It has their contents; a
  /// change of one is refused while a name of another can be reached.
  std::vector<uint32_t> may_be;
  bool can_be(uint32_t other) const { return std::ranges::find(may_be, other) != may_be.end(); }
  /// Which of the caller's objects this is, an Int64, -1: a new one; undefined: what is older than the call is itself, anything else is new. A branch
  /// or a loop that chooses decides it when the program runs.
  Abstract identity = {};
  Symbol variable;  // that a box holds
};

struct Heap {
  std::vector<HeapObject> objects;
};

/// Why something is not compiled, as `weft check` says it.
enum class Cause : uint8_t {
  kGlobal,         // a global that is not constant
  kCapture,        // a captured variable that is assigned again, to values of two types
  kAbstractField,  // a field of abstract type
  kContainer,      // a container of abstract element type
  kShape,          // an extent that depends on data
  kDispatch,       // the method called depends on values
  kWidening,       // a variable has values of two types
  kThrows,         // every call throws
  kUnsupported,    // a feature that compiled code has not
  kOutOfScope,     // what Weft has not at all
};

struct Place {
  SourcePtr source;
  NodeId node = kNoNode;
  Symbol function;
  bool is_library = false;              // Weft's own code
  std::vector<const Type*> types = {};  // that the function is called with; its own first
};

/// Another place that belongs to a cause.
struct Related {
  SourcePtr source;
  NodeId node = kNoNode;
  std::string text;
};

/// Thrown where compilation ends; the chain of calls is added on the way out.
struct NotCompiled {
  Cause cause;
  std::string message;
  std::string fix;
  std::vector<Place> places;  // the innermost first
  std::string variable = {};  // of a widening
  std::vector<const Type*> types = {};
  std::vector<Related> related = {};
  bool is_consequence = false;  // of another cause, which has been said
};

}  // namespace weft::julia
