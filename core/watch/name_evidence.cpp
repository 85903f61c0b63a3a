// SPDX-License-Identifier: Apache-2.0
#include "core/watch/name_evidence.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

namespace lockhouse {
namespace {

constexpr bool isLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool isAlpha(char c) { return isLower(c) || isUpper(c); }

constexpr std::size_t longestNameRead = 1024; // of a name of any length

template <class... Words> constexpr std::array<std::string_view, sizeof...(Words)> wordList(Words... words) { return {words...}; }

constexpr auto lockWords = wordList("lock", "locks", "mutex", "mutexes", "redlock", "locking", "lck", "mtx", "dlm", "redislock", "distlock", "distributedlock",
                                    "dlock", "rlock", "singletonlock",
                                    "rueidislock"); // the last two: libraries' prefixes
// They end like a lock. Those that are one in other people's trades (doors, treasuries) are kept out too.
constexpr auto notLocks =
    wordList("block", "clock", "unlock", "flock", "deadlock", "warlock", "padlock", "gridlock", "sherlock", "wedlock", "airlock", "hemlock", "oclock",
             "adblock", "roadblock", "bodyblock", "doorlock", "smartlock", "keylock", "combolock", "bikelock", "carlock", "wheellock", "steeringlock",
             "childlock", "screenlock", "touchlock", "capslock", "numlock", "scrolllock", "shiftlock", "interlock", "antilock", "timelock", "hashlock",
             "vestinglock", "pricelock", "ratelock", "geoblock", "sunblock", "codeblock", "textblock", "datablock", "superblock", "subblock", "lastblock",
             "nextblock", "genesisblock", "alarmclock", "headlock", "armlock", "dreadlock", "forelock", "fetlock", "flintlock", "matchlock", "oarlock",
             "shylock", "matlock", "havelock", "relock", "livelock", "autolock", "rotationlock", "unblock", "deblock", "reblock", "ipblock", "userblock",
             "memblock", "diskblock", "bullock", "pollock", "wristlock", "whitlock", "charlock");
// Joined to a word that means lock they make one of those: "price_lock", "screen-lock", "autoLock".
constexpr auto otherTrades = wordList("price", "rate", "screen", "child", "caps", "num", "scroll", "auto", "rotation", "orientation", "door", "dead", "pad",
                                      "vesting", "bike", "bicycle", "smart", "combo", "combination", "luggage", "gun", "wheel", "steering", "keypad");
constexpr auto leaseWords = wordList("lease", "leases", "leader", "singleton", "exclusive");
// What else a value of that name would be. Names are read as runs of letters: md5 is "md".
// Random text by itself: there is no saying whose without a lease.
constexpr auto secretWords = wordList("csrf", "xsrf", "nonce", "otp", "pin", "pins", "passcode", "secret", "secrets", "apikey", "etag", "checksum", "hash",
                                      "sha", "md", "digest", "cookie", "jwt", "password", "passwd", "idempotency");
// Other uses, unless "lock:" before them makes them what is locked.
constexpr auto otherUses =
    wordList("session", "sessions", "sess", "expire", "refresh", "verify", "trace", "unlock", "lockout", "clock", "block", "oauth", "auth", "signup", "reset",
             "state", "status", "version", "count", "counter", "attempts", "stats", "serial", "firmware", "token", "tokens", "screen", "npm", "door", "doors",
             "smart", "keypad", "caps", "login", "signin", "staking", "vesting", "bike", "scooter", "vehicle", "iot", "hotel", "recent", "history");
// With the secret words: at the end of the name of a record they say what its random text is.
constexpr auto explainers = wordList("token", "tokens", "session", "sessions", "sess", "version", "firmware", "serial", "code", "codes", "id", "ids");
// What is shown of a lock.
constexpr auto pictures = wordList("icon", "icons", "emoji", "sprite", "glyph", "svg");
// What locks are about as often as values are: where a word that means lock stands before them, they are.
constexpr auto subjects =
    wordList("cache", "request", "api", "config", "setting", "settings", "price", "email", "user", "users", "image", "avatar", "feature", "features", "flag",
             "flags", "toggle", "toggles", "limit", "limiter", "ratelimit", "throttle", "quota", "visitor", "uuid", "guid", "ticket", "tickets");
// What is kept by ids, in hashes of figures too.
constexpr auto dataWords =
    wordList("cart", "carts", "basket", "wishlist", "upload", "uploads", "download", "downloads", "invite", "invites", "invitation", "device", "devices",
             "rating", "ratings", "vote", "votes", "presence", "unread", "socket", "sockets", "progress", "online", "visits", "plays", "reactions", "followers",
             "subscribers", "subscriptions", "connections", "viewers", "watchers", "typing", "clicks", "inbox", "points", "badges", "balances", "scores", "img",
             "imgs", "photo", "photos", "thumb", "thumbs", "blacklist", "denylist", "allowlist", "whitelist", "delayed", "scheduled", "timeline", "feed",
             "replay", "replays", "seen", "webhook", "webhooks", "nonces", "signatures", "captcha", "captchas", "challenge", "challenges", "chal", "magic",
             "blob", "blobs", "message", "messages", "msg", "msgs", "export", "exports", "current", "correlation", "attachment", "attachments", "bag", "bags",
             "baskets", "wishlists", "playlist", "playlists", "watchlist", "watchlists", "saved", "purchases", "purchased", "reserved", "likes", "liked",
             "dislikes", "favorite", "favorites", "favourite", "favourites", "bookmark", "bookmarks", "follows", "following", "shares", "hits", "impressions");
// What is counted or noted for each client, and is no thing that anybody has alone.
constexpr auto tallyWords = wordList("ratelimit", "throttle", "quota", "votes", "ratings", "reactions", "clicks", "visits", "presence", "online", "typing",
                                     "lastseen", "viewers", "watchers");
// Of what happened: its records have ids that tell when.
constexpr auto eventWords = wordList("event", "events", "visit", "span", "spans", "last", "latest", "previous");
// Who is there now, by the ids of clients.
constexpr auto presenceWords = wordList("presence", "online", "typing", "socket", "sockets", "connection", "connections", "viewers", "watchers", "heartbeat",
                                        "heartbeats", "cursor", "cursors", "members", "players", "peers", "lastseen");
// Of these nobody is the holder, whatever random text stands there: "locks:online".
constexpr auto crowdWords = wordList("online", "presence", "typing", "lastseen", "viewers", "watchers");
// What is noted of whom or what again and again, in front of a name or at its end: "cursor:doc:lock", "lock:17:heartbeat".
constexpr auto momentWords = wordList("heartbeat", "heartbeats", "cursor", "cursors", "online", "presence", "typing", "lastseen", "viewers", "watchers");
constexpr auto idWords = wordList("id", "ids", "ref", "refs", "uuid", "guid", "slug");
// What a shop sells or a site shows may be called "lock" itself.
constexpr auto goodsWords = wordList("product", "products", "sku", "item", "shop", "inventory", "category", "categories", "page", "pages");
// In front of a name they say what its random text is; a lock of theirs stands behind their own numbers: "session:12:lock".
constexpr auto recordWords = wordList("session", "sessions", "sess", "page", "pages", "category", "categories");
// As the last word of a name they say that it is a figure, a setting or a record: "lock:retry:delay", "combination-lock:views".
constexpr auto measures = wordList("views", "likes", "amount", "delay", "size", "limit", "max", "min", "default", "prefix", "namespace", "type", "driver",
                                   "mode", "level", "name", "waiters", "fw", "rssi", "qty", "quantity", "total", "price", "note", "payload", "data", "page",
                                   "text", "events", "messages", "changes", "tests", "images", "items", "entries", "samples");
// What package managers call the file that pins versions.
constexpr auto lockFiles =
    wordList("yarn.lock", "package-lock", "pnpm-lock", "bun.lock", "cargo.lock", "gemfile.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock",
             "composer.lock", "podfile.lock", "flake.lock", "mix.lock", "pubspec.lock", "terraform.lock", "go.work.lock", "buf.lock", "chart.lock", "bun.lockb",
             "deno.lock", "requirements.lock", "packages.lock", "pixi.lock", "rebar.lock", "renv.lock", "conda-lock", "shard.lock");
// Right behind a word that means lock, they name something about it: "lock:enabled", "yarn.lock:sha".
constexpr auto attributeWords =
    wordList("total", "totals", "error", "errors", "wait", "waits", "recent", "retries", "by", "last", "token", "tokens", "hash", "sha", "md", "checksum",
             "digest", "etag", "version", "state", "status", "count", "counter", "attempts", "stats", "enabled", "disabled", "enable", "disable", "reason",
             "owner", "info", "message", "timeout", "ttl", "seconds", "limit", "pin", "pins", "passcode", "firmware", "battery", "serial", "until", "expires",
             "expiring", "expiry", "since", "history", "metrics", "icon", "color", "label", "screen", "wallpaper", "code", "codes", "duration", "held",
             "acquired", "active", "expired", "audit", "index", "timeouts", "owners", "counts", "notifications", "comments", "updated", "created", "modified",
             "deleted", "renewed", "refreshed", "timestamp", "timestamps");
// A file that is named after a lock: "thumb:lock.png".
constexpr auto fileEndings = wordList("png", "svg", "jpg", "jpeg", "gif", "webp", "ico", "html", "css", "js", "ts", "vue", "json", "xml", "yml", "yaml", "md",
                                      "txt", "pdf", "py", "go", "rb", "php", "java", "zip", "gz", "woff", "ttf", "mp");
// The same, unless more stands behind them and "lock:" before: what is locked then is a part of them, as in "lock:config:reload".
constexpr auto sharedWords = wordList("config", "setting", "settings", "feature", "flag", "log", "logs", "expire");
// A name with one of these keeps the answer to a request that came before, or that one is under way.
constexpr auto repeatWords = wordList("idem", "idempotent", "idempotency");

/// The lists that a word is in, a bit for each.
enum class List : std::uint32_t {
  Locks = 1U << 0,
  Trades = 1U << 1,
  Leases = 1U << 2,
  Secrets = 1U << 3,
  Uses = 1U << 4,
  Explainers = 1U << 5,
  Pictures = 1U << 6,
  Subjects = 1U << 7,
  Data = 1U << 8,
  Ids = 1U << 9,
  Goods = 1U << 10,
  Records = 1U << 11,
  Measures = 1U << 12,
  Attributes = 1U << 13,
  Shared = 1U << 14,
  Repeats = 1U << 15,
  Presence = 1U << 16,
  Moments = 1U << 17,
  Tallies = 1U << 18,
  Events = 1U << 19,
};

class Lists {
public:
  Lists() = default;
  explicit Lists(std::string_view word) {
    const auto &all = table();
    if (const auto found = all.find(word); found != all.end())
      m_bits = found->second;
  }
  bool has(List list) const { return (m_bits & static_cast<std::uint32_t>(list)) != 0; }

private:
  std::uint32_t m_bits = 0;

  // One look-up a word: a sweep reads some hundred thousand names, and the lists have hundreds of words.
  static const std::unordered_map<std::string_view, std::uint32_t> &table() {
    static const auto all = [] {
      std::unordered_map<std::string_view, std::uint32_t> words;
      const auto add = [&words](List list, const auto &of) {
        for (const auto word : of)
          words[word] |= static_cast<std::uint32_t>(list);
      };
      add(List::Locks, lockWords);
      add(List::Trades, otherTrades);
      add(List::Leases, leaseWords);
      add(List::Secrets, secretWords);
      add(List::Uses, otherUses);
      add(List::Explainers, explainers);
      add(List::Pictures, pictures);
      add(List::Subjects, subjects);
      add(List::Data, dataWords);
      add(List::Ids, idWords);
      add(List::Goods, goodsWords);
      add(List::Records, recordWords);
      add(List::Measures, measures);
      add(List::Attributes, attributeWords);
      add(List::Shared, sharedWords);
      add(List::Repeats, repeatWords);
      add(List::Presence, presenceWords);
      add(List::Moments, momentWords);
      add(List::Tallies, tallyWords);
      add(List::Events, eventWords);
      return words;
    }();
    return all;
  }
};

template <std::size_t n> bool among(const std::array<std::string_view, n> &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool namesLockFile(std::string_view name) {
  if (name.find_first_of(".-") == name.npos) // each has one
    return false;
  const auto isSame = [](char a, char b) { return a == (isUpper(b) ? static_cast<char>(b - 'A' + 'a') : b); };
  return std::ranges::any_of(lockFiles,
                             [&](std::string_view file) { return !std::ranges::search(name, file, [&](char b, char a) { return isSame(a, b); }).empty(); });
}

bool endsLikeLock(std::string_view word) {
  return (word.ends_with("lock") || word.ends_with("locks") || word.ends_with("mutex")) && !among(notLocks, word) &&
         !among(notLocks, word.substr(0, word.size() - 1));
}

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
  return among(fileEndings, ending);
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

bool namesLeader(std::string_view name) {
  std::string last, before;
  bool isElection = false;
  eachWord(name, [&](std::string_view word, std::size_t) {
    isElection |= word == "leaderelection" || (last == "leader" && word == "election");
    before = std::exchange(last, std::string(word));
  });
  return isElection || (last == "leader" && std::ranges::none_of(name, isDigit)); // of one of many: "team:5:leader"
}

} // namespace

bool maySpeakOfLock(std::string_view key) {
  char before = 0;
  const auto head = key.substr(0, longestNameRead);
  for (std::size_t i = 0; i < head.size(); ++i) {
    const auto c = static_cast<char>(head[i] | 0x20);
    if ((c == 'k' && before == 'c') || (c == 'x' && (before == 'e' || before == 't')) || (c == 'm' && before == 'l') ||
        (c == 'r' && before == 'e' && i >= 5 && (head[i - 4] | 0x20) == 'e' && (head[i - 5] | 0x20) == 'l') ||
        (i >= 2 && head[i - 2] == hanLock[0] && (head[i] == hanLock[2] || head[i] == hanLockOld[2])))
      return true; // lock, lck, mutex, mtx, dlm, leader, 锁, 鎖
    before = c;
  }
  return false;
}

NameEvidence nameEvidence(std::string_view key) {
  NameEvidence evidence;
  const bool ofDogpile = key.starts_with("_lock"); // it puts that before the name without a break
  evidence.lock = evidence.edge = ofDogpile;
  const auto head = key.substr(0, longestNameRead);
  bool first = true, last = false, leads = false, whole = false, secret = false, otherUse = false, shared = false, part = false, picture = false,
       measure = false, about = false, bound = false, numbered = false, sharedJoined = false;
  std::string before, leader;
  bool leadsSecret = false;
  std::size_t parts = 0, lockPart = 0, lockEnd = 0; // of the last word that means lock: how many colons stand before it, and where it ends
  std::size_t beforeEnd = 0;
  Lists listsBefore;
  bool mayLead = false;
  eachWord(head, [&](std::string_view word, std::size_t end) {
    const Lists lists(word);
    const auto gap = first ? std::string_view() : head.substr(beforeEnd, end - word.size() - beforeEnd);
    const bool isJoined = gap.empty() || gap == "_" || gap == "-";
    parts += static_cast<std::size_t>(std::ranges::count(gap, ':'));
    leader = first ? word : leader;
    secret |= before == "api" && word == "key" && isJoined;
    leadsSecret |= parts == 0 && (secret || lists.has(List::Secrets));
    const bool isAbout = last && lists.has(List::Attributes);
    about |= isAbout;
    bound |= (isAbout && isJoined) || lists.has(List::Repeats) || (shared && !leads);
    numbered |= leads && std::ranges::any_of(gap, isDigit);
    const bool explains = leads && end == head.size() && (lists.has(List::Secrets) || lists.has(List::Explainers));
    const bool isCrowd = last && std::ranges::none_of(gap, isDigit) && end == head.size() && among(crowdWords, word);
    evidence.explained |= (explains && (about || numbered)) || isCrowd;
    part |= shared;
    shared = last && lists.has(List::Shared);
    sharedJoined = isJoined;
    const bool isWhole = lists.has(List::Locks);
    last = isWhole || endsLikeLock(word);
    evidence.lock |= last;
    lockPart = last ? parts : lockPart;
    lockEnd = last ? end : lockEnd;
    evidence.segment |= isWhole && (gap.ends_with(':') || (first && end == word.size())) && end < head.size() && head[end] == ':';
    evidence.data |= lists.has(List::Data) || (lists.has(List::Ids) && (end == head.size() || (!first && (isJoined || isLastWord(head.substr(end))))));
    evidence.presence |= lists.has(List::Presence);
    evidence.event |= lists.has(List::Events);
    evidence.tally |= lists.has(List::Tallies) || (before == "rate" && word == "limit" && isJoined);
    evidence.goods |= lists.has(List::Goods);
    bound |= isWhole && !first && isJoined && listsBefore.has(List::Trades);
    bound |= last && !first && namesFile(head.substr(end));
    evidence.apart |= last && endsPart(head.substr(end));
    listsBefore = lists;
    beforeEnd = end;
    mayLead |= word.starts_with("leader");
    picture |= lists.has(List::Pictures);
    evidence.edge |= last && first;
    evidence.lease |= lists.has(List::Leases);
    whole |= isWhole;
    leads |= isWhole && first;
    secret |= lists.has(List::Secrets);
    otherUse |= lists.has(List::Uses);
    evidence.contrary |= !whole && lists.has(List::Subjects);
    evidence.resource = before == "resource" && isJoined && (word == "name" || word == "key") && end == head.size();
    measure = lists.has(List::Measures) && !evidence.resource;
    before = word;
    first = false;
  });
  evidence.edge |= last;
  readHan(head, evidence);
  whole |= evidence.whole;
  evidence.leader = mayLead && namesLeader(head);
  const bool isOfMore = leads && shared && !sharedJoined && beforeEnd < head.size(); // "lock:settings:7"
  about |= isOfMore;
  bound |= (picture && !leads) || (shared && !isOfMore);
  const bool isOfBull = key.starts_with("bull:") && !key.ends_with(":lock");                                   // what a queue keeps, whatever it is called
  const bool isMoment = evidence.lock && (listsBefore.has(List::Moments) || Lists(leader).has(List::Moments)); // of its last word, or its first
  evidence.contrary |= secret || otherUse || measure || part || isOfBull || isMoment;
  evidence.figure = measure;
  evidence.secret = secret;
  evidence.whole = whole;
  const bool isRecords = Lists(leader).has(List::Records) && !(evidence.goods && lockEnd < head.size()); // "page:lock:7" is one of page 7
  evidence.hidden = ((secret || otherUse) && !evidence.edge) || (lockPart == 1 && (leadsSecret || isRecords));
  evidence.segment &= !evidence.goods;
  bound |= evidence.attribute || (evidence.lock && namesLockFile(head));
  evidence.attribute = about || bound;
  evidence.leads = leads;
  evidence.aside = leads && about && !bound && !evidence.explained;
  evidence.needsLease = !ofDogpile && (!whole || secret || part || isMoment || (otherUse && !leads));
  return evidence;
}

} // namespace lockhouse
