// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/watch/detect/family.h"
#include "core/watch/detect/key_facts.h"

#include <array>
#include <memory>
#include <unordered_map>

namespace lockhouse {

/// Every family of locks that is known: the built-in ones, and those of a user's settings file. Immutable once made, any thread.
class FamilyRegistry {
public:
  static const FamilyRegistry &builtIn();
  /// The built-in families and those of `text`, which is what the file `file` holds. Error Usage names file and line.
  static Result<std::shared_ptr<const FamilyRegistry>> with(std::string_view text, std::string_view file);

  explicit FamilyRegistry(std::vector<Family> all);
  FamilyRegistry(const FamilyRegistry &) = delete;
  FamilyRegistry &operator=(const FamilyRegistry &) = delete;

  std::span<const Family> all() const { return m_all; }
  const Family *find(std::string_view slug) const; ///< null: there is none

  /// Quick, for a sweep's first look: whether a key of this name and type is worth reading whatever it holds.
  bool nameMayBe(ValueType type, std::string_view key) const;
  /// Of a hash of this name that holds much else beside locks, the glob that its locks' fields fit; empty: it is read whole.
  std::string_view siftOf(std::string_view key) const;
  /// Whether a user's family knows strings by their values alone, however short.
  bool wantsEveryString() const { return m_wantsEveryString; }
  bool wantsEveryHash() const { return m_wantsEveryHash; } ///< the same by hashes' fields
  /// Whether the first member or field that was read could be one of a lock whose name tells nothing.
  bool firstMayBe(ValueType type, std::string_view element) const;

  /// The surest claim, and before all others that of a user's family by a word in the name, with everything filled in that facts tell;
  /// nothing if this is no lock. `id`, the times and leases are left to the caller, but for `expiresAt` where the bytes themselves name an
  /// end: of this and the key's the earlier counts.
  std::optional<LockRecord> recognise(const KeyFacts &facts) const;

  /// A lock beside which a key of this name would lie.
  struct Owner {
    std::string lock;
    std::size_t form = 0;   ///< index of companionKeys()
    bool isCertain = false; ///< the name is no other data's, nor any user's family's: the key is no lock itself
  };
  std::vector<Owner> ownersOf(std::string_view key) const;
  /// Those of users' families alone, who may call the keys beside their locks as a library does.
  std::vector<Owner> usersOwnersOf(std::string_view key) const;
  /// The lock of which a string may be one of several keys by its value, where its name alone does not tell (CompanionKey::opening).
  struct MemberOf {
    const Family *family = nullptr;
    std::string lock;
    std::uint64_t others = 0; ///< all of these keys: bit i is companionKeys()[i]
  };
  std::optional<MemberOf> memberOf(std::string_view key, std::optional<std::string_view> value) const; ///< no value: by the name alone
  /// Every key that may lie beside some lock, of all families.
  struct CompanionOf {
    const Family *family = nullptr;
    const CompanionKey *form = nullptr;
  };
  std::span<const CompanionOf> companionKeys() const { return m_companions; }

private:
  bool isMeantByOthers(const Family &family, std::string_view key) const;
  bool isCompanionOfUsers(const KeyFacts &facts) const;
  std::vector<Family> m_all;
  std::unordered_map<std::string_view, const Family *> m_bySlug;
  /// A form as a glance sees it, which passes nearly all forms over without their patterns.
  struct Candidate {
    const Family *family;
    Outline value; ///< of a string
    Outline key;
  };
  std::array<std::vector<Candidate>, 8> m_candidates; ///< by the key's type, in the order of m_all
  std::vector<CompanionOf> m_companions;
  struct Unopened {
    const Family *family;
    std::uint64_t others;
  };
  std::vector<Unopened> m_unopened; ///< families with members of any name: see memberOf
  /// The literal ends of the names of one type's forms, so that most of a keyspace is passed over at a glance.
  struct Names {
    using Patterns = std::vector<std::pair<std::size_t, const Pattern *>>; ///< the fewest bytes that each fits, by which they are sorted
    std::array<Patterns, 256> byFirst;                                     ///< those that open with a literal, by its first byte
    std::array<Patterns, 256> byLast;                                      ///< others, by the last byte of the literal they end with
    Patterns byLock;                                                       ///< others with "lock" in their middle, for names with it alone
    Patterns byShape;                                                      ///< others without any text
  };
  std::array<Names, 8> m_names;
  std::array<std::vector<const Form *>, 8> m_nameless;          ///< of each type, forms whose elements tell under any name
  std::vector<std::pair<const Pattern *, std::string>> m_sifts; ///< see siftOf
  bool m_wantsEveryString = false, m_wantsEveryHash = false, m_haveUsersCompanion = false;
  /// Indexes of m_beside but for witnesses, so that few of them are tried on each key of a keyspace.
  struct CompanionNames {
    std::array<std::vector<std::size_t>, 256> byFirst, byLast; ///< of names that open or end with a literal
    std::vector<std::pair<Outline, std::size_t>> others;
  };
  CompanionNames m_companionNames;

  void index();
  void addCompanionName(std::size_t index);
  void indexCandidates();
  void addCandidate(ValueType type, const Candidate &candidate);
  std::vector<const Family *> candidatesFor(const KeyFacts &facts) const; // in the order of m_all
  void addName(Names &names, const Pattern &pattern, bool isMatched);
  static std::vector<std::string> alike(const KeyFacts &facts, std::span<const Family *const> candidates, const Family &matchingFamily, bool isByName);
  bool mayWaitOtherwise(const LockRecord &lock) const; // where it may be a lock of a library whose clients do not block
};

constexpr double lowestConfidence = 0.25; ///< below it nothing is kept

} // namespace lockhouse
