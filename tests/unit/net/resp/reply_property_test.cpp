// SPDX-License-Identifier: Apache-2.0
// Any tree of replies, serialised and cut anywhere, comes back equal; so does what is left of it under small limits.
#include "core/net/resp/reply_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace lockhouse {
namespace {

constexpr std::size_t keptBulk = 24;

void serialise(const Reply &reply, std::string &out) {
  if (const auto number = reply.integer())
    out += ":" + std::to_string(*number) + "\r\n";
  else if (const auto *bytes = reply.bulk())
    out += "$" + std::to_string(bytes->size()) + "\r\n" + *bytes + "\r\n";
  else if (const auto size = reply.elided())
    out += "$" + std::to_string(*size) + "\r\n" + std::string(*size, '\r') + "\r\n";
  else if (reply.isFailure())
    out += "-" + std::string(reply.failure()) + "\r\n";
  else if (const auto text = reply.text())
    out += "+" + std::string(*text) + "\r\n";
  else if (reply.isArray()) {
    out += "*" + std::to_string(reply.array().size()) + "\r\n";
    for (const auto &element : reply.array())
      serialise(element, out);
  } else
    out += "$-1\r\n";
}

// Bytes that make frames are as likely as all the others together.
std::string anyBytes(std::size_t most) {
  const auto byte = rc::gen::oneOf(rc::gen::arbitrary<char>(), rc::gen::elementOf(std::string("\r\n$*:+-0129")));
  return *rc::gen::resize(static_cast<int>(most), rc::gen::container<std::string>(byte));
}

std::string anyLine() {
  auto text = anyBytes(40);
  std::erase_if(text, [](char byte) { return byte == '\r' || byte == '\n'; });
  return text;
}

Reply anyReply(int depth) {
  switch (*rc::gen::inRange(0, depth > 0 ? 8 : 6)) {
  case 0: return Reply();
  case 1: return Reply(*rc::gen::arbitrary<std::int64_t>());
  case 2: return Reply(anyBytes(keptBulk).substr(0, keptBulk));
  case 3: return Reply(Reply::Status{anyLine()});
  case 4: return Reply(Reply::Failure{anyLine()});
  case 5: return Reply(Reply::Elided{*rc::gen::inRange<std::uint64_t>(keptBulk + 1, 400)});
  default: break;
  }
  Reply::Array elements;
  for (int left = *rc::gen::inRange(0, 6); left > 0; --left)
    elements.push_back(anyReply(depth - 1));
  return Reply(std::move(elements));
}

std::vector<Reply> readCut(std::string_view bytes) {
  ReplyReader reader({.bulk = keptBulk});
  std::vector<Reply> replies;
  Reply reply;
  while (!bytes.empty()) {
    // A copy of its own for each piece, so that a reader which looks beyond it is caught.
    const std::string piece(bytes.substr(0, *rc::gen::oneOf(rc::gen::just(std::size_t{1}), rc::gen::inRange<std::size_t>(1, 200))));
    bytes.remove_prefix(piece.size());
    reader.feed(piece);
    while (reader.next(reply) == ReplyReader::Step::Reply)
      replies.push_back(std::move(reply));
  }
  RC_ASSERT(reader.fault().empty());
  return replies;
}

RC_GTEST_PROP(ReplyReader, givesBackEveryTreeHoweverTheBytesAreCut, ()) {
  std::vector<Reply> sent;
  std::string bytes;
  for (int left = *rc::gen::inRange(1, 5); left > 0; --left) {
    sent.push_back(anyReply(6));
    serialise(sent.back(), bytes);
  }
  RC_ASSERT(readCut(bytes) == sent);
}

RC_GTEST_PROP(ReplyReader, endsWithFaultOrReplyOnAnyBytes, ()) {
  const auto bytes = anyBytes(200);
  ReplyReader whole;
  ReplyReader sliced;
  Reply reply;
  std::vector<Reply> first;
  std::vector<Reply> second;
  whole.feed(bytes);
  while (whole.next(reply) == ReplyReader::Step::Reply)
    first.push_back(std::move(reply));
  for (const char &byte : bytes) {
    sliced.feed({&byte, 1});
    while (sliced.next(reply) == ReplyReader::Step::Reply)
      second.push_back(std::move(reply));
  }
  RC_ASSERT(first == second);
  RC_ASSERT(whole.fault() == sliced.fault());
}

} // namespace
} // namespace lockhouse
