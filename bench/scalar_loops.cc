// The programs of bench/loops, scalar loops as a static compiler emits them, against the same loops in C++
// (bench/kernels/scalar_loops.h) in one run, on one thread. One line each: `loop NAME ratio R`, our median time over theirs.
// usage: scalar_loops FOLDER [NAME…]     (none: all)
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "bench/kernels/scalar_loops.h"
#include "bench/median.h"
#include "ir/target.h"
#include "text/parse.h"
#include "weft/error.h"

namespace {

using namespace weft;

constexpr double kSecondsOfEach = 0.4;
constexpr size_t kLeastRounds = 7;

/// Of this thread: other processes of the machine do not count.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <class F>
double seconds_of(F&& f) {
  const double start = processor_seconds();
  f();
  return processor_seconds() - start;
}

/// Results as doubles, in the order of the program's.
using ByHand = std::function<void(double* want)>;

struct Loop {
  const char* name;
  std::vector<Tensor> args;
  ByHand hand;
  double tolerance = 1e-9;  // relative to the largest
};

std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  for (int64_t i = 0; i < t.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    out.push_back(t.element_type() == ElementType::kI64 ? static_cast<double>(t.data<int64_t>()[at])
                                                        : t.data<double>()[at]);
  }
  return out;
}

void compare(const std::string& folder, const Loop& loop) {
  const std::shared_ptr<const Module> module =
      parse_module(read_file(folder + "/" + loop.name + ".mlir"), std::string(loop.name) + ".mlir");
  CompileOptions options;
  options.partitions = 1;
  const auto program = get_target("native").compile(module, "main", options);
  std::vector<Tensor> results;
  for (const Type& t : program->result_types())
    results.emplace_back(t.element_type(), Shape(t.shape().begin(), t.shape().end()));
  std::vector<const void*> arg_places;
  std::vector<void*> result_places;
  for (const Tensor& t : loop.args) arg_places.push_back(t.raw());
  for (Tensor& t : results) result_places.push_back(t.raw());
  const auto call = program->bind(arg_places, result_places);
  call->run();
  std::vector<double> got;
  for (const Tensor& t : results) {
    const std::vector<double> part = numbers(t);
    got.insert(got.end(), part.begin(), part.end());
  }
  std::vector<double> want(got.size());
  loop.hand(want.data());
  double difference = 0, size = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    difference = std::max(difference, std::fabs(got[i] - want[i]));
    size = std::max(size, std::fabs(want[i]));
  }
  if (!(difference <= loop.tolerance * size))
    std::printf("loop %s: results differ by %g of %g\n", loop.name, difference, size);
  std::vector<double> ours, theirs;
  const double begin = processor_seconds();
  while (ours.size() < kLeastRounds || processor_seconds() - begin < 2 * kSecondsOfEach) {
    ours.push_back(seconds_of([&] { call->run(); }));
    theirs.push_back(seconds_of([&] { loop.hand(want.data()); }));
  }
  std::printf("loop %-20s ratio %6.3f   (medians %10.2f and %10.2f us, least %10.2f and %10.2f)\n", loop.name,
              median(ours) / median(theirs), median(ours) * 1e6, median(theirs) * 1e6,
              *std::ranges::min_element(ours) * 1e6, *std::ranges::min_element(theirs) * 1e6);
}

Tensor random_numbers(Shape shape, unsigned seed, double low, double high) {
  Tensor t = Tensor::zeros(ElementType::kF64, std::move(shape));
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(low, high);
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<double>()[i] = number(random);
  return t;
}

/// From 0 to most - 1.
Tensor random_counts(Shape shape, unsigned seed, int64_t most) {
  Tensor t = Tensor::zeros(ElementType::kI64, std::move(shape));
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> number(0, most - 1);
  for (int64_t i = 0; i < t.size(); ++i) t.mutable_data<int64_t>()[i] = number(random);
  return t;
}

Tensor count(int64_t n) { return Tensor::scalar_of<int64_t>(n); }
const double* of(const Tensor& t) { return t.data<double>().data(); }

Tensor of_numbers(Shape shape, const std::vector<double>& values) {
  Tensor t = Tensor::zeros(ElementType::kF64, std::move(shape));
  std::ranges::copy(values, t.mutable_data<double>());
  return t;
}

std::vector<Loop> simple_loops() {
  return {
      {"fib", {count(20)}, [](double* want) { want[0] = static_cast<double>(bench::fib(20)); }},
      {"mandelbrot",
       {},
       [](double* want) {
         int64_t counts[21 * 26];
         bench::mandelbrot_counts(counts, 21, 26);
         std::ranges::copy(counts, want);
       }},
      {"pisum", {count(500), count(10000)}, [](double* want) { want[0] = bench::pi_sum(500, 10000); }},
      {"random_matrices", {}, [](double* want) { bench::random_matrix_statistics(want, 1000); }},
      {"lorenz",
       {count(1000)},
       [](double* want) {
         want[0] = want[1] = want[2] = 1;
         bench::lorenz_f64(want, 1000);
       }},
      {"spectral_norm", {}, [](double* want) { want[0] = bench::spectral_norm(100); }},
      {"sieve", {}, [](double* want) { want[0] = static_cast<double>(bench::sieve(100000)); }},
      {"tak",
       {count(18), count(12), count(6)},
       [](double* want) { want[0] = static_cast<double>(bench::tak(18, 12, 6)); }},
      {"queens", {}, [](double* want) { want[0] = static_cast<double>(bench::queens(8)); }},
      {"collatz", {count(20000)}, [](double* want) { want[0] = static_cast<double>(bench::longest_collatz(20000)); }},
      {"monte_carlo", {count(1000000)}, [](double* want) { want[0] = bench::monte_carlo_pi(1000000); }}};
}

std::vector<Loop> loops_on_arrays() {
  std::vector<Loop> out;
  const Tensor line = random_numbers({5000}, 1, 0, 1);
  out.push_back({"quicksort", {line}, [=](double* want) {
                   std::copy_n(of(line), 5000, want);
                   bench::quicksort(want, 0, 4999);
                 }});
  const Tensor a = random_numbers({200, 200}, 2, -1, 1), b = random_numbers({200, 200}, 3, -1, 1);
  out.push_back({"matmul", {a, b}, [=](double* want) { bench::matrix_product(of(a), of(b), want, 200); }});
  // The sun and its large planets (astronomical units, years, solar masses times 4 pi²).
  const Tensor x = of_numbers(
      {5, 3}, {0, 0, 0, 4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 8.34336671824457987,
               4.12479856412430479, -0.403523417114321381, 12.8943695621391310, -15.1111514016986312,
               -0.223307578892655734, 15.3796971148509165, -25.9193146099879641, 0.179258772950371181});
  const Tensor v =
      of_numbers({5, 3}, {0, 0, 0, 0.606326392995832, 2.81198684491626, -0.0252183616598876, -1.01077434617879,
                          1.82566237123041, 0.00841576137658415, 1.08279100644154, 0.868713018169608,
                          -0.0108326374013636, 0.979090732243898, 0.594698998647676, -0.0347559555039479});
  const Tensor mass = of_numbers(
      {5}, {39.4784176043574, 0.0376936749096100, 0.0112863261319687, 0.00172372405705971, 0.00203368686992463});
  out.push_back({"nbody",
                 {count(100000), x, v, mass},
                 [=](double* want) {
                   std::copy_n(of(x), 15, want);
                   std::copy_n(of(v), 15, want + 15);
                   bench::nbody(100000, want, want + 15, of(mass));
                 },
                 1e-6});
  Tensor dominant = random_numbers({120, 120}, 9, 0, 1);
  for (int64_t i = 0; i < 120; ++i) dominant.mutable_data<double>()[121 * i] += 100;
  out.push_back({"lu", {dominant}, [=](double* want) {
                   std::copy_n(of(dominant), 120 * 120, want);
                   bench::lu(want, 120);
                 }});
  const Tensor distances = random_counts({100, 100}, 10, 1000);
  out.push_back({"shortest_paths", {distances}, [=, d = std::vector<int64_t>(100 * 100)](double* want) mutable {
                   std::ranges::copy(distances.data<int64_t>(), d.begin());
                   bench::shortest_paths(d.data(), 100);
                   std::ranges::copy(d, want);
                 }});
  const Tensor left = random_numbers({10000}, 11, -1, 1), sum = random_numbers({10000}, 12, -1, 1);
  out.push_back({"axpy", {count(10000), Tensor::scalar_of(0.5), left, sum}, [=](double* want) {
                   std::copy_n(of(sum), 10000, want);
                   bench::axpy(10000, 0.5, of(left), want);
                 }});
  const Tensor plate = random_numbers({128, 128}, 4, 0, 1);
  out.push_back({"heat", {count(200), plate}, [=, w = std::vector<double>(128 * 128)](double* want) mutable {
                   std::copy_n(of(plate), 128 * 128, want);
                   std::copy_n(of(plate), 128 * 128, w.data());
                   bench::heat(200, want, w.data(), 128);
                 }});
  const Tensor cells = random_counts({64, 64}, 5, 2);
  out.push_back({"life",
                 {count(100), cells},
                 [=, g = std::vector<int64_t>(64 * 64), w = std::vector<int64_t>(64 * 64)](double* want) mutable {
                   std::ranges::copy(cells.data<int64_t>(), g.begin());
                   bench::life(100, g.data(), w.data(), 64);
                   std::ranges::copy(g, want);
                 }});
  const Tensor z = random_numbers({1000, 2}, 6, -1, 1);
  const Tensor move = of_numbers({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0.1, 0, 1, 0, 0, 0.1, 0, 1});
  const Tensor noise = of_numbers({4, 4}, {0.01, 0, 0.001, 0, 0, 0.01, 0, 0.001, 0.001, 0, 0.02, 0, 0, 0.001, 0, 0.02});
  const Tensor seen = of_numbers({4, 2}, {1, 0, 0, 1, 0, 0, 0, 0}), error = of_numbers({2, 2}, {0.1, 0.01, 0.01, 0.2});
  out.push_back({"kalman", {z, move, noise, seen, error}, [=](double* want) {
                   bench::kalman(of(z), of(move), of(noise), of(seen), of(error), want, want + 4, 1000);
                 }});
  // Diagonally dominant and symmetric.
  Tensor system = random_numbers({200, 200}, 7, -1, 1);
  double* s = system.mutable_data<double>();
  for (size_t i = 0; i < 200; ++i) {
    for (size_t j = 0; j < i; ++j) s[i * 200 + j] = s[j * 200 + i];
    s[i * 200 + i] += 30;
  }
  const Tensor right = random_numbers({200}, 8, -1, 1);
  out.push_back({"conjugate_gradient", {system, right}, [=](double* want) {
                   want[200] = static_cast<double>(bench::conjugate_gradient(of(system), of(right), want, 200));
                 }});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (argc < 2) {
    std::fprintf(stderr, "usage: scalar_loops FOLDER [NAME...]\n");
    return 2;
  }
  try {
    for (const std::vector<Loop>& loops : {simple_loops(), loops_on_arrays()}) {
      for (const Loop& loop : loops) {
        if (argc < 3 || std::find(argv + 2, argv + argc, std::string_view(loop.name)) != argv + argc)
          compare(argv[1], loop);
      }
    }
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
