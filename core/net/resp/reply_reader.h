// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/message.h"
#include "core/base/reply.h"
#include "core/net/resp/reply_limits.h"

#include <memory>
#include <string_view>

namespace lockhouse {

/// Turns the bytes of a Redis server into replies (RESP2). Bytes come in pieces of any size; what comes out does not depend on
/// how they were cut. A guard checks protocol and limits first and hiredis parses what it lets through, so nothing that a server
/// may send can abort the process, take more memory than ReplyLimits allow, or more than linear time. Not thread-safe.
///
/// Not promised: that a reply answers any command. Matching is the business of who reads.
class ReplyReader {
public:
  enum class Step {
    Reply,  ///< one more reply
    More,   ///< everything fed was used; feed more
    Broken, ///< the peer broke the protocol or a limit, see fault(); no reply comes any more
  };

  explicit ReplyReader(const ReplyLimits &limits = {});
  ~ReplyReader();
  ReplyReader(ReplyReader &&) noexcept;
  ReplyReader &operator=(ReplyReader &&) noexcept;

  /// The next piece of the stream. The bytes are not copied: they must stay until next() has answered More or Broken, and only
  /// then may the next piece be fed.
  void feed(std::string_view bytes);
  Step next(Reply &out);
  /// What was wrong, in words: "a line that is too long". Empty unless Broken.
  Message fault() const;

private:
  struct Parser;
  std::unique_ptr<Parser> m_parser;
};

} // namespace lockhouse
