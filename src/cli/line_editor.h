// Lines from a terminal, with keys to move, delete and look back; from anything else as they are.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

class LineEditor {
 public:
  enum class End { kLine, kEndOfInput, kInterrupted };

  LineEditor();
  /// The next line, without its end. Prompts and echoes only on a terminal.
  End read(const std::string& prompt, std::string& line);
  /// What the up and down keys find; several lines are given back one after another.
  void remember(const std::string& text);
  bool is_terminal() const { return is_terminal_; }

 private:
  struct Edit;
  End edit(const std::string& prompt, std::string& line);

  bool is_terminal_;
  std::vector<std::string> history_;
};

}  // namespace weft::cli
