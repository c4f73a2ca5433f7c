#include "ops/control_flow/named_functions.h"

#include <cctype>

namespace weft {
namespace {

bool is_in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' || c == '-';
}

void add_names(const std::string& text, std::vector<std::string>& out) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    ++at;
    if (at < text.size() && text[at] == '"') {
      const size_t end = text.find('"', at + 1);
      if (end == std::string::npos) return;
      out.push_back(text.substr(at + 1, end - at - 1));
      at = end;
      continue;
    }
    size_t end = at;
    while (end < text.size() && is_in_name(text[end])) ++end;
    if (end != at) out.push_back(text.substr(at, end - at));
  }
}

void add_names(const Attr& attr, std::vector<std::string>& out) {
  if (const auto* text = attr.get_if<OpaqueAttr>()) add_names(text->text, out);
  if (const auto* list = attr.get_if<std::shared_ptr<const AttrList>>()) {
    for (const Attr& a : **list) add_names(a, out);
  }
  if (const auto* entries = attr.get_if<std::shared_ptr<const AttrEntries>>()) {
    for (const auto& [name, a] : **entries) add_names(a, out);
  }
}

}  // namespace

std::vector<std::string> named_functions(const Attr& attr) {
  std::vector<std::string> out;
  add_names(attr, out);
  return out;
}

}  // namespace weft
