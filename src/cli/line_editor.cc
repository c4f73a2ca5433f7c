#include "cli/line_editor.h"

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "julia/host/show.h"

namespace weft::cli {
namespace {

/// Keys one by one, without echo, while the object lives.
class RawTerminal {
 public:
  RawTerminal() {
    tcgetattr(STDIN_FILENO, &before_);
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG | IEXTEN);
    raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | IXON);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  ~RawTerminal() { tcsetattr(STDIN_FILENO, TCSADRAIN, &before_); }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  termios before_ = {};
};

int read_byte() {
  unsigned char c = 0;
  return read(STDIN_FILENO, &c, 1) == 1 ? c : -1;
}

void write_all(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = write(STDOUT_FILENO, text.data() + at, text.size() - at);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

enum Control : int {
  kA = 1,
  kB = 2,
  kC = 3,
  kD = 4,
  kE = 5,
  kF = 6,
  kH = 8,
  kK = 11,
  kL = 12,
  kN = 14,
  kP = 16,
  kU = 21,
  kW = 23,
  kEscape = 27,
  kDelete = 127
};
enum Key : int { kUp = 1000, kDown, kRight, kLeft, kHome, kEnd, kDeleteForward, kUnknown };

/// A byte, or the key of an escape sequence.
int read_key() {
  const int c = read_byte();
  if (c != kEscape) return c;
  const int second = read_byte();
  if (second != '[' && second != 'O') return kUnknown;
  int last = read_byte();
  int number = 0;
  while (last >= '0' && last <= '9') {
    number = number * 10 + (last - '0');
    last = read_byte();
  }
  switch (last) {
    case 'A': return kUp;
    case 'B': return kDown;
    case 'C': return kRight;
    case 'D': return kLeft;
    case 'H': return kHome;
    case 'F': return kEnd;
    case '~':
      return number == 1 || number == 7   ? kHome
             : number == 4 || number == 8 ? kEnd
             : number == 3                ? kDeleteForward
                                          : kUnknown;
    default: return kUnknown;
  }
}

}  // namespace

/// A line while it is written; `at` is a byte offset between characters.
struct LineEditor::Edit {
  std::string prompt, text;
  size_t at = 0;

  size_t before(size_t i) const {
    if (i == 0) return 0;
    do --i;
    while (i > 0 && is_continuation(text[i]));
    return i;
  }
  size_t behind(size_t i) const {
    if (i >= text.size()) return i;
    do ++i;
    while (i < text.size() && is_continuation(text[i]));
    return i;
  }
  void erase(size_t from, size_t to) {
    text.erase(from, to - from);
    at = from;
  }
  void insert(char c) { text.insert(text.begin() + static_cast<std::ptrdiff_t>(at++), c); }
  void replace(const std::string& with) {
    text = with;
    at = text.size();
  }
  /// Writes the line anew, with the cursor at its place. A line wider than the screen shows the part around the cursor.
  void draw() const {
    winsize size = {};
    const int columns = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    const int room = std::max(columns - julia::text_width(prompt) - 1, 8);
    size_t from = 0, to = text.size();
    while (julia::text_width(text.substr(from, at - from)) > room) from = behind(from);
    while (julia::text_width(text.substr(from, to - from)) > room) to = before(to);
    std::string out = "\r" + prompt + text.substr(from, to - from) + "\x1b[K\r";
    const int column = julia::text_width(prompt) + julia::text_width(text.substr(from, at - from));
    if (column > 0) out += "\x1b[" + std::to_string(column) + "C";
    write_all(out);
  }
};

LineEditor::LineEditor() : is_terminal_(isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {}

void LineEditor::remember(const std::string& text) {
  if (!text.empty() && (history_.empty() || history_.back() != text)) history_.push_back(text);
}

LineEditor::End LineEditor::read(const std::string& prompt, std::string& line) {
  line.clear();
  if (is_terminal_) return edit(prompt, line);
  return std::getline(std::cin, line) ? End::kLine : End::kEndOfInput;
}

LineEditor::End LineEditor::edit(const std::string& prompt, std::string& line) {
  const RawTerminal raw;
  Edit e{prompt, "", 0};
  size_t shown = history_.size();  // which of the history; its size: what is being written
  std::string written;
  const auto look = [&](size_t to) {
    if (shown == history_.size()) written = e.text;
    shown = to;
    e.replace(to == history_.size() ? written : history_[to]);
  };
  for (;;) {
    e.draw();
    const int key = read_key();
    switch (key) {
      case -1:
      case kD:
        if (key == kD && !e.text.empty()) {
          e.erase(e.at, e.behind(e.at));
          break;
        }
        write_all("\r\n");
        return End::kEndOfInput;
      case kC: write_all("^C\r\n"); return End::kInterrupted;
      case '\r':
      case '\n':
        e.at = e.text.size();
        e.draw();
        write_all("\r\n");
        line = e.text;
        return End::kLine;
      case kA:
      case kHome: e.at = 0; break;
      case kE:
      case kEnd: e.at = e.text.size(); break;
      case kB:
      case kLeft: e.at = e.before(e.at); break;
      case kF:
      case kRight: e.at = e.behind(e.at); break;
      case kH:
      case kDelete: e.erase(e.before(e.at), e.at); break;
      case kDeleteForward: e.erase(e.at, e.behind(e.at)); break;
      case kK: e.erase(e.at, e.text.size()); break;
      case kU: e.erase(0, e.at); break;
      case kW: {
        size_t from = e.at;
        while (from > 0 && e.text[from - 1] == ' ') --from;
        while (from > 0 && e.text[from - 1] != ' ') --from;
        e.erase(from, e.at);
        break;
      }
      case kL: write_all("\x1b[H\x1b[2J"); break;
      case kP:
      case kUp:
        if (shown > 0) look(shown - 1);
        break;
      case kN:
      case kDown:
        if (shown < history_.size()) look(shown + 1);
        break;
      case '\t':
        for (int i = 0; i < 4; ++i) e.insert(' ');
        break;
      default:
        if (key >= ' ' && key < kUp) e.insert(static_cast<char>(key));
    }
  }
}

}  // namespace weft::cli
