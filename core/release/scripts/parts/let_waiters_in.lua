-- SPDX-License-Identifier: Apache-2.0
-- Takes `members` out of KEYS[1] and lets the first of the queue in as long as they fit, each with what its own release does.
local foreign = otherType({'zset', 'hash', 'string'})
local waits = not foreign and redis.call('EXISTS', KEYS[2]) == 1
local needs = {{'ZREM', KEYS[1], members[1]}, {'TIME'}, {'ZREMRANGEBYSCORE', KEYS[1], '-inf', '0'}, {'DEL', KEYS[3], KEYS[4]}}
for _, command in ipairs(waits and {{'ZREM', KEYS[2], ''}, {'HGET', KEYS[3], ''}, {'GET', KEYS[4]}, {'ZADD', KEYS[1], '0', ''}, {'PEXPIRE', KEYS[1], '1'},
                                    {'PTTL', KEYS[1]}, {'ZCARD', KEYS[1]}} or {}) do
  needs[#needs + 1] = command
end
local refusal = mayNot(needs, waits and 'zset')
if refusal then
  return refusal
end
for _, waiter in ipairs(waits and redis.call('ZRANGE', KEYS[2], 0, 99) or {}) do
  if not string.find(waiter, '^%w+/.*:[0-9]+$') then
    foreign = KEYS[2] -- nobody behind him can be let in
    break
  end
end
for _, member in ipairs(members) do
  redis.call('ZREM', KEYS[1], member)
end
if foreign then
  return released(foreign)
end
local now, instant = serverTime()
look(now)
if letHeadsIn(now, instant, nil, {}) then
  redis.call('DEL', KEYS[3])
end
if not first then
  redis.call('DEL', KEYS[4])
end
return released()
