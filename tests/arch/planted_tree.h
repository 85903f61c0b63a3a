// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lockhouse::arch {

/// A small tree in a temporary folder of its own, gone with this object.
class PlantedTree {
public:
  explicit PlantedTree(const std::map<std::string, std::string> &files);
  ~PlantedTree();
  PlantedTree(const PlantedTree &) = delete;
  PlantedTree &operator=(const PlantedTree &) = delete;
  const std::filesystem::path &root() const { return m_root; }

private:
  std::filesystem::path m_root;
};

/// A file that breaks exactly one rule, once.
struct Plant {
  std::string rule;
  std::string path;
  std::string text;
};

/// Files that break no rule, among them what a careless rule would take for an offence.
std::map<std::string, std::string> blamelessFiles();
const std::vector<Plant> &plants();

} // namespace lockhouse::arch
