// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/name_classifier.h"

#include "core/watch/text/name_words.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace lockhouse {
namespace {

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }

constexpr std::size_t longestNameRead = 1024; // of a name of any length

template <class... Words> constexpr std::array<std::string_view, sizeof...(Words)> wordList(Words... words) { return {words...}; }

// Words of a name: runs of letters, broken where lower case turns to upper ("jobLock"), each with where it ends.
template <class Visit> void eachWord(std::string_view key, Visit visit) {
  std::string word;
  char before = 0;
  std::size_t at = 0;
  const auto flush = [&] {
    if (!word.empty())
      visit(std::string_view(word), at);
    word.clear();
  };
  for (; at < key.size(); ++at) {
    const char c = key[at];
    if (!isAlpha(c) || (isUpper(c) && isLower(before)))
      flush();
    if (isAlpha(c))
      word += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    before = c;
  }
  flush();
}

constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }

// Behind this place nothing but a number stands before the next colon or the like.
bool endsPart(std::string_view rest) {
  const auto end = std::ranges::find_if_not(rest, [](char c) { return isDigit(c) || c == '_' || c == '-'; });
  return end == rest.end() || std::string_view(":/.|~# {}()@,").find(*end) != std::string_view::npos;
}

// But for a number: "worker:id:5".
bool isLastWord(std::string_view rest) { return std::ranges::none_of(rest, isAlpha); }

bool namesFile(std::string_view rest) { // behind a word
  if (!rest.starts_with('.'))
    return false;
  const auto ending = rest.substr(1, static_cast<std::size_t>(std::ranges::find_if_not(rest.substr(1), isAlpha) - rest.begin()) - 1);
  return isFileEnding(ending);
}

constexpr std::string_view hanLock = "\xe9\x94\x81", hanLockOld = "\xe9\x8e\x96"; // 锁, 鎖
// What they mean beside that sign is another thing: to unlock, doors, codes, children, fingerprints, prices; settled, the screen, a position, a bone.
constexpr auto hanBefore =
    wordList("解", "开", "開", "门", "門", "码", "碼", "车", "車", "童", "纹", "紋", "能", "连", "連", "枷", "封", "上", "死", "价", "價");
constexpr auto hanBehind = wordList("定", "屏", "仓", "倉", "价", "價", "骨", "匠", "链", "鏈", "住", "状", "狀", "次", "配", "匙", "芯", "具", "子");
constexpr auto hanAbout = wordList("次数", "次數", "状态", "狀態", "配置", "数量", "數量", "时间", "時間", "统计", "統計", "文档", "文檔", "电量", "密码",
                                   "密碼", "会话", "會話", "验证码", "驗證碼", "原因");

// In Chinese a name has no spaces: the sign for a lock counts wherever no neighbour gives it another meaning.
void readHan(std::string_view name, NameEvidence &evidence) {
  for (const auto sign : {hanLock, hanLockOld})
    for (auto at = name.find(sign); at != name.npos; at = name.find(sign, at + sign.size())) {
      const auto before = name.substr(0, at), behind = name.substr(at + sign.size());
      const auto leads = [behind](std::string_view word) { return behind.starts_with(word); };
      if (std::ranges::any_of(hanBefore, [before](std::string_view word) { return before.ends_with(word); }) || std::ranges::any_of(hanBehind, leads))
        continue;
      evidence.lock = evidence.whole = true;
      evidence.edge |= before.empty() || behind.empty();
      evidence.apart |= endsPart(behind);
    }
  evidence.attribute |= evidence.lock && std::ranges::any_of(hanAbout, [name](std::string_view word) { return name.find(word) != name.npos; });
}

// What a queue of jobs keeps of them, whatever it is called.
bool namesQueue(std::string_view key) {
  constexpr auto ofRq = wordList("queue", "wip", "canceled", "finished", "scheduled", "deferred", "failed", "intermediate", "workers");
  constexpr std::string_view rq = "rq:", hangfire = "hangfire";
  if (key.starts_with(rq)) {
    const auto kept = key.substr(rq.size());
    return std::ranges::find(ofRq, kept.substr(0, kept.find(':'))) != ofRq.end();
  }
  const auto inBraces = key.starts_with('{') ? key.substr(1) : key;
  if (inBraces.starts_with(hangfire)) {
    const auto kept = inBraces.substr(hangfire.size());
    return kept.starts_with(":queue:") || kept.starts_with("}:queue:");
  }
  return (key.starts_with("bull:") && !key.ends_with(":lock")) || (key.starts_with("asynq:{") && !key.contains("}:unique:")) || key.starts_with("dramatiq:");
}

// Laravel puts the names of its connection and of its cache before every key: they say nothing of what lies there.
std::string_view behindLaravelsCache(std::string_view key) {
  constexpr std::string_view older = "_cache_:", newer = "-cache-", connection = "-database-";
  const auto first = key.substr(0, key.find(':') + 1); // empty: there is none
  if (first.size() < key.size() && first.ends_with(older))
    return key.substr(first.size());
  const auto of = key.find(connection), cache = of == key.npos ? of : key.find(newer, of + connection.size() - 1);
  return cache == key.npos || cache + newer.size() == key.size() ? key : key.substr(cache + newer.size());
}

// A letter stands on both sides of its digits, "n8n", "k8s", or it is what runs there, in front of two parts more: "app1:scheduler:leader".
bool isOfOne(std::string_view part, bool isFirstOfThree) {
  constexpr std::ptrdiff_t most = 2;
  const auto isLetter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  return isLetter(part.front()) && (isLetter(part.back()) || isFirstOfThree) && std::ranges::count_if(part, isDigit) <= most;
}

// "team:5:leader", and by an id too.
bool namesOneOfMany(std::string_view name) {
  const auto isSign = [](char c) { return !isDigit(c) && ((c | 0x20) < 'a' || (c | 0x20) > 'z'); };
  std::vector<std::string_view> parts;
  for (auto at = name.begin(); at != name.end();) {
    const auto end = std::find_if(at, name.end(), isSign);
    if (end != at)
      parts.emplace_back(at, end);
    at = end == name.end() ? end : end + 1;
  }
  return std::ranges::any_of(
      parts, [&](const std::string_view &part) { return std::ranges::any_of(part, isDigit) && !isOfOne(part, &part == &parts.front() && parts.size() > 2); });
}

bool namesLeader(std::string_view name) {
  std::string first, last, before;
  bool isElection = false, isOfTeam = false;
  eachWord(name, [&](std::string_view word, std::size_t) {
    isOfTeam |= WordLists(word).has(List::Teams);
    isElection |= word == "leaderelection" || (last == "leader" && word == "election");
    if (first.empty())
      first = word;
    before = std::exchange(last, std::string(word));
  });
  const auto isLed = [](std::string_view word) { return WordLists(word).has(List::Led); };
  const bool isLeader = last == "leader" || first == "leader" || (last == "master" && isLed(before)) || (first == "master" && isLed(last));
  return isElection || (isLeader && !isOfTeam && !namesOneOfMany(name));
}

/// Reads a name word by word, and what stands between them.
class NameClassifier {
public:
  NameClassifier(std::string_view key, LockWords words)
      : m_key(key), m_head(key.substr(0, longestNameRead)), m_words(words), m_isOfDogpile(key.starts_with("_lock")) {
    m_evidence.lock = m_evidence.edge = m_isOfDogpile; // it puts that before the name without a break
  }
  NameEvidence read() {
    eachWord(m_head, [this](std::string_view word, std::size_t end) { readWord({word, end, WordLists(word)}); });
    m_evidence.edge |= m_isLast;
    readHan(m_head, m_evidence);
    m_isWhole |= m_evidence.whole;
    m_evidence.leader = m_mayLead && namesLeader(m_head);
    weigh();
    return m_evidence;
  }

private:
  struct Word {
    std::string_view text;
    std::size_t end; // where it ends in the name
    WordLists lists;
  };

  std::string_view m_key, m_head;
  LockWords m_words;
  bool m_isOfDogpile;
  NameEvidence m_evidence;
  // Of the word before.
  std::string m_before;
  WordLists m_listsBefore;
  std::size_t m_beforeEnd = 0;
  bool m_isFirst = true;
  bool m_isLast = false;   // it means lock: the last so far that does
  bool m_isShared = false; // it is one of List::Shared behind a lock
  bool m_isSharedJoined = false;
  bool m_isMeasure = false, m_isEndMeasure = false;
  bool m_isCounter = false, m_isTally = false; // it stands right behind a lock
  // Of all so far.
  std::string m_leader; // the first
  bool m_leads = false; // that means lock
  bool m_isWhole = false, m_isSecret = false, m_isOtherUse = false, m_isPart = false, m_isPicture = false, m_isAbout = false, m_isBound = false,
       m_isNumbered = false, m_leadsSecret = false, m_mayLead = false;
  std::size_t m_parts = 0, m_lockPart = 0, m_lockEnd = 0; // of the last word that means lock: how many colons stand before it, and where it ends

  void readWord(const Word &word) {
    const auto gap = m_isFirst ? std::string_view() : m_head.substr(m_beforeEnd, word.end - word.text.size() - m_beforeEnd);
    const bool isJoined = gap.empty() || gap == "_" || gap == "-";
    m_parts += static_cast<std::size_t>(std::ranges::count(gap, ':'));
    if (m_isFirst)
      m_leader = word.text;
    m_isSecret |= m_before == "api" && word.text == "key" && isJoined;
    m_leadsSecret |= m_parts == 0 && (m_isSecret || word.lists.has(List::Secrets));
    readBehindLock(word, gap, isJoined);
    readLock(word, gap, isJoined);
    readUse(word, isJoined);
    m_listsBefore = word.lists;
    m_beforeEnd = word.end;
    m_before = word.text;
    m_isFirst = false;
  }

  // What it says of the lock before it.
  void readBehindLock(const Word &word, std::string_view gap, bool isJoined) {
    const bool isAbout = m_isLast && word.lists.has(List::Attributes), isEnd = word.end == m_head.size();
    m_isAbout |= isAbout;
    m_isBound |= (isAbout && isJoined) || word.lists.has(List::Repeats) || (m_isShared && !m_leads);
    m_isNumbered |= m_leads && std::ranges::any_of(gap, isDigit);
    const bool explains = m_leads && isEnd && (word.lists.has(List::Secrets) || word.lists.has(List::Explainers));
    const bool isCrowd = m_isLast && std::ranges::none_of(gap, isDigit) && isEnd && word.lists.has(List::Crowds);
    m_evidence.explained |= (explains && (m_isAbout || m_isNumbered)) || isCrowd;
    m_isEndMeasure = (m_isLast && word.lists.has(List::EndMeasures)) || (m_isEndMeasure && word.lists.has(List::Periods));
    m_isCounter = m_isLast && word.lists.has(List::Counters);
    m_isTally = m_isLast && word.lists.has(List::Tallies);
    m_isPart |= m_isShared;
    m_isShared = m_isLast && word.lists.has(List::Shared);
    m_isSharedJoined = isJoined;
  }

  // Whether it means lock itself.
  void readLock(const Word &word, std::string_view gap, bool isJoined) {
    const bool isWhole = word.lists.has(List::Locks) || (m_words == LockWords::AndSemaphores && word.lists.has(List::Semaphores));
    m_isLast = isWhole || endsLikeLock(word.text);
    m_evidence.lock |= m_isLast;
    m_lockPart = m_isLast ? m_parts : m_lockPart;
    m_lockEnd = m_isLast ? word.end : m_lockEnd;
    m_evidence.segment |= isWhole && (gap.ends_with(':') || (m_isFirst && word.end == word.text.size())) && word.end < m_head.size() && m_head[word.end] == ':';
    m_isBound |= isWhole && !m_isFirst && isJoined && m_listsBefore.has(List::Trades);
    m_isBound |= m_isLast && !m_isFirst && namesFile(m_head.substr(word.end));
    m_evidence.shutsOut |= m_isLast && m_listsBefore.has(List::ShutOut);
    m_evidence.joined |= isWhole && !m_isFirst && isJoined && !gap.empty();
    m_evidence.apart |= m_isLast && endsPart(m_head.substr(word.end));
    m_evidence.edge |= m_isLast && m_isFirst;
    m_isWhole |= isWhole;
    m_leads |= isWhole && m_isFirst;
  }

  // What else it speaks of.
  void readUse(const Word &word, bool isJoined) {
    const auto &lists = word.lists;
    m_evidence.data |=
        lists.has(List::Data) || (lists.has(List::Ids) && (word.end == m_head.size() || (!m_isFirst && (isJoined || isLastWord(m_head.substr(word.end))))));
    m_evidence.holderProbe |= lists.has(List::HolderProbe);
    m_evidence.event |= lists.has(List::Events);
    m_evidence.tally |= lists.has(List::Tallies) || (m_before == "rate" && word.text == "limit" && isJoined);
    m_evidence.goods |= lists.has(List::Goods);
    m_evidence.toggle |= lists.has(List::Toggles);
    m_evidence.fence |= lists.has(List::Fences) || (lists.has(List::LastFences) && word.end == m_key.size() && !isJoined);
    m_evidence.counter |= lists.has(List::Counters) || (m_isFirst && lists.has(List::LeadingCounters));
    m_evidence.chronicle = lists.has(List::Chronicles) || (m_evidence.chronicle && lists.has(List::Periods));
    m_evidence.lease |= lists.has(List::Leases);
    m_evidence.contrary |= !m_isWhole && lists.has(List::Subjects);
    m_evidence.resource = m_before == "resource" && isJoined && (word.text == "name" || word.text == "key") && word.end == m_head.size();
    m_mayLead |= word.text.starts_with("leader") || word.text == "master";
    m_isPicture |= lists.has(List::Pictures);
    m_isSecret |= lists.has(List::Secrets);
    m_isOtherUse |= lists.has(List::Uses);
    m_isMeasure = lists.has(List::Measures) && !m_evidence.resource;
  }

  // All of it together.
  void weigh() {
    const bool isAtEnd = m_beforeEnd == m_key.size();
    m_isMeasure |= isAtEnd && m_isEndMeasure;
    const bool isOfId = !isAtEnd && isLastWord(m_key.substr(m_beforeEnd)); // a number stands behind the last word
    const bool isCountedOfId = m_isTally || (WordLists(m_leader).has(List::LeadingCounters) && m_isLast);
    m_evidence.ofThing = isOfId && !m_listsBefore.has(List::ShutOut) && !m_listsBefore.has(List::Persons);
    m_evidence.counts = (isAtEnd && (m_isCounter || m_isTally)) || (isOfId && isCountedOfId);
    const bool isOfMore = m_leads && m_isShared && !m_isSharedJoined && m_beforeEnd < m_head.size(); // "lock:settings:7"
    m_isAbout |= isOfMore;
    m_isBound |= (m_isPicture && !m_leads) || (m_isShared && !isOfMore);
    const bool isOfQueue = namesQueue(m_key);
    const bool isMoment = m_evidence.lock && (m_listsBefore.has(List::Moments) || WordLists(m_leader).has(List::Moments)); // of its last word, or its first
    m_evidence.contrary |= m_isSecret || m_isOtherUse || m_isMeasure || m_isPart || isOfQueue || isMoment;
    m_evidence.mixed = m_evidence.contrary && m_isWhole && m_evidence.edge && !m_isMeasure && !m_isPart && !isOfQueue && !isMoment;
    m_evidence.figure = m_isMeasure;
    m_evidence.chronicle &= isAtEnd || (m_listsBefore.has(List::Periods) && isLastWord(m_key.substr(m_beforeEnd)));
    m_evidence.secret = m_isSecret;
    m_evidence.whole = m_isWhole;
    const bool isRecords = WordLists(m_leader).has(List::Records) && !(m_evidence.goods && m_lockEnd < m_head.size()); // "page:lock:7" is one of page 7
    m_evidence.hidden = ((m_isSecret || m_isOtherUse) && !m_evidence.edge) || (m_lockPart == 1 && (m_leadsSecret || isRecords));
    m_evidence.segment &= !m_evidence.goods;
    m_isBound |= m_evidence.attribute || (m_evidence.lock && namesLockFile(m_head));
    m_evidence.attribute = m_isAbout || m_isBound;
    m_evidence.leads = m_leads;
    m_evidence.aside = (m_leads || (m_evidence.segment && isOfId)) && m_isAbout && !m_isBound && !m_evidence.explained;
    m_evidence.needsLease = !m_isOfDogpile && (!m_isWhole || m_isSecret || m_isPart || isMoment || (m_isOtherUse && !m_leads));
  }
};

// By the first two letters of six that end so.
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
  const auto isLetter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto end = std::find_if(key.rbegin(), key.rend(), isLetter).base();
  return {std::find_if_not(std::make_reverse_iterator(end), key.rend(), isLetter).base(), end};
}

NameEvidence nameEvidence(std::string_view key, LockWords words) { return NameClassifier(behindLaravelsCache(key), words).read(); }

} // namespace lockhouse
