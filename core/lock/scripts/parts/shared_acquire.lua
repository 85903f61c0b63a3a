-- SPDX-License-Identifier: Apache-2.0
-- ARGV: 1 the asker's token, 2 the lease in ms, 3 the asker's client, as 0 or 1: 4 a place is wanted, 5 the client's places are to last
-- one lease from now; 6 the kind, 7 as 0 or 1: before all that are not of the kind w.
local now, instant = serverTime()
dropLapsed(now)
if holds(ARGV[6], ARGV[1]) then
  enter(ARGV[6], ARGV[1], now + ARGV[2])
  keepAtLeast(KEYS[1], ARGV[2])
  return {1, instant}
end
local me = ARGV[6] .. '/' .. ARGV[1]
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
local placed, renewed = -1, 0
if last[1] and ARGV[4] == '1' then
  local score = ARGV[7] == '1' and tonumber(instant) - 4503599627370496 or math.max(tonumber(last[2]), 0) + 1
  placed = redis.call('ZADD', KEYS[2], 'NX', score, me)
end
if last[1] then -- whoever was before us may enter, or be gone
  letHeadsIn(nil, {})
  if holds(ARGV[6], ARGV[1]) then
    enter(ARGV[6], ARGV[1], now + ARGV[2])
    keepAtLeast(KEYS[1], ARGV[2])
    return {1, instant}
  end
end
if placed < 0 and redis.call('EXISTS', KEYS[2]) == 0 and fits(ARGV[6]) then
  enter(ARGV[6], ARGV[1], now + ARGV[2])
  keepAtLeast(KEYS[1], ARGV[2])
  keepAtLeast(KEYS[4], ARGV[2])
  return {1, instant}
end
if ARGV[4] == '1' then
  if placed < 0 then
    placed = redis.call('ZADD', KEYS[2], 'NX', ARGV[7] == '1' and tonumber(instant) - 4503599627370496 or 1, me)
  end
  local deadline = redis.call('HGET', KEYS[3], ARGV[3])
  if ARGV[5] == '1' or placed == 1 and not last[1] or not deadline then
    local wanted = now + tonumber(ARGV[2])
    if tonumber(deadline or 0) < wanted then
      redis.call('HSET', KEYS[3], ARGV[3], string.format('%.0f', wanted))
    end
    keepAtLeast(KEYS[2], ARGV[2])
    keepAtLeast(KEYS[3], ARGV[2])
    renewed = 1
  end
end
local holder = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local left = holder[2] and math.max(tonumber(holder[2]) - now, 0) or -1
return {0, left, string.sub(holder[1] or '', 1, 256), placed, renewed, instant}
