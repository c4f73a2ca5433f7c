// Random programs with nested loops, branches and updates: native in every mode against the evaluator. What the memory plan
// shares, moves and exchanges shows here when it is wrong.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "eval/evaluator.h"
#include "native/native_target.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "text/print.h"

namespace weft {
namespace {

/// Integers only, so that every order of evaluation gives the same bits.
class Generator {
 public:
  explicit Generator(unsigned seed) : rng_(seed) {}

  std::shared_ptr<Module> run() {
    auto module = std::make_shared<Module>();
    Function& f = module->add(std::make_unique<Function>("main"));
    OpBuilder b(f, f.body(), module.get());
    Scope scope;
    for (int i = 0; i < 3; ++i) scope.vectors.push_back(f.add_arg(f.body(), vector_));
    scope.scalars.push_back(f.add_arg(f.body(), scalar_));
    fill(b, scope, 1 + pick(14), 2);
    std::vector<Value> results;
    const int count = 1 + pick(4);
    for (int i = 0; i < count; ++i) results.push_back(any(pick(3) != 0 ? scope.vectors : scope.scalars));
    b.yield(results);
    return module;
  }

 private:
  struct Scope {
    std::vector<Value> vectors, scalars;
  };

  int pick(int n) { return static_cast<int>(rng_() % static_cast<unsigned>(n)); }
  Value any(const std::vector<Value>& values) {
    // Recent values more often: chains are where sharing happens.
    const int n = static_cast<int>(values.size());
    return values[static_cast<size_t>(n - 1 - std::min(pick(n), pick(n)))];
  }

  void fill(OpBuilder& b, Scope& s, int count, int depth) {
    for (int i = 0; i < count; ++i) {
      switch (pick(depth > 0 ? 12 : 9)) {
        case 0: s.vectors.push_back(b.add(any(s.vectors), any(s.vectors))); break;
        case 1: s.vectors.push_back(b.multiply(any(s.vectors), any(s.vectors))); break;
        case 2:
          s.vectors.push_back(b.subtract(any(s.vectors), b.broadcast_scalar(any(s.scalars), vector_.shape())));
          break;
        case 3: {
          const std::vector<int64_t> dims = {0};
          s.scalars.push_back(b.reduce(any(s.vectors), dims, pick(2) != 0 ? "stablehlo.add" : "stablehlo.maximum"));
          break;
        }
        case 4: s.scalars.push_back(b.add(any(s.scalars), any(s.scalars))); break;
        case 5: {
          const std::vector<Value> at = {any(s.scalars)};
          const std::vector<int64_t> sizes = {3};
          const Value part = b.dynamic_slice(any(s.vectors), at, sizes);
          const std::vector<Value> to = {any(s.scalars)};
          s.vectors.push_back(b.dynamic_update_slice(any(s.vectors), part, to));
          break;
        }
        case 6: {
          const std::vector<int64_t> dims = {0};
          s.vectors.push_back(b.reverse(any(s.vectors), dims));
          break;
        }
        case 7: {
          const std::vector<int64_t> two = {2, kLength / 2}, flat = {kLength}, swap = {1, 0};
          s.vectors.push_back(b.reshape(b.transpose(b.reshape(any(s.vectors), two), swap), flat));
          break;
        }
        case 8: {
          const std::vector<int64_t> flat = {kLength}, two = {2, kLength / 2};
          s.vectors.push_back(b.reshape(b.negate(b.reshape(any(s.vectors), two)), flat));
          break;
        }
        case 9:
        case 10: loop(b, s, depth - 1); break;
        case 11: branch(b, s, depth - 1); break;
      }
    }
  }

  void loop(OpBuilder& b, Scope& s, int depth) {
    std::vector<Value> init = {b.scalar(ElementType::kI32, 0)};
    const int vectors = 1 + pick(3);
    const int scalars = pick(2);
    for (int i = 0; i < vectors; ++i) init.push_back(any(s.vectors));
    for (int i = 0; i < scalars; ++i) init.push_back(any(s.scalars));
    std::vector<Type> types;
    for (Value v : init) types.push_back(b.type(v));
    const int trips = pick(4);
    const RegionId cond = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
      return std::vector<Value>{inner.compare(args[0], inner.scalar(ElementType::kI32, trips), "LT")};
    });
    const RegionId body = b.make_region(types, [&](OpBuilder& inner, std::span<const Value> args) {
      Scope own = s;
      for (int i = 0; i < vectors; ++i) own.vectors.push_back(args[static_cast<size_t>(1 + i)]);
      for (int i = 0; i < scalars; ++i) own.scalars.push_back(args[static_cast<size_t>(1 + vectors + i)]);
      fill(inner, own, 2 + pick(5), depth);
      std::vector<Value> next = {inner.add(args[0], inner.scalar(ElementType::kI32, 1))};
      for (int i = 0; i < vectors; ++i) next.push_back(any(own.vectors));
      for (int i = 0; i < scalars; ++i) next.push_back(any(own.scalars));
      return next;
    });
    const std::vector<RegionId> regions = {cond, body};
    const auto results = b.create("stablehlo.while", init, {}, types, regions);
    for (size_t i = 1; i < results.size(); ++i)
      (b.type(results[i]) == vector_ ? s.vectors : s.scalars).push_back(results[i]);
  }

  void branch(OpBuilder& b, Scope& s, int depth) {
    const int vectors = 1 + pick(2);
    std::vector<RegionId> regions;
    const int branches = 2 + pick(2);
    for (int k = 0; k < branches; ++k) {
      regions.push_back(b.make_region({}, [&](OpBuilder& inner, std::span<const Value>) {
        Scope own = s;
        fill(inner, own, pick(4), depth);
        std::vector<Value> out;
        for (int i = 0; i < vectors; ++i) out.push_back(any(own.vectors));
        out.push_back(any(own.scalars));
        return out;
      }));
    }
    std::vector<Type> types(static_cast<size_t>(vectors), vector_);
    types.push_back(scalar_);
    const std::vector<Value> index = {any(s.scalars)};
    const auto results = b.create("stablehlo.case", index, {}, types, regions);
    for (int i = 0; i < vectors; ++i) s.vectors.push_back(results[static_cast<size_t>(i)]);
    s.scalars.push_back(results.back());
  }

  static constexpr int64_t kLength = 10;
  std::mt19937 rng_;
  const Type vector_ = Type::tensor(ElementType::kI32, {kLength});
  const Type scalar_ = Type::scalar(ElementType::kI32);
};

std::vector<Tensor> random_arguments(const Function& f, unsigned seed) {
  std::mt19937 rng(seed);
  std::vector<Tensor> out;
  for (Type t : f.arg_types()) {
    out.emplace_back(ElementType::kI32, Shape(t.shape().begin(), t.shape().end()));
    for (int64_t i = 0; i < out.back().size(); ++i)
      out.back().mutable_data<int32_t>()[i] = static_cast<int32_t>(rng() % 7) - 3;
  }
  return out;
}

bool equal(const Tensor& a, const Tensor& b) { return std::memcmp(a.raw(), b.raw(), a.size_bytes()) == 0; }

/// What is wrong with a seed's program; empty when nothing is.
std::string check_seed(unsigned seed) {
  const auto module = Generator(seed).run();
  const Function& f = module->get("main");
  const auto args = random_arguments(f, seed);
  const auto want = evaluate(*module, "main", args);
  for (const char* disabled : {"", "fuse", "in_place", "simplify"}) {
    CompileOptions options;
    options.partitions = 2;
    if (*disabled != 0) options.disabled = {disabled};
    const auto executable = native_target().compile(module, "main", options);
    for (int call = 0; call < 2; ++call) {
      const auto got = executable->run(args);
      for (size_t i = 0; i < want.size(); ++i) {
        if (equal(got[i], want[i])) continue;
        return "seed " + std::to_string(seed) + " without \"" + disabled + "\", call " + std::to_string(call) +
               ", result " + std::to_string(i) + "\n" + print_module(*module) + executable->explain();
      }
    }
    // Results in the memory of arguments of their type.
    options.donations.clear();
    std::vector<Tensor> memory;
    for (const Tensor& t : args) memory.push_back(t.clone());
    std::vector<const void*> in;
    for (const Tensor& t : memory) in.push_back(t.raw());
    std::vector<Tensor> results;
    std::vector<void*> out;
    std::vector<bool> taken(args.size(), false);
    for (size_t j = 0; j < want.size(); ++j) {
      size_t i = 0;
      while (i < args.size() && (taken[i] || args[i].shape() != want[j].shape())) ++i;
      if (i < args.size()) {
        taken[i] = true;
        options.donations.emplace_back(i, j);
        results.push_back(memory[i]);
      } else {
        results.emplace_back(ElementType::kI32, want[j].shape());
      }
      out.push_back(results.back().raw());
    }
    const auto donating = native_target().compile(module, "main", options);
    donating->invoke(in.data(), out.data());
    for (size_t j = 0; j < want.size(); ++j) {
      if (equal(results[j], want[j])) continue;
      return "seed " + std::to_string(seed) + " donating, without \"" + disabled + "\", result " + std::to_string(j) +
             "\n" + print_module(*module) + donating->explain();
    }
  }
  return {};
}

TEST(RandomPrograms, EqualTheEvaluator) {
  // WEFT_SEEDS=N runs N of them (make test-all).
  const char* count = std::getenv("WEFT_SEEDS");
  const unsigned seeds = count != nullptr ? static_cast<unsigned>(std::atoi(count)) : 25;
  if (const char* one = std::getenv("WEFT_SEED")) {  // a single one, to look into a failure
    EXPECT_EQ(check_seed(static_cast<unsigned>(std::atoi(one))), "");
    return;
  }
  std::string shortest;
  unsigned failures = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    const std::string failure = check_seed(seed);
    if (failure.empty()) continue;
    ++failures;
    if (shortest.empty() || failure.size() < shortest.size()) shortest = failure;
  }
  EXPECT_EQ(failures, 0u) << "the shortest of them:\n" << shortest;
}

}  // namespace
}  // namespace weft
