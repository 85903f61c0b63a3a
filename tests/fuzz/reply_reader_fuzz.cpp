// SPDX-License-Identifier: Apache-2.0
// Any bytes, cut in any way: the reader must not crash, and what it says must not depend on how they were cut. The first byte
// of the input chooses the cuts.
#include "core/net/resp/reply_reader.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace lockhouse;

struct Outcome {
  std::vector<Reply> replies;
  std::string fault;
  bool operator==(const Outcome &) const = default;
};

// Small limits bring the inputs that reach them within a fuzzer's reach.
Outcome read(std::string_view bytes, std::size_t cut) {
  ReplyReader reader({.line = 48, .bulk = 16, .elements = 12, .depth = 4, .total = 4096});
  Outcome outcome;
  Reply reply;
  for (std::size_t size = cut; !bytes.empty(); size = size % 7 + 1) {
    const std::string piece(bytes.substr(0, size)); // of its own, so that a look beyond its end is caught
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    while (reader.next(reply) == ReplyReader::Step::Reply)
      outcome.replies.push_back(std::move(reply));
  }
  outcome.fault = reader.fault().english();
  return outcome;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0)
    return 0;
  const std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  if (read(bytes, bytes.size()) != read(bytes, data[0] % 32U + 1))
    std::abort();
  return 0;
}
