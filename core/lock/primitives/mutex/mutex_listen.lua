-- SPDX-License-Identifier: Apache-2.0
-- Takes a mutex, or tells who has it and writes down who wants to be told when it is free.
-- KEYS: 1 the lock, 2 the listeners, each with the epoch ms until which it listens. ARGV: 1 the asker's token, 2 the lease in ms, 3 the
-- asker as "client:number", 4 1 if it may be written down already.
-- 1. Set the token with its lease if there is no such key, or find it there already, since this ask arrived before: the asker listens no
--    more; answer 1.
-- 2. Somebody else's: the asker listens for one lease from now, and those whose time is over listen no more. Answer {time left in ms,
--    the first 256 bytes of his token, 1}; an empty token if the key is no string. Where the second key is somebody else's, nobody
--    listens: 0 instead of 1.
local granted = redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
local holder = granted and ARGV[1] or redis.pcall('GETRANGE', KEYS[1], 0, 255)
if holder == ARGV[1] then
  if ARGV[4] == '1' then
    redis.pcall('ZREM', KEYS[2], ARGV[3])
  end
  return 1
end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local listens = 0
if type(redis.pcall('ZADD', KEYS[2], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[3])) == 'number' then
  listens = 1
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
  if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then
    redis.call('PEXPIRE', KEYS[2], ARGV[2])
  end
end
return {redis.call('PTTL', KEYS[1]), type(holder) == 'string' and holder or '', listens}
