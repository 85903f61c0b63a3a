-- SPDX-License-Identifier: Apache-2.0
-- isToken(): whether the string KEYS[1] is `token`; or, where `rest` tells its length and its SHA-1, whether it opens with it and is that.
-- A value of another length is not even read whole.
local function isToken(token, rest)
  if not rest or rest == '' then
    return redis.call('STRLEN', KEYS[1]) == #token and redis.call('GET', KEYS[1]) == token
  end
  local length, sha = string.match(rest, '^([0-9]+) ?(%x*)$')
  return redis.call('STRLEN', KEYS[1]) == tonumber(length) and redis.call('GETRANGE', KEYS[1], 0, #token - 1) == token and
      redis.sha1hex(redis.call('GET', KEYS[1])) == sha
end
