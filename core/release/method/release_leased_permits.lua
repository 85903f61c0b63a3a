-- SPDX-License-Identifier: Apache-2.0
-- Takes all permits of one holder out of a semaphore of Lockhouse's as he would himself, and lets in who may enter then.
-- KEYS: 1 the holders, one member "token/number" for each permit, 2 the queue, 3 the clients' deadlines, 4 the capacity.
-- ARGV: 1 the holder's token, 2 how many permits the operator saw; 0: not all of the semaphore was read.
-- 1. No key: already free. Another type: not this lock any more.
-- 2. Find his permits, up to the first that is missing once as many are found as were seen, or to the hundredth that is. Another
--    number of them, with those that have lapsed or without: changed; the reply tells how many.
-- 3. The user may not do all that follows: nothing is changed.
-- 4. Take them out together. One of the keys beside it is of another type, or the queue holds what is no waiter: that is left, and the reply
--    names it.
-- 5. Forget holders whose leases have ended; let the first of the queue in as long as they fit and tell their inboxes; what nobody needs
--    any more is deleted.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'zset' then
  return {'not-a-lock', kind}
end
local seen = tonumber(ARGV[2])
local members, ends = {}, {}
local missing = 0
for i = 1, 10000 do -- nobody can have more
  local permit = ARGV[1] .. '/' .. i
  local till = redis.call('ZSCORE', KEYS[1], permit)
  if till then
    members[#members + 1] = permit
    ends[#ends + 1] = tonumber(till)
  else
    missing = missing + 1
    if #members >= seen or missing == 100 then -- who is gone is not looked for ten thousand times
      break
    end
  end
end
if #members == 0 then
  return {'changed'}
elseif seen > 0 and #members ~= seen then
  local time = redis.call('TIME')
  local living = 0
  for _, till in ipairs(ends) do
    living = living + (till > tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) and 1 or 0)
  end
  if living ~= seen then
    return {'changed', ARGV[1], tostring(#members)}
  end
end
-- use told_by_inbox
-- use shared_lease
-- use permits
-- use shared_line
local function holdsNow(asked)
  local permits = asked('ZRANGE', KEYS[1], 0, 1000)
  if not permits or #permits > 1000 then
    return nil
  end
  local holds = 0
  for _, permit in ipairs(permits) do
    holds = holds + (string.find(permit, '/1$') and 1 or 0)
  end
  return holds
end
-- use let_waiters_in
