-- SPDX-License-Identifier: Apache-2.0
-- Who holds a leased semaphore: one member "token/i" for each permit, so that their number is what is taken. The kind is the number of
-- permits. KEYS 4 remembers how many there are; the first holder says so in ARGV 8, who says otherwise later is told.
local lockKind = 'LeasedSemaphore'
local function holds(_, token)
  return redis.call('ZSCORE', KEYS[1], token .. '/1')
end
local function fits(kind)
  return redis.call('ZCARD', KEYS[1]) + tonumber(kind) <= tonumber(redis.call('GET', KEYS[4]) or ARGV[8] or kind)
end
local function enter(kind, token, till)
  if ARGV[8] then
    redis.call('SET', KEYS[4], ARGV[8], 'NX')
  end
  for i = 1, tonumber(kind) do
    redis.call('ZADD', KEYS[1], string.format('%.0f', till), token .. '/' .. i)
  end
end
local function leave(_, token) -- all of its permits: who gives back a grant may not know how many they are
  local left = 0
  while redis.call('ZREM', KEYS[1], token .. '/' .. (left + 1)) == 1 do
    left = left + 1
  end
  return left > 0
end
