// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widget/style/app_style.h"

#include "ui/widget/style/theme.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QWidget>

#include <algorithm>

namespace lockhouse::ui {
namespace {

constexpr int headerMargin = 8;

void drawTab(const QStyleOptionTab &tab, QPainter &painter) {
  const Theme theme = Theme::of(tab.palette);
  const bool open = tab.state.testFlag(QStyle::State_Selected);
  if (open)
    painter.fillRect(tab.rect, theme.base);
  else if (tab.state.testFlag(QStyle::State_MouseOver))
    painter.fillRect(tab.rect, blend(theme.window, theme.text, 0.05));
  if (open)
    painter.fillRect(QRect(tab.rect.left(), tab.rect.bottom() - 1, tab.rect.width(), 2), theme.accent);
}

void drawTabLabel(const QStyleOptionTab &tab, QPainter &painter) {
  const Theme theme = Theme::of(tab.palette);
  const bool open = tab.state.testFlag(QStyle::State_Selected);
  painter.save();
  QFont font = painter.font();
  font.setWeight(open ? QFont::DemiBold : QFont::Normal);
  painter.setFont(font);
  painter.setPen(open ? theme.text : theme.soft);
  painter.drawText(tab.rect, Qt::AlignCenter | Qt::TextShowMnemonic, tab.text);
  if (tab.state.testFlag(QStyle::State_HasFocus)) {
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRect(tab.rect.adjusted(3, 3, -4, -5));
  }
  painter.restore();
}

void drawHeaderGround(const QStyleOption &header, QPainter &painter) {
  const Theme theme = Theme::of(header.palette);
  painter.fillRect(header.rect, theme.window);
  painter.fillRect(QRect(header.rect.left(), header.rect.bottom(), header.rect.width(), 1), theme.line);
}

void drawChevron(const QPointF &middle, bool up, const QColor &ink, QPainter &painter) {
  const double tip = up ? -2.5 : 2.5;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(ink, 1.3));
  painter.drawPolyline(QPolygonF{middle + QPointF(-3.5, -tip / 2), middle + QPointF(0, tip / 2), middle + QPointF(3.5, -tip / 2)});
  painter.restore();
}

void drawSortArrow(const QRect &cell, bool up, const QColor &ink, QPainter &painter) {
  drawChevron(QPointF(cell.right() - headerMargin + 1, cell.center().y()), up, ink, painter);
}

void drawHeader(const QStyleOptionHeader &header, QPainter &painter) {
  const Theme theme = Theme::of(header.palette);
  drawHeaderGround(header, painter);
  const bool sorted = header.sortIndicator != QStyleOptionHeader::None;
  painter.setPen(theme.soft);
  const QRect text = header.rect.adjusted(headerMargin, 0, sorted ? -headerMargin - 6 : -headerMargin, 0);
  painter.drawText(text, static_cast<int>(header.textAlignment | Qt::AlignVCenter), header.fontMetrics.elidedText(header.text, Qt::ElideRight, text.width()));
  if (sorted)
    drawSortArrow(header.rect, header.sortIndicator == QStyleOptionHeader::SortUp, theme.soft, painter);
}

/// The plain surface of buttons and boxes: raised, one thin line, the accent's line with the focus.
void drawBox(const QStyleOption &option, const QColor &fill, QPainter &painter) {
  const Theme theme = Theme::of(option.palette);
  const bool focus = option.state.testFlag(QStyle::State_HasFocus);
  const bool reacts = fill.alpha() > 0;
  QColor ground = fill;
  if (reacts && option.state.testFlag(QStyle::State_Enabled) && option.state.testFlag(QStyle::State_MouseOver))
    ground = blend(fill, theme.text, 0.05);
  if (reacts && (option.state.testFlag(QStyle::State_Sunken) || option.state.testFlag(QStyle::State_On)))
    ground = blend(fill, theme.text, 0.12);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(focus ? theme.accent : theme.line, focus ? 2 : 1));
  painter.setBrush(ground);
  const double inset = focus ? 1 : 0.5;
  painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), 4, 4);
  painter.restore();
}

void drawCombo(const QStyleOptionComboBox &combo, QPainter &painter) {
  const Theme theme = Theme::of(combo.palette);
  drawBox(combo, theme.raised, painter);
  drawSortArrow(combo.rect, false, combo.state.testFlag(QStyle::State_Enabled) ? theme.soft : theme.faint, painter);
}

void drawSpin(const QStyleOptionSpinBox &spin, const QStyle &style, const QWidget *widget, QPainter &painter) {
  const Theme theme = Theme::of(spin.palette);
  drawBox(spin, theme.raised, painter);
  const auto arrow = [&](QStyle::SubControl part, QAbstractSpinBox::StepEnabledFlag can, bool up) {
    const QRect place = style.subControlRect(QStyle::CC_SpinBox, &spin, part, widget);
    const bool works = spin.state.testFlag(QStyle::State_Enabled) && spin.stepEnabled.testFlag(can);
    const bool aimed = works && spin.activeSubControls == part;
    drawChevron(QRectF(place).center() + QPointF(0, up ? 1.5 : -0.5), up, !works ? theme.line : aimed ? theme.text : theme.soft, painter);
  };
  arrow(QStyle::SC_SpinBoxUp, QAbstractSpinBox::StepUpEnabled, true);
  arrow(QStyle::SC_SpinBoxDown, QAbstractSpinBox::StepDownEnabled, false);
}

void drawProgress(const QStyleOptionProgressBar &bar, QPainter &painter) {
  const Theme theme = Theme::of(bar.palette);
  const double length = bar.maximum > bar.minimum ? static_cast<double>(bar.progress - bar.minimum) / (bar.maximum - bar.minimum) : 0;
  const double round = std::min(bar.rect.height() / 2.0, 4.0);
  const QRectF track(bar.rect);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.track);
  painter.drawRoundedRect(track, round, round);
  painter.setBrush(theme.accent);
  if (length > 0)
    painter.drawRoundedRect(QRectF(track.topLeft(), QSizeF(std::max(track.width() * length, 2 * round), track.height())), round, round);
  painter.restore();
}

} // namespace

AppStyle::AppStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

void AppStyle::drawControl(ControlElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const {
  if (const auto *tab = qstyleoption_cast<const QStyleOptionTab *>(option)) {
    if (element == CE_TabBarTabShape)
      return drawTab(*tab, *painter);
    if (element == CE_TabBarTabLabel)
      return drawTabLabel(*tab, *painter);
  }
  if (const auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option); header != nullptr && element == CE_Header)
    return drawHeader(*header, *painter);
  if (const auto *bar = qstyleoption_cast<const QStyleOptionProgressBar *>(option); bar != nullptr && element == CE_ProgressBar && !bar->textVisible)
    return drawProgress(*bar, *painter);
  if (element == CE_HeaderSection || element == CE_HeaderEmptyArea)
    return drawHeaderGround(*option, *painter);
  QProxyStyle::drawControl(element, option, painter, widget);
}

void AppStyle::drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter, const QWidget *widget) const {
  switch (element) {
  case PE_FrameTabBarBase:
  case PE_IndicatorDockWidgetResizeHandle: return painter->fillRect(option->rect, Theme::of(option->palette).line);
  case PE_PanelButtonCommand:
  case PE_PanelButtonTool: return drawBox(*option, option->palette.color(QPalette::Button), *painter);
  case PE_Frame:
    if (qobject_cast<const QAbstractScrollArea *>(widget) == nullptr)
      break;
    [[fallthrough]];
  case PE_FrameLineEdit: return drawBox(*option, Qt::transparent, *painter);
  case PE_PanelLineEdit:
    if (qobject_cast<const QAbstractSpinBox *>(widget != nullptr ? widget->parentWidget() : nullptr) != nullptr)
      return; // the box around it has painted its ground
    return QProxyStyle::drawPrimitive(element, option, painter, widget);
  case PE_PanelStatusBar:
  case PE_FrameStatusBarItem: return;
  case PE_FrameFocusRect:
    painter->save();
    painter->setPen(QPen(Theme::of(option->palette).accent, 1));
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
    return;
  default: break;
  }
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void AppStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex *option, QPainter *painter, const QWidget *widget) const {
  if (const auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option); combo != nullptr && control == CC_ComboBox && !combo->editable)
    return drawCombo(*combo, *painter);
  if (const auto *spin = qstyleoption_cast<const QStyleOptionSpinBox *>(option); spin != nullptr && control == CC_SpinBox)
    return drawSpin(*spin, *this, widget, *painter);
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int AppStyle::pixelMetric(PixelMetric metric, const QStyleOption *option, const QWidget *widget) const {
  switch (metric) {
  case PM_DockWidgetSeparatorExtent:
  case PM_SplitterWidth: return 1;
  case PM_TabBarTabHSpace: return 28;
  case PM_TabBarTabVSpace: return 14;
  case PM_TabBarTabOverlap:
  case PM_TabBarTabShiftVertical:
  case PM_TabBarTabShiftHorizontal:
  case PM_DockWidgetFrameWidth:
  case PM_MenuBarPanelWidth: return 0;
  case PM_MenuBarItemSpacing: return 2;
  case PM_MenuBarHMargin: return 4;
  case PM_MenuBarVMargin: return 2;
  case PM_HeaderMargin: return headerMargin;
  case PM_FocusFrameHMargin: return headerMargin - 1; // cells line up with their headings
  case PM_HeaderDefaultSectionSizeVertical: return scaledLength(widget != nullptr ? widget->font() : QFont(), 27);
  default: return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

QSize AppStyle::sizeFromContents(ContentsType type, const QStyleOption *option, const QSize &size, const QWidget *widget) const {
  QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
  if (type == CT_TabBarTab)
    result.rwidth() += 6; // the open tab is bolder
  if (widget == nullptr)
    return result;
  if (type == CT_HeaderSection)
    result.setHeight(scaledLength(widget->font(), 27));
  if (type == CT_PushButton || type == CT_ComboBox || type == CT_SpinBox || type == CT_LineEdit)
    result.setHeight(std::max(scaledLength(widget->font(), 28), 24));
  return result;
}

int AppStyle::styleHint(StyleHint hint, const QStyleOption *option, const QWidget *widget, QStyleHintReturn *answer) const {
  switch (hint) {
  case SH_TabBar_Alignment: return Qt::AlignLeft;
  case SH_Table_GridLineColor: return static_cast<int>((option ? Theme::of(option->palette).line : QColor(Qt::gray)).rgb());
  case SH_EtchDisabledText:
  case SH_DialogButtonBox_ButtonsHaveIcons: return 0;
  default: return QProxyStyle::styleHint(hint, option, widget, answer);
  }
}

} // namespace lockhouse::ui
