// The schedule of a function: which ops run together. Every region becomes a list of steps; ops that a kernel can compute
// inside its consumer's loop never reach memory. The schedule names IR values; memory.h gives them places.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/function.h"

namespace weft::native {

struct Epilogue;
struct FftPlan;
struct SortPlan;

enum class StepKind : uint8_t {
  kScalar,    // rank-0 op computed in registers of the entry
  kConstant,  // a constant that somebody reads from memory
  kElement,  // one element of a tensor in memory, read into a register or written where it lies: `kernel` has inputs and outputs
  kKernel,   // a fused loop nest: `kernel`
  kLibrary,  // a prepared library call: `library` is its index
  kSort,     // sort, top_k: `sort` says how
  kFft,      // `fft` says how
  kView,     // the result is the operand's memory under another shape
  kWhile,
  kCase,  // case and if
  kLaneWhile,
  kStackNew,
  kStackPush,
  kStackPop,
  kCheck,  // weft.check
  kHost,   // run by the host: effects on whole tensors (check.* of test programs, print), and what no kernel computes
  kCall,   // of a function that is compiled as one
};

struct Step;

/// The steps of one region, in program order.
struct Block {
  RegionId region;
  std::vector<Step> steps;
  std::vector<Value> results;  // operands of the terminator
  int64_t begin = 0, end = 0;  // positions, filled by the memory planner
};

/// A fused loop nest, outlined as a function of its own: arguments are the buffers read, results the buffers written. Of a library
/// call or the access to an element only inputs and outputs are set.
struct FusedKernel {
  std::shared_ptr<Function> function;
  std::vector<Value> inputs, outputs;
  /// For roots that write only a part of their result (dynamic_update_slice, scatter): input whose contents the output
  /// must hold beforehand; -1 otherwise. One entry per output.
  std::vector<int> updates_input;
  /// Inputs that every root reads only at the index it writes: such an input's memory may be written by a root.
  std::vector<bool> is_pointwise;
};

struct Step {
  StepKind kind = StepKind::kScalar;
  int id = -1;  // in the program's account; see account.h
  OpId op;      // kernel: the last root
  FusedKernel kernel;
  int library = -1;
  std::shared_ptr<const SortPlan> sort;
  std::shared_ptr<const FftPlan> fft;
  std::vector<Block> blocks;  // control flow: its regions
  int64_t begin = 0, end = 0;
  std::string note;  // why this form was chosen, for explain
};

/// Decides about contractions: an index into the caller's table of prepared calls, or -1 with a reason.
class LibraryChooser {
 public:
  virtual ~LibraryChooser() = default;
  virtual int choose(const OpView& op, std::string& note) = 0;
  /// The same for a contraction with what follows it.
  virtual int choose_with(const OpView& op, const Epilogue& epilogue, std::string& note) = 0;
  /// How an op runs that no library takes: as the kernel or the loop that its kind has, as the only root of a kernel, or by the host in
  /// its own eval rule.
  enum class Form : uint8_t { kKernel, kOwnKernel, kLoop, kHost };
  virtual Form form(const OpView& /*op*/) { return Form::kKernel; }
};

/// Schedules a function; calls that it has left are machine calls. Throws Unsupported for an op that no implementation covers.
/// fuse = false puts every op into a kernel of its own (a verification mode).
Block schedule(const Function& function, LibraryChooser& libraries, bool fuse = true);

/// True when the value is a rank-0 tensor that the entry computes in a register (as opposed to one that a kernel writes).
bool is_scalar_op(const OpView& op);

/// Whether functions take and return a value of this type in a register; others are pointers to memory. Tokens are neither.
bool passes_in_register(Type type);

}  // namespace weft::native
