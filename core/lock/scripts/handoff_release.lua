-- SPDX-License-Identifier: Apache-2.0
-- Gives up a handoff lock, or a place in its queue.
-- KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence.
-- ARGV: 1 the owner's token, 2 the owner's client, 3 as 0 or 1: leave it free for whoever asks next, 4 the last fence of the hold,
-- 5 "number[,number …]": waiters of the client who come first.
-- 1. Not ours: give up our place in the queue, and with the last place the deadlines; answer 1 if we had one, else 0. It was the first
--    and the lock is free: we may have been told so, and tell whoever is first now; answer as of 2.
-- 2. Ours, and it may be left free: delete it and tell the first waiter to ask; answer 1, or {1, its number, 0} if it is of this client.
--    But of 16 such releases while others wait, the last is a handoff as of 4, so that nobody waits for ever.
-- 3. Ours, and it is for those waiters: make the first of them the owner; answer {1, their numbers, the fence}.
-- 4. Ours: make the first waiter the owner, and up to three more of its client that stand right behind it; answer 1, or {1, their
--    numbers, the fence} if they are of this client. Nobody waits: delete it and the deadlines; answer 1.
-- use handoff_pass_on
local held = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ':'
local function head()
  return redis.call('ZRANGE', KEYS[2], 0, 0)[1]
end
local function tellToAsk(waiter)
  local client = string.match(waiter, '^(.*):')
  local number = string.sub(waiter, #client + 2)
  if client == ARGV[2] then
    return {1, number, '0'}
  end
  redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'HandoffLock ' .. number .. ' 0 ' .. KEYS[1])
  return 1
end
if not held or string.sub(held, 1, #mine) ~= mine then
  local wasFirst = head() == ARGV[1]
  if redis.call('ZREM', KEYS[2], ARGV[1]) == 0 then
    return 0
  end
  local next = head()
  if not next then
    redis.call('DEL', KEYS[3])
  elseif wasFirst and not held then
    return tellToAsk(next)
  end
  return 1
end
local least = math.max(tonumber(string.sub(held, #mine + 1)) or 0, tonumber(ARGV[4])) + 1
if ARGV[5] ~= '' then
  local fence, now = newFence(least)
  local left = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or 0) - now
  if left > 0 then
    redis.call('SET', KEYS[1], ARGV[2] .. ':' .. string.match(ARGV[5], '^[^,]+') .. ':' .. fence, 'PX', left)
    return {1, ARGV[5], fence}
  end
end
local first = ARGV[3] == '1' and head()
if ARGV[3] == '1' and (not first or redis.call('HINCRBY', KEYS[3], 'barged', 1) % 16 ~= 0) then
  redis.call('DEL', KEYS[1])
  if first then
    return tellToAsk(first)
  end
  redis.call('DEL', KEYS[3])
  return 1
end
local owner, fence, numbers = passOn(least, ARGV[2], 4)
if not owner then
  redis.call('DEL', KEYS[1], KEYS[3])
end
if owner and string.sub(owner, 1, #ARGV[2] + 1) == ARGV[2] .. ':' then
  return {1, numbers, fence}
end
return 1
