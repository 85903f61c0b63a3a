// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/detect/family_registry.h"
#include "core/watch/record/lock_change.h"

#include <set>
#include <tuple>
#include <vector>

namespace lockhouse {

/// What SharedTokens notes in a snapshot, noted in changes: each row names the other keys of its holder that are known by then, and of a
/// token that several libraries may have written those are left that write one under several keys, and a row that is doubtful by its name is
/// shown beside another of its registry, or beside one that was taken together with it. A row that was told as anybody's, or as doubtful,
/// before the second of its keys was met is told again then, as ChangeKind::Members; nothing is told again when a key goes.
/// What is told is numbered anew, without gaps. Memory: O(locks). Pure.
class SharedTokenChanges {
public:
  std::vector<LockChange> note(std::vector<LockChange> told, const FamilyRegistry &families);

private:
  struct ByHolder {
    static auto place(const LockRecordPtr &row) {
      return std::tuple<const NodeId &, int, const std::string &, const LockName &>(row->id.node, row->id.db, row->holders.front().id, row->id.key);
    }
    bool operator()(const LockRecordPtr &a, const LockRecordPtr &b) const { return place(a) < place(b); }
  };
  using Rows = std::set<LockRecordPtr, ByHolder>; // those of one registry stand side by side

  Rows m_rows; // as they were told last, the doubtful ones too
  std::uint64_t m_lastSeq = 0;

  std::vector<LockRecordPtr> inSameRegistry(const LockRecordPtr &row) const;
  std::vector<LockRecordPtr> takenWith(const LockRecordPtr &row, const FamilyRegistry &families) const;
  bool isProven(const LockRecordPtr &row, const FamilyRegistry &families) const;
  LockRecordPtr onlyOther(Rows::const_iterator row) const;
  LockRecordPtr noted(const LockRecordPtr &row, const FamilyRegistry &families) const;
  void join(Rows::const_iterator row, std::vector<LockRecordPtr> &joined, const FamilyRegistry &families) const;
  void replace(const LockRecordPtr &row, LockRecordPtr by);
};

} // namespace lockhouse
