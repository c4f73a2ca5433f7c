#include "base/diagnostic.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

namespace weft {
namespace {

struct Files {
  std::mutex mutex;
  std::map<std::string, std::string, std::less<>> text_by_name;  // node-based: keys keep their address
};

Files& files() {
  static Files* f = new Files;
  return *f;
}

std::string line_of(const std::string& name, uint32_t line) {
  Files& f = files();
  std::lock_guard lock(f.mutex);
  const auto it = f.text_by_name.find(name);
  if (it == f.text_by_name.end()) return {};
  std::string_view rest = it->second;
  for (uint32_t i = 1; i < line; ++i) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  return std::string(rest.substr(0, rest.find('\n')));
}

}  // namespace

const std::string* intern_file(std::string_view name, std::string_view text) {
  Files& f = files();
  std::lock_guard lock(f.mutex);
  const auto it = f.text_by_name.try_emplace(std::string(name)).first;
  if (!text.empty()) it->second = text;
  return &it->first;
}

std::string render(std::string_view severity, std::string_view message, const Loc& loc) {
  std::string out;
  if (loc.known()) out += *loc.file + ":" + std::to_string(loc.line) + ":" + std::to_string(loc.column) + ": ";
  out += std::string(severity) + ": " + std::string(message) + "\n";
  if (!loc.known()) return out;
  std::string line = line_of(*loc.file, loc.line);
  if (line.empty()) return out;
  constexpr size_t kWindow = 160;  // a line that holds a megabyte of constants must not be printed whole
  size_t column = std::min<size_t>(loc.column ? loc.column - 1 : 0, line.size());
  // Never through a character of several bytes, of which there are at most three more: bytes that are no text may all look like those.
  const auto boundary = [&](size_t at) {
    for (int more = 3; more > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80; --more)
      ++at;
    return at;
  };
  if (column > kWindow / 2) {
    const size_t start = boundary(column - kWindow / 2);
    line = "..." + line.substr(start);
    column = column + 3 - start;
  }
  if (line.size() > kWindow) line = line.substr(0, boundary(kWindow)) + "...";
  std::string caret(column, ' ');
  for (size_t i = 0; i < column && i < line.size(); ++i) {
    if (line[i] == '\t') caret[i] = '\t';
  }
  caret += '^';
  if (loc.length > 1) caret.append(std::min<size_t>(loc.length, 80) - 1, '~');
  return out + "  " + line + "\n  " + caret + "\n";
}

std::string render(const Error& error) { return render("error", error.what(), error.loc()); }

}  // namespace weft
