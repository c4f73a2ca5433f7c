// The pull model for kernels whose extents are known only when they run: one element at a time at run-time indices, in plain
// loops that LLVM vectorises. Code is placed in the outermost loop in which its operands are known. The vector code for static
// extents is codegen/emitter.h.
#pragma once
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "native/codegen/scalar_emit.h"
#include "native/open/extent_names.h"
#include "ops/record.h"

namespace weft::native {

/// Run-time values of numbers that may hold names; the symbols' values stand at `table`.
llvm::Value* emit_number(llvm::IRBuilder<>& b, const ExtentNames& names, llvm::Value* table, int64_t number);

/// An element: its two parts when it is complex; `depth`: how many loops enclose its code.
struct OpenValue {
  llvm::Value* v = nullptr;
  llvm::Value* im = nullptr;
  int depth = 0;
};

/// A run-time integer (i64) and how many loops enclose its code.
struct OpenIndex {
  llvm::Value* v = nullptr;
  int depth = 0;
};

/// Mixed-radix digits of an element's row-major number, most significant first. Extents may hold names.
struct OpenDigit {
  int64_t extent;
  OpenIndex at;
};
using OpenPlace = std::vector<OpenDigit>;

class OpenEmitter {
 public:
  OpenEmitter(llvm::Module& module, llvm::Function& function, const Function& kernel, const ExtentNames& names,
              llvm::Value* buffers);

  llvm::IRBuilder<> at(int depth) const { return llvm::IRBuilder<>(levels_[static_cast<size_t>(depth)]); }
  int depth() const { return static_cast<int>(levels_.size()) - 1; }
  /// The branch back of the innermost open loop.
  llvm::Instruction* latch() const { return levels_.back(); }
  const Function& kernel() const { return kernel_; }

  /// for (i = low; i < high; ++i) carried = body(i, carried), inside `depth` loops; the carried values after it.
  using Body = std::function<std::vector<llvm::Value*>(OpenIndex i, std::span<llvm::Value* const> carried)>;
  std::vector<llvm::Value*> loop(int depth, llvm::Value* low, llvm::Value* high, std::span<llvm::Value* const> carried,
                                 const Body& body);
  /// A loop for each extent from number `at.size()` on, outermost first, or written out; `at` holds their indices where `body` is called.
  using NestBody = std::function<std::vector<llvm::Value*>(const std::vector<OpenIndex>& at, int depth,
                                                           std::span<llvm::Value* const> carried)>;
  std::vector<llvm::Value*> nest(int depth, std::span<const int64_t> extents, bool is_unrolled,
                                 std::vector<OpenIndex>& at, std::span<llvm::Value* const> carried,
                                 const NestBody& body);

  OpenValue eval(Value v, const OpenPlace& place);
  void store(size_t buffer, ElementType t, const OpenPlace& place, const OpenValue& v);

  /// The value of a number of types and attributes.
  OpenIndex number(int64_t n);
  OpenIndex add(OpenIndex a, OpenIndex b);
  OpenIndex sub(OpenIndex a, OpenIndex b);
  OpenIndex mul(OpenIndex a, OpenIndex b);
  /// Of non-negative numbers.
  OpenIndex div(OpenIndex a, OpenIndex b);
  OpenIndex rem(OpenIndex a, OpenIndex b);
  OpenIndex clamp(OpenIndex x, OpenIndex low, OpenIndex high);
  OpenIndex condition(llvm::CmpInst::Predicate p, OpenIndex a, OpenIndex b);
  /// And; an index without value holds always.
  OpenIndex both(OpenIndex a, OpenIndex b);
  /// 1, or 0 when there are no elements: what is then read for nothing is read at index 0.
  OpenIndex non_empty(std::span<const int64_t> extents);
  OpenValue load(llvm::Value* base, ElementType t, OpenIndex offset);
  llvm::Value* buffer(size_t i);
  OpenValue convert(const OpenValue& v, ElementType from, ElementType to);
  OpenValue choose(OpenIndex condition, const OpenValue& a, const OpenValue& b);
  /// The results of a region of scalars.
  std::vector<OpenValue> region(RegionId region, std::span<const OpenValue> args);
  /// Digits of the place by extents whose product is the same; throws Unsupported when they do not fit.
  std::vector<OpenIndex> digits(const OpenPlace& place, std::span<const int64_t> extents);
  OpenPlace place(std::span<const int64_t> extents, std::span<const OpenIndex> digits) const;
  OpenIndex linear(const OpenPlace& place);
  /// Two digits as one.
  OpenDigit joined(const OpenDigit& outer, const OpenDigit& inner);
  /// The value of a scalar integer or of an element of an index operand, as i64.
  OpenIndex index_value(Value v, const OpenPlace& place);
  /// Divisions that places needed: what a good choice of loops avoids.
  int divisions() const { return divisions_; }

  /// Sums along outer dimensions: the innermost loop and its bounds, so that they are accumulated side by side (see
  /// column_reduce). Set while the innermost loop of the kernel is open.
  struct Columns {
    llvm::Value* i = nullptr;
    OpenIndex low, high;
    int depth = 0;  // of the loop's body
  };
  Columns columns;
  static constexpr int64_t kMaxColumns = 512;
  static constexpr int64_t kRows = 128;  // as columns, where each is read along its row

  /// Whole rows along the innermost loop, during which costly values that a fold over the row has met are kept on the stack, where the
  /// loop finds them. Only rows of at most kMaxKept elements; what a fold outside `depth` loops meets is not kept.
  struct KeptRow {
    int64_t extent = 0;  // 0: nothing is kept
    int depth = 0;
  };
  void keep_rows(KeptRow row);
  static constexpr int64_t kMaxKept = 4096;
  /// A value that is worth keeping.
  static bool is_costly(const OpView& op);
  /// The vectoriser masks the last turns of loops: rows may be short.
  bool masks_tails = false;

  /// Memory of the function for so many values.
  llvm::AllocaInst* stack(llvm::Type* type, int64_t count);

  /// The body of an op that folds elements (operands, then start values): what is carried, a step, the results.
  class Fold {
   public:
    Fold(OpenEmitter& e, const OpView& op);
    std::vector<OpenValue> start() const;
    /// `elements`: one of each operand. `reorders`: LLVM may group the steps of sums, products and extrema as it likes.
    std::vector<OpenValue> step(std::span<const OpenValue> now, std::span<const OpenValue> elements,
                                bool reorders = false) const;
    std::vector<OpenValue> finish(std::span<const OpenValue> now) const;

   private:
    OpenEmitter& e_;
    const OpView op_;
    std::vector<ElementType> types_;
    bool is_monoid_ = false, wide_ = false;  // sums and products of 16-bit floats run in f32 and are rounded once
  };

 private:
  llvm::LLVMContext& context() const { return module_.getContext(); }
  OpenValue compute(const OpView& op, size_t result, const OpenPlace& place);
  OpenValue elementwise(const OpView& op, std::span<const OpenValue> args);
  OpenValue constant(const OpView& op, const OpenPlace& place);
  OpenValue bits(ElementType t, uint64_t re, uint64_t im);
  OpenValue iota(const OpView& op, const OpenPlace& place);
  OpenValue pad(const OpView& op, const OpenPlace& place);
  OpenValue concatenate(const OpView& op, const OpenPlace& place);
  OpenValue dot(const OpView& op, const OpenPlace& place);
  OpenValue convolution(const OpView& op, const OpenPlace& place);
  /// Sums over rows of `extents`, for all columns of the innermost loop: the next sums from a column, a row and the sums so far.
  using ColumnStep = std::function<std::vector<OpenValue>(OpenIndex column, const std::vector<OpenIndex>& row,
                                                          const std::vector<OpenValue>& now)>;
  std::vector<OpenValue> sum_columns(std::span<const int64_t> extents, std::span<const OpenValue> start,
                                     const ColumnStep& step);
  /// The two factors of a term of a sum of products, from the place in the result and in the loops.
  using Factors = std::function<std::pair<OpenValue, OpenValue>(const std::vector<OpenIndex>& result,
                                                                const std::vector<OpenIndex>& k)>;
  /// The element `out` of a contraction to type t; `by_columns`: where the innermost loop runs along its last dimension, all of these
  /// are summed side by side.
  OpenValue sum_of_products(ElementType t, std::span<const int64_t> loops, const std::vector<OpenIndex>& out,
                            bool unrolled, bool by_columns, const Factors& factors);
  OpenPlace read(const OpView& op, const OpenPlace& place);
  OpenPlace gather(const OpView& op, const OpenPlace& place);
  /// The elements that a fold meets at a place of its loops, one for each result.
  using Elements = std::function<std::vector<OpenValue>(const std::vector<OpenIndex>&)>;
  /// Loops over `extents` (static ones written out when `is_unrolled`) inside `level` loops.
  std::vector<OpenValue> fold(const OpView& op, int level, std::span<const int64_t> extents, bool is_unrolled,
                              const Elements& elements);
  std::vector<OpenValue> reduce(const OpView& op, const OpenPlace& place);
  std::vector<OpenValue> reduce_window(const OpView& op, const OpenPlace& place);
  std::optional<std::vector<OpenValue>> column_reduce(const OpView& op, const std::vector<OpenIndex>& kept);
  OpenPlace reduced_place(const OpView& op, const std::vector<OpenIndex>& kept,
                          const std::vector<OpenIndex>& reduced) const;
  using RowKey = std::pair<uint32_t, llvm::Value*>;  // value, and the number of the row
  RowKey row_of(Value v, const OpenPlace& place);
  llvm::AllocaInst* kept(Value v, const OpenPlace& place);
  void keep(Value v, const OpenPlace& place, const OpenValue& r);
  /// Folds that wait for one another, while rows are kept.
  int folds_below(Value v);
  void keep_rolled(llvm::Instruction* latch) const;
  OpenIndex memo(char kind, OpenIndex a, OpenIndex b, const std::function<llvm::Value*(llvm::IRBuilder<>&)>& make);

  llvm::Module& module_;
  llvm::Function& function_;
  const Function& kernel_;
  const ExtentNames& names_;
  llvm::Value* buffers_;
  llvm::Instruction* start_;                // end of the function's first block
  std::vector<llvm::Instruction*> levels_;  // code of a level goes before this
  std::vector<llvm::Value*> pointers_;
  std::unordered_map<uint32_t, OpenValue> bound_;  // arguments and values of the regions being run
  std::map<std::pair<uint32_t, std::vector<llvm::Value*>>, std::vector<OpenValue>> values_;
  std::map<std::tuple<char, llvm::Value*, llvm::Value*>, OpenIndex> indices_;
  std::map<int64_t, OpenIndex> numbers_;
  KeptRow kept_row_;
  llvm::Value* row_fold_ = nullptr;  // index of the fold over a row that is open
  std::map<RowKey, llvm::AllocaInst*> kept_, being_kept_;
  std::unordered_map<uint32_t, int> folds_;
  std::unordered_map<llvm::Value*, std::pair<OpenDigit, OpenDigit>>
      parts_;  // digits that were put together: outer, inner
  std::map<std::tuple<llvm::Value*, llvm::Value*, int64_t>, OpenDigit>
      wholes_;  // that were taken apart: by outer and inner, and the inner one's extent
  bool rounding_ = true;
  int divisions_ = 0;
};

/// Whether the emitter sums the columns of a product side by side, given that OpenEmitter::columns are.
bool sums_dot_columns(const OpView& op, const ExtentNames& names);
/// The same of a convolution.
bool sums_convolution_columns(const OpView& op);

/// Whether the emitter computes the op, inside of kernels or as a kernel of its own (open_root.h).
bool can_emit_open(const OpView& op, const ExtentNames& names, std::string* reason);

}  // namespace weft::native
