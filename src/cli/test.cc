// `weft test`: finds records, runs them, says what held.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/test_derived.h"
#include "cli/test_record.h"
#include "cli/test_workers.h"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// Python writes NaN, Infinity and -Infinity, which JSON has no word for: null.
std::string as_json(const std::string& line) {
  std::string out;
  bool in_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      if (c == '\\') out += line[i++];
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == 'N' || c == 'I' || (c == '-' && line.compare(i, 2, "-I") == 0)) {
      for (const std::string_view word : {"NaN", "Infinity", "-Infinity"}) {
        if (line.compare(i, word.size(), word) != 0) continue;
        out += "null";
        i += word.size() - 1;
        break;
      }
      continue;
    }
    if (i < line.size()) out += line[i];
  }
  return out;
}

void read_manifest(const fs::path& manifest, std::vector<Record>& out) {
  const std::string folder = manifest.parent_path().string() + "/";
  std::ifstream lines(manifest);
  if (!lines) throw UserError("cannot read " + manifest.string());
  std::string line;
  size_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (line.empty()) continue;
    Record r;
    try {
      r.facts = nlohmann::json::parse(as_json(line));
      r.id = r.facts.at("id");
      if (r.facts.contains("tensors")) {
        r.kind = Record::kExported;
        r.file = folder + r.facts.at("file").get<std::string>();
        r.op = r.facts.value("base", r.id);
      } else {
        r.kind = Record::kCase;
        r.file = folder + r.id + ".mlir";
        const auto& op = r.facts.contains("primary_op") ? r.facts.at("primary_op") : nlohmann::json();
        if (r.facts.value("kind", "").starts_with("interpret")) r.op = op.is_string() ? op.get<std::string>() : "none";
      }
    } catch (const nlohmann::json::exception& error) {
      throw UserError(manifest.string() + ":" + std::to_string(number) +
                      ": not a record of a manifest: " + error.what());
    }
    out.push_back(std::move(r));
  }
}

void collect(const fs::path& path, std::vector<Record>& out) {
  if (!fs::exists(path)) throw UserError("there is no file or folder " + path.string());
  if (fs::is_regular_file(path)) {
    if (path.extension() == ".jsonl") return read_manifest(path, out);
    out.push_back({Record::kProgram, path.string(), path.string(), {}, {}, {}});
    return;
  }
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(path)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  bool has_manifest = false;
  for (const fs::path& p : entries) {
    const std::string name = p.filename().string();
    if (!name.starts_with("manifest") || p.extension() != ".jsonl") continue;
    read_manifest(p, out);
    has_manifest = true;
  }
  // What lies under a manifest belongs to its records.
  if (has_manifest) return;
  for (const fs::path& p : entries) {
    if (fs::is_directory(p) || p.extension() == ".mlir") collect(p, out);
  }
}

struct Score {
  int passed = 0, strict = 0, failed = 0, skipped = 0;
  void add(const Outcome& o) {
    if (o.status == Outcome::kSkipped) {
      ++skipped;
    } else if (o.status == Outcome::kFailed) {
      ++failed;
    } else {
      ++passed;
      strict += o.strict;
    }
  }
  int ran() const { return passed + failed; }
};

/// What the refusals of one kind say, of the records that were not skipped.
struct Refusals {
  int records = 0, refused = 0, expect_op = 0, name_op = 0, expect_label = 0, have_label = 0;
  void add(const Outcome& o) {
    if (o.status == Outcome::kSkipped) return;
    ++records;
    refused += (o.notes & Outcome::kRefused) != 0;
    if ((o.notes & Outcome::kExpectsOp) != 0) {
      ++expect_op;
      name_op += (o.notes & Outcome::kNamesOp) != 0;
    }
    if ((o.notes & Outcome::kExpectsLabel) != 0) {
      ++expect_label;
      have_label += (o.notes & Outcome::kHasLabel) != 0;
    }
  }
};

/// Passed by the sound and by the strict score: of all records that ran an op, and as the mean of the ops' shares.
struct Scores {
  int ran = 0, sound = 0, strict = 0, ops = 0;
  double mean_sound = 0, mean_strict = 0;
};

Scores scores_of(const std::map<std::string, Score>& by_op) {
  Scores out;
  for (const auto& [op, s] : by_op) {
    if (s.ran() == 0) continue;
    out.ran += s.ran();
    out.sound += s.passed;
    out.strict += s.strict;
    out.mean_sound += static_cast<double>(s.passed) / s.ran();
    out.mean_strict += static_cast<double>(s.strict) / s.ran();
    ++out.ops;
  }
  if (out.ops > 0) {
    out.mean_sound /= out.ops;
    out.mean_strict /= out.ops;
  }
  return out;
}

std::string percent(double share) {
  std::array<char, 16> text{};
  // Cut, not rounded: 100 % means all.
  std::snprintf(text.data(), text.size(), "%.2f %%", std::floor(share * 1e4 + 1e-9) / 100);
  return text.data();
}

/// Columns as wide as their widest cell; the first to the left, the others to the right.
void print_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string space(widths[i] - row[i].size(), ' ');
      line += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << "\n";
  }
}

/// A reason without what differs from record to record.
std::string cause(std::string reason) {
  if (const size_t colon = reason.find(": got "); colon != std::string::npos) reason.resize(colon);
  return reason.substr(0, 120);
}

nlohmann::json to_json(const Score& s) {
  return {{"passed", s.passed}, {"strict", s.strict}, {"failed", s.failed}, {"skipped", s.skipped}};
}

}  // namespace

int test(const TestOptions& options) {
  if (options.list_modes) {
    for (const std::string& mode : modes_of(options.target)) std::cout << mode << "\n";
    return 0;
  }
  const Target& target = get_target(options.target);
  const Mode mode = mode_of(options.mode);
  std::vector<Record> records;
  for (const std::string& path : options.paths) collect(path, records);
  if (options.derive) keep_derived(records);
  if (!options.filter.empty())
    std::erase_if(records, [&](const Record& r) { return r.id.find(options.filter) == std::string::npos; });

  Score total;
  std::map<std::string, Score> by_kind, by_op;
  std::map<std::string, Refusals> refusals;
  int read = 0, fixed_points = 0;
  std::map<std::string, int> skip_reasons;
  run_in_workers(
      records.size(), options.jobs, options.seconds, [&](size_t i) { return run_record(records[i], target, mode); },
      [&](size_t i, const Outcome& outcome) {
        const Record& r = records[i];
        Outcome o = outcome;
        if (options.strict && o.status == Outcome::kPassed && !o.strict)
          o = {Outcome::kFailed, "holds by the sound score only", false};
        total.add(o);
        if (r.kind != Record::kProgram) {
          const std::string kind = r.kind == Record::kDerived ? std::string(derivation_of(r))
                                   : r.kind == Record::kExported
                                       ? "exported"
                                       : r.facts.value("suite", "") + "/" + r.facts.value("kind", "");
          by_kind[kind].add(o);
          read += (o.notes & Outcome::kReads) != 0;
          fixed_points += (o.notes & Outcome::kFixedPoint) != 0;
          if (kind.ends_with("/verify-error")) refusals[kind].add(o);
          if (!r.op.empty()) by_op[r.op].add(o);
        }
        if ((o.notes & Outcome::kByDifferences) != 0) std::cout << "note " << r.id << ": " << o.reason << "\n";
        if (o.status == Outcome::kSkipped) ++skip_reasons[cause(o.reason)];
        if (o.status == Outcome::kFailed) {
          // A reason that knows its line goes on from the name: "name:3: …".
          std::cout << "FAIL " << r.id << (o.reason.starts_with(":") ? "" : ": ") << o.reason << "\n";
        } else if (options.verbose) {
          std::cout << (o.status == Outcome::kPassed ? "ok   " : "skip ") << r.id << (o.reason.empty() ? "" : ": ")
                    << o.reason << "\n";
        }
        std::cout.flush();
      });

  if (!skip_reasons.empty()) {
    std::vector<std::pair<int, std::string>> sorted;
    for (const auto& [reason, n] : skip_reasons) sorted.emplace_back(-n, reason);
    std::sort(sorted.begin(), sorted.end());
    std::cout << "skipped because\n";
    for (const auto& [n, reason] : sorted) std::cout << "  " << -n << "  " << reason << "\n";
  }
  if (!by_kind.empty()) {
    std::vector<std::vector<std::string>> rows = {{"records", "passed", "strictly", "failed", "skipped"}};
    for (const auto& [kind, s] : by_kind) {
      rows.push_back({kind, std::to_string(s.passed), std::to_string(s.strict), std::to_string(s.failed),
                      std::to_string(s.skipped)});
    }
    print_table(rows);
  }
  const Scores scores = scores_of(by_op);
  if (scores.ops > 0) {
    print_table({{"score", "sound", "strict"},
                 {"of " + std::to_string(scores.ran) + " records that ran",
                  percent(static_cast<double>(scores.sound) / scores.ran),
                  percent(static_cast<double>(scores.strict) / scores.ran)},
                 {"mean over " + std::to_string(scores.ops) + " ops", percent(scores.mean_sound),
                  percent(scores.mean_strict)}});
  }
  if (read > 0) {
    std::cout << "printed and read again: " << fixed_points << " of " << read
              << " programs are a fixed point in both forms, constants to the bit\n";
  }
  if (!refusals.empty()) {
    std::vector<std::vector<std::string>> rows = {{"errors expected", "refused", "op named", "label right"}};
    const auto of = [](int part, int all) { return std::to_string(part) + " of " + std::to_string(all); };
    for (const auto& [kind, r] : refusals)
      rows.push_back({kind, of(r.refused, r.records), of(r.name_op, r.expect_op), of(r.have_label, r.expect_label)});
    print_table(rows);
    if (refusals.contains("chlo/verify-error") || refusals.contains("transforms/verify-error"))
      std::cout << "(suites chlo and transforms: errors of passes; their programs only have to read)\n";
  }
  if (!options.json.empty()) {
    nlohmann::json out{{"total", to_json(total)}, {"read", read}, {"fixed_points", fixed_points}};
    for (const auto& [op, s] : by_op) out["ops"][op] = to_json(s);
    for (const auto& [kind, s] : by_kind) out["kinds"][kind] = to_json(s);
    if (scores.ops > 0) {
      out["scores"] = {{"records", scores.ran}, {"sound", scores.sound},           {"strict", scores.strict},
                       {"ops", scores.ops},     {"mean_sound", scores.mean_sound}, {"mean_strict", scores.mean_strict}};
    }
    for (const auto& [kind, r] : refusals) {
      out["refusals"][kind] = {{"records", r.records}, {"refused", r.refused},           {"expect_op", r.expect_op},
                               {"name_op", r.name_op}, {"expect_label", r.expect_label}, {"have_label", r.have_label}};
    }
    write_file(options.json, out.dump(1) + "\n");
  }
  std::cout << total.passed << " passed, " << total.failed << " failed, " << total.skipped << " skipped\n";
  return total.failed == 0 ? 0 : 1;
}

}  // namespace weft::cli
