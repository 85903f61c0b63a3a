# SPDX-License-Identifier: Apache-2.0
# Called for core/watch: writes SOURCE with the text of each file in FAMILIES and its name.
set(text "// Generated from core/watch/recognisers/*.toml; edit those.\n#include \"core/watch/detect/built_in_texts.h\"\n\nnamespace lockhouse {\nnamespace {\n\nconstexpr FamilyText texts[] = {\n")
foreach(path IN LISTS FAMILIES)
  get_filename_component(file "${path}" NAME)
  file(READ "${path}" body)
  string(APPEND text "  {\"${file}\", R\"toml(${body})toml\"},\n")
endforeach()
string(APPEND text "};\n\n} // namespace\n\nstd::span<const FamilyText> builtInTexts() { return texts; }\n\n} // namespace lockhouse\n")
file(WRITE "${SOURCE}" "${text}")
