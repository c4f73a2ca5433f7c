// How busy others keep this machine's cores.
#pragma once

namespace weft::cli {

/// Cores' worth of work that other processes did between its making and `cores`, by /proc/stat; 0 where there is none.
class OtherLoad {
 public:
  OtherLoad();
  double cores() const;

 private:
  double begin_wall_ = 0, begin_busy_ = 0, begin_own_ = 0;
};

}  // namespace weft::cli
