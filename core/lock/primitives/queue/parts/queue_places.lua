-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of both queue locks do alike. KEYS: 1 the lock, 2 the line, 3 the clients' deadlines.
-- serverTime(): in ms. clientOf(token): the client of a waiter; nothing if it is none, as noWaiter() says. wake(token, own, kind): tells the waiter's inbox that its turn has
-- come, unless it is of the client `own`, whose answer tells it: the number in it, or nothing.
-- keepPlaces(client, lease): the client's places last one lease from now, and the keys as long.
-- use time_left
local function serverTime()
  local now = redis.call('TIME')
  return tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
end
local function clientOf(token)
  return string.match(token, '^(.*):[0-9]+$')
end
local function noWaiter()
  return redis.error_reply('WRONGTYPE the line of this lock holds what is no waiter of it')
end
local function wake(token, own, kind)
  local client = clientOf(token)
  local number = string.sub(token, #client + 2)
  if client == own then
    return number
  end
  redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, kind .. ' ' .. number .. ' 0 ' .. KEYS[1])
  return nil
end
local function keepPlaces(client, lease)
  redis.call('HSET', KEYS[3], client, string.format('%.0f', serverTime() + tonumber(lease)))
  for i = 2, 3 do
    if redis.call('PTTL', KEYS[i]) < tonumber(lease) then
      redis.call('PEXPIRE', KEYS[i], lease)
    end
  end
end
