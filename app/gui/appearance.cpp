// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/appearance.h"

#include "ui/widget/style/app_style.h"
#include "ui/widget/style/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <QLibraryInfo>
#include <QLocale>
#include <QStyle>
#include <QStyleHints>
#include <QTranslator>

#include <cstdio>
#include <utility>

namespace lockhouse::ui {
namespace {

using namespace Qt::StringLiterals;

constexpr double pictureFont = 9.75; // 13 px at 96 dpi, where no desktop says otherwise

bool desktopHasStyle() {
  static const bool own = QApplication::style()->name().compare(u"fusion"_s, Qt::CaseInsensitive) != 0;
  return own;
}

bool hasDesktop() {
  const QString platform = QGuiApplication::platformName();
  return platform != u"offscreen" && platform != u"minimal" && platform != u"vnc" && platform != u"linuxfb";
}

/// The families given that exist here, in that order.
QStringList installed(const QStringList &wanted) {
  QStringList found;
  for (const QString &family : wanted)
    if (QFontDatabase::hasFamily(family))
      found << family;
  return found;
}

void chooseFonts(QApplication &application) {
  // Chinese glyphs in their mainland form, whatever the system's order of CJK fonts is.
  const QStringList chinese = installed({u"Noto Sans CJK SC"_s, u"Source Han Sans SC"_s, u"WenQuanYi Micro Hei"_s});
  QFont font = QApplication::font();
  QStringList families = font.families();
  if (!hasDesktop()) {
    families = installed({u"Inter"_s, u"Noto Sans"_s, u"Cantarell"_s, u"Noto Sans CJK SC"_s, u"DejaVu Sans"_s});
    font.setPointSizeF(pictureFont);
  }
  families += chinese;
  families.removeDuplicates();
  if (!families.isEmpty())
    font.setFamilies(families);
  application.setFont(font);
}

/// What Qt's platforms say about themselves is of no use to whoever takes a picture on a server.
void dropPlatformTalk(QtMsgType type, const QMessageLogContext &context, const QString &text) {
  if (text.startsWith(u"This plugin does not support"_s) || text.startsWith(u"QStandardPaths: XDG_RUNTIME_DIR"_s))
    return;
  std::fprintf(stderr, "%s\n", qUtf8Printable(qFormatLogMessage(type, context, text)));
}

Theme::Kind wantedKind(const QString &name) {
  if (!name.isEmpty())
    return name == u"dark" ? Theme::Kind::Dark : Theme::Kind::Light;
  static const bool dark = Theme::of(QApplication::palette()).isDark();
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  if (QGuiApplication::styleHints()->colorScheme() != Qt::ColorScheme::Unknown)
    return QGuiApplication::styleHints()->colorScheme() == Qt::ColorScheme::Dark ? Theme::Kind::Dark : Theme::Kind::Light;
#endif
  return dark ? Theme::Kind::Dark : Theme::Kind::Light;
}

} // namespace

void choosePlatform(bool forPicture) {
  if (!qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
    if (qgetenv("QT_QPA_PLATFORM").startsWith("offscreen"))
      qInstallMessageHandler(dropPlatformTalk);
    return;
  }
  const bool display = !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
  if (!forPicture && display)
    return;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  qInstallMessageHandler(dropPlatformTalk);
}

void dress(QApplication &application, const QString &name) {
  static const QPalette desktops = QApplication::palette();
  if (desktopHasStyle()) {
    application.setPalette(name.isEmpty() ? desktops : Theme::tokens(wantedKind(name)).palette());
    return;
  }
  const Theme theme = Theme::tokens(wantedKind(name));
  static bool first = true;
  if (std::exchange(first, false)) {
    application.setStyle(new AppStyle);
    chooseFonts(application);
  }
  application.setPalette(theme.palette());
}

void speak(QApplication &application, const QString &code) {
  const QLocale locale = code.isEmpty() ? QLocale::system() : QLocale(code);
  QLocale::setDefault(locale);
  const auto load = [&](const QString &name, const QString &folder) {
    auto *words = new QTranslator(&application);
    if (words->load(locale, name, u"_"_s, folder))
      application.installTranslator(words);
    else
      delete words;
  };
  load(u"qtbase"_s, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
  auto *plurals = new QTranslator(&application); // English has plurals too
  if (plurals->load(u":/i18n/lockhouse_en.qm"_s))
    application.installTranslator(plurals);
  if (locale.language() != QLocale::English)
    load(u"lockhouse"_s, u":/i18n"_s);
}

} // namespace lockhouse::ui
