-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of a handoff lock do alike. KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence.
-- newFence(least): the fence of a new hold: not less than `least` nor than the server's time in us, so that it grows though the data
-- is lost; with that time in ms. It is kept for an hour.
local function newFence(least)
  local now = redis.call('TIME')
  local micros = tonumber(now[1]) * 1000000 + tonumber(now[2])
  local fence = string.format('%.0f', math.max(micros, least))
  redis.call('SET', KEYS[4], fence, 'PX', 3600000)
  return fence, math.floor(micros / 1000)
end
-- clientAndNumber(place): of a waiter; '' and '' of what is none.
local function clientAndNumber(place)
  local client, number = string.match(place, '^(.*):([0-9]+)$')
  return client or '', number or ''
end
-- use time_left
-- firstRun(most): the first waiter, its client, "number[,number …]" of it and of those right behind it who are of the same client, at
-- most so many, and how many they are.
local function firstRun(most)
  local places = redis.call('ZRANGE', KEYS[2], 0, most - 1)
  local head = places[1]
  if not head then
    return nil
  end
  local client, numbers = clientAndNumber(head)
  local count = 1
  while places[count + 1] do
    local same, number = clientAndNumber(places[count + 1])
    if same ~= client or same == '' then
      break
    end
    count = count + 1
    numbers = numbers .. ',' .. number
  end
  return head, client, numbers, count
end
-- passOn(least, own, most): makes the first waiter of the queue whose client lives the owner, until that client's deadline, and tells the
-- client's inbox "HandoffLock numbers fence lock", unless it is `own`, whose answer tells it. The numbers are the owner's and those of up to
-- most - 1 waiters of the same client right behind it, who keep their places. Answers waiter, fence and numbers, or nothing if none lives.
local function passOn(least, own, most)
  local fence, now
  while true do
    local head, client, numbers, count = firstRun(most)
    if not head then
      return nil
    end
    if not fence then
      fence, now = newFence(least)
    end
    local left = client == '' and 0 or timeLeft(redis.call('HGET', KEYS[3], client), now)
    if left > 0 then
      redis.call('ZREMRANGEBYRANK', KEYS[2], 0, 0)
      redis.call('SET', KEYS[1], head .. ':' .. fence, 'PX', left)
      if client ~= own then
        redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'HandoffLock ' .. numbers .. ' ' .. fence .. ' ' .. KEYS[1])
      end
      return head, fence, numbers
    end
    redis.call('ZREMRANGEBYRANK', KEYS[2], 0, count - 1)
    redis.call('HDEL', KEYS[3], client)
  end
end
