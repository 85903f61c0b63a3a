// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/uri.h"

#include "core/base/safe_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace lockhouse {
namespace {

constexpr int highestDb = 65535; // more than any server has; Redis itself says so for a db that it lacks

std::unexpected<Error> wrong(Message what) {
  return fail(ErrorCode::Usage, std::move(what), "the URL", LH_ENGLISH("write redis://[user:password@]host[:port][/db], rediss://… or unix:///path?db=N"));
}

std::optional<std::string> decode(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    unsigned value = 0;
    const auto digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2 || value == 0)
      return std::nullopt;
    bytes += static_cast<char>(value);
    i += 2;
  }
  return bytes;
}

std::string encode(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) {
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '-' || byte == '_' ||
                       byte == '.' || byte == '~';
    text += plain ? std::string(1, byte) : fmt::format("%{:02X}", static_cast<unsigned char>(byte));
  }
  return text;
}

template <class Number> std::optional<Number> number(std::string_view text, Number least, Number most) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    return std::nullopt;
  return value;
}

Result<void> parseLogin(std::string_view login, Uri &uri) {
  const auto colon = login.find(':');
  const auto user = decode(login.substr(0, colon));
  const auto password = colon == login.npos ? std::optional<std::string>("") : decode(login.substr(colon + 1));
  if (!user || !password)
    return wrong(LH_ENGLISH("the user or the password has a broken %-escape"));
  uri.user = *user;
  uri.password = *password;
  return {};
}

Result<void> parseHost(std::string_view authority, Uri &uri) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == authority.npos || (close + 1 < authority.size() && authority[close + 1] != ':'))
      return wrong(LH_ENGLISH("the IPv6 address is not closed by ]"));
    uri.host = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
  } else {
    const auto colon = authority.find(':');
    if (colon != authority.npos && authority.find(':', colon + 1) != authority.npos)
      return wrong(LH_ENGLISH("an IPv6 address must stand in brackets: [::1]"));
    uri.host = authority.substr(0, colon);
    port = colon == authority.npos ? std::string_view{} : authority.substr(colon);
  }
  for (const char byte : uri.host)
    if (static_cast<unsigned char>(byte) <= ' ' || byte == 0x7F || byte == '%')
      return wrong(LH_ENGLISH("the host has a character that no host has"));
  if (uri.host.empty())
    return wrong(LH_ENGLISH("the host is missing"));
  if (port.empty())
    return {};
  const auto value = number<std::uint16_t>(port.substr(1), 1, 65535);
  if (!value)
    return wrong(LH_ENGLISH("the port is not a number from 1 to 65535"));
  uri.port = *value;
  return {};
}

Result<void> parseDb(std::string_view text, Uri &uri) {
  const auto db = number<int>(text, 0, highestDb);
  if (!db)
    return wrong(LH_ENGLISH("the database is not a number"));
  uri.db = *db;
  return {};
}

Result<void> parseQuery(std::string_view query, Uri &uri) {
  if (query.find('@') != query.npos) // then it may be the tail of a password, which no error may repeat
    return wrong(LH_ENGLISH("a ? or @ in the password or an option must be written %1 or %2")("%3F", "%40"));
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    query = end == query.npos ? std::string_view{} : query.substr(end + 1);
    const auto equals = pair.find('=');
    const auto key = pair.substr(0, equals);
    const auto value = equals == pair.npos ? std::nullopt : decode(pair.substr(equals + 1));
    if (!value)
      return wrong(LH_ENGLISH("option '%1' has no value or a broken %-escape")(safeText(key, 40)));
    if (key == "db" && uri.kind == Uri::Kind::Unix) {
      if (auto parsed = parseDb(*value, uri); !parsed)
        return parsed;
    } else if (uri.kind == Uri::Kind::Tls && (key == "cacert" || key == "cert" || key == "key"))
      (key == "cacert" ? uri.caCert : key == "cert" ? uri.cert : uri.key) = *value;
    else
      return wrong(LH_ENGLISH("option '%1' does not belong to this kind of URL")(safeText(key, 40)));
  }
  return {};
}

Result<void> parseRest(std::string_view rest, Uri &uri) {
  const auto slash = rest.find('/');
  auto authority = rest.substr(0, slash);
  // A password may hold an unescaped @, a host never does: the last one counts.
  if (const auto at = authority.rfind('@'); at != authority.npos) {
    if (auto login = parseLogin(authority.substr(0, at), uri); !login)
      return login;
    authority.remove_prefix(at + 1);
  }
  const auto path = slash == rest.npos ? std::string_view{} : rest.substr(slash);
  if (uri.kind == Uri::Kind::Unix) {
    const auto decoded = decode(path);
    if (!authority.empty() || !decoded || decoded->size() < 2)
      return wrong(LH_ENGLISH("the socket's path is missing or not absolute"));
    uri.path = *decoded;
    return {};
  }
  if (auto host = parseHost(authority, uri); !host)
    return host;
  return path.size() < 2 ? Result<void>{} : parseDb(path.substr(1), uri);
}

} // namespace

Result<Uri> parseUri(std::string_view text) {
  Uri uri;
  const auto separator = text.find("://");
  const auto scheme = text.substr(0, separator);
  if (separator == text.npos || (scheme != "redis" && scheme != "rediss" && scheme != "unix"))
    return wrong(LH_ENGLISH("it does not begin with redis://, rediss:// or unix://"));
  uri.kind = scheme == "unix" ? Uri::Kind::Unix : scheme == "rediss" ? Uri::Kind::Tls : Uri::Kind::Tcp;
  auto rest = text.substr(separator + 3);
  std::string_view query;
  if (const auto mark = rest.find('?'); mark != rest.npos) {
    query = rest.substr(mark + 1);
    rest = rest.substr(0, mark);
  }
  if (auto parsed = parseRest(rest, uri); !parsed)
    return std::unexpected(parsed.error());
  if (auto parsed = parseQuery(query, uri); !parsed)
    return std::unexpected(parsed.error());
  if (uri.cert.empty() != uri.key.empty())
    return wrong(LH_ENGLISH("cert and key belong together"));
  return uri;
}

std::string Uri::address() const {
  if (kind == Kind::Unix)
    return path;
  return host.find(':') == host.npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string Uri::shown() const {
  const std::string login = user.empty() && password.empty() ? "" : encode(user) + (password.empty() ? "@" : ":***@");
  if (kind == Kind::Unix)
    return fmt::format("unix://{}{}{}", login, path, db == 0 ? "" : fmt::format("?db={}", db));
  std::string text = fmt::format("{}://{}{}{}", kind == Kind::Tls ? "rediss" : "redis", login, address(), db == 0 ? "" : fmt::format("/{}", db));
  char mark = '?';
  for (const auto &[name, value] : {std::pair<const char *, const std::string &>{"cacert", caCert}, {"cert", cert}, {"key", key}})
    if (!value.empty())
      text += fmt::format("{}{}={}", std::exchange(mark, '&'), name, value);
  return text;
}

Result<std::vector<Uri>> parseUris(std::span<const std::string> texts) {
  std::vector<Uri> uris;
  for (const auto &text : texts) {
    auto uri = parseUri(text);
    if (!uri)
      return std::unexpected(std::move(uri).error());
    const auto isSame = [&uri](const Uri &other) { return other.address() == uri->address() && other.db == uri->db; };
    if (const auto twin = std::ranges::find_if(uris, isSame); twin != uris.end())
      return fail(ErrorCode::Usage, LH_ENGLISH("%1 and %2 lead to one database of one server")(twin->shown(), uri->shown()), {}, LH_ENGLISH("give it once"));
    uris.push_back(std::move(*uri));
  }
  return uris;
}

} // namespace lockhouse
