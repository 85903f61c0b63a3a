-- SPDX-License-Identifier: Apache-2.0
-- lowerCount(count): lowers the count of the owner's field, ARGV 2 of the lock, from `count` to what is to be left, ARGV 3, unless that
-- arrived before; the lease, ARGV 1 in ms, may grow, never shrink. What is left.
local function lowerCount(count)
  local left = tonumber(ARGV[3])
  if tonumber(count) > left then
    redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
  end
  if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  return left
end
