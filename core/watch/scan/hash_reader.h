// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/key_facts.h"
#include "core/watch/scan/read_target.h"

namespace lockhouse {

/// Reads the fields of one hash into KeyFacts, page by page. Of a hash that its family knows to hold other data too, and of a long
/// RFasterMultiLock, only the fields of locks are fetched: HSCAN MATCH, up to 100 pages (1000 for a key that a caller asks for) and 1000 locks,
/// and then HMGET of the other fields that belong to them.
class HashReader {
public:
  enum Part : unsigned { Fields = 16, Names, Mode, Named, Length, End };

  void begin(const ReadTarget &target, ValueType type);
  bool isSifted() const { return !m_glob.empty(); } ///< only fields that match a pattern are fetched
  Command firstPage(const ReadTarget &target) const { return pageFrom(target, "0"); }

  void take(Part part, const ReadTarget &target, const Reply &reply, KeyFacts &facts);
  void takeAllFields() { m_cursor = "0"; } ///< HKEYS was refused: HSCAN instead
  /// Asks for what is missing. False: nothing is.
  bool askMore(const ReadTarget &target, KeyFacts &facts, ReadCommands &out);

  unsigned pages() const { return m_pages; }
  bool isForeign() const { return m_isForeign; } ///< its fields show that it is no lock
  bool isCut() const { return m_isCut; }         ///< only some of its fields were looked at

private:
  std::string m_glob;               // that fields must match to be fetched; empty: all are
  std::string m_cursor;             // of HSCAN, while there is more
  std::vector<std::string> m_named; // fields that are asked for by name
  unsigned m_pages = 0;
  std::uint64_t m_unkept = 0; // fields of locks beyond the number that is kept
  std::size_t m_lockFields = 0, m_otherFields = 0;
  bool m_isForeign = false, m_isCut = false;

  bool isOfLocks() const; // each field that is fetched is a lock
  Command pageFrom(const ReadTarget &target, std::string_view cursor) const;
  void takeFields(const ReadTarget &target, const Reply &reply, KeyFacts &facts);
  void askLockedValues(const ReadTarget &target, const KeyFacts &facts, ReadCommands &out);
  void countPassed(KeyFacts &facts);
};

} // namespace lockhouse
