-- SPDX-License-Identifier: Apache-2.0
-- Takes a handoff lock, or a place in its queue.
-- KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence.
-- ARGV: 1 the asker's token, 2 the lease in ms, 3 the asker's client, and as 0 or 1: 4 a place is wanted, 5 the client's places are to
-- last one lease from now, 6 not the first ask, 7 whoever finds it free may have it.
-- 1. Ours already, by an ask that arrived before or passed on to us: let the lease run anew; answer {1, fence}.
-- 2. Free, and nobody queues or order does not matter: take it; answer {1, fence}. What the fence's key holds is no fence: an error.
-- 3. Take a place at the end, if one is wanted and we have none; renew the client's deadline where it is missing or asked for.
-- 4. Free, but others were before us: the first of them who lives is made the owner; nobody lives: take it.
-- 5. Answer {0, time left in ms or -1, the first 256 bytes of the holder, 1 a new place, 0 the old one or -1 none, 1 if the deadline
--    was renewed}.
-- use handoff_pass_on
local held = redis.call('GET', KEYS[1])
local mine = ARGV[1] .. ':'
if held and string.sub(held, 1, #mine) == mine then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {1, string.sub(held, #mine + 1)}
end
local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')
local before = not held and tonumber(redis.call('GET', KEYS[4]) or 0)
if before == nil or (before and before > 9007199254740000) then
  return redis.error_reply('ERR the key of this lock with the fence holds no number that can grow; delete it')
end
local function take()
  local fence = newFence(before + 64)
  redis.call('SET', KEYS[1], mine .. fence, 'PX', ARGV[2])
  if last[1] then
    redis.call('ZREM', KEYS[2], ARGV[1])
  end
  return {1, fence}
end
if not held and (ARGV[7] == '1' or not last[1]) then
  return take()
end
local placed, renewed = -1, 0
if ARGV[4] == '1' then
  placed = redis.call('ZADD', KEYS[2], 'NX', (tonumber(last[2]) or 0) + 1, ARGV[1])
  local deadline = redis.call('HGET', KEYS[3], ARGV[3])
  if ARGV[5] == '1' or not last[1] or not deadline then
    local now = redis.call('TIME')
    local wanted = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000) + tonumber(ARGV[2])
    if timeLeft(deadline, wanted) == 0 then
      redis.call('HSET', KEYS[3], ARGV[3], string.format('%.0f', wanted))
    end
    for i = 2, 3 do
      if redis.call('PTTL', KEYS[i]) < tonumber(ARGV[2]) then
        redis.call('PEXPIRE', KEYS[i], ARGV[2])
      end
    end
    renewed = 1
  end
end
if not held then
  local owner, fence = passOn(before + 64, nil, 1)
  if not owner then
    return take()
  end
  if owner == ARGV[1] then
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return {1, fence}
  end
  held = owner .. ':' .. fence
end
local left = -1
if ARGV[4] ~= '1' or ARGV[6] == '1' or not last[1] then
  left = redis.call('PTTL', KEYS[1])
end
return {0, left, string.sub(held, 1, 256), placed, renewed}
