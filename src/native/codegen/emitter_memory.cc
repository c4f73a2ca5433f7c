// Reads and writes of elements, one at a time, by vectors and by tiles.
#include "native/codegen/emitter.h"

#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstring>

#include "ops/families.h"

namespace weft::codegen {

using llvm::Value;

namespace {

/// Shuffles between `lanes` complex numbers in memory order (re, im, re, im, …) and their parts.
struct Interleaved {
  std::vector<int> real, imag, twice, joined;
  explicit Interleaved(int lanes) {
    for (int i = 0; i < lanes; ++i) {
      real.push_back(2 * i);
      imag.push_back(2 * i + 1);
      twice.insert(twice.end(), {i, i});
      joined.insert(joined.end(), {i, lanes + i});
    }
  }
};

}  // namespace

Value* Emitter::buffer(size_t position) {
  if (position >= buffers_.size()) buffers_.resize(position + 1, nullptr);
  if (buffers_[position] == nullptr) {
    llvm::IRBuilder<> b(&function_.getEntryBlock(), function_.getEntryBlock().begin());
    Value* slot = b.CreateConstInBoundsGEP1_64(b.getPtrTy(), function_.getArg(0), position);
    auto* pointer = b.CreateLoad(b.getPtrTy(), slot);
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context(), {}));
    buffers_[position] = pointer;
  }
  return buffers_[position];
}

Val Emitter::load(Value* base, ElementType t, const Expr& offset, int64_t elements, const Mask& mask, Level* least) {
  const bool complex = is_complex(t);
  const ElementType part = part_type(t);
  llvm::Type* memory = memory_type(context(), part);
  const llvm::Align align(complex ? byte_size(t) / 2 : byte_size(t));
  Val r;
  r.level = deeper(level_of(offset), least);
  if (!varies_by_lane(offset)) {
    Value* place = scalar_of(offset);
    llvm::IRBuilder<> b = at(r.level);
    const Range range = this->range(offset);
    if (range.low < 0 || range.high >= elements) {
      // Read under a mask: where the element does not exist, any other will do.
      place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, place, b.getInt64(0));
      Value* last = b.getInt64(static_cast<uint64_t>(elements - 1));
      if (options_.rows > 0 && elements % options_.rows == 0) {
        const size_t roots = kernel_.operands(kernel_.terminator(kernel_.body())).size();
        Value* rows = b.CreatePtrToInt(buffer(kernel_.args().size() + roots), b.getInt64Ty());
        last =
            b.CreateSub(b.CreateMul(rows, b.getInt64(static_cast<uint64_t>(elements / options_.rows))), b.getInt64(1));
      }
      place = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, place, last);
    }
    if (complex) place = b.CreateMul(place, b.getInt64(2));
    Value* p = b.CreateGEP(memory, base, place);
    r.v = from_memory(b, b.CreateAlignedLoad(memory, p, align), part);
    if (complex) r.im = b.CreateAlignedLoad(memory, b.CreateConstGEP1_64(memory, p, 1), align);
    return r;
  }
  r.lanes = lanes.count;
  Value* active = lane_mask(mask, r.lanes, &r.level);
  llvm::Type* vector = codegen::with_lanes(memory, r.lanes);
  int64_t slope = 0;
  Expr outer(offset.constant);
  bool affine = true;
  AtomId lane_atom = -1;
  for (const auto& [a, c] : offset.terms) {
    if (atom(a).lanes == 1) {
      outer = outer + Expr::atom(a) * c;
    } else if (atom(a).is_linear) {
      slope += c;
      lane_atom = a;
    } else {
      affine = false;
    }
  }
  Value* zero = llvm::Constant::getNullValue(vector);
  if (affine && (slope == 1 || slope == -1) && !complex) {
    // The part that stays the same during the loop goes into a pointer outside of it.
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(r.level);
    Value* lane0 = atom(lane_atom).value;
    if (slope == -1) lane0 = b.CreateSub(b.getInt64(static_cast<uint64_t>(1 - r.lanes)), lane0);
    Value* p = b.CreateGEP(memory, start, lane0);
    std::vector<int> backwards;
    for (int i = r.lanes; i-- > 0;) backwards.push_back(i);
    if (slope == -1 && active != nullptr) active = b.CreateShuffleVector(active, backwards);
    Value* x = active == nullptr ? static_cast<Value*>(b.CreateAlignedLoad(vector, p, align))
                                 : b.CreateMaskedLoad(vector, p, align, active, zero);
    if (slope == -1) x = b.CreateShuffleVector(x, backwards);
    r.v = from_memory(b, x, part);
    return r;
  }
  if (affine && slope == 1 && complex) {
    // Parts stand side by side: one read of all, taken apart in registers.
    const Interleaved pairs(r.lanes);
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer * 2));
    llvm::IRBuilder<> b = at(r.level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(2)));
    llvm::Type* wide = codegen::with_lanes(memory, 2 * r.lanes);
    Value* x = active == nullptr ? static_cast<Value*>(b.CreateAlignedLoad(wide, p, align))
                                 : b.CreateMaskedLoad(wide, p, align, b.CreateShuffleVector(active, pairs.twice),
                                                      llvm::Constant::getNullValue(wide));
    r.v = b.CreateShuffleVector(x, pairs.real);
    r.im = b.CreateShuffleVector(x, pairs.imag);
    return r;
  }
  if (affine && active == nullptr && !complex) {
    if (const auto v = load_tile(base, memory, align, offset, r.level)) {
      llvm::IRBuilder<> b = at(r.level);
      r.v = from_memory(b, *v, part);
      return r;
    }
  }
  constexpr int64_t kMaxStride = 4;
  if (affine && !complex && slope > 1 && slope <= kMaxStride && options_.isa.has_masks && r.lanes > 2) {
    // One masked read of all that lies between, taken apart in registers.
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(r.level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(static_cast<uint64_t>(slope))));
    const int count = r.lanes * static_cast<int>(slope);
    std::vector<int> wanted, spaced;
    for (int i = 0; i < r.lanes; ++i) wanted.push_back(i * static_cast<int>(slope));
    for (int i = 0; i < count; ++i) spaced.push_back(i % slope == 0 ? i / static_cast<int>(slope) : r.lanes);
    Value* some = active != nullptr ? active : llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), r.lanes));
    Value* mask = b.CreateShuffleVector(some, llvm::Constant::getNullValue(some->getType()), spaced);
    llvm::Type* wide = codegen::with_lanes(memory, count);
    Value* x = b.CreateMaskedLoad(wide, p, align, mask, llvm::Constant::getNullValue(wide));
    r.v = from_memory(b, b.CreateShuffleVector(x, wanted), part);
    return r;
  }
  if (!affine && !complex) {
    if (const auto v = load_repeated(base, memory, align, offset, elements, active, r.level)) {
      llvm::IRBuilder<> b = at(r.level);
      r.v = from_memory(b, *v, part);
      return r;
    }
  }
  const Expr place = complex ? offset * 2 : offset;
  const Range range = this->range(place);
  const bool narrow = range.low >= INT32_MIN / 2 && range.high <= INT32_MAX / 2;
  Value* places = vector_of(place, r.lanes, narrow ? 32 : 64);
  llvm::IRBuilder<> b = at(r.level);
  if (active != nullptr && align.value() < 4) {
    // Without a gather instruction for the type, masked lanes would become branches.
    places = b.CreateSelect(active, places, llvm::Constant::getNullValue(places->getType()));
    active = nullptr;
  }
  if (active == nullptr) active = llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), r.lanes));
  auto gather = [&](Value* from) {
    return from_memory(b, b.CreateMaskedGather(vector, b.CreateGEP(memory, from, places), align, active, zero), part);
  };
  r.v = gather(base);
  if (complex) r.im = gather(b.CreateConstGEP1_64(memory, base, 1));
  return r;
}

// Places (i + c) / k of a loop whose first lane is a multiple of the lanes (interior padding, repeated elements): what the lanes read
// lies side by side, each element for k lanes.
std::optional<Value*> Emitter::load_repeated(Value* base, llvm::Type* memory, llvm::Align align, const Expr& offset,
                                             int64_t elements, Value* active, Level* level) {
  Expr outer(offset.constant);
  const AtomData* quotient = nullptr;
  for (const auto& [a, c] : offset.terms) {
    if (atom(a).lanes == 1) outer = outer + Expr::atom(a) * c;
    else if (quotient == nullptr && atom(a).divisor > 0 && c == 1) quotient = &atom(a);
    else return std::nullopt;
  }
  if (quotient == nullptr || !options_.isa.has_masks || options_.rows > 0) return std::nullopt;
  const Expr& dividend = quotient->dividend;
  const int64_t k = quotient->divisor;
  const int count = lanes.count;
  if (dividend.terms.size() != 1 || dividend.terms[0].second != 1 || dividend.constant < 0 || count < 4)
    return std::nullopt;
  const AtomData& lane = atom(dividend.terms[0].first);
  if (!lane.is_linear || !lane.is_aligned || lane.lanes != count) return std::nullopt;
  const int64_t c = dividend.constant;
  const bool is_one = k % count == 0 && c == 0;  // all lanes read the same
  if (!is_one && count % k != 0) return std::nullopt;
  std::vector<int> wanted;
  for (int l = 0; l < count; ++l) wanted.push_back(static_cast<int>((l + c) / k - c / k));
  const int read = is_one ? 1 : wanted.back() + 1;
  int width = 1;
  while (width < read) width *= 2;
  Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer + c / k));
  llvm::IRBuilder<> b = at(level);
  Value* first = b.CreateUDiv(lane.value, b.getInt64(static_cast<uint64_t>(k)));
  Value* p = b.CreateGEP(memory, start, first);
  llvm::Type* vector = codegen::with_lanes(memory, width);
  llvm::Type* numbers = codegen::with_lanes(b.getInt64Ty(), width);
  std::vector<llvm::Constant*> ramp;
  for (int i = 0; i < width; ++i) ramp.push_back(b.getInt64(static_cast<uint64_t>(i)));
  Value* x = nullptr;
  if (active == nullptr && is_one)
    return b.CreateVectorSplat(static_cast<unsigned>(count), b.CreateAlignedLoad(memory, p, align));
  if (is_one) return std::nullopt;
  if (active == nullptr && width == read) {
    x = b.CreateAlignedLoad(vector, p, align);
  } else {
    // Some lanes may read nothing: what is read must be there.
    Value* inside = nullptr;
    if (active == nullptr) {
      inside = b.CreateICmpULT(llvm::ConstantVector::get(ramp),
                               llvm::ConstantInt::get(numbers, static_cast<uint64_t>(read)));
    } else {
      Value* at_first = b.CreateAdd(first, scalar_of(outer + c / k));
      b.SetInsertPoint(level->at);
      Value* places =
          b.CreateAdd(b.CreateVectorSplat(static_cast<unsigned>(width), at_first), llvm::ConstantVector::get(ramp));
      inside = b.CreateICmpULT(places, llvm::ConstantInt::get(numbers, static_cast<uint64_t>(elements)));
    }
    x = b.CreateMaskedLoad(vector, p, align, inside, llvm::Constant::getNullValue(vector));
  }
  Value* all = b.CreateShuffleVector(x, wanted);
  return active == nullptr ? all : b.CreateSelect(active, all, llvm::Constant::getNullValue(all->getType()));
}

// One contiguous read per lane, along the tile's loop, and a transposition in registers.
std::optional<Value*> Emitter::load_tile(Value* base, llvm::Type* memory, llvm::Align align, const Expr& offset,
                                         Level* level) {
  const int n = tile.count;
  if (n == 1 || lanes.count != n) return std::nullopt;
  int64_t slope = 0;
  bool along = false;
  for (const auto& [a, c] : offset.terms) {
    if (a == tile.atom && c == n) along = true;
    if (atom(a).lanes > 1) slope = c;
  }
  if (!along) return std::nullopt;
  const Expr first = offset + -static_cast<int64_t>(tile.t);
  TileRows& t = tiles_[{base, first}];
  if (t.rows.empty()) {
    Value* start = scalar_of(first);
    llvm::IRBuilder<> b = at(level);
    llvm::Type* row = codegen::with_lanes(memory, n);
    for (int l = 0; l < n; ++l) {
      Value* p = b.CreateGEP(memory, base, b.CreateAdd(start, b.getInt64(static_cast<uint64_t>(l * slope))));
      t.rows.push_back(b.CreateAlignedLoad(row, p, align));
    }
    for (int k = 1; k < n; k *= 2) {
      std::vector<int> low, high;
      for (int j = 0; j < n; ++j) {
        low.push_back((j & k) == 0 ? j : n + (j ^ k));
        high.push_back((j & k) == 0 ? (j | k) : n + j);
      }
      for (int i = 0; i < n; ++i) {
        if ((i & k) != 0) continue;
        Value *x = t.rows[static_cast<size_t>(i)], *y = t.rows[static_cast<size_t>(i | k)];
        t.rows[static_cast<size_t>(i)] = b.CreateShuffleVector(x, y, low);
        t.rows[static_cast<size_t>(i | k)] = b.CreateShuffleVector(x, y, high);
      }
    }
    t.level = level;
  }
  return t.rows[static_cast<size_t>(tile.t)];
}

void Emitter::store(Level* level, Value* base, ElementType t, const Expr& offset, const Val& value, const Mask& mask) {
  const bool complex = is_complex(t);
  const ElementType part = part_type(t);
  llvm::Type* memory = memory_type(context(), part);
  const llvm::Align align(complex ? byte_size(t) / 2 : byte_size(t));
  if (!varies_by_lane(offset)) {
    Value* place = scalar_of(complex ? offset * 2 : offset);
    auto write = [&](Level*) {
      llvm::IRBuilder<> b = at(current_);
      Value* p = b.CreateGEP(memory, base, place);
      b.CreateAlignedStore(to_memory(b, value.v, part), p, align);
      if (complex) b.CreateAlignedStore(value.im, b.CreateConstGEP1_64(memory, p, 1), align);
    };
    if (mask.scalar != nullptr) {
      branch(mask.scalar, write);
    } else {
      write(level);
    }
    return;
  }
  const int count = lanes.count;
  Level* unused = level;
  Value* active = lane_mask(mask, count, &unused);
  const Val v = spread(value, count);
  bool affine = true;
  int64_t slope = 0;
  Expr outer(offset.constant);
  AtomId lane_atom = -1;
  for (const auto& [a, c] : offset.terms) {
    if (atom(a).lanes == 1) {
      outer = outer + Expr::atom(a) * c;
    } else if (atom(a).is_linear) {
      slope += c;
      lane_atom = a;
    } else {
      affine = false;
    }
  }
  if (affine && slope == 1 && !complex) {
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer));
    llvm::IRBuilder<> b = at(level);
    Value* p = b.CreateGEP(memory, start, atom(lane_atom).value);
    Value* x = to_memory(b, v.v, part);
    if (active == nullptr && streaming) {
      llvm::Metadata* one = llvm::ConstantAsMetadata::get(b.getInt32(1));
      b.CreateAlignedStore(x, p, llvm::Align(64))
          ->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(context(), one));
    } else if (active == nullptr) {
      b.CreateAlignedStore(x, p, align);
    } else {
      b.CreateMaskedStore(x, p, align, active);
    }
    return;
  }
  if (affine && slope == 1 && complex) {
    const Interleaved pairs(count);
    Value* start = at(level_of(outer)).CreateGEP(memory, base, scalar_of(outer * 2));
    llvm::IRBuilder<> b = at(level);
    Value* p = b.CreateGEP(memory, start, b.CreateMul(atom(lane_atom).value, b.getInt64(2)));
    Value* x = b.CreateShuffleVector(v.v, v.im, pairs.joined);
    if (active == nullptr) {
      b.CreateAlignedStore(x, p, align);
    } else {
      b.CreateMaskedStore(x, p, align, b.CreateShuffleVector(active, pairs.twice));
    }
    return;
  }
  const Expr place = complex ? offset * 2 : offset;
  const Range range = this->range(place);
  const bool narrow = range.low >= INT32_MIN / 2 && range.high <= INT32_MAX / 2;
  Value* places = vector_of(place, count, narrow ? 32 : 64);
  llvm::IRBuilder<> b = at(level);
  if (active == nullptr) active = llvm::ConstantInt::getTrue(codegen::with_lanes(b.getInt1Ty(), count));
  b.CreateMaskedScatter(to_memory(b, v.v, part), b.CreateGEP(memory, base, places), align, active);
  if (complex)
    b.CreateMaskedScatter(v.im, b.CreateGEP(memory, b.CreateConstGEP1_64(memory, base, 1), places), align, active);
}

}  // namespace weft::codegen
