// SPDX-License-Identifier: Apache-2.0
// Runs while the house is built: embed_toml NAME.toml NAME.toml.h makes C++ constants of a data file, so that nothing is parsed at start.
// - A file of words: each list becomes a std::array of the list's name. The lists of the table [words] become `enum class List`, and
//   `words`, which has each word once with a bit for each of its lists.
// - A file with a summary is a page: a PrimitiveInfo, or a TopicInfo if it has a [[section]]. A text may have several lines, which become
//   one; only an example keeps them.
// A file that says anything else ends the build with its name, the line and what is wrong.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace {

struct Fault {
  std::size_t line;
  std::string what;
};

[[noreturn]] void fail(const toml::node &at, const std::string &what) { throw Fault{at.source().begin.line, what}; }

std::string literal(std::string_view text) {
  std::string code = "\"";
  for (const char c : text)
    code += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return code + '"';
}

/// "not_promised" → "notPromised".
std::string camel(std::string_view name) {
  std::string code;
  for (std::size_t i = 0; i < name.size(); ++i)
    code += name[i] == '_' && i + 1 < name.size() ? static_cast<char>(std::toupper(name[++i])) : name[i];
  return code;
}

std::string upperCamel(std::string_view name) {
  auto code = camel(name);
  code[0] = static_cast<char>(std::toupper(code[0]));
  return code;
}

/// Of several lines one.
std::string joined(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string textOf(const toml::node &node) {
  const auto text = node.value_exact<std::string>();
  if (!text)
    fail(node, "this is no text: put it in quotes");
  if (text->empty() || std::ranges::any_of(*text, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\n'; }))
    fail(node, "this text is empty, or has a control character");
  return *text;
}

std::vector<std::string> listOf(const toml::node &node) {
  const auto *array = node.as_array();
  if (!array || array->empty())
    fail(node, "this is no list of texts");
  std::vector<std::string> texts;
  for (const auto &each : *array) {
    texts.push_back(joined(textOf(each)));
    if (std::ranges::count(texts, texts.back()) > 1)
      fail(each, literal(texts.back()) + " is in this list already");
  }
  return texts;
}

std::string arrayCode(std::string_view type, const std::string &name, const std::vector<std::string> &elements) {
  std::string code = "inline constexpr std::array<" + std::string(type) + ", " + std::to_string(elements.size()) + "> " + name + "{";
  for (const auto &element : elements)
    code += "\n    " + element + ",";
  return code + "\n};\n";
}

std::string listCode(const std::string &name, const toml::node &node) {
  auto texts = listOf(node);
  std::ranges::transform(texts, texts.begin(), literal);
  return arrayCode("std::string_view", name, texts);
}

std::string bitsCode(const toml::table &lists) {
  std::map<std::string, std::uint64_t> words;
  std::string names;
  std::size_t bit = 0;
  for (const auto &[key, list] : lists) {
    names += " " + upperCamel(key.str()) + ",";
    for (const auto &word : listOf(list)) {
      if (std::ranges::any_of(word, [](char c) { return c < 'a' || c > 'z'; }))
        fail(list, "the words of '" + std::string(key.str()) + "' are of small letters, and " + literal(word) + " is not");
      words[word] |= 1ULL << bit;
    }
    if (++bit > 64)
      fail(list, "there may be 64 lists");
  }
  std::vector<std::string> elements;
  for (const auto &[word, bits] : words)
    elements.push_back("Word{" + literal(word) + ", " + std::to_string(bits) + "U}");
  return "enum class List : std::uint8_t {" + names + " };\n\nstruct Word {\n  std::string_view text;\n  std::uint64_t lists; // a bit for each List\n};\n" +
         arrayCode("Word", "words", elements);
}

std::string wordsCode(const toml::table &file, const std::string &name) {
  std::string code = "#include <array>\n#include <cstdint>\n#include <string_view>\n\nnamespace lockhouse::" + name + " {\n\n";
  for (const auto &[key, value] : file)
    if (key.str() == "words" && value.is_table())
      code += bitsCode(*value.as_table()) + '\n';
    else
      code += listCode(camel(key.str()), value) + '\n';
  return code + "} // namespace lockhouse::" + name + "\n";
}

/// Of a table whose fields are all known: their code, one by one.
class PageTable {
public:
  PageTable(const toml::table &table, const std::set<std::string, std::less<>> &fields) : m_table(table) {
    for (const auto &[key, value] : table)
      if (!fields.contains(key.str()))
        fail(value, "'" + std::string(key.str()) + "' is no field here");
  }

  const toml::node &field(std::string_view name) const {
    const auto *node = m_table.get(name);
    if (!node)
      fail(m_table, "'" + std::string(name) + "' is missing");
    return *node;
  }
  std::string text(std::string_view name) const { return literal(joined(textOf(field(name)))); }
  std::string verbatim(std::string_view name) const { return literal(textOf(field(name))); }
  std::string number(std::string_view name) const {
    const auto value = field(name).value<double>();
    if (!value)
      fail(field(name), "'" + std::string(name) + "' is no number");
    std::ostringstream code;
    code << *value;
    return code.str();
  }
  std::vector<const toml::table *> tables(std::string_view name) const {
    const auto &node = field(name);
    if (!node.is_array_of_tables())
      fail(node, "write [[" + std::string(name) + "]]");
    std::vector<const toml::table *> all;
    for (const auto &each : *node.as_array())
      all.push_back(each.as_table());
    return all;
  }

private:
  const toml::table &m_table;
};

std::string primitiveCode(const toml::table &file, const std::string &name) {
  const PageTable page(file, {"name", "summary", "use_when", "avoid_when", "policies", "promises", "not_promised", "commands", "source", "shared_with", "place",
                              "waiting", "outcomes", "costs", "example"});
  std::string code;
  for (const auto *list : {"policies", "promises", "not_promised", "outcomes"})
    code += listCode(camel(name + '_' + list), page.field(list));
  std::vector<std::string> places;
  for (const auto *table : page.tables("place")) {
    const PageTable place(*table, {"name", "type", "meaning"});
    places.push_back("LockPlace{" + place.text("name") + ", " + place.text("type") + ", " + place.text("meaning") + "}");
  }
  code += arrayCode("LockPlace", camel(name + "_places"), places) + "\ninline constexpr PrimitiveInfo " + camel(name) + "{\n";
  const auto add = [&code](std::string_view field, const std::string &value) { code += "    ." + camel(field) + " = " + value + ",\n"; };
  add("name", page.text("name"));
  add("summary", "QT_TRANSLATE_NOOP(\"PrimitiveSummary\", " + page.text("summary") + ")");
  for (const auto *field : {"use_when", "avoid_when"})
    add(field, page.text(field));
  for (const auto *list : {"policies", "promises", "not_promised"})
    add(list, camel(name + '_' + list));
  for (const auto *field : {"commands", "source", "shared_with"})
    add(field, page.text(field));
  add("places", camel(name + "_places"));
  add("waiting", page.text("waiting"));
  add("outcomes", camel(name + "_outcomes"));
  if (const auto *table = file["costs"].as_table()) {
    const PageTable costs(*table, {"commands", "calls", "crowded_commands", "crowded_calls"});
    add("costs",
        "{" + costs.number("commands") + ", " + costs.number("calls") + ", " + costs.number("crowded_commands") + ", " + costs.number("crowded_calls") + "}");
  }
  add("example", page.verbatim("example"));
  return code + "};\n";
}

std::string topicCode(const toml::table &file, const std::string &name) {
  const PageTable page(file, {"name", "summary", "section", "example", "source"});
  std::string code;
  std::vector<std::string> sections;
  for (const auto *table : page.tables("section")) {
    const PageTable section(*table, {"title", "lines"});
    const auto lines = camel(name + "_lines_") + std::to_string(sections.size());
    code += listCode(lines, section.field("lines"));
    sections.push_back("TopicInfo::Section{" + section.text("title") + ", " + lines + "}");
  }
  code += arrayCode("TopicInfo::Section", camel(name + "_sections"), sections);
  return code + "\ninline constexpr TopicInfo " + camel(name) + "{" + page.text("name") + ", " + page.text("summary") + ", " + camel(name + "_sections") +
         ", " + page.verbatim("example") + ", " + page.text("source") + "};\n";
}

std::string pageCode(const toml::table &file, const std::string &name) {
  const bool isTopic = file.contains("section");
  return std::string("#include \"core/lock/pages/") + (isTopic ? "topic_info.h" : "primitive_info.h") + "\"\n\n#include <array>\n\n" +
         (isTopic ? ""
                  : "#ifndef QT_TRANSLATE_NOOP // where lupdate finds what the console translates\n#define QT_TRANSLATE_NOOP(context, text) text\n#endif\n\n") +
         "namespace lockhouse::pages {\n\n" + (isTopic ? topicCode(file, name) : primitiveCode(file, name)) + "\n} // namespace lockhouse::pages\n";
}

} // namespace

int main(int count, char **arguments) try {
  if (count != 3)
    throw Fault{0, "say which file, and which header it becomes"};
  try {
    const auto file = toml::parse_file(arguments[1]);
    const auto name = std::filesystem::path(arguments[1]).stem().string();
    const auto code = file.contains("summary") ? pageCode(file, name) : wordsCode(file, name);
    std::ofstream header(arguments[2]);
    header << "// Generated from " << arguments[1] << "; edit that.\n#pragma once\n" << code;
    if (!header.flush())
      throw Fault{0, std::string("cannot write ") + arguments[2]};
  } catch (const toml::parse_error &error) {
    throw Fault{error.source().begin.line, std::string("this is no TOML: ").append(error.description())};
  }
  return EXIT_SUCCESS;
} catch (const Fault &fault) {
  std::cerr << (count > 1 ? arguments[1] : "embed_toml") << ':' << fault.line << ": error: " << fault.what << '\n';
  return EXIT_FAILURE;
}
