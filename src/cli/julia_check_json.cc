#include "cli/julia_check_json.h"

#include "cli/tensor_text.h"
#include "julia/infer/diagnose/diagnosis_text.h"
#include "julia/types/type_show.h"

namespace weft::cli {
namespace {

using julia::NotCompiled;

/// Elements with commas between them, in brackets.
template <class Range, class Text>
std::string list(const Range& range, Text&& text) {
  std::string out;
  for (const auto& x : range) out += (out.empty() ? "" : ", ") + text(x);
  return "[" + out + "]";
}

std::string span(const std::string& file, std::string_view source, uint32_t begin, uint32_t end) {
  const julia::LineIndex lines(source);
  const Loc from = lines.loc(begin, begin, nullptr), to = lines.loc(end, end, nullptr);
  return "{\"file\": " + json_string(file) + ", \"begin\": " + std::to_string(begin) +
         ", \"end\": " + std::to_string(end) + ", \"line\": " + std::to_string(from.line) +
         ", \"column\": " + std::to_string(from.column) + ", \"end_line\": " + std::to_string(to.line) +
         ", \"end_column\": " + std::to_string(to.column) + "}";
}

std::string span(const julia::SourcePtr& source, julia::NodeId node) {
  if (!source || node >= source->tree.size()) return "null";
  return span(source->name, source->text, source->tree[node].begin, source->tree[node].end);
}

std::string of_syntax(const julia::Diagnostic& d, const std::string& source, const std::string& file) {
  return std::string("{\"severity\": ") + (d.level == julia::Diagnostic::kError ? "\"error\"" : "\"warning\"") +
         ", \"message\": " + json_string(d.message) + ", \"span\": " + span(file, source, d.begin, d.end) + "}";
}

std::string of_definition(const julia::FailedDefinition& f) {
  return "{\"severity\": \"error\", \"message\": " + json_string(f.message) +
         ", \"span\": " + span(f.place.source, f.place.node) + "}";
}

std::string of_cause(const NotCompiled& e) {
  const julia::Place* at = julia::user_place(e);
  std::string out = R"({"severity": "not compiled", "cause": )" + json_string(julia::cause_text(e.cause)) +
                    ", \"message\": " + json_string(e.message) +
                    ", \"fix\": " + (e.fix.empty() ? "null" : json_string(e.fix)) + ", \"span\": ";
  out += at == nullptr ? "null" : span(at->source, at->node);
  out += ", \"variable\": " + (e.variable.empty() ? "null" : json_string(e.variable));
  out += ", \"types\": " + list(e.types, [](const julia::Type* t) { return json_string(julia::type_text(t)); });
  out += ", \"related\": " + list(e.related, [](const julia::Related& r) {
           return "{\"message\": " + json_string(r.text) + ", \"span\": " + span(r.source, r.node) + "}";
         });
  out += ", \"chain\": " + list(e.places, [](const julia::Place& p) {
           return "{\"function\": " + json_string(julia::frame_name(p)) +
                  ", \"signature\": " + json_string(julia::frame_text(p)) +
                  ", \"library\": " + (p.is_library ? "true" : "false") + ", \"span\": " + span(p.source, p.node) + "}";
         });
  return out + "}";
}

std::string of_signature(const julia::CheckedSignature& s, size_t first_cause) {
  using S = julia::CheckedSignature;
  static constexpr const char* kStatus[] = {"compiled", "not compiled", "not checked"};
  static constexpr const char* kOrigin[] = {"entry", "call", "declared"};
  std::string out = "{\"function\": " + json_string(s.function) + ", \"signature\": " + json_string(s.signature) +
                    ", \"status\": \"" + kStatus[s.status] + "\"";
  if (s.status == S::kNotChecked) out += ", \"reason\": " + json_string(s.reason);
  else out += std::string(", \"origin\": \"") + kOrigin[s.origin] + "\"";
  out += std::string(", \"by_integers\": ") + (s.by_integers ? "true" : "false");
  out += ", \"diagnostics\": " + list(s.causes, [&](size_t i) { return std::to_string(first_cause + i); });
  return out + ", \"span\": " + span(s.definition.source, s.definition.node) + "}";
}

std::string of_explanation(const julia::Checked::Explanation& e) {
  const julia::SourcePtr& source = e.types.code->source;
  return "{\"signature\": " + json_string(e.types.signature) + ", \"result\": " + json_string(e.types.result) +
         ", \"types\": " +
         list(e.types.seen,
              [&](const auto& entry) {
                const julia::Explained::Seen& s = entry.second;
                return "{\"expression\": " + json_string(s.what) + ", \"type\": " + json_string(s.type) +
                       ", \"span\": " + span(source, s.node) + "}";
              }) +
         "}";
}

}  // namespace

std::string checked_json(const julia::Checked& checked, const std::vector<julia::Diagnostic>& diagnostics,
                         const std::string& source, const std::string& file) {
  std::vector<std::string> said;
  for (const julia::Diagnostic& d : diagnostics) said.push_back(of_syntax(d, source, file));
  for (const julia::FailedDefinition& f : checked.failed) said.push_back(of_definition(f));
  const size_t first_cause = said.size();
  for (const NotCompiled& e : checked.causes) said.push_back(of_cause(e));
  std::string out = "{\"file\": " + json_string(file);
  out += ", \"diagnostics\": " + list(said, [](const std::string& s) { return s; });
  out += ", \"signatures\": " +
         list(checked.signatures, [&](const julia::CheckedSignature& s) { return of_signature(s, first_cause); });
  if (!checked.explained.empty()) out += ", \"explained\": " + list(checked.explained, of_explanation);
  return out + "}";
}

}  // namespace weft::cli
