-- SPDX-License-Identifier: Apache-2.0
-- What the scripts do alike that look at the queue of a Redisson fair lock.
-- mostPlaces: of how many places one run knows, so that it is short whatever lies there.
-- fairQueue(queue, deadlines): a function which tells of the place at an index whose it is, and how many ms it has left by the server's
-- clock (nothing: it has no end). No such place, or no list: nothing. (The library compares with its clients' clocks; a waiter dropped too
-- early by a skewed clock joins the queue again.)
-- listeners(channel): how many clients listen there, on the sharded channel of that name too; nothing where this user may not ask.
local mostPlaces = 500
local function fairQueue(queue, deadlines)
  if redis.call('TYPE', queue).ok ~= 'list' then
    return function() end
  end
  local timed = redis.call('TYPE', deadlines).ok == 'zset'
  local clock = redis.call('TIME')
  local now = tonumber(clock[1]) * 1000 + math.floor(tonumber(clock[2]) / 1000)
  return function(index)
    local waiter = redis.call('LINDEX', queue, index)
    local deadline = waiter and timed and redis.call('ZSCORE', deadlines, waiter)
    return waiter or nil, deadline and tonumber(deadline) - now or nil
  end
end
local function ask(...)
  if redis.acl_check_cmd and not redis.acl_check_cmd(...) then
    return nil
  end
  local answer = redis.pcall(...)
  if type(answer) == 'table' and answer.err then
    return nil
  end
  return answer
end
local function listeners(channel)
  local plain = ask('PUBSUB', 'NUMSUB', channel)
  local sharded = plain and ask('PUBSUB', 'SHARDNUMSUB', channel)
  return plain and plain[2] + (sharded and sharded[2] or 0)
end
