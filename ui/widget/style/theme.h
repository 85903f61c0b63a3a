// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/watch/record/lock_record.h"

#include <QColor>
#include <QFont>
#include <QPalette>

namespace lockhouse::ui {

/// The colours of one appearance, a value. Surfaces, text and selection follow the palette it was made from; the colours of
/// states are Lockhouse's own (resources/theme/tokens.json). Colour means state and nothing else, plus one accent.
struct Theme {
  enum class Kind { Light, Dark, HighContrastLight, HighContrastDark };
  struct Ink {
    QColor ink;    ///< of a word, a bar, a line
    QColor ground; ///< behind the letter of a badge
  };

  Kind kind = Kind::Light;
  QColor window, panel, raised; ///< the three surfaces
  QColor base;                  ///< behind tables and charts
  QColor line;                  ///< separators, grid
  QColor text, soft, faint;
  QColor accent, onAccent; ///< focus, links, the primary verb; what is written on it
  QColor selection;        ///< behind selected rows; every text colour stays readable on it
  QColor track;            ///< the empty part of a bar
  Ink held, contended, waiting, expiring, danger, stale;
  QColor onDanger; ///< written on danger.ink: the releasing verb

  /// What fits a palette: dark by its lightness, high contrast when its text stands out by more than 15.5 : 1 (ours: 15.1).
  static Theme of(const QPalette &palette);
  /// The tokens as they are in the file.
  static Theme tokens(Kind kind);

  const Ink &state(LockState state) const;
  bool isDark() const { return kind == Kind::Dark || kind == Kind::HighContrastDark; }
  /// For a desktop that has no palette of its own, and for --theme. Theme::of() of it gives the same theme back.
  QPalette palette() const;
};

/// WCAG 2 contrast ratio, 1 … 21.
double contrast(const QColor &a, const QColor &b);
/// `share` of `over` laid on `under`.
QColor blend(const QColor &under, const QColor &over, double share);

QString stateLetter(LockState state); ///< "H", "C", "W", "E", "∞", "S", "?"
QString stateWord(LockState state);   ///< translated: "Held", …

/// A length given for text of 13 px, at the size of `font`: rows, gaps and bars grow with the text, not with a font's line height.
int scaledLength(const QFont &font, int at13);
QFont fixedFont(); ///< names, tokens, commands: the system's fixed-width font at the size of the text
QFont scaledFont(const QFont &font, double factor, QFont::Weight weight = QFont::Normal);

} // namespace lockhouse::ui
