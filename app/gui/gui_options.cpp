// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/gui_options.h"

#include "core/net/address/hide_passwords.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace lockhouse::ui {
namespace {

void describe(CLI::App &app, GuiOptions &options, std::vector<std::string> &urls) {
  app.add_option("--url", urls, "A node to watch: redis://[user[:password]@]host[:port][/db], rediss://… or unix:///path; repeat for several")
      ->type_name("URL");
  app.add_flag("--demo", options.demo, "Watch private demo servers; the default without --url");
  app.add_option("--screenshot", options.screenshot, "Write a picture of the window (1440 × 900) to FILE and exit; needs no display")->type_name("FILE");
  app.add_option("--screenshot-page", options.screenshotPage,
                 "What the picture shows: locks, charts, events, audit, release, nodes or lab (of the demo: after a run)")
      ->type_name("PAGE")
      ->check(CLI::IsMember({"locks", "charts", "events", "audit", "release", "nodes", "lab"}));
  app.add_option("--lang", options.language, "Language: en or zh_CN; the system's if not given")->type_name("LANG")->check(CLI::IsMember({"en", "zh_CN"}));
  app.add_option("--theme", options.theme, "Appearance: light or dark; the desktop's if not given")->type_name("NAME")->check(CLI::IsMember({"light", "dark"}));
  app.add_option("--families", options.familiesPath, "Settings file with families of your own (lockhouse/families.toml in $XDG_CONFIG_HOME or ~/.config)")
      ->type_name("FILE");
  app.set_version_flag("--version", "lockhouse " LOCKHOUSE_VERSION);
  app.footer("Exit codes: 0 done, 2 usage, or the picture cannot be written, 3 nothing reachable: the demo cannot start.");
}

ExitAtOnce complain(const std::string &sentence) {
  std::cerr << "lockhouse: " << sentence << '\n';
  return {2};
}

} // namespace

std::variant<GuiOptions, ExitAtOnce> readOptions(const std::vector<std::string> &words) {
  GuiOptions options;
  std::vector<std::string> urls;
  CLI::App app("Lockhouse shows every live lock in Redis: who holds it, who waits, and how to release it safely.", "lockhouse");
  describe(app, options, urls);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 takes a vector last word first
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return ExitAtOnce{app.exit(error)};
    return complain(withoutPassword(error.what()) + "; see lockhouse --help");
  }
  auto nodes = parseUris(urls);
  if (!nodes)
    return complain(nodes.error().sentence());
  options.nodes = std::move(*nodes);
  if (options.demo && !options.nodes.empty())
    return complain("--demo and --url exclude each other; give one of them");
  options.demo = options.nodes.empty();
  return options;
}

} // namespace lockhouse::ui
