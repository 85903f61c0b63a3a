-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of a fair lock do alike. KEYS: 1 the lock, 2 the line, 3 when each place in it lapses, in epoch ms.
-- serverTime(): of one script, always the same, in ms.
local scriptTime
local function serverTime()
  if not scriptTime then
    local now = redis.call('TIME')
    scriptTime = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
  end
  return scriptTime
end
-- firstInLine(): drops every head whose place has lapsed, or of which nobody knows when it does; answers the first who is left, and
-- when his place lapses, or nothing.
local function firstInLine()
  while true do
    local first = redis.call('LINDEX', KEYS[2], 0)
    if not first then
      return nil
    end
    local lapses = tonumber(redis.call('ZSCORE', KEYS[3], first))
    if lapses and lapses > serverTime() then
      return first, lapses
    end
    redis.call('LPOP', KEYS[2])
    redis.call('ZREM', KEYS[3], first)
  end
end
