-- SPDX-License-Identifier: Apache-2.0
-- Releases a handoff lock of Lockhouse's as its holder would: hands it to the first in its queue who lives.
-- KEYS: 1 the lock, 2 the queue, 3 the clients' deadlines, 4 the fence. ARGV: 1 the value that the operator saw, "token:fence".
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. One of the keys beside it is of another type: nobody can be told; delete the lock, leave that key, and name it.
-- 4. The user may not do all that follows: nothing is changed.
-- 5. Drop the first of the queue whose clients are gone. There are more of them than one run drops: leave the lock, and tell so; who sent it
--    sends it again.
-- 6. Make the first waiter whose client lives the owner and tell its inbox. What the holder's client has handed on inside is not known, so
--    the next fence is past all that it may have given. Nobody lives: delete the lock and the deadlines.
-- use compare_token
-- use told_by_inbox
-- use handoff_pass_on
-- use most_dropped
local foreign = otherType({'zset', 'hash', 'string'})
local waits = not foreign and redis.call('TYPE', KEYS[2]).ok ~= 'none'
local needs = {{'DEL', KEYS[1], waits and KEYS[3] or nil}}
if waits then
  for _, command in ipairs({{'TIME'}, {'SET', KEYS[4], '0', 'PX', '1'}, {'SET', KEYS[1], '0', 'PX', '1'}, {'HGET', KEYS[3], ''}, {'HDEL', KEYS[3], ''},
                            {'ZREMRANGEBYRANK', KEYS[2], '0', '0'}}) do
    needs[#needs + 1] = command
  end
end
local refusal = mayNot(needs, waits and 'zset')
if refusal then
  return refusal
end
local time = waits and redis.call('TIME')
local now, dropped = time and tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), 0
while waits do
  local head, client, _, count = firstRun(4)
  if not head or (client ~= '' and timeLeft(redis.call('HGET', KEYS[3], client), now) > 0) then
    break
  elseif dropped >= mostDropped then
    return {'cleared', tostring(dropped)}
  end
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, count - 1)
  redis.call('HDEL', KEYS[3], client)
  dropped = dropped + count
end
local fencesOfAGrant = 64
local last = tonumber(string.match(ARGV[1], ':([0-9]+)$')) or 0
if not waits then
  redis.call('DEL', KEYS[1])
elseif not passOn(last + fencesOfAGrant, nil, 4) then
  redis.call('DEL', KEYS[1], KEYS[3])
end
return released(foreign)
