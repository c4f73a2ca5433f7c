// The programs of bench/julia/loops.jl and small.jl, compiled as `weft run` compiles them, against the same work in C++ (g++ -O3, bench/kernels) in one run:
// calls alternate on one processor, results are compared. One line each: `julia NAME ratio R`, our median processor time over theirs.
// usage: julia_loops bench/julia/loops.jl|small.jl [NAME…]     (none: all)
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/kernels/julia_loops.h"
#include "bench/kernels/julia_small.h"
#include "bench/kernels/scalar_loops.h"
#include "bench/median.h"
#include "julia/host/array.h"
#include "julia/host/number_ops.h"
#include "julia/host/show.h"
#include "julia/infer/border/just_in_time.h"
#include "julia/intrinsics/sha256.h"
#include "julia/run/large_stack.h"
#include "weft/error.h"

namespace {

using namespace weft;
using julia::Value;

constexpr double kSecondsOfEach = 1;
constexpr double kSecondsOfRow = 0.5e-3;  // calls of one kind in a row: short ones are warm
constexpr size_t kLeastRounds = 9;

/// Of all threads of this process: other processes of the machine do not count.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// Of one call, in a row of `calls`.
template <class F>
double seconds_of(size_t calls, F&& f) {
  const double start = processor_seconds();
  for (size_t i = 0; i < calls; ++i) f();
  return (processor_seconds() - start) / static_cast<double>(calls);
}

using Arguments = std::vector<Value>;
template <class T>
const T* elements(const Value& array) {
  return julia::array_of(array).data_as<T>();
}

/// The state that Julia makes of a small seed.
bench::RandomState seeded(uint8_t seed) {
  const std::array<uint8_t, 4> bytes = {seed, 0, 0, 0};
  const auto digest = julia::sha256(bytes);
  bench::RandomState state{};
  std::memcpy(state.data(), digest.data(), sizeof state);
  return state;
}

struct Program {
  const char* name;
  double tolerance;                                                     // relative to the largest
  std::function<void(const Arguments&, std::vector<double>&)> by_hand;  // results as doubles, column by column
};

std::vector<Program> programs() {
  using Out = std::vector<double>;
  return {
      {"fib", 0, [](const Arguments&, Out& out) { out = {static_cast<double>(bench::fib(20))}; }},
      {"quicksorted", 0,
       [](const Arguments& a, Out& out) {
         out.assign(elements<double>(a[0]), elements<double>(a[0]) + 5000);
         bench::quicksort(out.data(), 0, 4999);
       }},
      {"mandelbrot", 0,
       [](const Arguments&, Out& out) {
         int64_t counts[21 * 26];
         bench::mandelbrot_of_grid(counts);
         out.assign(std::begin(counts), std::end(counts));
       }},
      {"pisum", 1e-12, [](const Arguments&, Out& out) { out = {bench::pi_sum(500, 10000)}; }},
      {"randmatstat", 1e-9,
       [](const Arguments&, Out& out) {
         out.resize(2);
         bench::random_matrices_of_normals(seeded(42), 1000, out.data());
       }},
      {"matmul", 1e-12,
       [](const Arguments& a, Out& out) {
         out.resize(size_t{200} * 200);
         bench::matrix_product(elements<double>(a[0]), elements<double>(a[1]), out.data(), 200);
       }},
      {"lorenz_orbit", 1e-9,
       [](const Arguments&, Out& out) {
         const bench::LorenzPoint p = bench::lorenz_orbit(1000);
         out = {p.x, p.y, p.z};
       }},
      {"nbody", 1e-9,
       [](const Arguments& a, Out& out) {
         out = {bench::energy_after(reinterpret_cast<const bench::Body*>(julia::array_of(a[0]).data()), 100000)};
       }},
      {"spectral_norm", 1e-12, [](const Arguments&, Out& out) { out = {bench::spectral_norm(100)}; }},
      {"heat", 1e-12,
       [](const Arguments& a, Out& out) {
         const double* plate = elements<double>(a[0]);
         out.assign(plate, plate + size_t{128} * 128);
         std::vector<double> other = out;
         bench::heat(200, out.data(), other.data(), 128);
       }},
      {"life", 0,
       [](const Arguments& a, Out& out) {
         const auto* cells = elements<int64_t>(a[0]);
         std::vector<int64_t> now(cells, cells + size_t{64} * 64), next(now.size());
         bench::life(100, now.data(), next.data(), 64);
         out.assign(now.begin(), now.end());
       }},
      {"monte_carlo", 0, [](const Arguments&, Out& out) { out = {bench::monte_carlo_of_words(seeded(7), 1000000)}; }},
      {"kalman", 1e-9,
       [](const Arguments& a, Out& out) {
         out.resize(20);
         bench::kalman(elements<double>(a[0]), elements<double>(a[1]), elements<double>(a[2]), elements<double>(a[3]),
                       elements<double>(a[4]), out.data(), out.data() + 4, 1000);
       }},
      {"conjugate_gradient", 1e-8,
       [](const Arguments& a, Out& out) {
         out.resize(200);
         bench::conjugate_gradient(elements<double>(a[0]), elements<double>(a[1]), out.data(), 200);
       }},
      {"attitude", 1e-9,
       [](const Arguments& a, Out& out) {
         out.resize(12);
         bench::attitude(elements<double>(a[0]), elements<double>(a[1]), 0.01, 1000, out.data());
       }},
      {"track", 1e-9,
       [](const Arguments& a, Out& out) {
         out.resize(20);
         bench::track(elements<double>(a[0]), elements<double>(a[1]), elements<double>(a[2]), 0.1, 1000, out.data());
       }},
      {"circles", 1e-12,
       [](const Arguments& a, Out& out) {
         out.resize(400);
         bench::circles(elements<double>(a[0]), 200, out.data());
       }},
      {"meeting_points", 1e-12,
       [](const Arguments& a, Out& out) {
         out.resize(3);
         bench::meeting_points(elements<double>(a[0]), 200, out.data());
       }},
      {"spiral", 1e-12,
       [](const Arguments& a, Out& out) {
         out.resize(3);
         bench::spiral(elements<double>(a[0]), elements<double>(a[1]), 0.01, 1000, out.data());
       }},
      {"log_likelihood", 1e-12,
       [](const Arguments& a, Out& out) {
         out = {bench::log_likelihood(elements<double>(a[0]), elements<double>(a[1]), elements<double>(a[2]), 1000)};
       }},
      {"stiffness", 1e-9,
       [](const Arguments& a, Out& out) {
         out = {bench::stiffness(elements<double>(a[0]), elements<int64_t>(a[1]), 1000)};
       }},
  };
}

void append_numbers(const Value& v, std::vector<double>& out) {
  if (julia::number_kind(v)) {
    out.push_back(julia::convert_number(julia::NumberKind::kFloat64, v).get<double>());
  } else if (julia::is_array(v)) {
    const julia::ArrayObject& a = julia::array_of(v);
    for (int64_t i = 0; i < a.length; ++i) append_numbers(julia::get_element(a, i), out);
  } else {
    for (size_t i = 0; i < julia::field_count(v); ++i) append_numbers(julia::get_field(v, i), out);
  }
}

void compare(julia::Evaluator& evaluator, julia::JustInTime& compiler, const Program& p, const Value& f,
             const Arguments& arguments) {
  const Value result = evaluator.call(f, arguments);
  const size_t calls = compiler.counts().calls;
  evaluator.call(f, arguments);
  if (compiler.counts().calls == calls) {
    std::printf("julia %s: is not compiled\n", p.name);
    return;
  }
  std::vector<double> got, want;
  append_numbers(result, got);
  p.by_hand(arguments, want);
  double difference = got.size() == want.size() ? 0 : INFINITY, size = 0;
  for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
    difference = std::max(difference, std::fabs(got[i] - want[i]));
    size = std::max(size, std::fabs(want[i]));
  }
  if (!(difference <= p.tolerance * size))
    std::printf("julia %s: results differ by %g of %g\n", p.name, difference, size);
  const auto by_julia = [&] { evaluator.call(f, arguments); };
  const auto by_hand = [&] { p.by_hand(arguments, want); };
  const auto row_of = [](double seconds) { return static_cast<size_t>(std::max(1.0, kSecondsOfRow / seconds)); };
  const size_t row = row_of(seconds_of(3, by_hand));
  std::vector<double> ours, theirs;
  const double begin = processor_seconds();
  while (ours.size() < kLeastRounds || processor_seconds() - begin < 2 * kSecondsOfEach) {
    ours.push_back(seconds_of(row, by_julia));
    theirs.push_back(seconds_of(row, by_hand));
  }
  std::printf("julia %-20s ratio %6.3f   (medians %10.2f and %10.2f us, least %10.2f and %10.2f)\n", p.name,
              median(ours) / median(theirs), median(ours) * 1e6, median(theirs) * 1e6,
              *std::ranges::min_element(ours) * 1e6, *std::ranges::min_element(theirs) * 1e6);
}

int run(int argc, char** argv) {
  julia::Evaluator evaluator;
  julia::JustInTime compiler(evaluator, julia::CompileMode::kAuto);
  compiler.refused = [](const std::string& function, const std::string& why) {
    std::printf("not compiled: %s: %s\n", function.c_str(), why.c_str());
  };
  evaluator.run(read_file(argv[1]), argv[1], evaluator.main());
  const Value list = find_binding(evaluator.main(), "PROGRAMS")->value;
  const std::vector<Program> known = programs();
  const julia::ArrayObject& entries = julia::array_of(list);
  for (int64_t i = 0; i < entries.length; ++i) {
    const Value entry = julia::get_element(entries, i), given = julia::get_field(entry, 1);
    const std::string name = julia::print_text(julia::get_field(entry, 0));
    const Program& p = *std::ranges::find(known, name, &Program::name);
    if (argc > 2 && std::find(argv + 2, argv + argc, std::string_view(p.name)) == argv + argc) continue;
    Arguments arguments;
    for (size_t k = 0; k < julia::field_count(given); ++k) arguments.push_back(julia::get_field(given, k));
    compare(evaluator, compiler, p, julia::get_field(entry, 0), arguments);
  }
  return 0;
}

/// The C++ has one thread, so that ours is to have one as well.
void stay_on_one_processor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

int main(int argc, char** argv) {
  stay_on_one_processor();
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc < 2) {
    std::fprintf(stderr, "usage: julia_loops FILE.jl [NAME...]\n");
    return 2;
  }
  int code = 1;
  julia::on_large_stack([&] {
    try {
      code = run(argc, argv);
    } catch (const std::exception& e) { std::fprintf(stderr, "error: %s\n", e.what()); }
  });
  return code;
}
