#include "cli/explain_page.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>

#include "base/memory.h"

namespace weft::cli {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string short_name(const std::string& mnemonic) { return mnemonic.substr(mnemonic.find('.') + 1); }

constexpr const char* kStyle = R"(
body { font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 1em; color: #1d2733; }
h1 { font-size: 1.4em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .2em .6em; border-bottom: 1px solid #dde3ea; }
td.number { text-align: right; white-space: nowrap; }
pre { background: #f6f8fa; padding: .6em; overflow: auto; max-height: 34em; } pre span { display: block; }
pre span.on { background: #ffe9a8; }
tr.on td { background: #fff6d8; }
.kernel { fill: #cfe3ff; } .library { fill: #c9f0d3; } .while, .case, .lane_while { fill: #ffd9b8; } .host { fill: #ffc4c4; }
.sort, .fft { fill: #e3d3ff; } .other { fill: #e8ecf1; }
svg { max-width: 100%; } svg text { font: 11px system-ui, sans-serif; } svg rect { stroke: #7b8794; stroke-width: .5; }
svg path { fill: none; stroke: #9aa7b5; } svg .live { stroke: #c2410c; stroke-width: 1.5; }
code { font-size: .95em; } .note { color: #52606d; }
)";

constexpr const char* kScript = R"(
function show(step) {
  document.querySelectorAll('.on').forEach(e => e.classList.remove('on'));
  const row = document.getElementById('step' + step);
  if (!row) return;
  row.classList.add('on');
  const lines = (row.dataset.lines || '').split(' ').filter(l => l);
  lines.forEach(l => { const e = document.getElementById('line' + l); if (e) e.classList.add('on'); });
  if (lines.length) document.getElementById('line' + lines[0])?.scrollIntoView({block: 'nearest'});
}
if (location.hash.startsWith('#step')) show(location.hash.slice(5));
document.querySelectorAll('[data-step]').forEach(e => e.addEventListener('click', () => show(e.dataset.step)));
)";

class Page {
 public:
  Page(const ProgramAccount& account, const std::string& source) : account_(account), source_(source) {
    for (size_t i = 0; i < account.steps.size(); ++i) {
      if (account.steps[i].kind != "scalar") shown_.push_back(static_cast<int>(i));
    }
  }

  std::string run(const std::string& file, const std::string& entry) {
    out_ << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" << escaped(file)
         << "</title><style>" << kStyle << "</style></head><body>\n<h1>@" << escaped(entry) << " of " << escaped(file)
         << "</h1>\n";
    totals();
    graph();
    steps();
    memory();
    copies();
    listing();
    out_ << "<script>" << kScript << "</script></body></html>\n";
    return out_.str();
  }

 private:
  const StepAccount& step(int i) const { return account_.steps[static_cast<size_t>(i)]; }

  static std::string css_class(const std::string& kind) {
    static const std::set<std::string> kKnown = {"kernel",     "library", "while", "case",
                                                 "lane_while", "host",    "sort",  "fft"};
    return kKnown.contains(kind) ? kind : "other";
  }

  void totals() {
    std::map<std::string, int> kinds;
    for (int i : shown_) ++kinds[step(i).kind];
    out_ << "<p>";
    bool first = true;
    for (const auto& [kind, count] : kinds) {
      out_ << (first ? "" : ", ") << count << " " << kind;
      first = false;
    }
    out_ << "; " << account_.kernels
         << " different kernels.</p>\n<p>Memory of a call: " << memory_text(account_.memory.total()) << " (arena "
         << memory_text(account_.memory.arena) << ", scratch " << memory_text(account_.memory.scratch) << ", arguments "
         << memory_text(account_.memory.arguments) << ", results " << memory_text(account_.memory.results)
         << ", constants " << memory_text(account_.memory.constants) << ").</p>\n";
  }

  /// Steps from top to bottom; an arc leads from where a buffer is written to each later step that reads it.
  void graph() {
    constexpr int kRow = 22, kLeft = 190;
    std::map<int, int> row;
    for (size_t k = 0; k < shown_.size(); ++k) row[shown_[k]] = static_cast<int>(k);
    const int height = static_cast<int>(shown_.size()) * kRow + 10;
    out_ << "<h2>Program graph</h2>\n<svg id=\"graph\" width=\"1000\" height=\"" << height << "\" viewBox=\"0 0 1000 "
         << height << "\">\n";
    std::map<int, int> writer;  // buffer → the last step that wrote it
    for (int i : shown_) {
      std::set<int> from;
      for (int b : step(i).reads) {
        if (const auto w = writer.find(b); w != writer.end() && w->second != i) from.insert(w->second);
      }
      for (int w : from) {
        const int y0 = row[w] * kRow + kRow - 6, y1 = row[i] * kRow + 8;
        const int x = kLeft - 8 - std::min(170, 6 * (row[i] - row[w]));
        out_ << "<path d=\"M" << kLeft << " " << y0 << " C" << x << " " << y0 << " " << x << " " << y1 << " " << kLeft
             << " " << y1 << "\"/>\n";
      }
      for (int b : step(i).writes) writer[b] = i;
    }
    for (int i : shown_) {
      const int x = kLeft + 24 * depth(account_, step(i)), y = row[i] * kRow + 2;
      out_ << "<g data-step=\"" << i << "\"><rect class=\"" << css_class(step(i).kind) << "\" x=\"" << x << "\" y=\""
           << y << "\" width=\"" << 800 - 24 * std::min(depth(account_, step(i)), 20) << "\" height=\"" << kRow - 4
           << "\" rx=\"3\"/><text x=\"" << x + 6 << "\" y=\"" << y + 13 << "\">" << i << "  "
           << escaped(label(step(i), 5));
      if (!step(i).outputs.empty()) out_ << " → " << escaped(step(i).outputs[0]);
      out_ << "</text></g>\n";
    }
    out_ << "</svg>\n";
  }

  void steps() {
    out_
        << "<h2>Steps</h2>\n<p class=\"note\">A click marks the source lines. GFLOP and bytes are those of one "
           "run.</p>\n"
           "<table><tr><th>step</th><th>kind</th><th>ops</th><th>lines</th><th>result</th><th>GFLOP</th><th>memory</th>"
           "<th>implementation, and why not others</th></tr>\n";
    for (int i : shown_) {
      const StepAccount& s = step(i);
      const std::set<uint32_t> marked = lines(step(i));
      std::string numbers;
      for (uint32_t l : marked) numbers += (numbers.empty() ? "" : " ") + std::to_string(l);
      out_ << "<tr id=\"step" << i << "\" data-step=\"" << i << "\" data-lines=\"" << numbers
           << "\"><td class=\"number\">" << i << "</td><td>"
           << std::string(static_cast<size_t>(2 * depth(account_, step(i))), ' ') << escaped(s.kind) << "</td><td>";
      std::map<std::string, int> count;
      for (const OpAccount& op : s.ops) ++count[short_name(op.name)];
      bool first = true;
      for (const auto& [name, n] : count) {
        out_ << (first ? "" : ", ") << escaped(name);
        if (n > 1) out_ << " ×" << n;
        first = false;
      }
      out_ << "</td><td>";
      if (marked.size() > 2) out_ << *marked.begin() << "–" << *marked.rbegin();
      else out_ << numbers;
      out_ << "</td><td>";
      for (size_t k = 0; k < s.outputs.size(); ++k)
        out_ << (k ? "<br>" : "") << "<code>" << escaped(s.outputs[k]) << "</code>";
      char flops[32];
      std::snprintf(flops, sizeof flops, "%.3g", s.flops * 1e-9);
      out_ << "</td><td class=\"number\">" << flops << "</td><td class=\"number\">"
           << memory_text(static_cast<size_t>(s.bytes)) << "</td><td>";
      if (!s.name.empty()) out_ << "<code>" << escaped(s.name) << "</code> ";
      out_ << escaped(s.notes) << "</td></tr>\n";
    }
    out_ << "</table>\n";
  }

  /// The arena's buffers as rectangles over steps and offsets, and the bytes that are live.
  void memory() {
    constexpr double kWidth = 900, kHeight = 300, kLeft = 80;
    out_ << "<h2>Memory over time</h2>\n";
    const double steps = std::max<double>(1, static_cast<double>(account_.steps.size()));
    const double bytes = static_cast<double>(account_.memory.arena);
    if (bytes == 0) {
      out_ << "<p>No value lies in the arena.</p>\n";
      return;
    }
    out_ << "<svg id=\"memory\" width=\"1000\" height=\"350\" viewBox=\"0 0 1000 350\"><text x=\"0\" y=\"12\">"
         << memory_text(account_.memory.arena) << "</text><text x=\"0\" y=\"" << kHeight << "\">0</text><text x=\""
         << kLeft << "\" y=\"" << kHeight + 24
         << "\">steps from first to last; each box is a buffer of the arena, the line the live bytes</text>\n";
    std::vector<double> live(account_.steps.size() + 1, 0);
    const auto x = [&](double s) { return kLeft + kWidth * s / steps; };
    const auto y = [&](double b) { return kHeight * (1 - b / bytes); };
    for (size_t i = 0; i < account_.buffers.size(); ++i) {
      const BufferAccount& b = account_.buffers[i];
      if (b.home != "arena" || b.bytes == 0) continue;
      const int last = std::max(b.last_step, b.first_step);
      for (int s = b.first_step; s <= last; ++s) live[static_cast<size_t>(s)] += static_cast<double>(b.bytes);
      const double top = y(static_cast<double>(b.offset + b.bytes));
      out_ << "<rect class=\"kernel\" x=\"" << x(b.first_step) << "\" y=\"" << top << "\" width=\""
           << std::max(1.0, x(last + 1) - x(b.first_step)) << "\" height=\""
           << std::max(0.5, kHeight * static_cast<double>(b.bytes) / bytes) << "\"><title>buffer " << i << ": "
           << memory_text(b.bytes) << " at " << b.offset << ", steps " << b.first_step << " to " << last << ", "
           << b.values << " values</title></rect>\n";
    }
    out_ << "<path class=\"live\" d=\"";
    for (size_t s = 0; s < account_.steps.size(); ++s) {
      out_ << (s ? " L" : "M") << x(static_cast<double>(s)) << " " << y(live[s]) << " L"
           << x(static_cast<double>(s + 1)) << " " << y(live[s]);
    }
    out_ << "\"/></svg>\n";
  }

  void copies() {
    out_ << "<h2>Copies</h2>\n";
    if (account_.copies.empty()) {
      out_ << "<p>None: every update is made in place.</p>\n";
      return;
    }
    out_ << "<ul>\n";
    for (const std::string& copy : account_.copies) out_ << "<li>" << escaped(copy) << "</li>\n";
    out_ << "</ul>\n";
  }

  void listing() {
    out_ << "<h2>Source</h2>\n<pre>";
    std::istringstream lines(source_);
    size_t number = 0;
    constexpr size_t kLongest = 240;  // a constant may fill megabytes
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const bool cut = line.size() > kLongest;
      out_ << "<span id=\"line" << number << "\">" << number << "  "
           << escaped(std::string_view(line).substr(0, kLongest)) << (cut ? " …" : "") << "</span>";
    }
    out_ << "</pre>\n";
  }

  const ProgramAccount& account_;
  const std::string& source_;
  std::vector<int> shown_;
  std::ostringstream out_;
};

}  // namespace

std::string explain_page(const ProgramAccount& account, const std::string& source, const std::string& file,
                         const std::string& entry) {
  return Page(account, source).run(file, entry);
}

}  // namespace weft::cli
