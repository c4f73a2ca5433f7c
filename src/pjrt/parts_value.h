// Arrays that lie in parts on several devices.
#pragma once
#include <memory>
#include <vector>

#include "pjrt/piece.h"
#include "pjrt/started_call.h"

namespace weft::pjrt {

/// An array of which each device of a program has a part; parts of several devices may be the same.
class PartsValue : public DeviceValue {
 public:
  /// buffers[d] lies on devices[d] and is pieces[d] of the array.
  PartsValue(std::shared_ptr<const Client> client, std::vector<DeviceBuffer> buffers, std::vector<Piece> pieces,
             std::vector<c::Device*> devices, std::shared_ptr<const Completion> made_by);
  const DeviceBuffer& buffer(size_t device) const { return buffers_[device]; }
  /// Whether it lies on these devices of the client in such parts.
  bool is_cut_as(const Client& client, std::span<c::Device* const> devices, std::span<const Piece> pieces) const;
  bool is_deleted() const;

 protected:
  void read_elements(void* to) const override;
  void await() const override;

 private:
  const std::shared_ptr<const Client> client_;
  const std::shared_ptr<const Completion> made_by_;
  const std::vector<Piece> pieces_;
  const std::vector<c::Device*> devices_;
  const std::vector<DeviceBuffer> buffers_;  // end before their client does
};

/// Reads a buffer's elements, a part of the array at `whole`, to their places.
void read_piece(const DeviceBuffer& from, const Piece& piece, void* whole, bool on_host);

}  // namespace weft::pjrt
