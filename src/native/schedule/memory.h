// The memory plan: a place for every value that lives in memory. Values share a buffer where the later one may be written
// over the earlier: elementwise results, loop carries, updates, donated arguments. Arena buffers get offsets by lifetime.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/target.h"
#include "native/functions/in_out.h"
#include "native/schedule/schedule.h"

namespace weft::native {

enum class Home : uint8_t {
  kArena,
  kArgument,  // the caller's memory, read only unless donated
  kResult,    // the caller's memory for a result
  kConstant,
  kLane,  // the current lane's part of another buffer; its address is set by the lane loop
};

struct BufferPlan {
  Home home = Home::kArena;
  size_t index = 0;  // argument or result number; kConstant: the op's index
  size_t bytes = 0;
  bool is_writable = false;
  int64_t begin = 0, end = 0;  // first and last position at which it holds something
  size_t offset = 0;           // kArena
};

/// Carries of one while step; entries are -1 where the carry is a register.
struct CarryPlan {
  std::vector<int> buffers;       // where the carry lives between iterations
  std::vector<int> lane_buffers;  // lane_while: the whole of it, lane axes included
  /// How the next value of a carry gets into its buffer when it was computed in another: by exchanging the two buffers'
  /// addresses, else by a copy; a copy that could meet another move goes through the staging buffer (-1: none needed).
  std::vector<bool> exchange;
  std::vector<int> staging;
  std::vector<int> moving;  // the buffers that exchanges move
};

struct MemoryPlan {
  std::vector<BufferPlan> buffers;
  std::unordered_map<Value, int> buffer_of;  // values in memory; rank-0 values that are not here live in registers
  std::unordered_map<OpId, CarryPlan> carries;
  /// Per result of the function: a buffer through which it must go on its way to the caller's memory, because that memory
  /// may still hold another result; -1 otherwise.
  std::vector<int> result_staging;
  size_t arena_bytes = 0;
  /// CompileOptions::guard_pages: parts of the arena (offset, bytes) that nothing may touch, whole pages.
  std::vector<std::pair<size_t, size_t>> guards;
  /// Copies that could not be avoided, for explain.
  std::vector<std::string> copies;

  int find(Value v) const {
    const auto it = buffer_of.find(v);
    return it == buffer_of.end() ? -1 : it->second;
  }
};

/// What the plan of a function depends on beside its steps.
struct MemoryPlanInput {
  /// (argument, result) pairs that share the caller's memory; see CompileOptions::donations.
  InOutPairs donations;
  /// False never shares buffers (a verification mode).
  bool in_place = true;
  /// Arguments that pass in registers have no buffers: the function is called by others.
  bool scalars_in_registers = false;
  /// Of the functions that it calls.
  const std::unordered_map<std::string, InOutPairs>* in_out = nullptr;
  /// CompileOptions::guard_pages: no two values of the arena share bytes, and each ends where its pages end.
  bool guard_pages = false;
};

/// Numbers the steps (Step::begin, end) and plans.
MemoryPlan plan_memory(const Function& function, Block& schedule, const MemoryPlanInput& input);

/// Bytes of a value in memory: a tensor's elements, or eight for each stack handle.
size_t value_bytes(Type type);

}  // namespace weft::native
