-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of a handoff lock do alike. KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence.
-- fenceAfter(last): the fence of a new hold: younger than `last` by 64 (a client may hand a hold on inside that often), and not
-- less than the server's time in us, so that it grows though the data is lost; with that time in ms. It is kept for an hour.
local function fenceAfter(last)
  local now = redis.call('TIME')
  local micros = tonumber(now[1]) * 1000000 + tonumber(now[2])
  local fence = string.format('%.0f', math.max(micros, last + 64))
  redis.call('SET', KEYS[4], fence, 'PX', 3600000)
  return fence, math.floor(micros / 1000)
end
-- passOn(last, own): makes the first waiter of the queue whose client lives the owner, until that client's deadline, and tells its
-- inbox "HandoffLock number fence lock", unless the client is `own`, whose answer tells it. Answers waiter and fence, or nothing if none lives.
local function passOn(last, own)
  local fence, now
  while true do
    local head = redis.call('ZPOPMIN', KEYS[2])[1]
    if not head then
      return nil
    end
    local client = string.match(head, '^(.*):')
    if not fence then
      fence, now = fenceAfter(last)
    end
    local left = tonumber(redis.call('HGET', KEYS[3], client) or 0) - now
    if left > 0 then
      redis.call('SET', KEYS[1], head .. ':' .. fence, 'PX', left)
      if client ~= own then
        redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'HandoffLock ' .. string.sub(head, #client + 2) .. ' ' .. fence .. ' ' .. KEYS[1])
      end
      return head, fence
    end
    redis.call('HDEL', KEYS[3], client)
  end
end
