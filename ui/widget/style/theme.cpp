// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/style/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

constexpr double highContrastFrom = 15.5;
constexpr double readable = 4.5;

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }

double luminance(const QColor &colour) { return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF()); }

QJsonObject tokenFile() {
  QFile file(u":/lockhouse/theme/tokens.json"_s);
  if (!file.open(QIODevice::ReadOnly))
    qFatal("the theme tokens are missing from the resources");
  return QJsonDocument::fromJson(file.readAll()).object();
}

Theme read(Theme::Kind kind, const QJsonObject &set) {
  const auto colour = [&](QLatin1String name) { return QColor(set.value(name).toString()); };
  const auto ink = [&](QLatin1String name) {
    const QJsonArray pair = set.value(name).toArray();
    return Theme::Ink{QColor(pair.at(0).toString()), QColor(pair.at(1).toString())};
  };
  return {.kind = kind,
          .window = colour("window"_L1),
          .panel = colour("panel"_L1),
          .raised = colour("raised"_L1),
          .base = colour("base"_L1),
          .line = colour("line"_L1),
          .text = colour("text"_L1),
          .soft = colour("soft"_L1),
          .faint = colour("faint"_L1),
          .accent = colour("accent"_L1),
          .onAccent = colour("onAccent"_L1),
          .selection = colour("selection"_L1),
          .track = colour("track"_L1),
          .held = ink("held"_L1),
          .contended = ink("contended"_L1),
          .waiting = ink("waiting"_L1),
          .expiring = ink("expiring"_L1),
          .danger = ink("danger"_L1),
          .stale = ink("stale"_L1),
          .onDanger = colour("onDanger"_L1)};
}

Theme::Kind kindOf(const QPalette &palette) {
  const QColor ground = palette.color(QPalette::Active, QPalette::Window);
  const QColor text = palette.color(QPalette::Active, QPalette::WindowText);
  const bool dark = luminance(ground) < luminance(text);
  if (contrast(ground, text) > highContrastFrom)
    return dark ? Theme::Kind::HighContrastDark : Theme::Kind::HighContrastLight;
  return dark ? Theme::Kind::Dark : Theme::Kind::Light;
}

/// Nearer to `text` in steps until it can be read on `ground`.
QColor readableOn(const QColor &ground, QColor colour, const QColor &text) {
  for (int step = 0; step < 10 && contrast(ground, colour) < readable; ++step)
    colour = blend(colour, text, 0.2);
  return colour;
}

} // namespace

Theme Theme::tokens(Kind kind) {
  static const QJsonObject file = tokenFile();
  constexpr std::array<QLatin1String, 4> names{"light"_L1, "dark"_L1, "highContrastLight"_L1, "highContrastDark"_L1};
  return read(kind, file.value(names.at(static_cast<std::size_t>(kind))).toObject());
}

Theme Theme::of(const QPalette &palette) {
  Theme theme = tokens(kindOf(palette));
  const auto role = [&](QPalette::ColorRole which) { return palette.color(QPalette::Active, which); };
  theme.window = theme.panel = role(QPalette::Window);
  theme.raised = role(QPalette::Button);
  theme.base = role(QPalette::Base);
  theme.text = role(QPalette::WindowText);
  const QColor highlight = role(QPalette::Highlight);
  // A desktop's highlight is often made for white text; rows keep their own colours, so it is thinned until they can be read.
  const bool gentle = contrast(highlight, theme.text) >= 7 && contrast(highlight, theme.danger.ink) >= readable;
  theme.selection = gentle ? highlight : blend(theme.base, highlight, theme.isDark() ? 0.3 : 0.16);
  theme.line = blend(theme.window, theme.line, 1.0);
  for (const QColor &ground : {theme.window, theme.selection}) {
    theme.soft = readableOn(ground, theme.soft, theme.text);
    theme.faint = readableOn(ground, theme.faint, theme.text);
  }
  return theme;
}

const Theme::Ink &Theme::state(LockState state) const {
  switch (state) {
  case LockState::Held: return held;
  case LockState::Contended: return contended;
  case LockState::Waiting: return waiting;
  case LockState::Expiring: return expiring;
  case LockState::NeverExpires:
  case LockState::Suspect: return danger;
  case LockState::Stale: return stale;
  }
  return stale;
}

QPalette Theme::palette() const {
  QPalette palette(raised, window);
  const std::initializer_list<std::pair<QPalette::ColorRole, QColor>> roles = {
      {QPalette::Window, window},
      {QPalette::WindowText, text},
      {QPalette::Base, base},
      {QPalette::AlternateBase, panel},
      {QPalette::Text, text},
      {QPalette::Button, raised},
      {QPalette::ButtonText, text},
      {QPalette::BrightText, text},
      {QPalette::PlaceholderText, faint},
      {QPalette::ToolTipBase, raised},
      {QPalette::ToolTipText, text},
      {QPalette::Highlight, selection},
      {QPalette::HighlightedText, text},
      {QPalette::Link, accent},
      {QPalette::LinkVisited, accent},
      {QPalette::Mid, line},
      {QPalette::Midlight, panel},
      {QPalette::Light, raised},
      {QPalette::Dark, soft},
      {QPalette::Shadow, text},
  };
  for (const auto &[role, colour] : roles)
    palette.setColor(QPalette::All, role, colour);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, faint);
  return palette;
}

double contrast(const QColor &a, const QColor &b) {
  const double one = luminance(a) + 0.05;
  const double two = luminance(b) + 0.05;
  return std::max(one, two) / std::min(one, two);
}

QColor blend(const QColor &under, const QColor &over, double share) {
  const auto mix = [&](int low, int high) { return static_cast<int>(std::lround(low + (high - low) * share)); };
  return {mix(under.red(), over.red()), mix(under.green(), over.green()), mix(under.blue(), over.blue())};
}

QString stateLetter(LockState state) {
  switch (state) {
  case LockState::Held: return u"H"_s;
  case LockState::Contended: return u"C"_s;
  case LockState::Waiting: return u"W"_s;
  case LockState::Expiring: return u"E"_s;
  case LockState::NeverExpires: return u"∞"_s;
  case LockState::Suspect: return u"S"_s;
  case LockState::Stale: return u"?"_s;
  }
  return {};
}

QString stateWord(LockState state) {
  switch (state) {
  case LockState::Held: return QCoreApplication::translate("LockState", "Held");
  case LockState::Contended: return QCoreApplication::translate("LockState", "Contended");
  case LockState::Waiting: return QCoreApplication::translate("LockState", "Waiting");
  case LockState::Expiring: return QCoreApplication::translate("LockState", "Expiring");
  case LockState::NeverExpires: return QCoreApplication::translate("LockState", "Never expires");
  case LockState::Suspect: return QCoreApplication::translate("LockState", "Suspect");
  case LockState::Stale: return QCoreApplication::translate("LockState", "Stale");
  }
  return {};
}

int scaledLength(const QFont &font, int at13) { return static_cast<int>(std::lround(at13 * QFontInfo(font).pixelSize() / 13.0)); }

QFont fixedFont() {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  const QFont text = QApplication::font();
  if (text.pointSizeF() > 0)
    font.setPointSizeF(text.pointSizeF() * 0.95);
  else
    font.setPixelSize(text.pixelSize());
  return font;
}

QFont scaledFont(const QFont &font, double factor, QFont::Weight weight) {
  QFont scaled = font;
  if (font.pointSizeF() > 0)
    scaled.setPointSizeF(font.pointSizeF() * factor);
  else
    scaled.setPixelSize(static_cast<int>(std::lround(font.pixelSize() * factor)));
  scaled.setWeight(weight);
  return scaled;
}

} // namespace lockhouse::ui
