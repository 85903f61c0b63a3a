-- SPDX-License-Identifier: Apache-2.0
-- serverTime(): in ms, and in us as text. keepAtLeast(key, lease): the key lasts at least that long from now.
local function serverTime()
  local time = redis.call('TIME')
  local micros = tonumber(time[1]) * 1000000 + tonumber(time[2])
  return math.floor(micros / 1000), string.format('%.0f', micros)
end
local function keepAtLeast(key, lease)
  if redis.call('PTTL', key) < tonumber(lease) then
    redis.call('PEXPIRE', key, lease)
  end
end
