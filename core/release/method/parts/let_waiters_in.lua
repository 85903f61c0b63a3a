-- SPDX-License-Identifier: Apache-2.0
-- Takes `members` out of KEYS[1] and lets the first of the queue in as long as they fit, each with what its own release does. The reply tells
-- what others may have changed since the plan: how many other holds stayed, how many places were dropped, who is first in the queue now, and
-- who was let in; where this user may not ask for that, or more were let in than a reply should name, nothing of it. holdsNow() counts the
-- holds; nothing where they are too many to be looked through.
-- Of a sorted set whose first member is a stranger's it is not known who is inside: nobody is let in, as nobody could take the lock there.
-- More places at the head of the queue have lapsed than one run drops: it drops those, takes nobody out, and says so; who sent it sends it again.
-- use most_dropped
local mostNamed = 1000
local letIn, admitOne = {}, admit
admit = function(kind, token, now, lease)
  letIn[#letIn + 1] = kind .. '/' .. token
  admitOne(kind, token, now, lease)
end
local function asked(...)
  local answer = server.pcall(...)
  return not (type(answer) == 'table' and answer.err) and answer or nil
end
local foreign = otherType({'zset', 'hash', 'string'})
local waits = not foreign and redis.call('TYPE', KEYS[2]).ok ~= 'none'
local needs = {{'ZREM', KEYS[1], members[1]}, {'TIME'}, {'ZRANGE', KEYS[1], '0', '0'}, {'ZREMRANGEBYSCORE', KEYS[1], '-inf', '0'}, {'DEL', KEYS[3], KEYS[4]}}
for _, command in ipairs(waits and {{'ZREM', KEYS[2], ''}, {'HGET', KEYS[3], ''}, {'GET', KEYS[4]}, {'ZADD', KEYS[1], '0', ''}, {'PEXPIRE', KEYS[1], '1'},
                                    {'PTTL', KEYS[1]}, {'ZCARD', KEYS[1]}} or {}) do
  needs[#needs + 1] = command
end
local refusal = mayNot(needs, waits and 'zset')
if refusal then
  return refusal
end
for _, waiter in ipairs(waits and redis.call('ZRANGE', KEYS[2], 0, 99) or {}) do
  if not waiterIn(waiter) then
    foreign = KEYS[2] -- nobody behind him can be let in
    break
  end
end
local now, instant = serverTime()
local function dropLapsed()
  for dropped = 0, mostDropped do
    local head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
    if not head or livesStill(head, now) then
      return nil
    elseif dropped == mostDropped then
      return {'cleared', tostring(dropped)}
    end
    redis.call('ZREM', KEYS[2], head)
  end
end
local before = not waits and 0 or asked('ZCARD', KEYS[2])
local cleared = waits and not foreign and dropLapsed()
if cleared then
  return cleared
end
for _, member in ipairs(members) do
  redis.call('ZREM', KEYS[1], member)
end
if foreign then
  return released(foreign)
end
local isOurs = look(now)
local others = isOurs and holdsNow(asked)
if isOurs and letHeadsIn(now, instant, nil, {}) then
  redis.call('DEL', KEYS[3])
end
if isOurs and not first then
  redis.call('DEL', KEYS[4])
end
local answer = released()
local left = not waits and 0 or asked('ZCARD', KEYS[2])
if #letIn > mostNamed or not before or not left then
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
