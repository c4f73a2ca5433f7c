// The pull model: emits the value of an element at an index, inside loops that the caller opens. Code is placed in the
// outermost loop level in which its operands are known, so nothing needs hoisting afterwards.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "native/codegen/index.h"
#include "native/codegen/kernel.h"
#include "native/codegen/reads.h"
#include "native/codegen/scalar_emit.h"
#include "native/codegen/shared_functions.h"
#include "ops/record.h"

namespace weft::codegen {

/// A place in the loop nest. Code of the level goes before `at`; depth counts enclosing loops.
struct Level {
  Level* parent = nullptr;
  int depth = 0;
  llvm::Instruction* at = nullptr;
};

/// An element, or one per lane; complex elements have an imaginary part.
struct Val {
  llvm::Value* v = nullptr;
  llvm::Value* im = nullptr;
  Level* level = nullptr;
  int lanes = 1;
};

/// Where an element exists: both parts hold. An absent part always holds.
struct Mask {
  llvm::Value* scalar = nullptr;
  Level* scalar_level = nullptr;
  llvm::Value* vector = nullptr;
  Level* vector_level = nullptr;
  bool none() const { return scalar == nullptr && vector == nullptr; }
};

/// The vector loop that is open: lanes, and the lanes that take part in the last, partial iteration (null: all).
struct Lanes {
  AtomId atom = -1;
  int count = 1;
  llvm::Value* active = nullptr;
  Level* level = nullptr;
};

class Emitter : public IndexSpace, public DynamicIndices {
 public:
  Emitter(llvm::Module& module, llvm::Function& function, const Function& kernel, const KernelOptions& options);

  llvm::LLVMContext& context() const { return module_.getContext(); }
  llvm::Module& module() const { return module_; }
  const Function& kernel() const { return kernel_; }
  const KernelOptions& options() const { return options_; }
  Level* top() { return &top_; }
  Level* current() { return current_; }
  /// A builder that appends to the level.
  llvm::IRBuilder<> at(Level* level) const { return llvm::IRBuilder<>(level->at); }
  static Level* deeper(Level* a, Level* b) {
    return a == nullptr ? b : b == nullptr ? a : (a->depth >= b->depth ? a : b);
  }

  // ---- loops
  /// for (iv = low; iv < high; iv += step) carried = body(level, iv, carried). Returns the carried values after the loop,
  /// known at `parent` (which must be the current level).
  using Body = std::function<std::vector<llvm::Value*>(Level*, llvm::Value* iv, std::span<llvm::Value* const> carried)>;
  std::vector<llvm::Value*> loop(llvm::Value* low, llvm::Value* high, int64_t step,
                                 std::span<llvm::Value* const> carried, const Body& body);
  /// do carried, again = body(level, carried) while (again). Returns the last carried values, known at `parent`.
  using RepeatBody =
      std::function<std::pair<std::vector<llvm::Value*>, llvm::Value*>(Level*, std::span<llvm::Value* const>)>;
  std::vector<llvm::Value*> repeat(std::span<llvm::Value* const> carried, const RepeatBody& body);
  /// if (condition) body(level) at the current level; nothing is carried out.
  void branch(llvm::Value* condition, const std::function<void(Level*)>& body);
  /// Elements [low, high) of a loop of `extent` iterations, `count` lanes at a time, the last lanes masked (or one by one
  /// where the ISA has no masks for the memory's types). `whole`: low and high are 0 and extent.
  void lane_loop(llvm::Value* low, llvm::Value* high, int64_t extent, int count, bool whole, bool narrow_memory,
                 const std::function<void(const Expr&)>& body);
  /// A loop variable whose value is `value` at `level`; with lanes > 1 it is value + lane.
  AtomId variable(llvm::Value* value, Level* level, IndexSpace::Range range, int lanes = 1, bool is_aligned = false);
  /// A quantity known at run time; a vector has one value per lane.
  AtomId opaque(llvm::Value* value, Level* level, IndexSpace::Range range, int lanes = 1);
  /// Off: 16-bit float results stay unrounded f32 (inside a sum that is rounded once).
  bool rounding = true;
  /// Stores of whole vectors pass by the caches; their places are aligned to 64 bytes.
  bool streaming = false;
  /// The open vector loop.
  Lanes lanes;

  // ---- values
  Val eval(Value v, const Index& index, const Mask& mask);
  /// Contraction `op` at several places in one loop; later evaluations there find the results.
  void eval_together(OpId op, std::span<const Index> indices);
  /// Whether the atom was made here (and not in a trial run on this space).
  bool knows(AtomId a) const { return static_cast<size_t>(a) < atoms_.size(); }
  /// The loop that is advanced by `count` elements, of which element `t` is being computed: reads that are scattered along the
  /// lanes and contiguous along this loop are done for the whole tile at once.
  struct Tile {
    AtomId atom = -1;
    int count = 1;
    int t = 0;
  };
  Tile tile;
  std::vector<Val> eval_results(OpId op, const Index& index, const Mask& mask);
  /// A loop over a whole row, during which `variable` is the place in the row of `extent` elements: costly values that other loops
  /// over the row read too are kept on the stack meanwhile, and read from there once the pass is over. Rows are kept until the
  /// level of the pass is left.
  struct RowPass {
    Expr variable;
    int64_t extent = 0;                           // 0: no pass
    std::vector<std::pair<uint32_t, Expr>> kept;  // value and row
  };
  RowPass pass;
  void end_pass();
  /// Runs a region of scalar ops on arguments; results of the terminator.
  std::vector<Val> eval_region(RegionId region, std::span<const Val> args);
  /// Of a complex type: both parts have these bits.
  Val constant(ElementType t, uint64_t bits);
  Val convert(const Val& v, ElementType from, ElementType to);
  /// As many lanes as asked for.
  Val spread(const Val& v, int lanes);
  Val select(const Mask& mask, const Val& a, const Val& b);
  /// condition ? a : b at the level; all of `lanes` lanes.
  Val choose(Level* level, llvm::Value* condition, const Val& a, const Val& b) const;
  Mask both(const Mask& a, const Mask& b);
  Mask bounds(std::span<const Bound> bounds);

  // ---- memory
  /// An element of a buffer of `elements` elements at a row-major number.
  /// `level`: not outside of it (memory that the kernel also writes).
  Val load(llvm::Value* base, ElementType t, const Expr& offset, int64_t elements, const Mask& mask,
           Level* level = nullptr);
  /// Stores at the level `level`.
  void store(Level* level, llvm::Value* base, ElementType t, const Expr& offset, const Val& v, const Mask& mask);
  llvm::Value* buffer(size_t position);

  // ---- index arithmetic
  Level* level_of(const Expr& e) const;
  bool varies_by_lane(const Expr& e) const;
  /// i64 for an expression without lanes; its value in lane 0 for one that is affine in the loop variable.
  llvm::Value* scalar_of(const Expr& e);
  /// One integer per lane, of `bits` bits.
  llvm::Value* vector_of(const Expr& e, int lanes, unsigned bits);

  /// Answers for looping ops that are not computed here (a split reduction, of which partial results exist).
  std::function<std::optional<std::vector<Val>>(const OpView&, const Index&)> ready;

  Expr clamped(Value v, const Index& index, int64_t max) override {
    return max <= 0 ? Expr(0) : limited(v, index, 0, max);
  }
  /// The integer value v at `index`, brought into [low, high].
  Expr limited(Value v, const Index& index, int64_t low, int64_t high);

 protected:
  void on_division(AtomId a, const Expr& e, int64_t divisor) override;
  void on_name(AtomId a, const Expr& e) override;
  bool names_remainder(const Expr& e) const override { return !varies_by_lane(e); }

 private:
  struct AtomData {
    Level* level = nullptr;
    llvm::Value* value = nullptr;  // scalar, or of lane 0 when is_linear, or a vector
    int lanes = 1;
    bool is_linear = false;   // value + lane
    bool is_aligned = false;  // the value is a multiple of the lanes
    Expr dividend;            // of a quotient
    int64_t divisor = 0;      // 0: not a quotient
  };
  struct Program {
    ScalarProgram program;
    std::vector<int> results;  // a node, or two parts of a complex number
  };
  using Key = std::tuple<uint32_t, Index, llvm::Value*, llvm::Value*>;

  AtomData& atom(AtomId a) { return atoms_[static_cast<size_t>(a)]; }
  const AtomData& atom(AtomId a) const { return atoms_[static_cast<size_t>(a)]; }
  void set_atom(AtomId a, AtomData d);
  /// A level inside the current one, which becomes it: code goes before `at`, and the outer level's before `before`'s end.
  Level* enter(llvm::BasicBlock* before, llvm::Instruction* at);
  void leave(Level* level);
  Val compute(Value v, const Index& index, const Mask& mask);
  llvm::Value* row_buffer(weft::Value v);
  bool is_kept(weft::Value v, const Index& index, const Mask& mask);
  Val eval_structural(const OpView& op, Structural kind, const Index& index, const Mask& mask);
  Val eval_constant(const OpView& op, const Index& index, const Mask& mask);
  Val eval_iota(const OpView& op, const Index& index);
  Val eval_elementwise(const OpView& op, std::span<const Val> args);
  const Program& program_of(const OpView& op);
  llvm::Value* lane_mask(const Mask& mask, int lanes, Level** level);

  llvm::Module& module_;
  llvm::Function& function_;
  const Function& kernel_;
  const KernelOptions& options_;
  Level top_;
  Level* current_ = nullptr;
  std::vector<AtomData> atoms_;
  std::map<Key, Val> memo_;
  std::map<Expr, std::pair<llvm::Value*, Level*>> sums_;
  using Placed = std::pair<llvm::Value*, Level*>;
  std::optional<llvm::Value*> load_tile(llvm::Value* base, llvm::Type* memory, llvm::Align align, const Expr& offset,
                                        Level* level);
  std::optional<llvm::Value*> load_repeated(llvm::Value* base, llvm::Type* memory, llvm::Align align,
                                            const Expr& offset, int64_t elements, llvm::Value* active, Level* level);
  struct TileRows {
    std::vector<llvm::Value*> rows;
    Level* level = nullptr;
  };
  std::map<std::pair<llvm::Value*, Expr>, TileRows> tiles_;
  std::map<std::pair<Expr, unsigned>, Placed> vectors_;
  std::map<std::pair<llvm::Value*, int>, Placed> splats_;
  std::map<std::tuple<Expr, int64_t, int64_t>, Placed> checks_;
  std::map<std::pair<llvm::Value*, llvm::Value*>, Placed> ands_;
  std::map<std::tuple<llvm::Value*, int64_t, int64_t>, AtomId> clamped_;
  std::vector<llvm::Value*> buffers_;
  struct Row {
    llvm::Value* buffer = nullptr;
    Level* level = nullptr;
  };
  std::map<std::pair<uint32_t, Expr>, Row> rows_;
  std::unordered_map<uint32_t, llvm::Value*> row_buffers_;
  std::unordered_map<uint32_t, int> uses_;
  size_t row_bytes_ = 0;
  Mask structural_mask_;
  std::unordered_map<uint32_t, Val> bound_;
  std::unordered_map<uint32_t, std::unique_ptr<Program>> programs_;
  ScalarCode scalar_code_;
  std::unordered_map<uint32_t, llvm::GlobalVariable*> literals_;
  std::vector<std::unique_ptr<Level>> levels_;
};

/// A looping op at a place: its loops are opened in the current level (loops.cc).
std::vector<Val> emit_loop(Emitter& emitter, const OpView& op, const Index& index, const Mask& mask);

}  // namespace weft::codegen
