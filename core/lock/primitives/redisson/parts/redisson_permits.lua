-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of semaphores do alike. KEYS: 1 the counter of free permits, 2 the permits that are out, with the epoch ms at which
-- each lapses, 3 how many there are, where we made the counter.
-- serverTime(): in ms.
local function serverTime()
  local now = redis.call('TIME')
  return tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
end
-- hold(from, lapses): the permits ARGV[from] and following are out until then. What we made ourselves ends with the last of them; of a
-- counter that has an expiry of its own the permits end with it.
local function hold(from, lapses)
  local score = string.format('%.0f', lapses)
  for i = from, #ARGV do
    redis.call('ZADD', KEYS[2], score, ARGV[i])
  end
  if redis.call('EXISTS', KEYS[3]) == 1 then
    local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
    for i = 1, 3 do
      redis.call('PEXPIREAT', KEYS[i], string.format('%.0f', tonumber(last)))
    end
  else
    local left = redis.call('PTTL', KEYS[1])
    if left > 0 then
      redis.call('PEXPIRE', KEYS[2], left)
    end
  end
end
