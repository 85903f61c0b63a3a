// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/first_look.h"

#include <string>
#include <vector>

namespace lockhouse {

/// What is read with a lock beside its own key.
struct Beside {
  bool queue = false; ///< a fair lock's queue and deadlines
  bool fence = false;
  bool listeners = false; ///< of a hash: how many clients subscribe to its channels
  void add(Beside other) {
    queue |= other.queue;
    fence |= other.fence;
    listeners |= other.listeners;
  }
};

/// Reads one key until it is known whether it is a lock and, if so, everything about it: a machine without I/O. First the looks
/// of first_look.h, unless the type is known; then one turn of commands whose answers alone make the record:
///   string: GETRANGE, STRLEN, PTTL. hash: HSCAN (further pages if it has more than fits one), PTTL.
///   with its listeners: PUBSUB NUMSUB of two channels.
///   with its queue: LLEN, LRANGE 0 999, ZRANGE 0 999 WITHSCORES. with its fence: GETRANGE.
/// Promised: no command's work grows with a stranger's data; a key that changes its type in between is read again, at most
/// three times. Not promised: atomicity between the commands; a change in between raises a hint that makes it read again.
class KeyRead {
public:
  enum class End { Pending, Lock, NoLock, Absent, Refused, Failed };
  struct Ask {
    unsigned part; ///< to be handed back with the answer
    Command command;
  };

  KeyRead(std::string key, Beside beside) : m_key(std::move(key)), m_beside(beside) {}

  /// `type` Unknown: looks first, beginning with `look`; otherwise reads whole at once.
  void start(ValueType type, Look look, SteadyTime now, std::vector<Ask> &out);
  End on(unsigned part, Result<Reply> answer, SteadyTime now, ReadLore &lore, std::vector<Ask> &out);

  const std::string &key() const { return m_key; }
  Beside beside() const { return m_beside; }
  /// Of End::Lock; serverTime is left to the caller. Refers to this object.
  KeyFacts &facts() {
    m_facts.key = m_key;
    return m_facts;
  }
  SteadyTime askedAt() const { return m_askedAt; }              ///< of the turn that made the facts
  const std::optional<Error> &error() const { return m_error; } ///< of End::Failed and End::Refused

private:
  enum class Part : unsigned { Look, Value, Length, Ttl, Fields, QueueLength, Queue, Places, Fence, Namesake, Listeners };
  std::string m_key;
  Beside m_beside;
  KeyFacts m_facts;
  Look m_look = Look::Type;
  std::string m_cursor; // of HSCAN, while there is more
  unsigned m_pending = 0;
  unsigned m_restarts = 0;
  unsigned m_pages = 0;
  bool m_gone = false, m_wrongType = false, m_refused = false, m_foreign = false, m_listenersRefused = false;
  std::optional<Error> m_error, m_refusal;
  SteadyTime m_askedAt{};

  void ask(Part part, Command command, std::vector<Ask> &out);
  void readWhole(ValueType type, SteadyTime now, std::vector<Ask> &out);
  void askBeside(std::vector<Ask> &out);
  End onLook(const Result<Reply> &answer, SteadyTime now, ReadLore &lore, std::vector<Ask> &out);
  void take(Part part, const Reply &reply);
  void takeFields(const Reply &reply);
  void takeBeside(Part part, const Reply &reply);
  void takeFailure(Part part, const Reply &reply);
  End conclude(SteadyTime now, ReadLore &lore, std::vector<Ask> &out);
};

} // namespace lockhouse
