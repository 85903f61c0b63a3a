// SPDX-License-Identifier: Apache-2.0
#include "core/base/redisson_names.h"

#include "core/base/encoding.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace lockhouse::redisson {
namespace {

constexpr std::string_view queuePrefix = "redisson_lock_queue:";
constexpr std::string_view timeoutPrefix = "redisson_lock_timeout:";
constexpr std::string_view fencePrefix = "redisson_lock_token:";
constexpr std::string_view latchPrefix = "redisson_unlock_latch:";
constexpr std::string_view lockChannelPrefix = "redisson_lock__channel:";
constexpr std::string_view rwChannelPrefix = "redisson_rwlock:";
constexpr std::string_view readerLease = ":rwlock_timeout:";
constexpr std::string_view writeSuffix = ":write";
constexpr std::size_t uuidLength = 36;
constexpr std::size_t valueLength = 22;       // of a locked value: 128 bits in base64 without padding
constexpr std::size_t transactionLength = 33; // ":" and 32 hex digits

bool isDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The one rule behind all names: braces around the lock's, unless it has some of its own.
std::string between(std::string_view prefix, std::string_view lock, std::string_view suffix = {}) {
  const bool tagged = lock.find('{') != lock.npos;
  std::string name;
  name.reserve(prefix.size() + lock.size() + suffix.size() + 2);
  return name.append(prefix).append(tagged ? "" : "{").append(lock).append(tagged ? "" : "}").append(suffix);
}

std::string_view unbraced(std::string_view rest) {
  const bool braced = rest.size() >= 2 && rest.front() == '{' && rest.back() == '}' && rest.find('{', 1) == rest.npos;
  return braced ? rest.substr(1, rest.size() - 2) : rest;
}

std::string_view withoutTransaction(std::string_view field) {
  if (field.size() > uuidLength + transactionLength && field[field.size() - transactionLength] == ':' && isHex(field.substr(field.size() - 32)))
    field.remove_suffix(transactionLength);
  return field;
}

struct Thread {
  std::string_view uuidAndThread, transaction;
};

// Of an owner, a writer, or one of them behind a locked value; empty of anything else.
Thread threadOf(std::string_view holder) {
  if (holder.size() > valueLength && holder[valueLength] == ':' && isOwner(holder.substr(valueLength + 1)))
    holder.remove_prefix(valueLength + 1);
  auto thread = withoutTransaction(holder);
  const auto transaction = holder.substr(thread.size());
  if (thread.ends_with(writeSuffix))
    thread.remove_suffix(writeSuffix.size());
  return isOwner(thread) && withoutTransaction(thread) == thread ? Thread{thread, transaction} : Thread{};
}

bool isThread(std::string_view text) { return isDigits(text.starts_with('-') ? text.substr(1) : text) && text.size() <= 20; }

// {N}:uuid:thread:rwlock_timeout:i, found from the right because N may hold anything.
PartOf readerLeaseOf(std::string_view key) {
  const auto at = key.rfind(readerLease);
  if (at == key.npos || !isDigits(key.substr(at + readerLease.size())))
    return {};
  const auto thread = key.rfind(':', at - 1);
  if (at == 0 || thread == key.npos || thread < uuidLength + 1 || !isOwner(key.substr(thread - uuidLength, at - (thread - uuidLength))))
    return {};
  const auto lock = key.substr(0, thread - uuidLength);
  return lock.ends_with(':') ? PartOf{Part::ReaderLease, unbraced(lock.substr(0, lock.size() - 1))} : PartOf{};
}

} // namespace

bool isOwner(std::string_view field) {
  const auto owner = withoutTransaction(field);
  return owner.size() > uuidLength + 1 && owner[uuidLength] == ':' && isUuid(owner.substr(0, uuidLength)) && isThread(owner.substr(uuidLength + 1));
}

bool isWriter(std::string_view field) {
  const auto writer = withoutTransaction(field);
  return writer.ends_with(writeSuffix) && isOwner(writer.substr(0, writer.size() - writeSuffix.size()));
}

std::optional<std::int64_t> holdCount(std::string_view value) {
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), count);
  return error == std::errc{} && end == value.data() + value.size() && count > 0 ? std::optional(count) : std::nullopt;
}

std::string writerOf(std::string_view owner) { return std::string(owner).append(writeSuffix); }

bool isHoldOf(std::string_view hold, std::string_view holder) {
  if (hold == holder)
    return true;
  const auto mine = threadOf(holder), its = threadOf(hold);
  return !mine.uuidAndThread.empty() && its.uuidAndThread == mine.uuidAndThread && (mine.transaction.empty() || its.transaction == mine.transaction);
}

std::string asKnown(std::string_view family, std::string_view holder) {
  constexpr std::size_t asBytes = 16; // since Redisson 3.17; before, these digits themselves
  return family == "redisson-permits" && holder.size() == asBytes ? hex(holder) : std::string(holder);
}

std::string queueKey(std::string_view lock) { return between(queuePrefix, lock); }
std::string timeoutKey(std::string_view lock) { return between(timeoutPrefix, lock); }
std::string fenceKey(std::string_view lock) { return between(fencePrefix, lock); }

std::string readerLeaseKey(std::string_view lock, std::string_view reader, std::int64_t entry) {
  return between({}, lock, std::string(":").append(reader).append(readerLease).append(std::to_string(entry)));
}

std::string readerLeasePrefix(std::string_view lock) { return between({}, lock, ":"); }

std::string lockChannel(std::string_view lock) { return between(lockChannelPrefix, lock); }
std::string oldLockChannel(std::string_view lock) { return std::string("redisson_lock__channel__{").append(lock).append("}"); }
std::string fairChannel(std::string_view lock, std::string_view waiter) { return lockChannel(lock).append(1, ':').append(waiter); }
std::string rwChannel(std::string_view lock) { return between(rwChannelPrefix, lock); }
std::string oldRwChannel(std::string_view lock) { return std::string("redisson_rwlock__{").append(lock).append("}"); }
std::string semaphoreChannel(std::string_view lock) { return between("redisson_sc:", lock); }
std::string permitsKey(std::string_view lock) { return between({}, lock, ":timeout"); }
std::string latchChannel(std::string_view lock) { return std::string("redisson_countdownlatch__channel__{").append(lock).append("}"); }

PartOf partOf(std::string_view key) {
  if (key.starts_with("redisson_")) {
    if (key.starts_with(queuePrefix))
      return {Part::Queue, unbraced(key.substr(queuePrefix.size()))};
    if (key.starts_with(timeoutPrefix))
      return {Part::Queue, unbraced(key.substr(timeoutPrefix.size()))};
    if (key.starts_with(fencePrefix))
      return {Part::Fence, unbraced(key.substr(fencePrefix.size()))};
    if (key.starts_with(latchPrefix))
      return {Part::UnlockLatch, {}};
  }
  // Cheap test first: a sweep asks this of every key.
  return !key.empty() && key.back() >= '0' && key.back() <= '9' && key.size() > uuidLength + readerLease.size() ? readerLeaseOf(key) : PartOf{};
}

} // namespace lockhouse::redisson
