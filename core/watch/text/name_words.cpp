// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/name_words.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace lockhouse {
namespace {

template <class... Words> constexpr std::array<std::string_view, sizeof...(Words)> wordList(Words... words) { return {words...}; }

constexpr auto lockWords = wordList("lock", "locks", "mutex", "mutexes", "redlock", "locking", "lck", "mtx", "dlm", "redislock", "distlock", "distributedlock",
                                    "dlock", "rlock", "mylock", "singletonlock",
                                    "rueidislock"); // the last two: libraries' prefixes
constexpr auto semaphoreWords = wordList("semaphore", "semaphores");
// They end like a lock. Those that are one in other people's trades (doors, treasuries) are kept out too.
constexpr auto notLocks =
    wordList("unlock", "flock", "deadlock", "warlock", "padlock", "gridlock", "sherlock", "wedlock", "airlock", "hemlock", "doorlock", "smartlock", "keylock",
             "combolock", "bikelock", "carlock", "wheellock", "steeringlock", "childlock", "screenlock", "touchlock", "capslock", "numlock", "scrolllock",
             "shiftlock", "interlock", "antilock", "timelock", "hashlock", "vestinglock", "pricelock", "ratelock", "headlock", "armlock", "dreadlock",
             "forelock", "fetlock", "flintlock", "matchlock", "oarlock", "shylock", "matlock", "havelock", "relock", "livelock", "autolock", "rotationlock",
             "bullock", "pollock", "wristlock", "whitlock", "charlock", "blalock", "blaylock", "blacklock", "ttlock", "goldilock", "hillock", "hammerlock",
             "bollock", "pillock", "schlock", "genlock", "glock", "ziplock", "overlock", "lovelock", "spurlock", "hallock");
// Blocks and clocks are none, but for the locks of a job, a database, a sync.
constexpr auto lockedEndings = wordList("joblock", "publock", "sublock", "weblock", "tablock", "hublock", "bloblock", "synclock", "doclock", "rpclock",
                                        "proclock", "execlock", "alloclock", "topiclock", "metriclock", "publiclock", "logiclock");
constexpr auto lockedWords = wordList("dblock", "mydblock", "rdblock");
// Joined to a word that means lock they make one of those: "price_lock", "screen-lock", "autoLock".
constexpr auto otherTrades = wordList("price", "rate", "screen", "child", "caps", "num", "scroll", "auto", "rotation", "orientation", "door", "dead", "pad",
                                      "vesting", "bike", "bicycle", "smart", "combo", "combination", "luggage", "gun", "wheel", "steering", "keypad");
// Who is locked out, as often as locked: "account_locks".
constexpr auto shutOutWords = wordList("account", "accounts", "ip", "ips", "login", "logins", "signin");
constexpr auto personWords = wordList("user", "users", "customer", "customers", "member", "members", "device", "devices");
// Who leads such is a person, or what is shown first.
constexpr auto teamWords =
    wordList("team", "guild", "clan", "raid", "squad", "party", "project", "league", "faction", "crew", "club", "photo", "message", "board");
// Who leads such is called their master too; that of a database or a recording is no holder.
constexpr auto ledWords = wordList("cluster", "scheduler", "cron", "worker", "workers", "election", "job", "jobs", "task", "tasks", "beat", "daemon");
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
constexpr auto dataWords = wordList(
    "cart", "carts", "basket", "wishlist", "upload", "uploads", "download", "downloads", "invite", "invites", "invitation", "device", "devices", "rating",
    "ratings", "vote", "votes", "presence", "unread", "socket", "sockets", "progress", "online", "visits", "plays", "reactions", "followers", "subscribers",
    "subscriptions", "subs", "connections", "viewers", "watchers", "typing", "clicks", "inbox", "points", "badges", "balances", "scores", "img", "imgs",
    "photo", "photos", "thumb", "thumbs", "blacklist", "denylist", "allowlist", "whitelist", "delayed", "scheduled", "timeline", "feed", "replay", "replays",
    "seen", "webhook", "webhooks", "nonces", "signatures", "captcha", "captchas", "challenge", "challenges", "chal", "magic", "blob", "blobs", "message",
    "messages", "msg", "msgs", "export", "exports", "current", "correlation", "attachment", "attachments", "bag", "bags", "baskets", "wishlists", "playlist",
    "playlists", "watchlist", "watchlists", "saved", "purchases", "purchased", "jti", "revoked", "dedup", "processed", "reserved", "likes", "liked", "dislikes",
    "favorite", "favorites", "favourite", "favourites", "bookmark", "bookmarks", "follows", "following", "shares", "hits", "impressions");
// What is counted or noted for each client, and is no thing that anybody has alone.
constexpr auto tallyWords = wordList("ratelimit", "throttle", "quota", "votes", "ratings", "reactions", "clicks", "visits", "presence", "online", "typing",
                                     "lastseen", "viewers", "watchers");
// Of what happened: its records have ids that tell when.
constexpr auto eventWords = wordList("event", "events", "visit", "span", "spans", "last", "latest", "previous");
// Who is there now, by the ids of clients.
constexpr auto holderProbeWords =
    wordList("presence", "online", "typing", "socket", "sockets", "connection", "connections", "viewers", "watchers", "heartbeat", "heartbeats", "cursor",
             "cursors", "members", "players", "peers", "lastseen", "conn", "conns", "websocket", "websockets");
// Of these nobody is the holder, whatever random text stands there: "locks:online".
constexpr auto crowdWords = wordList("online", "presence", "typing", "lastseen", "viewers", "watchers");
// What is noted of whom or what again and again, in front of a name or at its end: "cursor:doc:lock", "lock:17:heartbeat".
constexpr auto momentWords = wordList("heartbeat", "heartbeats", "cursor", "cursors", "online", "presence", "typing", "lastseen", "viewers", "watchers");
constexpr auto idWords = wordList("id", "ids", "ref", "refs", "uuid", "guid", "slug");
// What a shop sells or a site shows may be called "lock" itself.
constexpr auto goodsWords = wordList("product", "products", "sku", "item", "shop", "inventory", "category", "categories", "page", "pages");
// Of what is switched on or off, or opened once and for all: a mark without a lease is as often that.
constexpr auto toggleWords =
    wordList("use", "uses", "ui", "with", "without", "enable", "enabled", "disable", "disabled", "rollout", "rollouts", "ff", "growthbook", "launchdarkly",
             "unleash", "flipper", "ab", "variant", "variants", "experiment", "experiments", "canary", "prefs", "preference", "preferences", "allow", "allowed",
             "chapter", "chapters", "level", "levels", "achievement", "achievements", "episode", "episodes", "lesson", "lessons", "quest", "quests");
// What is counted for each client, in windows as short as a hold; the others only in front of a name, for "refresh:stats" may be a job.
constexpr auto counterWords =
    wordList("limiter", "limiters", "ratelimiter", "rl", "attempts", "hits", "calls", "leaderboard", "leaderboards", "exposure", "exposures", "requests",
             "retries", "fails", "failures", "errors", "tally", "tallies", "counters", "downloads", "views", "usage");
constexpr auto leadingCounters = wordList("stats", "metrics", "rate", "analytics");
// What is kept about locks, in one list or table of all.
constexpr auto chronicleWords =
    wordList("failure", "failures", "requests", "contention", "contentions", "conflicts", "collisions", "durations", "latency", "latencies", "alerts",
             "warnings", "log", "logs", "violations", "subscribers", "devices", "users", "top", "offenders", "statistics", "lost", "denied", "misses",
             "rejected", "releases", "released", "stolen", "usage", "metrics", "stats", "histogram", "histograms", "leaderboard", "traces", "registry", "all",
             "names", "keys", "list", "known", "stale", "stuck", "orphans", "table", "tables", "meta", "holders");
// For which such is kept, behind it: "lock:failures:today".
constexpr auto periodWords = wordList("today", "yesterday", "daily", "hourly", "weekly", "monthly", "day", "hour", "minute", "week", "month", "year", "total",
                                      "all", "recent", "latest");
// In front of a name they say what its random text is; a lock of theirs stands behind their own numbers: "session:12:lock".
constexpr auto recordWords = wordList("session", "sessions", "sess", "page", "pages", "category", "categories");
// As the last word of a name they say that it is a figure, a setting or a record: "lock:retry:delay", "combination-lock:views".
constexpr auto measures = wordList("views", "likes", "amount", "delay", "size", "limit", "max", "min", "default", "prefix", "namespace", "type", "driver",
                                   "mode", "level", "name", "waiters", "fw", "rssi", "qty", "quantity", "total", "price", "note", "payload", "data", "page",
                                   "text", "events", "messages", "changes", "tests", "images", "items", "entries", "samples", "at");
// The same where nothing stands behind them, not even a number: "lock:requests", but not "lock:requests:17".
constexpr auto endMeasures = wordList("requests", "failures", "failed", "rejected", "hits", "misses", "acquisitions", "renewals", "grants", "tries", "winners",
                                      "contention", "usage", "journal", "percent", "percentage", "debug", "backend", "strategy");
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
// The counter that tells the holds of a lock apart, and is never reset: "lock:orders:fence".
constexpr auto fenceWords = wordList("fence", "fences", "fencing");
// The same as the last word, by itself: "lock:orders:seq"; what else is called so may be locked, as in "lock:invoice_sequence".
constexpr auto lastFenceWords = wordList("seq", "sequence", "epoch");
// A name with one of these keeps the answer to a request that came before, or that one is under way.
constexpr auto repeatWords = wordList("idem", "idempotent", "idempotency");

template <std::size_t n> bool among(const std::array<std::string_view, n> &words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// A sweep reads some hundred thousand names, and the lists have hundreds of words.
std::unordered_map<std::string_view, std::uint64_t> listsOfWords() {
  std::unordered_map<std::string_view, std::uint64_t> lists;
  const auto add = [&lists](List list, const auto &words) {
    for (const auto word : words)
      lists[word] |= static_cast<std::uint64_t>(list);
  };
  add(List::Locks, lockWords);
  add(List::Semaphores, semaphoreWords);
  add(List::Led, ledWords);
  add(List::Teams, teamWords);
  add(List::Persons, personWords);
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
  add(List::EndMeasures, endMeasures);
  add(List::Attributes, attributeWords);
  add(List::Shared, sharedWords);
  add(List::Repeats, repeatWords);
  add(List::HolderProbe, holderProbeWords);
  add(List::Moments, momentWords);
  add(List::Tallies, tallyWords);
  add(List::Events, eventWords);
  add(List::Crowds, crowdWords);
  add(List::ShutOut, shutOutWords);
  add(List::Toggles, toggleWords);
  add(List::Counters, counterWords);
  add(List::LeadingCounters, leadingCounters);
  add(List::Chronicles, chronicleWords);
  add(List::Periods, periodWords);
  add(List::Fences, fenceWords);
  add(List::LastFences, lastFenceWords);
  return lists;
}

} // namespace

WordLists::WordLists(std::string_view word) {
  static const auto all = listsOfWords();
  if (const auto found = all.find(word); found != all.end())
    m_bits = found->second;
}

std::span<const std::string_view> wordsForLocks() { return lockWords; }

bool endsLikeLock(std::string_view word) {
  if (word.ends_with("locks"))
    word.remove_suffix(1);
  if (word.ends_with("block") || word.ends_with("clock"))
    return among(lockedWords, word) || std::ranges::any_of(lockedEndings, [word](std::string_view ending) { return word.ends_with(ending); });
  return (word.ends_with("lock") || word.ends_with("mutex")) && !among(notLocks, word);
}

bool isFileEnding(std::string_view word) { return among(fileEndings, word); }

bool namesLockFile(std::string_view name) {
  if (name.find_first_of(".-") == name.npos) // each has one
    return false;
  const auto isSame = [](char a, char b) { return a == lowered(b); };
  return std::ranges::any_of(lockFiles,
                             [&](std::string_view file) { return !std::ranges::search(name, file, [&](char b, char a) { return isSame(a, b); }).empty(); });
}

} // namespace lockhouse
