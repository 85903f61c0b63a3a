// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_authority.h"

#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockhouse::test {
namespace {

void openssl(std::vector<std::string> words) {
  words.insert(words.begin(), "openssl");
  std::vector<char *> argv;
  for (auto &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  ::posix_spawn_file_actions_init(&quiet);
  ::posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  int status = -1;
  if (::posix_spawnp(&pid, "openssl", &quiet, nullptr, argv.data(), environ) == 0)
    ::waitpid(pid, &status, 0);
  ::posix_spawn_file_actions_destroy(&quiet);
  if (status != 0)
    throw std::runtime_error("openssl " + words[1] + " failed");
}

} // namespace

TestAuthority::TestAuthority(const std::string &name) {
  std::string pattern = (std::filesystem::temp_directory_path() / "lockhouse-tls-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("no temporary folder");
  m_folder = pattern;
  m_own = fileNames("authority");
  openssl({"req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3", "-subj", "/CN=" + name, "-keyout", m_own.key, "-out",
           m_own.cert});
}

TestAuthority::~TestAuthority() {
  std::error_code ignored;
  std::filesystem::remove_all(m_folder, ignored);
}

TestAuthority::Pair TestAuthority::fileNames(const std::string &name) const {
  return {(m_folder / (name + ".pem")).string(), (m_folder / (name + ".key")).string()};
}

TestAuthority::Pair TestAuthority::sign(const std::string &name, const std::string &alternatives, int days) const {
  const auto pair = fileNames(name);
  const auto request = pair.cert + ".csr", extensions = pair.cert + ".ext";
  std::ofstream(extensions) << "subjectAltName=" << alternatives << "\n";
  openssl({"req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name, "-keyout", pair.key, "-out", request});
  if (days < 0)
    signExpired(request, extensions, pair.cert);
  else
    openssl({"x509", "-req", "-in", request, "-CA", m_own.cert, "-CAkey", m_own.key, "-CAcreateserial", "-days", std::to_string(days), "-extfile", extensions,
             "-out", pair.cert});
  return pair;
}

// Since 3.5, x509 signs nothing that is over already; ca does, in every version.
void TestAuthority::signExpired(const std::string &request, const std::string &extensions, const std::string &cert) const {
  const auto folder = m_folder.string();
  std::ofstream(folder + "/index.txt");
  std::ofstream(folder + "/ca.cnf") << "[ca]\ndefault_ca=c\n[c]\ndatabase=" << folder << "/index.txt\nrand_serial=yes\nnew_certs_dir=" << folder
                                    << "\ncertificate=" << m_own.cert << "\nprivate_key=" << m_own.key
                                    << "\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n";
  openssl({"ca", "-batch", "-notext", "-config", folder + "/ca.cnf", "-startdate", "20200101000000Z", "-enddate", "20200102000000Z", "-in", request, "-extfile",
           extensions, "-out", cert});
}

} // namespace lockhouse::test
