#include "pjrt/parts_value.h"

#include <algorithm>
#include <set>

namespace weft::pjrt {

PartsValue::PartsValue(std::shared_ptr<const Client> client, std::vector<DeviceBuffer> buffers,
                       std::vector<Piece> pieces, std::vector<c::Device*> devices,
                       std::shared_ptr<const Completion> made_by)
    : DeviceValue(pieces[0].whole),
      client_(std::move(client)),
      made_by_(std::move(made_by)),
      pieces_(std::move(pieces)),
      devices_(std::move(devices)),
      buffers_(std::move(buffers)) {}

bool PartsValue::is_cut_as(const Client& client, std::span<c::Device* const> devices,
                           std::span<const Piece> pieces) const {
  const auto alike = [](const Piece& a, const Piece& b) {
    return a.whole == b.whole && a.part == b.part && a.starts == b.starts;
  };
  return &client == client_.get() && std::ranges::equal(devices, devices_) &&
         std::ranges::equal(pieces, pieces_, alike);
}

bool PartsValue::is_deleted() const {
  return std::ranges::any_of(buffers_, [](const DeviceBuffer& b) { return b.is_deleted(); });
}

void PartsValue::await() const {
  if (made_by_ != nullptr) made_by_->wait();
}

void PartsValue::read_elements(void* to) const {
  await();
  std::set<std::vector<int64_t>> seen;
  for (size_t d = 0; d < buffers_.size(); ++d) {
    if (seen.insert(pieces_[d].starts).second) read_piece(buffers_[d], pieces_[d], to, client_->is_on_host());
  }
}

void read_piece(const DeviceBuffer& from, const Piece& piece, void* whole, bool on_host) {
  if (const int64_t offset = offset_of_run(piece); offset >= 0)
    return from.read(static_cast<std::byte*>(whole) + offset, piece.part, on_host);
  Tensor part(piece.part.element_type(), Shape(piece.part.shape().begin(), piece.part.shape().end()));
  from.read(part.raw(), piece.part, on_host);
  paste(piece, part.raw(), whole);
}

}  // namespace weft::pjrt
