// SPDX-License-Identifier: Apache-2.0
#include "ui/widget/style/plain_text.h"
#include "ui/widget/style/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QMimeData>

#include <gtest/gtest.h>

namespace lockhouse::ui {
namespace {

using Kind = Theme::Kind;

constexpr std::initializer_list<LockState> states{LockState::Held,         LockState::Contended, LockState::Waiting, LockState::Expiring,
                                                  LockState::NeverExpires, LockState::Suspect,   LockState::Stale};

class ThemeTokens : public ::testing::TestWithParam<Kind> {
protected:
  static void readable(const QColor &ink, const QColor &ground, const char *what) {
    ASSERT_TRUE(ink.isValid() && ground.isValid()) << what;
    EXPECT_GE(contrast(ink, ground), 4.5) << what << ": " << ink.name().toStdString() << " on " << ground.name().toStdString();
  }
};

TEST_P(ThemeTokens, everyTextCanBeReadOnEverySurface) {
  const Theme theme = Theme::tokens(GetParam());
  for (const QColor &ground : {theme.window, theme.panel, theme.raised, theme.base, theme.selection}) {
    readable(theme.text, ground, "text");
    readable(theme.soft, ground, "soft");
    readable(theme.faint, ground, "faint");
  }
  readable(theme.accent, theme.base, "accent");
  readable(theme.onAccent, theme.accent, "onAccent");
  readable(theme.onDanger, theme.danger.ink, "onDanger");
}

TEST_P(ThemeTokens, everyStateCanBeReadOnItsBadgeAndInARow) {
  const Theme theme = Theme::tokens(GetParam());
  for (const LockState state : states) {
    readable(theme.state(state).ink, theme.state(state).ground, qPrintable(stateLetter(state)));
    readable(theme.state(state).ink, theme.base, qPrintable(stateLetter(state)));
  }
  readable(theme.danger.ink, theme.selection, "danger in a selected row");
}

TEST_P(ThemeTokens, comeBackFromTheirPalette) {
  const Theme theme = Theme::of(Theme::tokens(GetParam()).palette());
  EXPECT_EQ(theme.kind, GetParam());
  EXPECT_EQ(theme.text, Theme::tokens(GetParam()).text);
  EXPECT_EQ(theme.base, Theme::tokens(GetParam()).base);
  EXPECT_EQ(theme.selection, Theme::tokens(GetParam()).selection);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ThemeTokens, ::testing::Values(Kind::Light, Kind::Dark, Kind::HighContrastLight, Kind::HighContrastDark));

TEST(Theme, staysReadableOnADesktopsStrongHighlight) {
  QPalette desktop(QColor(0xef, 0xf0, 0xf1));
  desktop.setColor(QPalette::WindowText, QColor(0x23, 0x26, 0x29));
  desktop.setColor(QPalette::Base, Qt::white);
  desktop.setColor(QPalette::Highlight, QColor(0x3d, 0xae, 0xe9));
  const Theme theme = Theme::of(desktop);
  EXPECT_EQ(theme.kind, Kind::Light);
  EXPECT_GE(contrast(theme.text, theme.selection), 4.5);
  EXPECT_GE(contrast(theme.danger.ink, theme.selection), 4.5);
  EXPECT_GE(contrast(theme.soft, theme.window), 4.5);
}

TEST(Theme, everyStateHasALetterAndAWordOfItsOwn) {
  QStringList letters;
  QStringList words;
  for (const LockState state : states) {
    letters << stateLetter(state);
    words << stateWord(state);
  }
  EXPECT_EQ(letters.removeDuplicates(), 0);
  EXPECT_EQ(words.removeDuplicates(), 0);
  EXPECT_FALSE(letters.contains(QString()));
}

TEST(PlainText, labelsNeverReadMarkup) {
  const PlainLabel label(QStringLiteral("<b>bold</b> & more"));
  EXPECT_EQ(label.textFormat(), Qt::PlainText);
  EXPECT_EQ(label.text(), QStringLiteral("<b>bold</b> & more"));
}

TEST(PlainText, ampersandsAreNotMnemonics) { EXPECT_EQ(withoutMnemonics(QStringLiteral("a&b&&c")), QStringLiteral("a&&b&&&&c")); }

TEST(PlainText, anActionsNameHasNoMnemonic) {
  EXPECT_EQ(actionName(QStringLiteral("&Release…")), QStringLiteral("Release…"));
  EXPECT_EQ(actionName(QStringLiteral("释放…(&R)")), QStringLiteral("释放…"));
}

TEST(PlainText, theClipboardHoldsTextOnly) {
  copyPlain(QStringLiteral("<b>x</b>"));
  const QMimeData *data = QApplication::clipboard()->mimeData();
  EXPECT_EQ(data->text(), QStringLiteral("<b>x</b>"));
  EXPECT_FALSE(data->hasHtml());
}

} // namespace
} // namespace lockhouse::ui
