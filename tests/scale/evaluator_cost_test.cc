// The evaluator's time per element of work, for every op whose samples can be made large.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "eval/evaluator.h"
#include "ir/clone.h"
#include "ops/record.h"
#include "reduce/random.h"
#include "reduce/rebuild.h"
#include "tests/fuzz/templates.h"
#include "tests/scale/stopwatch.h"

namespace weft::scale {
namespace {

constexpr double kMostNanoseconds = 100;
/// Functions that sum a series of tens of terms for one element; fft, whose lines of odd length are padded and transformed three times in
/// long double.
constexpr double kMostForSeries = 3000;
bool is_series(std::string_view mnemonic) {
  for (std::string_view name : {"zeta", "polygamma", "digamma", "erf_inv", "bessel_i1e", "lgamma", "fft"}) {
    if (mnemonic.ends_with(name)) return true;
  }
  return false;
}
constexpr int64_t kEnoughElements = 4'000, kMostElements = 200'000;

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
    for (int64_t to : {int64_t{5'000}, int64_t{1'000}, int64_t{70}, int64_t{20}}) {
      for (const bool attributes_too : {true, false}) {
        const auto change = [&](std::vector<int64_t> list) {
          std::replace(list.begin(), list.end(), *from, to);
          return list;
        };
        reduce::Rewrite r;
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
            auto f = reduce::rebuild(*sample.function, nullptr, r);
            bool too_large = false;
            if (is_large(*f, too_large) && !too_large) return f;
          } catch (const Error&) {}
        }
      }
    }
  }
  return nullptr;
}

/// Elements read and written, times the ops of a body that runs for each; or multiplications where those are many more.
double work_of(const Function& f) {
  double elements = 0, flops = 0;
  for (OpId op : f.ops(f.body())) {
    const OpView view{f, op};
    const auto add = [&](Type t) {
      elements += t.is_tensor() && t.is_static() ? static_cast<double>(t.num_elements()) : 0;
    };
    const double before = elements;
    for (Value v : view.operands()) add(f.type(v));
    for (size_t i = 0; i < view.num_results(); ++i) add(view.result_type(i));
    size_t body = 1;
    for (RegionId r : view.regions()) body = std::max(body, f.ops(r).size() - 1);
    elements = before + (elements - before) * static_cast<double>(body);
    if (!record(view).cost.refused()) flops += (*record(view).cost.rule())(view).flops;
  }
  return flops > 25 * elements ? flops / 2 : elements;
}

TEST(Evaluator, TimePerElementOfWork) {
  std::set<std::string_view> measured, slow;
  double worst = 0, worst_series = 0;
  for (const fuzz::Template& sample : fuzz::templates()) {
    if (sample.has_loop) continue;
    std::unique_ptr<Function> f = enlarged(sample);
    if (f == nullptr) continue;
    Module module;
    reduce::Random random(1);
    std::vector<Tensor> args;
    for (Type t : f->arg_types()) args.push_back(reduce::random_tensor(random, t, reduce::Numbers::kPlain));
    const double work = work_of(*f);
    f->set_name("main");
    module.add(std::move(f));
    double seconds = 0;
    try {
      seconds = seconds_of(1, [&] { evaluate(module, "main", args); });
      if (seconds < 0.2) seconds = std::min(seconds, seconds_of(2, [&] { evaluate(module, "main", args); }));
      // Again where something else may have held the machine.
      for (int attempt = 0; attempt < 5 && seconds * 1e9 / work > kMostNanoseconds; ++attempt)
        seconds = std::min(seconds, seconds_of(1, [&] { evaluate(module, "main", args); }));
    } catch (const Error&) { continue; }
    measured.insert(sample.op->mnemonic);
    const double ns = seconds * 1e9 / work;
    (is_series(sample.op->mnemonic) ? worst_series : worst) =
        std::max(is_series(sample.op->mnemonic) ? worst_series : worst, ns);
    const double most = is_series(sample.op->mnemonic) ? kMostForSeries : kMostNanoseconds;
    if (ns > most) {
      slow.insert(sample.op->mnemonic);
      std::printf("%7.0f ns  %s, %s (%.0f elements of work)\n", ns, std::string(sample.op->mnemonic).c_str(),
                  sample.label.c_str(), work);
    }
    EXPECT_LT(ns, most * kSlack) << sample.op->mnemonic << ", " << sample.label;
  }
  std::printf("%zu ops measured, %zu over the limit; worst %.0f ns, of functions by series %.0f ns\n", measured.size(),
              slow.size(), worst, worst_series);
  EXPECT_GT(measured.size(), 120u);
}

}  // namespace
}  // namespace weft::scale
