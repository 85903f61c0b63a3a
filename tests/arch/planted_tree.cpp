// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/planted_tree.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace lockhouse::arch {
namespace {

namespace fs = std::filesystem;

const std::string apache = "// SPDX-License-Identifier: Apache-2.0\n";
const std::string gpl = "// SPDX-License-Identifier: GPL-3.0-or-later\n";
const std::string lua = "-- SPDX-License-Identifier: Apache-2.0\n";
const std::string cmake = "# SPDX-License-Identifier: Apache-2.0\n";
const std::string once = "#pragma once\n";

std::string members(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += "  int m_member" + std::to_string(i) + " = 0;\n";
  return lines;
}

std::vector<Plant> includePlants() {
  return {
      {"coreHasNoQt", "core/base/a.cpp", apache + "#include <QString>\n"},
      {"coreHasNoQt", "core/base/a.cpp", apache + "#include <QtCore/QString>\n"},
      {"coreHasNoQt", "core/base/a.cpp", apache + "#  include \"qcustomplot.h\"\n"},
      {"onlyNetKnowsTheNetwork", "core/base/a.cpp", apache + "#include <asio/ip/tcp.hpp>\n"},
      {"onlyNetKnowsTheNetwork", "core/base/a.cpp", apache + "#include <asio.hpp>\n"},
      {"onlyNetKnowsTheNetwork", "core/base/a.cpp", apache + "#include <hiredis/read.h>\n"},
      {"onlyNetKnowsTheNetwork", "ui/page/a.cpp", gpl + "#include <openssl/ssl.h>\n"},
      {"onlyStoreKnowsSqlite", "core/base/a.cpp", apache + "#include <sqlite3.h>\n"},
      {"onlyPlotKnowsQCustomPlot", "ui/page/a.cpp", gpl + "#include <qcustomplot.h>\n"},
      {"onlyTheBridgeRunsCore", "ui/page/a.cpp", gpl + "#include \"core/client/watcher/watcher.h\"\n"},
      {"onlyTheBridgeRunsCore", "ui/page/a.cpp", gpl + "#include \"core/lab/demo/demo.h\"\n"},
      {"onlyTheBridgeRunsCore", "ui/page/a.cpp", gpl + "#include \"core/net/loop/loop.h\"\n"},
      {"noRoomLooksUp", "core/base/a.cpp", apache + "#include \"core/lock/primitives/mutex/mutex.h\"\n"},
      {"noRoomLooksUp", "core/net/a.cpp", apache + "#include \"core/store/audit_log.h\"\n"},
      {"noRoomLooksUp", "core/base/a.cpp", apache + "#include \"ui/page/a.h\"\n"},
      {"noRoomLooksUp", "core/base/a.cpp", apache + "#include \"tests/support/a.h\"\n"},
      {"noRoomLooksUp", "ui/page/a.cpp", gpl + "#include \"app/gui/main.h\"\n"},
      {"noFolderLooksUp", "core/watch/scan/a.cpp", apache + "#include \"core/watch/node/node_watcher.h\"\n"},
      {"noFolderLooksUp", "ui/model/text/a.cpp", gpl + "#include \"ui/model/locks/lock_row.h\"\n"},
      {"everyFolderHasItsPlace", "core/watch/odds/a.cpp", apache},
      {"ownHeadersAreNamedFromTheRoot", "core/base/a.cpp", apache + "#include \"a.h\"\n"},
      {"ownHeadersAreNamedFromTheRoot", "core/base/a.cpp", apache + "#include \"../base/a.h\"\n"},
  };
}

// Forbidden words are put together here, so that this file stays blameless itself.
std::vector<Plant> textPlants() {
  return {
      {"nothingIsLeftUnfinished", "core/base/a.cpp",
       apache + "// TO"
                "DO: later\n"},
      {"nothingIsLeftUnfinished", "core/lock/scripts/a.lua",
       lua + "-- FIX"
             "ME\n"},
      {"nobodySleeps", "core/base/a.cpp", apache + "std::this_thread::sleep_for(x);\n"},
      {"nobodySleeps", "ui/page/a.cpp", gpl + "QThread::msleep(5);\n"},
      {"nobodySleeps", "tests/unit/base/a.cpp", apache + "  usleep(5);\n"},
      {"nobodySleeps", "core/base/a.cpp", apache + "  ::sleep(5);\n"},
      {"nobodyIsASingleton", "core/base/a.cpp", apache + "static Loop &instance();\n"},
      {"nobodyIsASingleton", "ui/page/a.cpp", gpl + "  static Theme *instance() { return theme; }\n"},
      {"textIsPlain", "ui/page/a.cpp", gpl + "label->setTextFormat(Qt::RichText);\n"},
      {"textIsPlain", "ui/page/a.cpp", gpl + "view->setHtml(name);\n"},
      {"textIsFormattedByFmt", "core/base/a.cpp", apache + "auto text = std::format(\"{}\", 1);\n"},
      {"textIsFormattedByFmt", "app/ctl/a.cpp", apache + "snprintf(buffer, 5, name);\n"},
      {"namesSayWhatAThingIs", "core/base/a.cpp", apache + "class LockManager {};\n"},
      {"namesSayWhatAThingIs", "core/base/a.cpp", apache + "struct StringUtils {};\n"},
      {"nobodyReadsASentence", "core/base/a.cpp", apache + "bool isGone = detail.english().contains(\"gone\");\n"},
      {"nobodyReadsASentence", "ui/page/a.cpp", gpl + "if (messageText(detail).startsWith(u'x'))\n"},
      {"namesAreOfTheGlossary", "core/base/a.cpp", apache + "Mirror m_cache;\n"},
      {"namesAreOfTheGlossary", "ui/page/a.cpp", gpl + "int beginSweep();\n"},
      {"testsSeeWhatCallersSee", "core/base/a.cpp", apache + "  friend class MutexTest;\n"},
      {"testsSeeWhatCallersSee", "tests/unit/base/a.cpp", apache + "#define private public\n"},
      {"noDefaultTestSkipsItself", "tests/unit/base/a.cpp",
       apache + "GTEST_SK"
                "IP();\n"},
      {"noDefaultTestSkipsItself", "tests/ui/a.cpp",
       apache + "TEST(Page, DISABL"
                "ED_opens) {}\n"},
      {"scriptsAreConstants", "core/lock/scripts/a.lua", lua + "return loadstring(ARGV[1])()\n"},
      {"scriptsAreConstants", "core/lock/scripts/a.lua", lua + "redis.call('set', '%s', 1)\n"},
      {"scriptsAreConstants", "core/base/a.cpp", apache + "auto body = \"return redis.call('get', '\" + key + \"')\";\n"},
      {"translationsAreComplete", "resources/translations/a.ts", "<translation type=\"unfinished\">x</translation>\n"},
      {"translationsAreComplete", "resources/translations/a.ts", "<source>Locks</source><translation></translation>\n"},
  };
}

std::vector<Plant> treePlants() {
  return {
      {"everySourceNamesItsLicence", "core/base/a.cpp", "int a;\n"},
      {"everySourceNamesItsLicence", "core/base/a.cpp", gpl},
      {"everySourceNamesItsLicence", "ui/page/a.cpp", apache},
      {"everySourceNamesItsLicence", "core/lock/scripts/a.lua", "return 1\n"},
      {"everySourceNamesItsLicence", "packaging/dev", "#!/bin/sh\necho\n"},
      {"headersOpenWithPragmaOnce", "core/base/a.h", apache + "int a;\n"},
      {"filesAreSmall", "core/base/a.cpp", apache + std::string(600, '\n')},
      {"classesAreSmall", "core/base/a.h", apache + once + "class Wide {\n" + members(21) + "};\n"},
      {"aClassHasOneSource", "core/base/b.cpp", apache + "const std::vector<Part> &Implied::parts() const {\n"},
      {"foldersAreSmall", "core/lab/z.h", apache + once},
      {"unitTestsMirrorTheTree", "tests/unit/base/elsewhere/a_test.cpp", apache},
      {"theTopHoldsEightThings", "notes.txt", "x\n"},
  };
}

} // namespace

PlantedTree::PlantedTree(const std::map<std::string, std::string> &files) {
  std::string pattern = (fs::temp_directory_path() / "lockhouse-arch-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("no temporary folder");
  m_root = pattern;
  for (const auto &[path, text] : files) {
    fs::create_directories((m_root / path).parent_path());
    std::ofstream(m_root / path, std::ios::binary) << text;
  }
}

PlantedTree::~PlantedTree() {
  std::error_code ignored;
  fs::remove_all(m_root, ignored);
}

std::map<std::string, std::string> blamelessFiles() {
  std::map<std::string, std::string> files{
      {"CMakeLists.txt", cmake},
      {"core/base/CMakeLists.txt", cmake + "lockhouse_room(base)\n"},
      {"core/base/a.h", apache + once + "class Implied; // the impl of a helper, a to-do list, no manager\n"},
      {"core/base/a.cpp", apache + "#include \"core/base/a.h\"\n#include <string>\n// Qt stays out; sleep is for people\nauto folder = \"lockhouse-XXXXXX\";\n"
                                   "void Implied::run() {\n"},
      {"core/lock/CMakeLists.txt", cmake},
      {"core/lock/scripts/a.lua", lua + "-- 1. read\nlocal none = {}\nreturn redis.call('get', KEYS[1])\n"},
      {"core/net/CMakeLists.txt", cmake + "lockhouse_room(net)\n"},
      {"core/net/a.cpp", apache + "#include \"core/base/a.h\"\n#include <asio.hpp>\n#include <hiredis/read.h>\n#include <openssl/ssl.h>\n"},
      {"core/store/CMakeLists.txt", cmake + "lockhouse_room(store)\n"},
      {"core/store/a.cpp", apache + "#include <sqlite3.h>\n"},
      {"ui/CMakeLists.txt", cmake + "add_library(lockhouse_ui STATIC bridge/a.cpp page/a.cpp plot/a.cpp)\n"},
      {"ui/bridge/a.cpp", gpl + "#include \"core/client/watcher/watcher.h\"\n#include \"core/net/loop/loop.h\"\n#include <QObject>\n"},
      {"ui/page/a.cpp",
       gpl + "#include \"core/lab/stress/stress_run.h\"\n#include \"core/watch/record/lock_snapshot.h\"\n#include \"ui/page/a.moc\"\nauto *app = "
             "QCoreApplication::instance();\n"},
      {"ui/plot/a.cpp", gpl + "#include <qcustomplot.h>\n"},
      {"app/ctl/CMakeLists.txt", cmake + "add_executable(lockhousectl a.cpp)\n"},
      {"app/ctl/a.cpp", apache + "#include \"core/client/watcher/watcher.h\"\n"},
      {"tests/unit/base/CMakeLists.txt", cmake + "add_executable(unit_base a.cpp)\n"},
      {"tests/unit/base/a.cpp", apache},
      {"tests/ui/CMakeLists.txt", cmake + "add_executable(ui_page a.cpp)\n"},
      {"tests/ui/a.cpp", apache},
      {"resources/translations/a.ts", "<translation>锁</translation>\n"},
      {"packaging/dev", "#!/usr/bin/env bash\n" + cmake},
  };
  files["core/net/wide.h"] = apache + once + "class Wide {\n  int f() { return m_member0; }\n" + members(20) + "};\n";
  for (char name = 'A'; name < 'A' + 32; ++name)
    files["core/lab/" + std::string(1, name) + ".h"] = apache + once;
  return files;
}

const std::vector<Plant> &plants() {
  static const std::vector<Plant> all = [] {
    auto list = includePlants();
    for (const auto &more : {textPlants(), treePlants()})
      list.insert(list.end(), more.begin(), more.end());
    return list;
  }();
  return all;
}

} // namespace lockhouse::arch
