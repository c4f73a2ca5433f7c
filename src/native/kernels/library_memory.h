// oneDNN makes small hash tables for the arguments of every execution. Within a LibraryMemory scope they come from memory that
// was set aside, so that a compiled call asks the system for none.
#pragma once

namespace weft::native {

/// While it lives, small requests of this thread to `operator new` are served from a reserved slot. Nests. Memory may outlive the
/// scope and be given back by any thread.
class LibraryMemory {
 public:
  LibraryMemory();
  ~LibraryMemory();
  LibraryMemory(const LibraryMemory&) = delete;
  LibraryMemory& operator=(const LibraryMemory&) = delete;

 private:
  int before_;
};

}  // namespace weft::native
