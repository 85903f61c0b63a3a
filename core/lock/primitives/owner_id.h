// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <string_view>

namespace lockhouse {

class Primitive;

/// What the owner of a hold calls itself in Redis. Each hold has a name of its own, whatever the format: the owner is the handle.
enum class OwnerFormat : std::uint8_t {
  ByPrimitive, ///< what the primitive's format says: a Mutex a random token, a ReentrantLock uuid:number
  Token,       ///< 32 hex digits of 128 random bits
  UuidNumber,  ///< "<the client's UUID>:<number of the hold>", as Redisson's uuid:threadId
  Snowflake,   ///< a SnowflakeIds number in decimal: short, sortable by time, and says which worker made it
};
std::string_view name(OwnerFormat format); ///< "by primitive", "token", "uuid:number", "snowflake"

/// 64-bit numbers that grow with the time, from one worker: 41 bits of milliseconds since 2024-01-01T00:00:00Z (until 2093), 10 bits
/// worker, 12 bits sequence; the top bit is 0. Pure; not thread-safe.
/// Promise: no number twice and each greater than the one before, from one object, whatever the clock does. When it stands or goes back, or
/// more than 4 096 are wanted in a millisecond, the time in the numbers runs ahead of the clock until that has caught up.
/// Not promised: anything between two objects with the same worker (OwnerIds share one for each worker in this process), or between two lives of one across which the clock was set back;
/// give every process a worker of its own. Unlike a token a number can be guessed.
/// Source: Twitter's Snowflake (2010), with an epoch of our own.
class SnowflakeIds {
public:
  static constexpr WallTime epoch{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};
  static constexpr unsigned workerBits = 10, sequenceBits = 12, timeBits = 41;
  static constexpr std::uint16_t mostWorker = (1U << workerBits) - 1;

  explicit SnowflakeIds(std::uint16_t worker = 0) : m_worker(worker) {} ///< 0 … mostWorker
  /// Error Internal when 41 bits of time are over.
  Result<std::uint64_t> next(WallTime now);

  static WallTime timeOf(std::uint64_t id);
  static std::uint16_t workerOf(std::uint64_t id) { return static_cast<std::uint16_t>((id >> sequenceBits) & mostWorker); }

private:
  std::uint16_t m_worker;
  std::uint64_t m_tick = 0; // the next milliseconds and sequence, as one number
};

struct OwnerOptions {
  OwnerFormat format = OwnerFormat::ByPrimitive;
  std::uint16_t worker = 0; ///< of Snowflake
};

/// Makes the owners of one client's holds. Loop thread only.
class OwnerIds {
public:
  OwnerIds(OwnerOptions options, std::string client) : m_options(options), m_client(std::move(client)) {}

  /// A fresh owner for a hold of that primitive; `number` is one that no other hold of this client had. Error Usage, and what to do, for a format that the primitive's does not allow
  /// (Redisson's fields are uuid:number) and for a worker beyond 1023.
  Result<LockToken> fresh(const Primitive &primitive, std::uint64_t number, WallTime now);
  bool needsTime() const { return m_options.format == OwnerFormat::Snowflake; } ///< of `now`; else it may be any

private:
  OwnerOptions m_options;
  std::string m_client; // its UUID
};

/// Whether owners of that format may stand where the primitive writes its own: anything in the place of a random token, else only what has
/// the primitive's own format.
bool takesOwner(const Primitive &primitive, OwnerFormat format);

} // namespace lockhouse
