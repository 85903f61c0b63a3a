// SPDX-License-Identifier: Apache-2.0
#include "core/lock/primitives/owner_id.h"

#include "core/base/encoding.h"
#include "core/base/random.h"
#include "core/lock/primitives/primitive.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace lockhouse {
namespace {

// FairLock writes "c:01": uuid:number too, in a way of its own.
bool isNumbered(const LockToken &own) { return own.bytes().starts_with("c:"); }

// The clients of a process that have the same worker share its numbers.
Result<std::uint64_t> nextOfThisProcess(std::uint16_t worker, WallTime now) {
  static std::mutex mutex;
  static std::map<std::uint16_t, SnowflakeIds> workers; // guarded by it
  const std::scoped_lock guard(mutex);
  return workers.try_emplace(worker, worker).first->second.next(now);
}

} // namespace

std::string_view name(OwnerFormat format) {
  switch (format) {
  case OwnerFormat::ByPrimitive: return "by primitive";
  case OwnerFormat::Token: return "token";
  case OwnerFormat::UuidNumber: return "uuid:number";
  case OwnerFormat::Snowflake: return "snowflake";
  }
  return "";
}

Result<std::uint64_t> SnowflakeIds::next(WallTime now) {
  const auto since = std::chrono::floor<milliseconds>(now - epoch).count();
  // One number of both, so that a sequence that overflows borrows from the next millisecond.
  const auto byClock = since > 0 ? static_cast<std::uint64_t>(since) << sequenceBits : 0;
  const auto tick = std::max(byClock, m_tick);
  const auto time = tick >> sequenceBits;
  if (time >> timeBits != 0)
    return fail(ErrorCode::Internal, LH_ENGLISH("the time of Snowflake numbers is over"), {},
                LH_ENGLISH("set this machine's clock, or take another format of owners"));
  m_tick = tick + 1;
  return (time << (workerBits + sequenceBits)) | (std::uint64_t{m_worker} << sequenceBits) | (tick & ((1U << sequenceBits) - 1));
}

WallTime SnowflakeIds::timeOf(std::uint64_t id) { return epoch + milliseconds(id >> (workerBits + sequenceBits)); }

bool takesOwner(const Primitive &primitive, OwnerFormat format) {
  if (format == OwnerFormat::ByPrimitive)
    return true;
  const auto own = primitive.owner("c", 1);
  if (!own)
    return false;
  if (isNumbered(*own))
    return format == OwnerFormat::UuidNumber;
  return own->bytes().size() == 32 && isHex(own->bytes());
}

Result<LockToken> OwnerIds::fresh(const Primitive &primitive, std::uint64_t number, WallTime now) {
  if (m_options.format == OwnerFormat::ByPrimitive)
    return primitive.owner(m_client, number);
  if (!takesOwner(primitive, m_options.format))
    return fail(ErrorCode::Usage, LH_ENGLISH("the format of a %1 does not allow owners called %2")(primitive.info().name, name(m_options.format)), {},
                LH_ENGLISH("leave the client's owners by primitive"));
  switch (m_options.format) {
  case OwnerFormat::ByPrimitive:
  case OwnerFormat::Token: return randomToken();
  case OwnerFormat::UuidNumber: {
    const auto own = primitive.owner("c", 1);
    return own && isNumbered(*own) ? primitive.owner(m_client, number) : LockToken(m_client + ":" + std::to_string(number));
  }
  case OwnerFormat::Snowflake: break;
  }
  if (m_options.worker > SnowflakeIds::mostWorker)
    return fail(ErrorCode::Usage, LH_ENGLISH("a Snowflake worker must be between 0 and 1023"), {}, LH_ENGLISH("give each process a number of its own"));
  const auto id = nextOfThisProcess(m_options.worker, now);
  if (!id)
    return std::unexpected(id.error());
  return LockToken(std::to_string(*id));
}

} // namespace lockhouse
