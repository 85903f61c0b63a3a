-- SPDX-License-Identifier: Apache-2.0
-- Who holds a leased semaphore: one member "token/i" for each permit, so that their number is what is taken. The kind is the number of
-- permits, which nobody has more than 10000 of. KEYS 4 remembers how many there are; the first holder says so in ARGV 8, who says otherwise
-- later is told. Where it holds no number, as many are free as if there were just enough for the first who asks.
local lockKind = 'LeasedSemaphore'
local function isHold(member)
  return string.match(member, '^.+:[0-9]+/[0-9]+$')
end
local function isKind(text)
  return string.match(text, '^[1-9][0-9]?[0-9]?[0-9]?[0-9]?$')
end
local free -- how many permits, once it was asked for
local function lookInside()
  free = nil
end
local function isFull()
  return free and free <= 0
end
local function holds(_, token)
  return redis.call('ZSCORE', KEYS[1], token .. '/1')
end
local function isVoid()
  return false
end
local function fits(kind)
  if not free then
    local capacity = string.match(redis.call('GET', KEYS[4]) or '', '^[1-9][0-9]*$')
    free = tonumber(capacity and #capacity <= 15 and capacity or ARGV[8] or kind) - redis.call('ZCARD', KEYS[1])
  end
  return tonumber(kind) <= free
end
local function enter(kind, token, till, lease)
  if not (ARGV[8] and redis.call('SET', KEYS[4], ARGV[8], 'NX', 'PX', lease)) then
    keepAtLeast(KEYS[4], lease)
  end
  for i = 1, tonumber(kind) do
    redis.call('ZADD', KEYS[1], till, token .. '/' .. i)
  end
  free = free and free - tonumber(kind)
end
local function leave(token) -- all of its permits: who gives back a grant may not know how many they are
  local left = 0
  while redis.call('ZREM', KEYS[1], token .. '/' .. (left + 1)) == 1 do
    left = left + 1
  end
  return left > 0
end
