// SPDX-License-Identifier: Apache-2.0
#include "core/watch/text/pattern.h"

#include "core/base/ascii.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace lockhouse {
namespace {

constexpr std::size_t longestMatched = 16384; // longer names and values are no lock's; jobs contain their arguments
constexpr std::size_t longestGiven = 1024;    // of a piece whose length is given
constexpr std::size_t fewTries = 256;         // nearly all texts take fewer; only then failed tries are remembered

constexpr bool isNameByte(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::string_view afterBrace = "a brace stands for something that varies, as {name:shape}; write {{ or }} for the brace itself";

} // namespace

std::optional<std::string_view> Captures::find(std::string_view name) const {
  const auto found = std::ranges::find(m_all, name, &Capture::first);
  return found == m_all.end() ? std::nullopt : std::optional(found->second);
}

// "name", "name:shape", "name:shape*24", "name:shape*1..8"
std::expected<Pattern::Piece, std::string> Pattern::parseCapture(std::string_view inside) {
  const auto colon = inside.find(':');
  const auto star = inside.find('*');
  const auto name = inside.substr(0, std::min(colon, star));
  if (name.empty() || !std::ranges::all_of(name, isNameByte))
    return std::unexpected(fmt::format("'{{{}}}' has no name of letters, digits and _ before its shape", inside));
  const auto kind = colon == inside.npos ? std::string_view("any") : inside.substr(colon + 1, star == inside.npos ? star : star - colon - 1);
  const auto *shape = findShape(kind);
  if (!shape)
    return std::unexpected(fmt::format("'{}' is no shape; lockhousectl families --shapes lists them", kind));
  Piece piece{{}, std::string(name), shape, shape->least, shape->most};
  if (star == inside.npos)
    return piece;
  const auto length = inside.substr(star + 1);
  const auto dots = length.find("..");
  const auto least = parseNumber(length.substr(0, dots)), most = dots == length.npos ? least : parseNumber(length.substr(dots + 2));
  if (!least || !most || *least > *most || *most == 0 || *most > longestGiven)
    return std::unexpected(fmt::format("'*{}' is no length: a number from 1 to {}, or two as 1..8", length, longestGiven));
  piece.least = *least;
  piece.most = *most;
  return piece;
}

std::expected<Pattern, std::string> Pattern::parse(std::string_view text) {
  auto parts = std::make_shared<Parts>();
  parts->text = text;
  auto &pieces = parts->pieces;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool isDouble = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && !isDouble) {
      const auto close = c == '{' ? text.find('}', at) : text.npos;
      if (close == text.npos)
        return std::unexpected(fmt::format("byte {}: {}", at + 1, afterBrace));
      auto piece = parseCapture(text.substr(at + 1, close - at - 1));
      if (!piece)
        return std::unexpected(std::move(piece.error()));
      pieces.push_back(std::move(*piece));
      at = close + 1;
      continue;
    }
    if (pieces.empty() || pieces.back().shape)
      pieces.emplace_back();
    pieces.back().literal += c;
    at += c == '{' || c == '}' ? 2 : 1;
  }
  parts->measure();
  return Pattern(std::move(parts));
}

void Pattern::Parts::measure() {
  for (const auto &piece : pieces) {
    if (piece.literal.size() > longest.size())
      longest = piece.literal;
    const bool isEndless = piece.shape && piece.most == 0;
    least += piece.shape ? piece.least : piece.literal.size();
    isRepeating |= piece.shape && std::ranges::count(pieces, piece.name, &Piece::name) > 1;
    most = isEndless ? longestMatched : std::min(longestMatched, most + (piece.shape ? piece.most : piece.literal.size()));
  }
  if (!pieces.empty() && !pieces.front().shape)
    prefix = pieces.front().literal;
  if (!pieces.empty() && !pieces.back().shape)
    suffix = pieces.back().literal;
}

std::optional<std::string> Pattern::filled(const Captures &captures) const {
  std::string text;
  for (const auto &piece : m_parts->pieces) {
    const auto bytes = piece.shape ? captures.find(piece.name) : std::optional<std::string_view>(piece.literal);
    if (!bytes)
      return std::nullopt;
    if (piece.shape && piece.shape->write)
      text += piece.shape->write(*bytes);
    else
      text += *bytes;
  }
  return text;
}

std::string Pattern::glob() const {
  std::string text;
  for (const auto &piece : m_parts->pieces) {
    if (piece.shape)
      text += '*';
    for (const char c : piece.literal)
      text.append(std::string_view("*?[]\\^").find(c) == std::string_view::npos ? "" : "\\").push_back(c);
  }
  return text;
}

bool Pattern::captures(std::string_view name) const { return std::ranges::find(m_parts->pieces, name, &Piece::name) != m_parts->pieces.end(); }

Outline Pattern::outline() const {
  Outline outline{.least = m_parts->least, .most = m_parts->most, .wanted = {}, .allowed = {}};
  for (const auto &piece : m_parts->pieces) {
    for (const char c : piece.literal) {
      outline.wanted.add(c);
      outline.allowed.add(c);
    }
    for (unsigned byte = 0; piece.shape && byte < 256; ++byte)
      if (piece.shape->allows(static_cast<char>(byte)))
        outline.allowed.add(static_cast<char>(byte));
  }
  return outline;
}

std::vector<std::string_view> Pattern::shapesOf(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto &piece : m_parts->pieces)
    if (piece.literal.empty() && piece.name == name && piece.shape)
      found.push_back(piece.shape->name);
  return found;
}

std::vector<std::string_view> Pattern::names() const {
  std::vector<std::string_view> names;
  for (const auto &piece : m_parts->pieces)
    if (piece.shape)
      names.emplace_back(piece.name);
  return names;
}

// A name can be hostile: in a name with a thousand colons, three pieces that may end at any of them make a hundred million tries. Whether a piece
// leads to the end from some position does not depend on what is before it, so each such try is made once. If names repeat, it does depend.
struct Pattern::Walk {
  const Parts &parts;
  std::string_view bytes;
  Captures *captures;
  Ways *ways = nullptr;
  std::size_t tries = 0;
  std::vector<bool> failed{}; // by piece and position, after many tries

  // With `ways`: true if there are enough of them.
  bool from(std::size_t index, std::size_t at) {
    if (index == parts.pieces.size()) {
      if (ways && at == bytes.size())
        ways->found.push_back(*captures);
      return ways ? ways->found.size() >= ways->most : at == bytes.size();
    }
    const auto found = ways ? ways->found.size() : 0;
    if (parts.pieces[index].shape ? shapeFrom(index, at) : literalFrom(index, at))
      return true;
    if (!failed.empty() && (!ways || ways->found.size() == found))
      failed[placeOf(index, at)] = true;
    return false;
  }

private:
  std::size_t placeOf(std::size_t index, std::size_t at) const { return index * (bytes.size() + 1) + at; }
  bool hasFailed(std::size_t index, std::size_t at) const { return !failed.empty() && index < parts.pieces.size() && failed[placeOf(index, at)]; }

  void count() {
    if (++tries == fewTries && !parts.isRepeating)
      failed.resize(parts.pieces.size() * (bytes.size() + 1));
  }

  static std::size_t allowedIn(std::string_view text, const Shape &shape) {
    return shape.allows.isAll() ? text.size() : static_cast<std::size_t>(std::ranges::find_if_not(text, std::cref(shape.allows)) - text.begin());
  }

  // The next smaller size of a shape that this text follows; npos: there is none.
  static std::size_t before(std::string_view rest, std::string_view behind, std::size_t size) { return size == 0 ? rest.npos : rest.rfind(behind, size - 1); }

  bool literalFrom(std::size_t index, std::size_t at) {
    const auto &literal = parts.pieces[index].literal;
    return bytes.substr(at).starts_with(literal) && from(index + 1, at + literal.size());
  }

  bool shapeFrom(std::size_t index, std::size_t at) {
    const auto &piece = parts.pieces[index];
    const auto rest = bytes.substr(at);
    const auto most = std::min(rest.size(), piece.most == 0 ? rest.size() : piece.most);
    const auto allowed = allowedIn(rest.substr(0, most), *piece.shape);
    const bool isLast = index + 1 == parts.pieces.size();
    if (isLast && allowed < rest.size())
      return false;
    const auto known = captures ? captures->find(piece.name) : std::nullopt;
    const auto behind = isLast ? std::string_view() : std::string_view(parts.pieces[index + 1].literal); // nothing: another shape
    for (auto size = rest.rfind(behind, allowed); size + 1 > std::max<std::size_t>(piece.least, isLast ? rest.size() : 0); size = before(rest, behind, size)) {
      count();
      if (hasFailed(index + 1, at + size))
        continue;
      const auto here = rest.substr(0, size);
      if (piece.shape->accepts && (here.empty() || !piece.shape->accepts(here)))
        continue;
      const auto meant = piece.shape->read ? piece.shape->read(here) : std::optional(here);
      if (!meant || (known && *known != *meant))
        continue;
      const auto kept = captures ? captures->size() : 0;
      if (captures)
        captures->set(piece.name, *meant);
      if (from(index + 1, at + size))
        return true;
      if (captures)
        captures->shrink(kept);
    }
    return false;
  }
};

// False for nearly all keys that a scan finds.
bool Pattern::mayMatch(std::string_view bytes) const {
  const auto &parts = *m_parts;
  return bytes.size() >= parts.least && bytes.size() <= parts.most && bytes.starts_with(parts.prefix) && bytes.ends_with(parts.suffix) &&
         (parts.longest.size() <= std::max(parts.prefix.size(), parts.suffix.size()) || bytes.find(parts.longest) != bytes.npos);
}

bool Pattern::matches(std::string_view bytes, Captures *captures) const {
  if (!mayMatch(bytes))
    return false;
  Captures own;
  auto *all = captures ? captures : m_parts->isRepeating ? &own : nullptr;
  const auto before = all ? all->size() : 0;
  if (Walk{*m_parts, bytes, all}.from(0, 0))
    return true;
  if (all)
    all->shrink(before);
  return false;
}

std::vector<Captures> Pattern::everyMatch(std::string_view bytes, std::size_t most) const {
  Ways ways{{}, most};
  Captures captures;
  if (most > 0 && mayMatch(bytes))
    Walk{*m_parts, bytes, &captures, &ways}.from(0, 0);
  return std::move(ways.found);
}

} // namespace lockhouse
