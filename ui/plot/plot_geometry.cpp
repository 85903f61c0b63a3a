// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plot/plot_geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace lockhouse::ui {

double roundTop(double highest) {
  if (!(highest > 0) || !std::isfinite(highest))
    return 0;
  const double unit = std::pow(10.0, std::floor(std::log10(highest)));
  constexpr double slack = 1 + 1e-9; // 0.6 / 0.1 is a little more than 6
  for (const double step : {2.0, 4.0, 6.0, 8.0, 10.0})
    if (highest <= step * unit * slack)
      return step * unit;
  return 20 * unit;
}

ValueAxis::ValueAxis(double smallestTop) : m_smallestTop(smallestTop), m_top(smallestTop) {}

bool ValueAxis::fit(double highest) {
  constexpr double headroom = 1.05;
  const double wanted = std::max(m_smallestTop, roundTop(highest * headroom));
  if (wanted <= m_top && highest > m_top / 3)
    return false;
  const bool changed = wanted != m_top;
  m_top = wanted;
  return changed;
}

void spreadLabels(std::span<double> centres, double height, double extent) {
  std::vector<std::size_t> order(centres.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(centres[i], i); });
  double lowest = height / 2;
  for (const std::size_t i : order) {
    centres[i] = std::max(centres[i], lowest);
    lowest = centres[i] + height;
  }
  double highest = extent - height / 2;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    centres[*i] = std::min(centres[*i], highest);
    highest = centres[*i] - height;
  }
}

} // namespace lockhouse::ui
