-- SPDX-License-Identifier: Apache-2.0
-- Takes `members` out of KEYS[1] and lets the first of the queue in as long as they fit, each with what its own release does. The reply tells
-- what others may have changed since the plan: how many other holds stayed, how many places were dropped, who is first in the queue now, and
-- who was let in; where this user may not ask for that, nothing of it. holdsNow() counts the holds; nothing where they are too many to be looked
-- through.
local function asked(...)
  local answer = server.pcall(...)
  return not (type(answer) == 'table' and answer.err) and answer or nil
end
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
local others = holdsNow(asked)
local places = waits and asked('ZRANGE', KEYS[2], 0, 999) or {}
local before = waits and asked('ZCARD', KEYS[2]) or 0
if letHeadsIn(now, instant, nil, {}) then
  redis.call('DEL', KEYS[3])
end
if not first then
  redis.call('DEL', KEYS[4])
end
local answer = released()
local letIn = {}
for _, waiter in ipairs(places) do
  if admitted[string.match(waiter, '^%w+/(.*)$') or ''] then
    letIn[#letIn + 1] = waiter
  end
end
local left = waits and asked('ZCARD', KEYS[2]) or 0
if left + #letIn > before or (#places == 0 and before > 0) then
  return answer
end
answer[6] = ''
answer[7] = others and tostring(others) or ''
answer[8] = tostring(before - left - #letIn)
answer[9] = left > 0 and asked('ZRANGE', KEYS[2], 0, 0)[1] or ''
for i = 1, #letIn do
  answer[9 + i] = letIn[i]
end
return answer
