// SPDX-License-Identifier: Apache-2.0
// Which bytes a pattern matches, and in how many ways.
#include "core/watch/text/pattern.h"

#include <algorithm>
#include <functional>

namespace lockhouse {
namespace {

constexpr std::size_t fewTries = 256; // that tell of nearly all bytes; only beyond is it worth to remember what was in vain

} // namespace

// Names are anybody's: three pieces that may end anywhere between colons, in a name of a thousand colons, make a hundred million tries of what
// cannot match. From one place on a piece either leads to the end or does not, whatever lies before it: each is tried once. Not so where names
// repeat, for what a piece may be depends on what came before.
struct Pattern::Walk {
  const Parts &parts;
  std::string_view bytes;
  Captures *captures;
  Ways *ways = nullptr;
  std::size_t tries = 0;
  std::vector<bool> inVain{}; // of each piece and place, once there were many

  // With `ways`: whether these are enough.
  bool from(std::size_t index, std::size_t at) {
    if (index == parts.pieces.size()) {
      if (ways && at == bytes.size())
        ways->found.push_back(*captures);
      return ways ? ways->found.size() >= ways->most : at == bytes.size();
    }
    const auto found = ways ? ways->found.size() : 0;
    if (parts.pieces[index].shape ? shapeFrom(index, at) : literalFrom(index, at))
      return true;
    if (!inVain.empty() && (!ways || ways->found.size() == found))
      inVain[placeOf(index, at)] = true;
    return false;
  }

private:
  std::size_t placeOf(std::size_t index, std::size_t at) const { return index * (bytes.size() + 1) + at; }
  bool isInVain(std::size_t index, std::size_t at) const { return !inVain.empty() && index < parts.pieces.size() && inVain[placeOf(index, at)]; }

  void count() {
    if (++tries == fewTries && !parts.isRepeating)
      inVain.resize(parts.pieces.size() * (bytes.size() + 1));
  }

  static std::size_t allowedIn(std::string_view text, const Shape &shape) {
    return shape.allows.isAll() ? text.size() : static_cast<std::size_t>(std::ranges::find_if_not(text, std::cref(shape.allows)) - text.begin());
  }

  // The next smaller size of a shape behind which this text lies; npos: there is none.
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
      if (isInVain(index + 1, at + size))
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

// No: of nearly all that a sweep meets.
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
