-- SPDX-License-Identifier: Apache-2.0
-- Gives up a handoff lock, or a place in its queue.
-- KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence.
-- ARGV: 1 the owner's token, 2 the owner's client, 3 as 0 or 1: leave it free for whoever asks next, 4 the last fence of the hold,
-- 5 "number[,number …]" or "": waiters of the client who have had it since, under this token.
-- 1. Those waiters have no place any more.
-- 2. Not ours: give up our place in the queue, and with the last place the deadlines; answer 1 if we had one, else 0. It was the first
--    and the lock is free: we may have been told so, and tell whoever is first now; answer as of 3.
-- 3. Ours, and it may be left free: delete it and tell the first waiter to ask; answer 1, or {1, its number, 0} if it is of this client.
--    But of 16 such releases while others wait, the last is a handoff as of 4, so that nobody waits for ever.
-- 4. Ours: make the first waiter the owner; answer 1, or, if it is of this client, {1, its number and those of up to three more of the
--    client right behind it, its fence}. Nobody waits: delete it and the deadlines; answer 1.
-- use handoff_pass_on
local held = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ':'
local function head()
  return redis.call('ZRANGE', KEYS[2], 0, 0)[1]
end
local function tellToAsk(waiter)
  local client, number = clientAndNumber(waiter)
  if client == ARGV[2] then
    return {1, number, '0'}
  end
  redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, 'HandoffLock ' .. number .. ' 0 ' .. KEYS[1])
  return 1
end
if ARGV[5] ~= '' then
  local served = {}
  for number in string.gmatch(ARGV[5], '[^,]+') do
    served[#served + 1] = ARGV[2] .. ':' .. number
  end
  redis.call('ZREM', KEYS[2], unpack(served))
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
local first = ARGV[3] == '1' and head()
local function isSixteenth()
  local barged = redis.pcall('HINCRBY', KEYS[3], 'barged', 1)
  if type(barged) ~= 'number' then
    redis.call('HDEL', KEYS[3], 'barged')
    return true
  end
  return barged % 16 == 0
end
if ARGV[3] == '1' and not (first and isSixteenth()) then
  redis.call('DEL', KEYS[1])
  if first then
    return tellToAsk(first)
  end
  redis.call('DEL', KEYS[3])
  return 1
end
local last, given = tonumber(string.sub(held, #mine + 1)) or 0, tonumber(ARGV[4])
if given > last and given < last + 64 then
  last = given
end
local longestRun = 4 -- the owner, and three more of its client
local owner, fence, numbers = passOn(last + 1, ARGV[2], longestRun)
if not owner then
  redis.call('DEL', KEYS[1], KEYS[3])
end
if owner and string.sub(owner, 1, #ARGV[2] + 1) == ARGV[2] .. ':' then
  return {1, numbers, fence}
end
return 1
