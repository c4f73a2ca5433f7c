// The three kinds of error that Weft throws, and the place of a program that an error points at.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace weft {

/// A place in a program: file name, 1-based line and column, and the length of the marked text on that line.
/// `file` is interned and lives forever; line 0 means "unknown".
struct Loc {
  const std::string* file = nullptr;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;
  bool known() const { return file != nullptr && line != 0; }
};

/// Base of all errors. `what()` is the message alone; `loc()` says where; base/diagnostic.h renders both with the source line and a caret.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Loc loc = {}) : std::runtime_error(message), loc_(loc) {}
  const Loc& loc() const { return loc_; }

 private:
  Loc loc_;
};

/// The user's program or input is wrong: names the operand, got, expected. Exit code 1.
class UserError : public Error {
 public:
  using Error::Error;
};

/// Weft does not do this: names the op or feature and the reason in its record. Exit code 3.
class Unsupported : public Error {
 public:
  using Error::Error;
};

/// A fault of Weft itself. Exit code 70.
class InternalError : public Error {
 public:
  using Error::Error;
};

}  // namespace weft
