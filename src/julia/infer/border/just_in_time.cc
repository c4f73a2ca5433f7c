#include "julia/infer/border/just_in_time.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_map>

#include "julia/host/array.h"
#include "julia/infer/border/call_cache.h"
#include "julia/infer/border/constants.h"
#include "julia/infer/diagnose/call_text.h"
#include "julia/run/impl.h"

namespace weft::julia {

namespace {

/// Whether running the code once can take long: it loops, works on whole arrays, or calls itself.
bool is_heavy(const Code& code) {
  const auto is_loop = [](const Form& f) { return f.kind == FormKind::kFor || f.kind == FormKind::kWhile; };
  if (std::ranges::any_of(code.forms, is_loop)) return true;
  for (const Form& f : code.forms) {
    if (f.kind != FormKind::kGlobal) continue;
    const std::string& name = code.globals[f.a].name.text();
    if (name == code.name.text()) return true;
    for (const char* heavy : {"materialize", "materialize!", "sum", "map", "mapreduce", "reduce", "foldl", "collect",
                              "prod", "accumulate"}) {
      if (name == heavy) return true;
    }
  }
  return false;
}

}  // namespace

struct JustInTime::Impl {
  /// What a program is compiled for.
  struct How {
    Constants constants = Constants::kNone;
    bool is_open = false;
  };
  static constexpr size_t kMostStatic = 4;  // sets of extents with code of their own, before one code for all is tried
  static constexpr size_t kMostExtents = 32;  // where there is none
  static constexpr size_t kMostSizes = 16;    // values of integers that sizes depend on, likewise

  JustInTime& owner;
  Evaluator& evaluator;
  CompileMode mode;
  std::string target;
  CompileCounts counts;
  CallCache<CompiledCall> calls;  // null: refused
  /// Signatures that need the values of numbers among the arguments: of integers, or of all.
  std::unordered_map<CallKey, Constants, HashCallKey> with_sizes;
  std::unordered_map<CallKey, size_t, HashCallKey> sizes_of;
  std::unordered_map<CallKey, size_t, HashCallKey> sets_of_extents;  // met so far, by what they have in common
  std::unordered_map<const Code*, bool> heavy;
  bool is_compiling = false;
  /// Of code that the host runs because its compiled call failed: failures under way. Within it calls of the same code can only fail for the
  /// same reason, and each costs as much as the first: from kMostFailures on the host runs them.
  std::unordered_map<const Code*, size_t> failures;
  static constexpr size_t kMostFailures = 8;

  /// Signatures of code that calls itself with ever other types, each of which takes long to be refused: from kMostEndless on all are.
  std::unordered_map<const Code*, size_t> endless;
  static constexpr size_t kMostEndless = 2;

  CompileOptions native;
  bool takes_times = false;
  std::vector<SignatureTimes> times;
  std::unordered_map<const CompiledCall*, size_t> times_of;

  Impl(JustInTime& o, Evaluator& e, CompileMode m, std::string t, CompileOptions n)
      : owner(o), evaluator(e), mode(m), target(std::move(t)), native(std::move(n)) {}

  bool is_wanted(const Code& code) {
    if (mode == CompileMode::kAlways) return true;
    const auto it = heavy.find(&code);
    if (it != heavy.end()) return it->second;
    return heavy[&code] = is_heavy(code);
  }

  /// What the call reaches by its arguments' types, as the compiler will, where it is this code; else null.
  std::shared_ptr<const Target> dispatched(const Code& code, const Value& callee, std::span<const Value> arguments,
                                           bool with_keywords) {
    std::vector<const Type*> types = {dispatch_type(callee)};
    for (const Value& v : arguments) types.push_back(dispatch_type(v));
    std::shared_ptr<const Target> target =
        evaluator.impl().target_of_types(&callee, callee.type(), types, with_keywords);
    const bool is_code =
        target && target->body != nullptr && target->body->body && &target->body->body->code() == &code;
    return is_code ? std::move(target) : nullptr;
  }

  /// The host runs what compiled code could not finish.
  std::optional<Value> run_on_host(const Code& code, std::span<const Value> all, std::span<const Keyword> keywords,
                                   CompiledCall::Failure why) {
    const auto target = dispatched(code, all[0], all.subspan(1), !keywords.empty());
    if (!target) return std::nullopt;
    struct Failing {
      Impl& impl;
      const Code* code;
      size_t count;
      Failing(Impl& i, const Code& c, size_t n) : impl(i), code(&c), count(n) { impl.failures[code] += count; }
      ~Failing() {
        const auto it = impl.failures.find(code);
        if ((it->second -= count) == 0) impl.failures.erase(it);
      }
      Failing(const Failing&) = delete;
      Failing& operator=(const Failing&) = delete;
    } failing(*this, code, why == CompiledCall::Failure::kTooDeep ? kMostFailures : 1);
    Evaluator::Impl& impl = evaluator.impl();
    const auto at = static_cast<size_t>(all.data() - impl.stack);
    return impl.run_code(*target, code, *target->body->module, at, keywords);
  }

  /// More constants that a call needs, and why.
  struct Needs {
    Constants constants;
    Cause cause;
  };

  /// Null: the host is to run the call, or it needs more constants.
  std::unique_ptr<CompiledCall> compile(const Code& code, const Value& callee, std::span<const Value> arguments,
                                        std::span<const Keyword> keywords, How how, std::optional<Needs>* needs) {
    struct Compiling {
      Impl& impl;
      explicit Compiling(Impl& i) : impl(i) { impl.is_compiling = true; }
      ~Compiling() {
        impl.is_compiling = false;
        impl.calls.keep(impl.evaluator.impl().generation);
      }
    } compiling(*this);
    const auto refuse = [&](const std::string& why) {
      // The function around says the same of a local one; those of tests are not the program's.
      if (code.name.text().starts_with('#')) return nullptr;
      ++counts.refused;
      if (owner.refused) owner.refused(code.name.text(), why);
      return nullptr;
    };
    if (!dispatched(code, callee, arguments, !keywords.empty())) return refuse("another method is called by invoke");
    try {
      CompileCallOptions options;
      options.target = target;
      set_constants(options, how.constants);
      options.open_extents = how.is_open;
      options.native = native;
      SignatureTimes taken;
      if (takes_times) {
        options.native.timing = [&taken](const CompileStage& stage) {
          (stage.name == "infer" ? taken.infer : taken.generate) += stage.seconds;
        };
      }
      auto made = compile_call(evaluator, callee, arguments, keywords, options);
      ++counts.compiled;
      if (takes_times) {
        taken.call = call_text(evaluator, callee, arguments, keywords, how.constants) +
                     (options.open_extents ? " and other sizes" : "");
        times_of[made.get()] = times.size();
        times.push_back(std::move(taken));
      }
      return made;
    } catch (const NotCompiled& e) {
      const auto more = how.is_open ? std::nullopt : more_constants(e, how.constants, callee, arguments, keywords);
      if (more) {
        *needs = {*more, e.cause};
        return nullptr;
      }
      constexpr ptrdiff_t kManyCalls = 16;
      const bool is_deep = std::ranges::count(e.places, code.name, &Place::function) >= kManyCalls;
      if (is_deep && e.cause == Cause::kUnsupported) ++endless[&code];
      return refuse(not_compiled_text(e));
    } catch (const UserError& e) { return refuse(e.what()); } catch (const Unsupported& e) {
      return refuse(e.what());
    }
  }

  /// Compiled code for a call with this key, made when there is none yet; null: refused.
  CompiledCall* find(const Code& code, const CallKey& own, const CallKey& exact, How how, const Value& callee,
                     std::span<const Value> arguments, std::span<const Keyword> keywords) {
    return calls.find(exact, [&] {
      std::optional<Needs> needs;
      std::unique_ptr<CompiledCall> made = compile(code, callee, arguments, keywords, how, &needs);
      if (needs) with_sizes[own] = needs->constants;
      // An index into a tuple of several types is most often one of few.
      constexpr size_t kFewIndices = 4;
      if (needs && needs->cause == Cause::kDispatch) sizes_of.try_emplace(own, kMostSizes - kFewIndices);
      return made;
    });
  }

  std::optional<Value> call(const Code& code, std::span<const Value> all, std::span<const Keyword> keywords) {
    if (is_compiling || !is_wanted(code)) return std::nullopt;
    if (const auto it = failures.find(&code); it != failures.end() && it->second >= kMostFailures) return std::nullopt;
    if (const auto it = endless.find(&code); it != endless.end() && it->second >= kMostEndless) return std::nullopt;
    calls.renew(evaluator.impl().generation);
    const Value& callee = all[0];
    const std::span<const Value> arguments = all.subspan(1);
    // Of the code as well, for invoke calls other methods with the same arguments; the last word says what the key is of.
    const auto key = [&](KeyOf what, uintptr_t kind) {
      CallKey out = call_key(callee, arguments, keywords, what);
      out.push_back(reinterpret_cast<uintptr_t>(&code) + kind);
      return out;
    };
    const CallKey own = key(KeyOf::kExtents, 0);
    const std::optional<CompiledCall*> known = calls.known(own);
    CompiledCall* found = known.value_or(nullptr);
    if (!known && !calls.contains(own)) {
      // Extents that are new: from some number of them on there is one code for all.
      const CallKey open = key(KeyOf::kOpenExtents, 2);
      const size_t met = ++sets_of_extents[open];
      if (met > kMostStatic) found = find(code, open, open, {.is_open = true}, callee, arguments, keywords);
      if (found == nullptr && met > kMostExtents) return std::nullopt;
    }
    if (found == nullptr && !known) found = find(code, own, own, {}, callee, arguments, keywords);
    // Sizes depend on numbers among the arguments: there is code for each of their values, of which there must not be too many.
    Constants tried = Constants::kNone;
    while (found == nullptr && with_sizes.contains(own) && with_sizes[own] != tried) {
      tried = with_sizes[own];
      const CallKey exact = key(key_of(tried), tried == Constants::kNumbers ? 4 : 1);
      if (!calls.contains(exact) && ++sizes_of[own] > kMostSizes) {
        const CallKey open = key(KeyOf::kExtents, 3);
        found = find(code, open, open, {.is_open = true}, callee, arguments, keywords);
        break;
      }
      found = find(code, own, exact, {.constants = tried}, callee, arguments, keywords);
    }
    if (found == nullptr) return std::nullopt;
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = takes_times ? Clock::now() : Clock::time_point();
    CompiledCall::Failure why = {};
    std::optional<Value> v = found->run(callee, arguments, keywords, why);
    if (v) ++counts.calls;
    if (const auto it = times_of.find(found); takes_times && it != times_of.end()) {
      times[it->second].run += std::chrono::duration<double>(Clock::now() - begin).count();
      ++times[it->second].calls;
    }
    if (v || why == CompiledCall::Failure::kNotBegun) return v;
    return run_on_host(code, all, keywords, why);
  }
};

JustInTime::JustInTime(Evaluator& evaluator, CompileMode mode, std::string target, CompileOptions native)
    : impl_(std::make_unique<Impl>(*this, evaluator, mode, std::move(target), std::move(native))) {
  if (mode == CompileMode::kNever) return;
  evaluator.impl().compiled_call = [this](const Code& code, std::span<const Value> all,
                                          std::span<const Keyword> keywords) {
    return impl_->call(code, all, keywords);
  };
}

JustInTime::~JustInTime() { impl_->evaluator.impl().compiled_call = nullptr; }

const CompileCounts& JustInTime::counts() const { return impl_->counts; }
void JustInTime::take_times() { impl_->takes_times = true; }
const std::vector<SignatureTimes>& JustInTime::times() const { return impl_->times; }

}  // namespace weft::julia
