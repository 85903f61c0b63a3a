# SPDX-License-Identifier: GPL-3.0-or-later
# Data that the console carries inside its binary: theme tokens, icons, translations.
set(LOCKHOUSE_RESOURCES "${PROJECT_SOURCE_DIR}/resources")
set(LOCKHOUSE_TRANSLATIONS "${LOCKHOUSE_RESOURCES}/translations/lockhouse_en.ts" "${LOCKHOUSE_RESOURCES}/translations/lockhouse_zh_CN.ts")

qt_add_resources(lockhouse_ui lockhouse_theme PREFIX /lockhouse BASE "${LOCKHOUSE_RESOURCES}"
  FILES "${LOCKHOUSE_RESOURCES}/theme/tokens.json" "${LOCKHOUSE_RESOURCES}/icons/lockhouse.svg")

qt_add_lrelease(lockhouse_ui TS_FILES ${LOCKHOUSE_TRANSLATIONS} QM_FILES_OUTPUT_VARIABLE lockhouse_qm OPTIONS -silent)
qt_add_resources(lockhouse_ui lockhouse_i18n PREFIX /i18n BASE "${CMAKE_CURRENT_BINARY_DIR}" FILES ${lockhouse_qm})
