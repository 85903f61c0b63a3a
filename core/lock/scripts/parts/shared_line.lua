-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of locks with several holders do alike. KEYS: 1 the holders, a sorted set by the end of their leases in ms; 2 the
-- queue, waiters as "kind/token"; 3 the clients' deadlines; 4 what the lock remembers while it is held. Whoever uses this has defined
-- fits(kind), whether one of that kind may enter now, and enter(kind, token, until).
-- serverTime(): in ms, and in us. dropLapsed(now): forgets holders whose leases have ended.
-- letHeadsIn(own): as long as the first in the queue fits, makes it a holder until its client's deadline and tells its client's inbox,
-- or, if it is of the client `own`, adds its number and the instant to the answer. Clients that are gone lose their places.
local function serverTime()
  local now = redis.call('TIME')
  local micros = tonumber(now[1]) * 1000000 + tonumber(now[2])
  return math.floor(micros / 1000), string.format('%.0f', micros)
end
local function dropLapsed(now)
  redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
end
local function keepAtLeast(key, lease)
  if redis.call('PTTL', key) < tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
  end
end
local function letHeadsIn(own, answer)
  local now, instant = serverTime()
  while true do
    local head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
    if not head then
      return answer
    end
    local kind, client, number = string.match(head, '^(%w+)/(.*):([0-9]+)$')
    local left = tonumber(redis.call('HGET', KEYS[3], client) or 0) - now
    if left <= 0 then
      redis.call('ZREM', KEYS[2], head)
    elseif fits(kind) then
      redis.call('ZREM', KEYS[2], head)
      enter(kind, client .. ':' .. number, now + left)
      keepAtLeast(KEYS[1], left)
      keepAtLeast(KEYS[4], left)
      if client == own then
        answer[#answer + 1] = number
        answer[#answer + 1] = instant
      else
        redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, lockKind .. ' ' .. number .. ' ' .. instant .. ' ' .. KEYS[1])
      end
    else
      return answer
    end
  end
end
