-- SPDX-License-Identifier: Apache-2.0
-- ARGV: 1 the asker's token, 2 the lease in ms, 3 the asker's client, as 0 or 1: 4 a place is wanted, 5 the client's places are to last
-- one lease from now; 6 the kind, 7 as 0 or 1: before all that are not of the kind w.
local now, instant = serverTime()
local lease, kind = tonumber(ARGV[2]), ARGV[6]
local function enterNow()
  admit(kind, ARGV[1], now, lease)
  return {1, instant}
end
if not look(now) then
  return redis.error_reply('WRONGTYPE the key holds a sorted set that is no lock')
end
if first and holds(kind, ARGV[1]) then
  return enterNow()
end
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
if not last[1] and fits(kind) then
  return enterNow()
end
local placed, renewed = -1, 0
if ARGV[4] == '1' then
  local place = ARGV[7] == '1' and tonumber(instant) - 4503599627370496 or math.max(tonumber(last[2] or 0), 0) + 1
  placed = redis.call('ZADD', KEYS[2], 'NX', place, kind .. '/' .. ARGV[1])
  renewed = keepPlaces(ARGV[3], now, lease, ARGV[5] == '1')
  if not last[1] and renewed == 0 then
    redis.call('PEXPIRE', KEYS[2], lease)
  end
end
local emptied = last[1] and letHeadsIn(now, instant, nil, {}) -- whoever was before us may enter, or be gone
if admitted[ARGV[1]] or (emptied and fits(kind)) then
  return enterNow()
end
local left = first and math.max(firstEnds - now, 0) or -1
return {0, left, string.sub(first or '', 1, 256), placed, renewed, instant}
