#include "julia/infer/diagnose/diagnosis_text.h"

#include <algorithm>
#include <set>

#include "base/diagnostic.h"
#include "julia/syntax/diagnostics.h"
#include "julia/types/type_show.h"

namespace weft::julia {

const char* cause_text(Cause cause) {
  switch (cause) {
    case Cause::kGlobal: return "non-const global";
    case Cause::kCapture: return "reassigned capture";
    case Cause::kAbstractField: return "abstract field";
    case Cause::kContainer: return "untyped container";
    case Cause::kShape: return "data-dependent shape";
    case Cause::kDispatch: return "dynamic dispatch";
    case Cause::kWidening: return "two types";
    case Cause::kThrows: return "every call throws";
    case Cause::kOutOfScope: return "out of scope";
    case Cause::kUnsupported: break;
  }
  return "unsupported feature";
}

Loc location(const SourcePtr& source, NodeId node) {
  if (!source || node >= source->tree.size()) return {};
  const Node& n = source->tree[node];
  return LineIndex(source->text).loc(n.begin, n.end, intern_file(source->name, source->text));
}

std::string frame_name(const Place& p) {
  // Local functions are numbered: "#f#2"; those without a name, "#1".
  const std::string& name = p.function.text();
  if (!name.starts_with('#')) return name;
  const size_t end = name.find('#', 1);
  return end == std::string::npos ? "an anonymous function" : name.substr(1, end - 1);
}

std::string frame_text(const Place& p) {
  std::string out = frame_name(p);
  if (p.types.empty() || p.function.text().find('#') == 0) return out;
  out += "(";
  for (size_t i = 1; i < p.types.size(); ++i) out += (i > 1 ? ", " : "") + type_text(p.types[i]);
  return out + ")";
}

namespace {

std::string place_text(const Place& p) {
  const Loc loc = location(p.source, p.node);
  if (loc.file == nullptr) return "";
  return *loc.file + ":" + std::to_string(loc.line) + ":" + std::to_string(loc.column);
}

/// The program's own frames, and the library's between the place and the cause, the outermost of them first.
struct Frames {
  std::vector<const Place*> users, library;
  explicit Frames(const NotCompiled& e) {
    for (const Place& p : e.places) {
      if (!p.source || p.node == kNoNode) continue;
      if (!p.is_library) users.push_back(&p);
      else if (users.empty()) library.push_back(&p);
    }
    std::ranges::reverse(library);
  }
};

constexpr size_t kMostFrames = 8;

}  // namespace

std::string diagnosis_text(const NotCompiled& e) {
  const Frames frames(e);
  const std::string message = e.message + " [" + cause_text(e.cause) + "]";
  const Place* at = frames.users.empty() ? nullptr : frames.users.front();
  std::string out = render("not compiled", message, at == nullptr ? Loc{} : location(at->source, at->node));
  for (const Related& r : e.related) out += render("note", r.text, location(r.source, r.node));
  for (size_t i = 0; i < std::min(frames.users.size(), kMostFrames); ++i) {
    const Place& p = *frames.users[i];
    if (i == 0 && p.types.empty()) continue;
    out += i == 0 ? "  in " + frame_text(p) + "\n" : "  called at " + place_text(p) + " in " + frame_text(p) + "\n";
  }
  std::string through;
  for (size_t i = 0; i < std::min(frames.library.size(), kMostFrames); ++i)
    through += (i > 0 ? ", " : "") + frame_name(*frames.library[i]);
  if (!through.empty()) out += "  through " + through + "\n";
  if (!e.fix.empty()) out += "  fix: " + e.fix + "\n";
  return out;
}

std::string not_compiled_text(const NotCompiled& e) {
  const Frames frames(e);
  std::string out = e.message + " [" + cause_text(e.cause) + "]";
  const std::vector<const Place*>& shown = frames.users.empty() ? frames.library : frames.users;
  for (size_t i = 0; i < std::min(shown.size(), kMostFrames); ++i)
    out += "\n  in " + frame_name(*shown[i]) + " at " + place_text(*shown[i]);
  if (!e.fix.empty()) out += "\n  fix: " + e.fix;
  return out;
}

std::string explanation_text(const Checked::Explanation& e) {
  const SourcePtr& source = e.types.code->source;
  const LineIndex lines(source->text);
  const NodeId node = e.definition.node != kNoNode ? e.definition.node : e.types.code->forms[e.types.code->body].node;
  const uint32_t first = location(source, node).line;
  const Node& whole = source->tree[node];
  const uint32_t last = lines.loc(whole.end, whole.end, nullptr).line;
  // By place; an expression within another stands before it.
  std::vector<const Explained::Seen*> seen;
  // Of `s += x` only the variable is shown.
  std::set<NodeId> assigned;
  for (const auto& [form, s] : e.types.seen) {
    if (e.types.code->forms[form].kind == FormKind::kSetLocal) assigned.insert(s.node);
  }
  for (const auto& [form, s] : e.types.seen) {
    if (e.types.code->forms[form].kind != FormKind::kCall || !assigned.contains(s.node)) seen.push_back(&s);
  }
  std::ranges::stable_sort(seen, {}, [&](const Explained::Seen* s) {
    return std::pair(lines.loc(source->tree[s->node].begin, 0, nullptr).line, source->tree[s->node].end);
  });
  std::string out = e.types.signature;
  out += e.types.result == "throws" ? " always throws\n" : " gives " + e.types.result + "\n";
  const size_t width = std::to_string(last).size();
  const auto margin = [&](const std::string& number) {
    return std::string(width + 1 - number.size(), ' ') + number + " | ";
  };
  size_t next = 0;
  size_t begin = 0;
  for (uint32_t line = 1; line <= last; ++line) {
    const size_t end = std::min(source->text.find('\n', begin), source->text.size());
    const std::string text = source->text.substr(begin, end - begin);
    begin = end + 1;
    if (line < first) continue;
    out += margin(std::to_string(line)) + text + "\n";
    const std::string indent(text.find_first_not_of(" \t") == std::string::npos ? 0 : text.find_first_not_of(" \t"),
                             ' ');
    std::vector<std::string> said;
    for (; next < seen.size(); ++next) {
      const Loc loc = location(source, seen[next]->node);
      if (loc.line > line) break;
      std::string note = seen[next]->what + " :: " + seen[next]->type;
      if (loc.line == line && std::ranges::find(said, note) == said.end()) said.push_back(std::move(note));
    }
    for (const std::string& s : said) out += margin("") + indent + "  " + s + "\n";
  }
  return out;
}

}  // namespace weft::julia
