// What programs of this thread wrote to stdout and stderr: compiled code that fails was ahead of the host, which runs the call again.
#pragma once
#include <cstddef>
#include <string_view>

namespace weft::julia {

struct Written {
  size_t count = 0;    // bytes so far
  size_t to_skip = 0;  // bytes to come that stand there already

  /// Counts the text; what of it is still to be written.
  std::string_view take(std::string_view text) {
    count += text.size();
    const size_t skipped = text.size() < to_skip ? text.size() : to_skip;
    to_skip -= skipped;
    return text.substr(skipped);
  }
};

/// Of stdout and stderr.
struct WrittenStreams {
  Written out, error;
};
WrittenStreams& written();

/// A call that may be run a second time, within which text is skipped: what is left of that when it ends is of no use to what follows.
class CallThatPrints {
 public:
  CallThatPrints() : out_(written().out.to_skip), error_(written().error.to_skip) {}
  ~CallThatPrints() {
    if (written().out.to_skip > out_) written().out.to_skip = out_;
    if (written().error.to_skip > error_) written().error.to_skip = error_;
  }
  CallThatPrints(const CallThatPrints&) = delete;
  CallThatPrints& operator=(const CallThatPrints&) = delete;

 private:
  size_t out_, error_;
};

}  // namespace weft::julia
