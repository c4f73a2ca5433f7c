// Printing with the program's own methods, and the streams that is printed to.
#pragma once
#include <cstdio>

#include "julia/host/show.h"
#include "julia/intrinsics/text.h"

namespace weft::julia {

/// What stands behind an IO: bytes in memory, a file, or one of the process's streams.
struct Stream {
  enum class Kind : uint8_t { kBuffer, kFile, kOut, kError, kIn, kNull };
  Kind kind = Kind::kBuffer;
  std::string data;  // of buffers and of files that are read; what has been read of stdin
  size_t position = 0;
  bool can_read = true, can_write = true, is_append = false, is_open = true;
  bool is_changed = false;  // a file that is both read and written
  std::string path;
  std::FILE* file = nullptr;  // of files that are only written
  Stream() = default;
  ~Stream() { close(); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  void write(Evaluator& e, std::string_view text);
  /// Whether there is nothing more to read; waits for stdin.
  bool at_end();
  /// Reads what stdin still has, up to a line's end.
  bool fill_line();
  void flush();
  void close();
};

Value make_stream(std::unique_ptr<Stream> stream);
/// The stream behind an IO, through IOContexts; null: an IO of the program's own.
Stream* stream_of(const Value& io);
/// What an IOContext says, with the program's methods.
ShowContext context_of(Evaluator& e, const Value& io);

/// print, show and display with the program's methods of print and show (Evaluator::show_context).
std::string text_print(Evaluator& e, const Value& v);
std::string text_show(Evaluator& e, const Value& v);
std::string text_display(Evaluator& e, const Value& v);
/// showerror with the program's methods.
std::string text_error(Evaluator& e, const Value& exception);

}  // namespace weft::julia
