// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/name_classifier.h"

#include "core/watch/text/name_words.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace lockhouse {
namespace {

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool hasDigit(std::string_view text) { return std::ranges::any_of(text, isDigit); }

constexpr std::size_t longestNameRead = 1024;

/// A word of a name: a run of letters, broken where a small letter is followed by a capital ("jobLock").
struct NameWord {
  std::string_view text; // in small letters, until the next word is read
  WordLists lists;
  std::string_view gap;  // between it and the word before; empty for the first word
  std::size_t end = 0;   // in the name
  std::size_t parts = 0; // colons between it and the first word
  bool isFirst = true;

  bool isJoined() const { return gap.empty() || gap == "_" || gap == "-"; }
};

template <class Visit> void eachWord(std::string_view name, Visit visit) {
  NameWord word;
  std::string text;
  const auto flush = [&](std::size_t end) {
    if (text.empty())
      return;
    word.gap = word.isFirst ? std::string_view() : name.substr(word.end, end - text.size() - word.end);
    word.parts += static_cast<std::size_t>(std::ranges::count(word.gap, ':'));
    word.text = text;
    word.lists = WordLists(text);
    word.end = end;
    visit(std::as_const(word));
    word.isFirst = false;
    text.clear();
  };
  char before = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!isAlpha(c) || (isUpper(c) && isLower(before)))
      flush(i);
    if (isAlpha(c))
      text += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  flush(name.size());
}

// Whether only a number is between here and the next colon or the like.
bool endsPart(std::string_view rest) {
  const auto end = std::ranges::find_if_not(rest, [](char c) { return isDigit(c) || c == '_' || c == '-'; });
  return end == rest.end() || std::string_view(":/.|~# {}()@,").find(*end) != std::string_view::npos;
}

// A number may follow: "worker:id:5".
bool isLastWord(std::string_view rest) { return std::ranges::none_of(rest, isAlpha); }

// Whether a word is followed by the ending of a file.
bool namesFile(std::string_view rest) {
  if (!rest.starts_with('.'))
    return false;
  rest.remove_prefix(1);
  return WordLists({rest.begin(), std::ranges::find_if_not(rest, isAlpha)}).has(WordList::FileEndings);
}

constexpr std::string_view hanLock = "\xe9\x94\x81", hanLockOld = "\xe9\x8e\x96"; // 锁, 鎖

// Chinese has no spaces between words: the sign for a lock counts unless a neighbour gives it another meaning.
void readHan(std::string_view name, NameEvidence &evidence) {
  for (const auto sign : {hanLock, hanLockOld})
    for (auto at = name.find(sign); at != name.npos; at = name.find(sign, at + sign.size())) {
      const auto before = name.substr(0, at), behind = name.substr(at + sign.size());
      if (std::ranges::any_of(name_words::hanBefore, [before](std::string_view word) { return before.ends_with(word); }) ||
          std::ranges::any_of(name_words::hanBehind, [behind](std::string_view word) { return behind.starts_with(word); }))
        continue;
      evidence.lock = evidence.whole = true;
      evidence.edge |= before.empty() || behind.empty();
      evidence.apart |= endsPart(behind);
    }
  evidence.attribute |= evidence.lock && std::ranges::any_of(name_words::hanAbout, [name](std::string_view word) { return name.contains(word); });
}

// Whether a job queue keeps its own data under this name, whatever the name says.
bool namesJobQueue(std::string_view key) {
  constexpr std::string_view rq = "rq:", hangfire = "hangfire";
  if (key.starts_with(rq)) {
    const auto kept = key.substr(rq.size());
    return WordLists(kept.substr(0, kept.find(':'))).has(WordList::RqParts);
  }
  const auto inBraces = key.starts_with('{') ? key.substr(1) : key;
  if (inBraces.starts_with(hangfire)) {
    const auto kept = inBraces.substr(hangfire.size());
    return kept.starts_with(":queue:") || kept.starts_with("}:queue:");
  }
  return (key.starts_with("bull:") && !key.ends_with(":lock")) || (key.starts_with("asynq:{") && !key.contains("}:unique:")) || key.starts_with("dramatiq:");
}

// Laravel puts the names of its connection and of its cache before every key. They say nothing about the key.
std::string_view behindLaravelsCache(std::string_view key) {
  constexpr std::string_view older = "_cache_:", newer = "-cache-", connection = "-database-";
  const auto first = key.substr(0, key.find(':') + 1); // empty: there is none
  if (first.size() < key.size() && first.ends_with(older))
    return key.substr(first.size());
  const auto of = key.find(connection), cache = of == key.npos ? of : key.find(newer, of + connection.size() - 1);
  return cache == key.npos || cache + newer.size() == key.size() ? key : key.substr(cache + newer.size());
}

// A part with a digit that names one thing: a letter is on both sides of the digits, "n8n", "k8s", or a program leads three parts: "app1:scheduler:leader".
bool isOneName(std::string_view part, bool isFirstOfThree) {
  constexpr std::ptrdiff_t most = 2;
  return isAlpha(part.front()) && (isAlpha(part.back()) || isFirstOfThree) && std::ranges::count_if(part, isDigit) <= most;
}

// Whether a number or an id picks one of many: "team:5:leader".
bool namesOneOfMany(std::string_view name) {
  const auto isSign = [](char c) { return !isDigit(c) && !isAlpha(c); };
  std::vector<std::string_view> parts;
  for (auto at = name.begin(); at != name.end();) {
    const auto end = std::find_if(at, name.end(), isSign);
    if (end != at)
      parts.emplace_back(at, end);
    at = end == name.end() ? end : end + 1;
  }
  return std::ranges::any_of(parts,
                             [&](const std::string_view &part) { return hasDigit(part) && !isOneName(part, &part == &parts.front() && parts.size() > 2); });
}

bool namesLeader(std::string_view name) {
  std::string first, last;
  WordLists lastLists, listsBefore;
  bool isElection = false, isOfTeam = false;
  eachWord(name, [&](const NameWord &word) {
    isOfTeam |= word.lists.has(WordList::Teams);
    isElection |= word.text == "leaderelection" || (last == "leader" && word.text == "election");
    if (word.isFirst)
      first = word.text;
    last = word.text;
    listsBefore = std::exchange(lastLists, word.lists);
  });
  const bool isMaster = (last == "master" && listsBefore.has(WordList::LedByMaster)) || (first == "master" && lastLists.has(WordList::LedByMaster));
  const bool isLeader = last == "leader" || first == "leader" || isMaster;
  return isElection || (isLeader && !isOfTeam && !namesOneOfMany(name));
}

/// Reads a name word by word and weighs what the words say together.
class NameClassifier {
public:
  NameClassifier(std::string_view key, LockWords words)
      : m_key(key), m_head(key.substr(0, longestNameRead)), m_words(words), m_isOfDogpile(key.starts_with("_lock")) {
    m_evidence.lock = m_evidence.edge = m_isOfDogpile; // dogpile.cache puts that before the name without a separator
  }

  NameEvidence classify() {
    eachWord(m_head, [this](const NameWord &word) { readWord(word); });
    m_evidence.edge |= m_last.isLock;
    readHan(m_head, m_evidence);
    m_evidence.leader = m_mayLead && namesLeader(m_head);
    weigh();
    return m_evidence;
  }

private:
  /// The word read last, and what it says of the word before it.
  struct LastWord {
    std::string text;
    WordLists lists;
    std::size_t end = 0;
    bool isLock = false;
    bool isMeasure = false, isEndMeasure = false;
    bool isCounter = false, isTally = false;             // right behind a lock
    bool isContainer = false, isJoinedContainer = false; // right behind a lock
  };

  std::string_view m_key, m_head;
  LockWords m_words;
  bool m_isOfDogpile;
  NameEvidence m_evidence;
  LastWord m_last;
  WordLists m_firstLists;
  std::size_t m_lockPart = 0, m_lockEnd = 0; // of the last word that means lock: how many colons are before it, and where it ends
  bool m_isOtherUse = false, m_isPicture = false;
  bool m_isAttribute = false;       // a word behind a lock names something about it
  bool m_isSurelyAttribute = false; // … whatever else the name says
  bool m_isOfContainer = false;     // more follows a container: a part of it
  bool m_isNumbered = false;        // "lock:17"
  bool m_isOfSecret = false;        // the first part explains random text
  bool m_mayLead = false;

  void readWord(const NameWord &word) {
    if (word.isFirst)
      m_firstLists = word.lists;
    m_evidence.secret |= m_last.text == "api" && word.text == "key" && word.isJoined();
    m_isOfSecret |= word.parts == 0 && (m_evidence.secret || word.lists.has(WordList::Secrets));
    readBehindLock(word);
    readLock(word);
    readOtherUse(word);
    m_last.text = word.text;
    m_last.lists = word.lists;
    m_last.end = word.end;
  }

  // What it says of the lock before it.
  void readBehindLock(const NameWord &word) {
    const auto &lists = word.lists;
    const bool isAttribute = m_last.isLock && lists.has(WordList::Attributes), isEnd = word.end == m_head.size(), leads = m_evidence.leads;
    m_isAttribute |= isAttribute;
    m_isSurelyAttribute |= (isAttribute && word.isJoined()) || lists.has(WordList::Idempotency) || (m_last.isContainer && !leads);
    m_isNumbered |= leads && hasDigit(word.gap);
    const bool explains = leads && isEnd && (lists.has(WordList::Secrets) || lists.has(WordList::Explainers));
    const bool isCrowd = m_last.isLock && !hasDigit(word.gap) && isEnd && lists.has(WordList::Crowds);
    m_evidence.explained |= (explains && (m_isAttribute || m_isNumbered)) || isCrowd;
    m_last.isEndMeasure = (m_last.isLock && lists.has(WordList::EndMeasures)) || (m_last.isEndMeasure && lists.has(WordList::Periods));
    m_last.isCounter = m_last.isLock && lists.has(WordList::Counters);
    m_last.isTally = m_last.isLock && lists.has(WordList::Tallies);
    m_isOfContainer |= m_last.isContainer;
    m_last.isContainer = m_last.isLock && lists.has(WordList::Containers);
    m_last.isJoinedContainer = m_last.isContainer && word.isJoined();
  }

  // Whether it means lock itself.
  void readLock(const NameWord &word) {
    const auto rest = m_head.substr(word.end);
    const bool isWhole = word.lists.has(WordList::Locks) || (m_words == LockWords::AndSemaphores && word.lists.has(WordList::Semaphores));
    const bool isLock = isWhole || endsLikeLock(word.text), isBehind = !word.isFirst;
    m_evidence.lock |= isLock;
    m_evidence.whole |= isWhole;
    m_evidence.leads |= isWhole && word.isFirst;
    m_evidence.edge |= isLock && word.isFirst;
    m_evidence.apart |= isLock && endsPart(rest);
    m_evidence.joined |= isWhole && isBehind && word.isJoined() && !word.gap.empty();
    m_evidence.segment |= isWhole && (word.gap.ends_with(':') || word.end == word.text.size()) && rest.starts_with(':');
    m_evidence.shutsOut |= isLock && m_last.lists.has(WordList::LockedOut);
    m_isSurelyAttribute |= isWhole && isBehind && word.isJoined() && m_last.lists.has(WordList::Compounds);
    m_isSurelyAttribute |= isLock && isBehind && namesFile(rest);
    if (isLock) {
      m_lockPart = word.parts;
      m_lockEnd = word.end;
    }
    m_last.isLock = isLock;
  }

  // What else it may name.
  void readOtherUse(const NameWord &word) {
    const auto &lists = word.lists;
    const bool isAtEnd = word.end == m_head.size(), isJoined = word.isJoined();
    const bool isId = isAtEnd || (!word.isFirst && (isJoined || isLastWord(m_head.substr(word.end))));
    m_evidence.data |= lists.has(WordList::Data) || (lists.has(WordList::Ids) && isId);
    m_evidence.connected |= lists.has(WordList::Connected);
    m_evidence.event |= lists.has(WordList::Events);
    m_evidence.tally |= lists.has(WordList::Tallies) || (m_last.text == "rate" && word.text == "limit" && isJoined);
    m_evidence.goods |= lists.has(WordList::Goods);
    m_evidence.toggle |= lists.has(WordList::Toggles);
    m_evidence.fence |= lists.has(WordList::Fences) || (lists.has(WordList::LastFences) && word.end == m_key.size() && !isJoined);
    m_evidence.counter |= lists.has(WordList::Counters) || (word.isFirst && lists.has(WordList::LeadingCounters));
    m_evidence.overview = lists.has(WordList::Overviews) || (m_evidence.overview && lists.has(WordList::Periods));
    m_evidence.lease |= lists.has(WordList::Leases);
    m_evidence.contrary |= !m_evidence.whole && lists.has(WordList::Subjects);
    m_evidence.resource = m_last.text == "resource" && isJoined && (word.text == "name" || word.text == "key") && isAtEnd;
    m_evidence.secret |= lists.has(WordList::Secrets);
    m_isPicture |= lists.has(WordList::Pictures);
    m_isOtherUse |= lists.has(WordList::OtherUses);
    m_mayLead |= word.text.starts_with("leader") || word.text == "master";
    m_last.isMeasure = lists.has(WordList::Measures) && !m_evidence.resource;
  }

  // All of it together.
  void weigh() {
    const auto rest = m_key.substr(m_last.end);
    const bool isAtEnd = rest.empty(), isNumbered = !isAtEnd && isLastWord(rest); // a number follows the last word
    const bool isMeasure = m_last.isMeasure || (isAtEnd && m_last.isEndMeasure);
    const bool isOfMore = m_evidence.leads && m_last.isContainer && !m_last.isJoinedContainer && m_last.end < m_head.size(); // "lock:settings:7"
    const bool isJobQueue = namesJobQueue(m_key);
    const bool isLiveStatus = m_evidence.lock && (m_last.lists.has(WordList::LiveStatus) || m_firstLists.has(WordList::LiveStatus));
    const bool isExplained = isMeasure || m_isOfContainer || isJobQueue || isLiveStatus;
    m_isAttribute |= isOfMore;
    m_isSurelyAttribute |= (m_isPicture && !m_evidence.leads) || (m_last.isContainer && !isOfMore);
    m_isSurelyAttribute |= m_evidence.attribute || (m_evidence.lock && namesLockFile(m_head));
    m_evidence.attribute = m_isAttribute || m_isSurelyAttribute;
    m_evidence.contrary |= m_evidence.secret || m_isOtherUse || isExplained;
    m_evidence.mixed = m_evidence.contrary && m_evidence.whole && m_evidence.edge && !isExplained;
    m_evidence.figure = isMeasure;
    m_evidence.ofThing = isNumbered && !m_last.lists.has(WordList::LockedOut) && !m_last.lists.has(WordList::Persons);
    const bool isCountedOfId = m_last.isTally || (m_firstLists.has(WordList::LeadingCounters) && m_last.isLock);
    m_evidence.counts = (isAtEnd && (m_last.isCounter || m_last.isTally)) || (isNumbered && isCountedOfId);
    m_evidence.overview &= isAtEnd || (m_last.lists.has(WordList::Periods) && isNumbered);
    weighPlace(isNumbered);
    m_evidence.needsLease =
        !m_isOfDogpile && (!m_evidence.whole || m_evidence.secret || m_isOfContainer || isLiveStatus || (m_isOtherUse && !m_evidence.leads));
  }

  // Where the word for a lock is.
  void weighPlace(bool isNumbered) {
    const bool isOfRecord = m_firstLists.has(WordList::Records) && !(m_evidence.goods && m_lockEnd < m_head.size()); // "page:lock:7" is the lock of page 7
    m_evidence.hidden = ((m_evidence.secret || m_isOtherUse) && !m_evidence.edge) || (m_lockPart == 1 && (m_isOfSecret || isOfRecord));
    m_evidence.segment &= !m_evidence.goods;
    m_evidence.aside = (m_evidence.leads || (m_evidence.segment && isNumbered)) && m_isAttribute && !m_isSurelyAttribute && !m_evidence.explained;
  }
};

// By the first two letters of a word of six letters.
bool isLeaderOrMaster(char first, char second) {
  return ((first | 0x20) == 'l' && (second | 0x20) == 'e') || ((first | 0x20) == 'm' && (second | 0x20) == 'a');
}

bool saysSemaphore(std::string_view name) {
  constexpr std::string_view word = "semaphore";
  return !std::ranges::search(name, word, [](char a, char b) { return (a | 0x20) == b; }).empty();
}

} // namespace

bool maySpeakOfLock(std::string_view key, LockWords words) {
  char before = 0;
  const auto head = key.substr(0, longestNameRead);
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<char>(head[i] | 0x20);
    if ((c == 'k' && before == 'c') || (c == 'x' && (before == 'e' || before == 't')) || (c == 'm' && before == 'l') ||
        (c == 'r' && before == 'e' && i >= 5 && isLeaderOrMaster(head[i - 5], head[i - 4])) ||
        (i >= 2 && head[i - 2] == hanLock[0] && (head[i] == hanLock[2] || head[i] == hanLockOld[2])))
      return true; // lock, lck, mutex, mtx, dlm, leader, master, 锁, 鎖
    before = c;
  }
  return words == LockWords::AndSemaphores && saysSemaphore(head);
}

std::string_view lastWord(std::string_view key) {
  const auto end = std::find_if(key.rbegin(), key.rend(), isAlpha).base();
  return {std::find_if_not(std::make_reverse_iterator(end), key.rend(), isAlpha).base(), end};
}

NameEvidence nameEvidence(std::string_view key, LockWords words) { return NameClassifier(behindLaravelsCache(key), words).classify(); }

} // namespace lockhouse
