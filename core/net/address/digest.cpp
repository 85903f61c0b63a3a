// SPDX-License-Identifier: Apache-2.0
#include "core/net/address/digest.h"

#include <openssl/evp.h>

namespace lockhouse {

std::string sha256(std::string_view bytes) {
  std::string digest(EVP_MAX_MD_SIZE, '\0');
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char *>(digest.data()), &size, EVP_sha256(), nullptr) != 1)
    return {};
  digest.resize(size);
  return digest;
}

} // namespace lockhouse
