// Exit codes of the command, and what is said with them.
#pragma once
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>

#include "base/diagnostic.h"

namespace weft::cli {

enum ExitCode : int { kDone = 0, kUser = 1, kUsage = 2, kUnsupported = 3, kInternal = 70, kInterrupted = 130 };

/// The command was called wrongly: an unknown command, option or a missing one.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Verdict {
  ExitCode code;
  std::string message;  // for standard error
};

/// The verdict on an exception; `command_line` is what reproduces a fault of ours, quoted for a shell.
inline Verdict verdict_on(const std::exception_ptr& thrown, const std::string& command_line) {
  const auto fault = [&](const std::string& rendered) -> Verdict {
    return {kInternal, rendered + "This is a fault of Weft. Reproduce it with:\n  " + command_line + "\n"};
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const UsageError& error) {
    return {kUsage, std::string(error.what()) + "\n"};
  } catch (const UserError& error) { return {kUser, render(error)}; } catch (const Unsupported& error) {
    return {kUnsupported, render("unsupported", error.what(), error.loc())};
  } catch (const std::bad_alloc&) { return {kUser, "error: out of memory\n"}; } catch (const std::length_error&) {
    // A container asked for more elements than there are addresses.
    return {kUser, "error: out of memory\n"};
  } catch (const std::filesystem::filesystem_error& error) {
    return {kUser, "error: " + std::string(error.what()) + "\n"};
  } catch (const Error& error) {
    return fault(render("internal error", error.what(), error.loc()));
  } catch (const std::exception& error) { return fault("internal error: " + std::string(error.what()) + "\n"); }
}

/// A word as a POSIX shell reads it back.
inline std::string shell_quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  };
  bool plain = !word.empty();
  for (const char c : word) plain = plain && is_plain(c);
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace weft::cli
