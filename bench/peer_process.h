// A peer that runs in a process of its own and answers one line per line, so that blocks of its steps can alternate with ours.
#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::bench {

/// Runs a command with pipes to its standard input and output. Throws std::runtime_error when it cannot be started or ends early.
class PeerProcess {
 public:
  explicit PeerProcess(const std::vector<std::string>& command) {
    int to_peer[2], from_peer[2];
    if (command.empty() || pipe(to_peer) != 0 || pipe(from_peer) != 0)
      throw std::runtime_error("[bench] cannot start a peer");
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("[bench] cannot start a peer: fork failed");
    if (pid_ == 0) {
      dup2(to_peer[0], STDIN_FILENO);
      dup2(from_peer[1], STDOUT_FILENO);
      for (int fd : {to_peer[0], to_peer[1], from_peer[0], from_peer[1]}) close(fd);
      execvp(argv[0], argv.data());
      _exit(127);
    }
    close(to_peer[0]);
    close(from_peer[1]);
    in_ = fdopen(to_peer[1], "w");
    out_ = fdopen(from_peer[0], "r");
  }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  /// Closing its input ends the peer.
  ~PeerProcess() {
    fclose(in_);
    fclose(out_);
    waitpid(pid_, nullptr, 0);
  }

  /// The next line that the peer prints, without the newline.
  std::string read_line() {
    std::string line;
    for (int c = fgetc(out_); c != '\n'; c = fgetc(out_)) {
      if (c == EOF) throw std::runtime_error("[bench] the peer ended before it answered");
      line.push_back(static_cast<char>(c));
    }
    return line;
  }

  /// Sends one line and waits for its answer.
  std::string ask(const std::string& line) {
    fprintf(in_, "%s\n", line.c_str());
    fflush(in_);
    return read_line();
  }

 private:
  pid_t pid_ = -1;
  FILE* in_ = nullptr;
  FILE* out_ = nullptr;
};

}  // namespace weft::bench
