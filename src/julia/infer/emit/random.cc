// Random numbers: intrinsics become the functions of stdlib/Random/compiled.jl, which draw the same from words of state that are values.
#include "julia/infer/emit/emit.h"
#include "julia/intrinsics/random_source.h"
#include "julia/run/impl.h"
#include "julia/types/type_show.h"

namespace weft::julia {
namespace {

using Args = std::span<const Abstract>;

Binding* named(Compiler& c, std::string_view name) {
  return find_binding(*c.evaluator().impl().package(Symbol("Random")), Symbol(name));
}

/// The task's generator is an argument of what is compiled.
Abstract generator(Compiler& c, const Abstract& rng) {
  const std::string_view type = rng.type->name->name.text();
  if (type == "TaskLocalRNG") return c.global_argument(named(c, "_task_state"), "the task's random generator");
  if (type == "MersenneTwister" || type == "RandomDevice")
    c.fail(Cause::kUnsupported, "random numbers of a " + std::string(type), "draw them from a Xoshiro");
  return rng;
}

template <const char* Name>
Abstract drawn(Compiler& c, Args a) {
  std::vector<Abstract> arguments(a.begin(), a.end());
  arguments[0] = generator(c, a[0]);
  return c.call(Abstract::of_constant(named(c, Name)->value), std::move(arguments));
}

/// (rng, seed)
Abstract seeded(Compiler& c, Args a) {
  const Abstract rng = generator(c, a[0]);
  if (a[1].type == core().nothing) c.fail(Cause::kUnsupported, "a random generator without a seed of its own");
  if (const Value* seed = c.known(a[1])) {
    const DataType* type = c.object(rng).type;
    const Value made = Value::of_object(type, new FieldsObject(std::vector<Value>(type->field_count())));
    seed_source(made, *seed);
    const std::vector<Symbol> words = type->field_names();
    for (size_t i = 0; i < words.size(); ++i) c.set_field(rng, words[i], Abstract::of_constant(get_field(made, i)));
    return a[0];
  }
  if (!number_kind(a[1].type)) c.fail(Cause::kUnsupported, "a seed of type " + type_text(a[1].type));
  c.call(Abstract::of_constant(named(c, "_seed_by_number")->value), {rng, a[1]});
  return a[0];
}

/// Tables of the library, which are the same in every program.
template <const char* Name>
Abstract table(Compiler& c, Args a) {
  std::vector<Value> arguments;
  for (const Abstract& x : a) {
    if (!x.is_constant()) c.fail(Cause::kDispatch, "a table that is chosen when the program runs");
    arguments.push_back(x.constant);
  }
  return Abstract::of_constant(find_intrinsic(Name)->function(c.evaluator(), arguments));
}

constexpr char kNumber[] = "_number";
constexpr char kBetween[] = "_between";
constexpr char kFill[] = "_fill";
constexpr char kFillBetween[] = "_fill_between";
constexpr char kNormal[] = "_normal_number";
constexpr char kExponential[] = "_exponential_number";
constexpr char kFillNormal[] = "_fill_normal";
constexpr char kFillExponential[] = "_fill_exponential";
constexpr char kPermutation[] = "_permutation";
constexpr char kCycle[] = "_cycle";
constexpr char kShuffle[] = "_shuffle";
constexpr char kMasked[] = "_masked";
constexpr char kBits52[] = "_bits52";
constexpr char kTaskState[] = "_words_of";
constexpr char kLayers[] = "_rng_layers", kHashRounds[] = "_rng_hash_rounds";

constexpr Emission kEmissions[] = {
    {"_rng_number", drawn<kNumber>},
    {"_rng_between", drawn<kBetween>},
    {"_rng_fill", drawn<kFill>},
    {"_rng_fill_between", drawn<kFillBetween>},
    {"_rng_normal", drawn<kNormal>},
    {"_rng_exponential", drawn<kExponential>},
    {"_rng_fill_normal", drawn<kFillNormal>},
    {"_rng_fill_exponential", drawn<kFillExponential>},
    {"_rng_permutation", drawn<kPermutation>},
    {"_rng_cycle", drawn<kCycle>},
    {"_rng_shuffle", drawn<kShuffle>},
    {"_rng_masked", drawn<kMasked>},
    {"_rng_bits52", drawn<kBits52>},
    {"_rng_task_state", drawn<kTaskState>},
    {"_rng_seed", seeded},
    {"_rng_layers", table<kLayers>},
    {"_rng_hash_rounds", table<kHashRounds>},
};

}  // namespace

std::span<const Emission> random_emissions() { return kEmissions; }

}  // namespace weft::julia
