// The evaluator's time per element of work, for every op whose samples can be made large.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/rebuild.h"
#include "tests/fuzz/templates.h"
#include "tests/scale/stopwatch.h"

namespace weft::scale {
namespace {

constexpr double kMostNanoseconds = 100, kSlack = 5;
constexpr int64_t kEnoughElements = 30'000, kMostElements = 4'000'000;

bool is_large(const Function& f, bool& too_large) {
  int64_t most = 0;
  for (uint32_t i = 0; i < f.num_values(); ++i) {
    const Type t = f.type(Value{i});
    if (t.is_tensor() && t.is_static()) most = std::max(most, t.num_elements());
  }
  too_large = most > kMostElements;
  return most >= kEnoughElements;
}

/// The sample with one extent so long that it has enough elements; null where no extent can be changed.
std::unique_ptr<Function> enlarged(const fuzz::Template& sample) {
  std::set<int64_t> extents;
  for (Value v : sample.function->args()) {
    const Type t = sample.function->type(v);
    if (t.is_tensor()) extents.insert(t.shape().begin(), t.shape().end());
  }
  for (auto from = extents.rbegin(); from != extents.rend(); ++from) {
    for (int64_t to : {int64_t{40'000}, int64_t{10'000}, int64_t{200}, int64_t{40}}) {
      for (const bool attributes_too : {true, false}) {
        const auto change = [&](std::vector<int64_t> list) {
          std::replace(list.begin(), list.end(), *from, to);
          return list;
        };
        fuzz::Rewrite r;
        r.type = [&](Type t) {
          const Type longer = t.with_shape(change({t.shape().begin(), t.shape().end()}));
          if (longer.is_static() && longer.num_elements() > kMostElements) throw UserError("too long");
          return longer;
        };
        if (attributes_too) {
          r.attrs = [&](const OpView&, Attrs& attrs) {
            const Attrs old = attrs;
            for (const auto& [name, attr] : old.entries()) {
              if (const auto* ints = attr.get_if<Attr::Ints>()) attrs.set(name, change(*ints));
            }
          };
        }
        for (const bool infer : {true, false}) {
          r.infer = infer;
          try {
            auto f = fuzz::rebuild(*sample.function, nullptr, r);
            bool too_large = false;
            if (is_large(*f, too_large) && !too_large) return f;
          } catch (const Error&) {}
        }
      }
    }
  }
  return nullptr;
}

/// Elements read and written, or multiplications where those are many more.
double work_of(const Function& f) {
  double elements = 0, flops = 0;
  for (OpId op : f.ops(f.body())) {
    const OpView view{f, op};
    const auto add = [&](Type t) {
      elements += t.is_tensor() && t.is_static() ? static_cast<double>(t.num_elements()) : 0;
    };
    for (Value v : view.operands()) add(f.type(v));
    for (size_t i = 0; i < view.num_results(); ++i) add(view.result_type(i));
    if (!record(view).cost.refused()) flops += (*record(view).cost.rule())(view).flops;
  }
  return flops > 40 * elements ? flops / 2 : elements;
}

TEST(Evaluator, TimePerElementOfWork) {
  std::set<std::string_view> measured, slow;
  double worst = 0;
  for (const fuzz::Template& sample : fuzz::templates()) {
    if (sample.has_loop) continue;
    std::unique_ptr<Function> f = enlarged(sample);
    if (f == nullptr) continue;
    Module module;
    fuzz::Random random(1);
    std::vector<Tensor> args;
    for (Type t : f->arg_types()) args.push_back(fuzz::random_tensor(random, t, fuzz::Numbers::kPlain));
    const double work = work_of(*f);
    f->set_name("main");
    module.add(std::move(f));
    double seconds = 0;
    try {
      seconds = seconds_of(1, [&] { evaluate(module, "main", args); });
      if (seconds < 0.2) seconds = std::min(seconds, seconds_of(2, [&] { evaluate(module, "main", args); }));
    } catch (const Error&) { continue; }
    measured.insert(sample.op->mnemonic);
    const double ns = seconds * 1e9 / work;
    worst = std::max(worst, ns);
    if (ns > kMostNanoseconds) {
      slow.insert(sample.op->mnemonic);
      std::printf("%7.0f ns  %s, %s (%.0f elements of work)\n", ns, std::string(sample.op->mnemonic).c_str(),
                  sample.label.c_str(), work);
    }
    EXPECT_LT(ns, kMostNanoseconds * kSlack) << sample.op->mnemonic << ", " << sample.label;
  }
  std::printf("%zu ops measured, %zu over %.0f ns per element, worst %.0f ns\n", measured.size(), slow.size(),
              kMostNanoseconds, worst);
  EXPECT_GT(measured.size(), 120u);
}

}  // namespace
}  // namespace weft::scale
