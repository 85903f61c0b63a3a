-- SPDX-License-Identifier: Apache-2.0
-- ARGV: 1 the owner's token, 2 the owner's client, 3 the kind.
local now = serverTime()
dropLapsed(now)
local had = leave(ARGV[3], ARGV[1])
if not had and redis.call('ZREM', KEYS[2], ARGV[3] .. '/' .. ARGV[1]) == 0 then
  return 0
end
local answer = letHeadsIn(ARGV[2], {1})
if redis.call('EXISTS', KEYS[2]) == 0 then
  redis.call('DEL', KEYS[3])
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('DEL', KEYS[4])
end
return answer
