-- SPDX-License-Identifier: Apache-2.0
-- Tells the SHA-1 of a token that is too long to be fetched. Writes nothing.
-- KEYS[1] the lock · ARGV[1] the token's first bytes · ARGV[2] how many it has.
-- 1. Another value lies there by now, or another type: nothing is told.
-- 2. Its SHA-1, by which a release compares all of it.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' or redis.call('STRLEN', KEYS[1]) ~= tonumber(ARGV[2]) or
    redis.call('GETRANGE', KEYS[1], 0, #ARGV[1] - 1) ~= ARGV[1] then
  return false
end
return redis.sha1hex(redis.call('GET', KEYS[1]))
