// Random typed programs with loops and branches, the same for the same seed.
#pragma once
#include <array>
#include <random>
#include <string>
#include <vector>

#include "ops/builder.h"
#include "ops/record.h"

namespace weft {

class RandomProgram {
 public:
  explicit RandomProgram(uint32_t seed) : random_(seed) {}

  /// @f(f64, 2x3xf64, i32) with `size` ops drawn in its body; loops and branches nest up to twice.
  std::unique_ptr<Module> make(int size) {
    auto module = std::make_unique<Module>();
    Function& f = module->add(std::make_unique<Function>("f"));
    std::vector<Value> pool;
    for (Type t : {kScalar, kMatrix, kInteger}) pool.push_back(f.add_arg(f.body(), t));
    OpBuilder b(f, f.body(), module.get());
    fill(b, pool, size, 0);
    std::vector<Value> results;
    for (Type t : {kScalar, kMatrix, kInteger, kFlag}) results.push_back(pick(b, pool, t));
    b.yield(results);
    return module;
  }

  const Type kScalar = Type::scalar(ElementType::kF64), kMatrix = Type::tensor(ElementType::kF64, {2, 3}),
             kInteger = Type::scalar(ElementType::kI32), kFlag = Type::scalar(ElementType::kI1);

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  /// A value of the type: one there is, or a constant that rules like.
  Value pick(OpBuilder& b, const std::vector<Value>& pool, Type t) {
    std::vector<Value> fit;
    for (Value v : pool) {
      if (b.type(v) == t) fit.push_back(v);
    }
    if (fit.empty() || below(5) == 0) {
      static constexpr std::array kNumbers = {0.0, 1.0, -1.0, 2.0, 0.5};
      const double c = kNumbers[static_cast<size_t>(below(kNumbers.size()))];
      if (t == kFlag) return b.splat(t, below(2));
      return b.splat(t, t == kInteger ? static_cast<double>(static_cast<int>(c * 2)) : c);
    }
    return fit[static_cast<size_t>(below(static_cast<int>(fit.size())))];
  }

  Type any_type() { return std::array{kScalar, kMatrix, kInteger}[static_cast<size_t>(below(3))]; }

  void fill(OpBuilder& b, std::vector<Value>& pool, int size, int depth) {
    for (int i = 0; i < size; ++i) {
      const int kind = below(depth < 2 ? 12 : 10);
      const Type t = any_type();
      if (kind < 4) {
        static constexpr std::array kBinary = {"stablehlo.add",     "stablehlo.subtract", "stablehlo.multiply",
                                               "stablehlo.maximum", "stablehlo.minimum",  "stablehlo.divide"};
        pool.push_back(
            b.make(kBinary[static_cast<size_t>(below(kBinary.size()))], {pick(b, pool, t), pick(b, pool, t)}));
      } else if (kind == 4) {
        static constexpr std::array kUnary = {"stablehlo.negate", "stablehlo.abs"};
        pool.push_back(b.make(kUnary[static_cast<size_t>(below(kUnary.size()))], {pick(b, pool, t)}));
      } else if (kind == 5) {
        static constexpr std::array kDirections = {"EQ", "LT", "GE"};
        const Type s = below(2) ? kScalar : kInteger;
        pool.push_back(b.compare(pick(b, pool, s), pick(b, pool, s), kDirections[static_cast<size_t>(below(3))]));
      } else if (kind == 6) {
        pool.push_back(b.select(pick(b, pool, kFlag), pick(b, pool, t), pick(b, pool, t)));
      } else if (kind == 7) {
        const int64_t shape[] = {2, 3};
        pool.push_back(b.broadcast_scalar(pick(b, pool, kScalar), shape));
      } else if (kind == 8) {
        const int64_t dims[] = {0, 1};
        pool.push_back(b.reduce(pick(b, pool, kMatrix), dims, below(2) ? "stablehlo.add" : "stablehlo.maximum"));
      } else if (kind == 9) {
        const int64_t shape[] = {3, 2}, permutation[] = {1, 0}, back[] = {2, 3};
        const Value m = pick(b, pool, kMatrix);
        pool.push_back(below(2) ? b.reshape(b.reshape(m, shape), back)
                                : b.transpose(b.transpose(m, permutation), permutation));
      } else if (kind == 10) {
        for (Value v : loop(b, pool, depth)) pool.push_back(v);
      } else {
        for (Value v : branch(b, pool, depth)) pool.push_back(v);
      }
    }
  }

  std::vector<Value> loop(OpBuilder& b, const std::vector<Value>& pool, int depth) {
    const std::vector<Value> carries = {b.scalar(ElementType::kI32, 0), pick(b, pool, kScalar), pick(b, pool, kMatrix),
                                        pick(b, pool, any_type())};
    std::vector<Type> types;
    for (Value v : carries) types.push_back(b.type(v));
    // Half the loops count to a number that the data give, so that lanes leave them apart.
    const Value most = b.scalar(ElementType::kI32, below(4));
    const Value trips = below(2) ? most : b.minimum(pick(b, pool, kInteger), most);
    const RegionId cond = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      return std::vector<Value>{c.compare(a[0], trips, "LT")};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& c, std::span<const Value> a) {
      std::vector<Value> inner = pool;
      inner.insert(inner.end(), a.begin(), a.end());
      fill(c, inner, 5, depth + 1);
      return std::vector<Value>{c.add(a[0], c.scalar(ElementType::kI32, 1)), pick(c, inner, kScalar),
                                below(3) ? pick(c, inner, kMatrix) : a[2], below(2) ? a[3] : pick(c, inner, types[3])};
    });
    const RegionId regions[] = {cond, body};
    return b.create("stablehlo.while", carries, {}, {}, regions);
  }

  std::vector<Value> branch(OpBuilder& b, const std::vector<Value>& pool, int depth) {
    const Type results[] = {kScalar, kMatrix};
    std::vector<RegionId> regions;
    for (int i = 0; i < 2; ++i) {
      regions.push_back(b.make_region({}, [&](OpBuilder& c, std::span<const Value>) {
        std::vector<Value> inner = pool;
        fill(c, inner, 4, depth + 1);
        return std::vector<Value>{pick(c, inner, kScalar), pick(c, inner, kMatrix)};
      }));
    }
    if (below(2)) {
      const Value pred[] = {pick(b, pool, kFlag)};
      return b.create("stablehlo.if", pred, {}, results, regions);
    }
    const Value index[] = {pick(b, pool, kInteger)};
    return b.create("stablehlo.case", index, {}, results, regions);
  }

  std::mt19937 random_;
};

}  // namespace weft
