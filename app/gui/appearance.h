// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QApplication;

namespace lockhouse::ui {

/// Without a display (no DISPLAY, WAYLAND_DISPLAY or QT_QPA_PLATFORM), and for pictures, Qt's offscreen platform is used.
/// Before the QApplication.
void choosePlatform(bool forPicture);

/// Style, palette and fonts. A desktop with a style of its own keeps it; otherwise Fusion, quieter, in our tokens.
/// `name`: "light", "dark", empty = as the desktop is. May be called again.
void dress(QApplication &application, const QString &name);

/// Loads the words of `code` ("en", "zh_CN", empty = the system's language) and sets the locale of numbers.
void speak(QApplication &application, const QString &code);

} // namespace lockhouse::ui
