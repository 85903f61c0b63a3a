// SPDX-License-Identifier: Apache-2.0
// write_page_examples FILE: a function of each example on the pages, for the compiler to judge.
#include "app/ctl/text/page.h"

#include <cstdio>
#include <fstream>
#include <string>

namespace {

std::string functions, table;

void add(std::string_view name, std::string_view code) {
  functions.append("void example")
      .append(name)
      .append("([[maybe_unused]] const Client &client, [[maybe_unused]] const Quorum &quorum, "
              "[[maybe_unused]] const std::string &url, void (*work)()) {\n");
  functions.append(code).append("}\n\n");
  table.append("    PageExample{\"").append(name).append("\", example").append(name).append("},\n");
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  for (const auto &primitive : lockhouse::primitiveInfos())
    add(primitive.name, primitive.example);
  for (const auto &topic : lockhouse::topicInfos())
    add(topic.name, topic.example);
  std::ofstream file(argv[1]);
  file << "#include \"tests/contract/examples/page_examples.h\"\n#include \"core/lock/primitives/primitive.h\"\n#include <array>\n#include <cstdio>\n#include "
          "<mutex>\n"
          "#include <shared_mutex>\n#include <thread>\n\nnamespace lockhouse::test {\nnamespace {\n\nusing namespace std::chrono_literals;\n\n"
       << functions << "constexpr std::array examples{\n"
       << table << "};\n\n} // namespace\n\nstd::span<const PageExample> pageExamples() { return examples; }\n\n} // namespace lockhouse::test\n";
  return file.flush() ? 0 : 1;
}
