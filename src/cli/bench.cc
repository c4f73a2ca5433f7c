// `weft bench`: how long a program takes, step by step, beside what the machine can do.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/io/inputs_for.h"
#include "cli/measurement.h"
#include "cli/refine.h"
#include "cli/source.h"
#include "native/machine_limits.h"
#include "native/runtime/parallel.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string printed(const char* format, auto... values) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, values...);
  return buffer;
}

std::string time_text(double seconds) {
  if (seconds < 1e-6) return printed("%.1f ns", seconds * 1e9);
  if (seconds < 1e-3) return printed("%.2f us", seconds * 1e6);
  if (seconds < 1) return printed("%.3f ms", seconds * 1e3);
  return printed("%.3f s", seconds);
}

constexpr size_t kLabelOps = 4;

uint32_t first_line(const StepAccount& s) {
  const std::set<uint32_t> all = lines(s);
  return all.empty() ? 0 : *all.begin();
}

double rate(double amount, const StepTime& t) {
  return t.seconds <= 0 ? 0 : amount * static_cast<double>(t.runs) / t.seconds * 1e-9;
}

void print_steps(const Measurement& m, const MachineLimits& limits) {
  std::cout << printed("%10s %6s %7s %9s %8s %6s  %s\n", "time", "share", "runs", "GFLOP/s", "GB/s", "line", "step");
  double total = 0;
  for (const StepTime& t : m.steps) total += t.seconds;
  for (const StepTime& t : m.steps) {
    const StepAccount& s = m.account.steps[static_cast<size_t>(t.step)];
    const double gflops = rate(s.flops, t), gbs = rate(s.bytes, t);
    std::string bound;
    const double compute = gflops / std::max(limits.f32_gflops, 1e-9), memory = gbs / std::max(limits.read_gbs, 1e-9);
    // What fits the caches is not bound by the memory.
    constexpr double kBeyondCaches = 64e6;
    if (compute >= 0.01 && (compute > memory || s.bytes < kBeyondCaches)) {
      bound = printed("  (%.0f %% of the f32 limit)", compute * 100);
    } else if (memory >= 0.01 && s.bytes >= kBeyondCaches) {
      bound = printed("  (%.0f %% of the memory's)", memory * 100);
    }
    const uint32_t line = first_line(s);
    std::cout << printed("%10s %5.1f%% %7lld %9.2f %8.2f %6s  ", time_text(t.seconds).c_str(),
                         total > 0 ? 100 * t.seconds / total : 0.0, static_cast<long long>(t.runs), gflops, gbs,
                         line == 0 ? "" : std::to_string(line).c_str())
              << label(s, kLabelOps) << bound << "\n";
  }
}

/// Chrome's and Perfetto's trace format: one complete event a step.
void write_trace(const std::string& path, const Measurement& m) {
  Json events = Json::array();
  const int64_t origin = m.events.empty() ? 0 : std::ranges::min_element(m.events, {}, &StepEvent::begin_ns)->begin_ns;
  for (const StepEvent& e : m.events) {
    const StepAccount& s = m.account.steps[static_cast<size_t>(e.step)];
    Json args = {{"step", e.step}, {"symbol", s.name}, {"flops", s.flops}, {"bytes", s.bytes}, {"note", s.notes}};
    if (const uint32_t line = first_line(s)) args["line"] = line;
    events.push_back({{"name", label(s, kLabelOps)},
                      {"cat", s.kind},
                      {"ph", "X"},
                      {"ts", static_cast<double>(e.begin_ns - origin) * 1e-3},
                      {"dur", static_cast<double>(e.end_ns - e.begin_ns) * 1e-3},
                      {"pid", 1},
                      {"tid", 1},
                      {"args", args}});
  }
  write_file(path, Json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump(1) + "\n");
}

Json as_json(const Measurement& m) {
  Json steps = Json::array();
  for (const StepTime& t : m.steps) {
    const StepAccount& s = m.account.steps[static_cast<size_t>(t.step)];
    Json one = {{"step", t.step},          {"kind", s.kind},   {"symbol", s.name},     {"seconds", t.seconds},
                {"runs", t.runs},          {"flops", s.flops}, {"bytes", s.bytes},     {"gflops", rate(s.flops, t)},
                {"gbs", rate(s.bytes, t)}, {"note", s.notes},  {"line", first_line(s)}};
    for (const OpAccount& op : s.ops) one["ops"].push_back(op.name);
    steps.push_back(std::move(one));
  }
  return {{"median_s", m.median()},
          {"best_s", m.best()},
          {"calls", m.seconds.size()},
          {"compile_s", m.compile_seconds},
          {"other_cores", m.other_cores},
          {"bytes_moved", m.bytes_moved()},
          {"temporaries", m.temporaries()},
          {"arena_bytes", m.account.memory.arena},
          {"scratch_bytes", m.account.memory.scratch},
          {"peak_bytes", m.account.memory.total()},
          {"explanation", m.explanation},
          {"steps", steps}};
}

void print_summary(const char* label, const Measurement& m) {
  std::cout << label << "median " << time_text(m.median()) << ", best " << time_text(m.best()) << " of "
            << m.seconds.size() << " timings; compiled in " << time_text(m.compile_seconds) << "\n";
}

void print_memory(const char* label, const Measurement& m) {
  std::cout << label << memory_text(static_cast<size_t>(m.bytes_moved())) << " moved a call, " << m.temporaries()
            << " temporaries in " << memory_text(m.account.memory.arena) << "\n";
}

}  // namespace

int bench(const BenchOptions& options) {
  const std::shared_ptr<Module> module = load(options.file);
  const std::string entry = entry_of(*module, options.entry);
  const std::vector<Tensor> args = inputs_for(module->get(entry), options.inputs, 1);
  refine_to(*module, entry, args);
  const Target& target = get_target(options.target);
  CompileOptions compile;
  compile.print = [](const std::string&) {};
  compile.contract = options.fp == "contract";
  const Measurement m = measure(target, module, entry, args, compile, options.seconds, true);
  Measurement unfused;
  if (options.no_fuse) {
    CompileOptions plain = compile;
    plain.disabled = {"fuse"};
    unfused = measure(target, module, entry, args, plain, options.seconds, true);
  }
  const MachineLimits limits = measure_limits(rt::thread_count());
  if (!options.profile.empty()) write_trace(options.profile, m);
  if (options.json) {
    Json out = as_json(m);
    out["machine"] = {{"threads", limits.threads},
                      {"f32_gflops", limits.f32_gflops},
                      {"f64_gflops", limits.f64_gflops},
                      {"read_gbs", limits.read_gbs},
                      {"copy_gbs", limits.copy_gbs}};
    if (options.no_fuse) out["no_fuse"] = as_json(unfused);
    std::cout << out.dump(1) << "\n";
    return 0;
  }
  print_summary("", m);
  if (m.other_cores > 0.3)
    std::cout << printed("other processes kept %.1f cores busy meanwhile: times are too long\n", m.other_cores);
  if (!m.steps.empty()) {
    print_steps(m, limits);
    print_memory("", m);
  }
  std::cout << m.explanation;
  if (options.no_fuse) {
    print_summary("without fusion: ", unfused);
    print_memory("without fusion: ", unfused);
  }
  std::cout << printed("this machine, %d threads: %.0f GFLOP/s f32, %.0f f64; reads %.1f GB/s, copies %.1f GB/s\n",
                       limits.threads, limits.f32_gflops, limits.f64_gflops, limits.read_gbs, limits.copy_gbs);
  return 0;
}

}  // namespace weft::cli
