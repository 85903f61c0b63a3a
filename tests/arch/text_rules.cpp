// SPDX-License-Identifier: Apache-2.0
// What no line of the house may say.
#include "tests/arch/source_tree.h"

#include <algorithm>
#include <array>
#include <functional>
#include <regex>

namespace lockhouse::arch {
namespace {

using Where = std::function<bool(const SourceFile &)>;

std::vector<Offence> matching(const SourceTree &tree, const Where &isMeant, const std::regex &forbidden) {
  std::vector<Offence> offences;
  for (const auto &file : tree.files())
    if (isMeant(file))
      for (std::size_t i = 0; i < file.lines.size(); ++i)
        if (std::smatch found; std::regex_search(file.lines[i], found, forbidden))
          offences.push_back({file.path, i + 1, found.str()});
  return offences;
}

bool isProduct(const SourceFile &file) { return file.isCpp() && (file.isUnder("core/") || file.isUnder("ui/") || file.isUnder("app/")); }

bool isCode(const SourceFile &file) {
  static const std::array kinds{".cpp", ".h", ".lua", ".cmake", "CMakeLists.txt", ".py"};
  return std::ranges::any_of(kinds, [&](std::string_view kind) { return file.path.ends_with(kind); }) || file.path == "packaging/dev";
}

// The words are put together here so that this file does not break its own rule.
std::vector<Offence> nothingIsLeftUnfinished(const SourceTree &tree) {
  static const std::regex words("\\b(TO"
                                "DO|FIX"
                                "ME|XX"
                                "X|HA"
                                "CK)\\b");
  return matching(tree, isCode, words);
}

std::vector<Offence> nobodySleeps(const SourceTree &tree) {
  static const std::regex sleeps(R"(\b(sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|msleep|qSleep)\b|QThread::sleep|(^|[^\w])::sleep\s*\()");
  const Where meant = [](const SourceFile &file) { return isProduct(file) || (file.isCpp() && file.isUnder("tests/unit/")); };
  return matching(tree, meant, sleeps);
}

std::vector<Offence> nobodyIsASingleton(const SourceTree &tree) {
  static const std::regex singleton(R"(\bstatic\b[^;(]*\b[iI]nstance\s*\(\s*\))");
  return matching(tree, isProduct, singleton);
}

std::vector<Offence> textIsPlain(const SourceTree &tree) {
  static const std::regex rich(R"(Qt::(RichText|AutoText|MarkdownText)|\b(setHtml|insertHtml|appendHtml|toHtml|setMarkdown)\s*\()");
  return matching(tree, [](const SourceFile &file) { return isProduct(file) && !file.isUnder("core/"); }, rich);
}

std::vector<Offence> textIsFormattedByFmt(const SourceTree &tree) {
  static const std::regex format(R"(\bstd::(v?format(_to(_n)?)?)\s*\(|#\s*include\s*<format>|\bs?n?printf\s*\()");
  return matching(tree, isProduct, format);
}

std::vector<Offence> namesSayWhatAThingIs(const SourceTree &tree) {
  static const std::regex vague(R"(\b(class|struct)\s+\w*(Manager|Utils?|Helper|Impl)\b)");
  return matching(tree, isProduct, vague);
}

// The glossary in CONTRIBUTING has one word for each of these; read are the parts of identifiers, not comments and texts.
// Logic asks a message what it is (Message::is), and an Error for its code; a sentence is for people.
std::vector<Offence> nobodyReadsASentence(const SourceTree &tree) {
  static const std::regex read(R"(\b(english|sentence)\(\)\s*(\.(?!c_str)\w|\[|==|!=)|[!=]=\s*[\w.>()-]*\b(english|sentence)\(\)|)"
                               R"(\b(messageText|messageSentence|errorText)\([^;]*\)\s*(\.(contains|startsWith|endsWith|indexOf|section|split)\b|[!=]=))");
  return matching(tree, isProduct, read);
}

std::vector<Offence> namesAreOfTheGlossary(const SourceTree &tree) {
  static const std::regex unread(R"(//.*|"(\\.|[^"\\])*"|#\s*include.*)");
  static const std::regex forbidden(
      "(?:^|[^A-Za-z])(?:m_)?(claims?|witness(?:ed)?|sightings?|sweep(?:s|ing)?|swept|mirrors?|ears|tenures?|lodgers?|heirs?|absence|rehears(?:al|e|ed)|"
      "presence|"
      "visitors?|dirty|hearings?|folds?|folded|doors?|crew|truth|strays?|oddit(?:y|ies))(?![a-z])"
      "|(Claim|Witness|Sighting|Sweep|Swept|Mirror|Ears|Tenure|Lodger|Heir|Absence|Rehearsal|Presence|Visitor|Dirty|Hearing|Fold|Folded|Door|Crew|Truth|"
      "Stray|Oddity)s?(?![a-z])");
  std::vector<Offence> offences;
  for (const auto &file : tree.files())
    if (isProduct(file))
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const auto line = std::regex_replace(file.lines[i], unread, "");
        if (std::smatch found; std::regex_search(line, found, forbidden))
          offences.push_back({file.path, i + 1, found.str()});
      }
  return offences;
}

std::vector<Offence> testsSeeWhatCallersSee(const SourceTree &tree) {
  static const std::regex peeking(R"(\bFRIEND_TEST\b|\bfriend\s+(class|struct)\s+\w*Test\b|#\s*define\s+(private|protected)\b)");
  return matching(tree, [](const SourceFile &file) { return file.isCpp() && !file.isUnder("tests/arch/"); }, peeking);
}

std::vector<Offence> noDefaultTestSkipsItself(const SourceTree &tree) {
  static const std::regex skip("\\b(GTEST_SK"
                               "IP|QSK"
                               "IP)\\b|\\bDISABL"
                               "ED_");
  const Where meant = [](const SourceFile &file) {
    static const std::array folders{"tests/unit/", "tests/contract/", "tests/server/", "tests/ui/", "tests/fuzz/", "tests/arch/"};
    return file.isCpp() && std::ranges::any_of(folders, [&](std::string_view folder) { return file.isUnder(folder); });
  };
  return matching(tree, meant, skip);
}

// A script is a constant: data reaches it by KEYS and ARGV, never as part of its text, and none is put together in C++.
std::vector<Offence> scriptsAreConstants(const SourceTree &tree) {
  static const std::regex assembled(R"(\b(loadstring|load|dofile|setfenv)\s*\(|\{\}|%[sd]|@[A-Za-z_]+@)");
  static const std::regex inCpp(R"(redis\.p?call)");
  auto offences = matching(tree, [](const SourceFile &file) { return file.isUnder("core/") && file.path.ends_with(".lua"); }, assembled);
  std::erase_if(offences, [](const Offence &offence) { return offence.words == "{}"; }); // an empty Lua table
  const auto more = matching(tree, isProduct, inCpp);
  offences.insert(offences.end(), more.begin(), more.end());
  return offences;
}

std::vector<Offence> translationsAreComplete(const SourceTree &tree) {
  static const std::regex gap(R"re(type="(unfinished|obsolete|vanished)"|<translation>\s*</translation>|<translation\s*/>)re");
  return matching(tree, [](const SourceFile &file) { return file.path.ends_with(".ts"); }, gap);
}

} // namespace

const std::vector<Rule> &textRules() {
  static const std::vector<Rule> rules{
      {"nothingIsLeftUnfinished", nothingIsLeftUnfinished}, {"nobodySleeps", nobodySleeps},
      {"nobodyIsASingleton", nobodyIsASingleton},           {"textIsPlain", textIsPlain},
      {"textIsFormattedByFmt", textIsFormattedByFmt},       {"namesSayWhatAThingIs", namesSayWhatAThingIs},
      {"nobodyReadsASentence", nobodyReadsASentence},       {"namesAreOfTheGlossary", namesAreOfTheGlossary},
      {"testsSeeWhatCallersSee", testsSeeWhatCallersSee},   {"noDefaultTestSkipsItself", noDefaultTestSkipsItself},
      {"scriptsAreConstants", scriptsAreConstants},         {"translationsAreComplete", translationsAreComplete},
  };
  return rules;
}

} // namespace lockhouse::arch
