// Values with everything they refer to, as a row of tensors and a description of how they hang together.
#pragma once
#include "julia/infer/state.h"

namespace weft::julia {

struct Packed {
  std::vector<Abstract> values;     // numbers are placeholders into `leaves`, objects are places in `objects`
  std::vector<HeapObject> objects;  // likewise
  std::vector<IrValue> leaves;
  std::vector<weft::Type> types;  // of leaves
  std::vector<uint32_t> ids;      // of objects in the heap they were packed from
};

/// Every number becomes a leaf, constants too; what is no number (functions, types, strings) stays a constant.
struct Packer {
  Compiler& c;
  Packed out = {};
  std::vector<bool> unchanged = {};  // objects of these ids are only named: whoever unpacks has them as they are
  bool has_callers = false;  // whoever unpacks has the objects older than the call: leaves say which of them others are
  std::unordered_map<uint32_t, uint32_t> places = {};

  void add(const Abstract& a) { out.values.push_back(pack(a)); }
  Abstract pack(const Abstract& a);
  uint32_t pack_object(uint32_t id);
  /// Fails when a packed object lies over the memory of another one, or of another of the first `others` of the heap: who unpacks would not
  /// know.
  void expect_apart(size_t others);

 private:
  IrValue leaf(IrValue v);
};

/// The values with their leaves in place; objects are appended to the heap, whose ids of them `ids` receives.
std::vector<Abstract> unpacked(const Packed& p, std::span<const IrValue> leaves, Heap& heap,
                               std::vector<uint32_t>& ids);
/// A call as a function of the module: it takes the leaves of callee and arguments and gives those of the value.
struct Compiler::Outlined {
  std::string name;
  Packed arguments, results;
};

/// Equal but for the leaves themselves.
bool same_shape(const Packed& a, const Packed& b);

}  // namespace weft::julia
