// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <span>

namespace lockhouse::ui {

/// The scale of a chart that starts at zero and has three grid lines: 0, half, top. Half and top are round, and the top does not
/// jump with every value: it grows at once and shrinks only when less than a third of it is used. No value lies on the top line.
class ValueAxis {
public:
  explicit ValueAxis(double smallestTop = 2);
  /// Whether the top changed.
  bool fit(double highest);
  double top() const { return m_top; }
  std::array<double, 3> gridLines() const { return {0, m_top / 2, m_top}; }

private:
  double m_smallestTop;
  double m_top;
};

/// The least of 2, 4, 6, 8, 10 or 20 × a power of ten that is not below `highest`; its half is round too.
double roundTop(double highest);

/// Moves label centres apart, as little as keeps neighbours `height` from each other and all within [0, extent]; the order stays.
/// Centres are in pixels from the top.
void spreadLabels(std::span<double> centres, double height, double extent);

} // namespace lockhouse::ui
