// What a target says about a program that it compiled, as data: for `weft explain`, `weft bench` and tests.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "ir/target.h"
#include "weft/error.h"

namespace weft {

/// An op of the scheduled program, as a step runs it.
struct OpAccount {
  std::string name;  // mnemonic
  std::string type;  // of its first result, or empty
  Loc loc;           // the user's source line, where known
};

/// One step of the compiled program: a fused kernel, a library call, a loop, … Steps of a region follow their loop or branch.
struct StepAccount {
  int parent = -1;   // the step whose region this one stands in; -1: the entry
  int region = 0;    // which of its regions
  std::string kind;  // "kernel", "library", "while", …
  std::string
      name;  // the kernel's symbol: equal kernels share it; of a "function" and of a "call": the function's name
  std::string notes;  // the implementation that was chosen, and why not those before it
  std::vector<OpAccount> ops;
  std::vector<std::string> outputs;  // types
  std::vector<int> reads, writes;    // buffers
  double flops = 0;                  // of one run, by the ops' cost rules; regions not included
  double bytes = 0;                  // memory that one run has to read and write once: operands and results of the step
  bool is_control() const { return kind == "while" || kind == "case" || kind == "lane_while"; }
};

/// A place in memory.
struct BufferAccount {
  std::string home;  // "arena", "argument", "result", "constant", "lane"
  size_t bytes = 0;
  size_t offset = 0;                  // in the arena
  int first_step = 0, last_step = 0;  // steps between which it holds something
  int values = 0;                     // how many of the program's values share it
};

struct ProgramAccount {
  std::vector<StepAccount> steps;  // in program order
  std::vector<BufferAccount> buffers;
  std::vector<std::string> copies;  // made because a value is read after its update, with the reason
  size_t kernels = 0;               // different ones
  MemoryUse memory;
};

/// "kernel add tanh +3": kind and the first `most` ops, dialects left out.
std::string label(const StepAccount& step, size_t most);
/// How many loops, branches and functions a step stands in.
int depth(const ProgramAccount& account, const StepAccount& step);
/// The source lines of a step's ops.
std::set<uint32_t> lines(const StepAccount& step);

/// One line a step, indented by region, then memory and copies.
std::string text_of(const ProgramAccount& account);

/// One run of a step, of an executable that was compiled with CompileOptions::profile.
struct StepEvent {
  int step = 0;  // index of ProgramAccount::steps
  int64_t begin_ns = 0, end_ns = 0;
};

}  // namespace weft
