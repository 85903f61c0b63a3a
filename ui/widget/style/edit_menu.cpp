// SPDX-License-Identifier: GPL-3.0-or-later
// The words of the menus that Qt itself opens over text. It asks for them under the names of its own classes, and its own translations are not
// installed everywhere.
#include <QtGlobal>

#include <array>

namespace lockhouse::ui {
namespace {

[[maybe_unused]] constexpr std::array ofFields{QT_TRANSLATE_NOOP("QLineEdit", "&Undo"),     QT_TRANSLATE_NOOP("QLineEdit", "&Redo"),
                                               QT_TRANSLATE_NOOP("QLineEdit", "Cu&t"),      QT_TRANSLATE_NOOP("QLineEdit", "&Copy"),
                                               QT_TRANSLATE_NOOP("QLineEdit", "&Paste"),    QT_TRANSLATE_NOOP("QLineEdit", "Delete"),
                                               QT_TRANSLATE_NOOP("QLineEdit", "Select All")};
[[maybe_unused]] constexpr std::array ofProse{
    QT_TRANSLATE_NOOP("QWidgetTextControl", "&Undo"),      QT_TRANSLATE_NOOP("QWidgetTextControl", "&Redo"),
    QT_TRANSLATE_NOOP("QWidgetTextControl", "Cu&t"),       QT_TRANSLATE_NOOP("QWidgetTextControl", "&Copy"),
    QT_TRANSLATE_NOOP("QWidgetTextControl", "&Paste"),     QT_TRANSLATE_NOOP("QWidgetTextControl", "Delete"),
    QT_TRANSLATE_NOOP("QWidgetTextControl", "Select All"), QT_TRANSLATE_NOOP("QWidgetTextControl", "Copy &Link Location")};
[[maybe_unused]] constexpr std::array ofNumbers{QT_TRANSLATE_NOOP("QAbstractSpinBox", "&Select All"), QT_TRANSLATE_NOOP("QAbstractSpinBox", "&Step up"),
                                                QT_TRANSLATE_NOOP("QAbstractSpinBox", "Step &down")};

} // namespace
} // namespace lockhouse::ui
