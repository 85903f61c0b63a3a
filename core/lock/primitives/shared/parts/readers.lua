-- SPDX-License-Identifier: Apache-2.0
-- Who holds a read-write lock: one writer "w/token", or any number of readers "r/token". A reader who asks to become the writer stays
-- a reader and stands in the queue before all others, as "un/token" if it is the n-th time; let in, he is "wn/token". So what he said
-- the last time, should it come late, does not meet him this time. KEYS 4 is not used.
-- numbered(letter, token, from, to): what he is called with each of these numbers; 0 is written as none.
local lockKind = 'FairReadWriteLock'
local function isHold(member)
  return string.match(member, '^[rw][0-9]*/.+:[0-9]+$')
end
local function isKind(text)
  return string.match(text, '^[rw]$') or string.match(text, '^u[0-9]+$')
end
local inside -- 'r' or 'w', or nil: nobody
local function numbered(letter, token, from, to)
  local members = {}
  for number = tonumber(from), tonumber(to) do
    members[#members + 1] = letter .. (number > 0 and number or '') .. '/' .. token
  end
  return members
end
local function lookInside(first)
  inside = first and string.sub(first, 1, 1)
end
local function isFull()
  return inside == 'w'
end
local function holds(kind, token)
  return inside == kind and redis.call('ZSCORE', KEYS[1], kind .. '/' .. token)
end
local function isUpgrade(kind)
  return string.sub(kind, 1, 1) == 'u'
end
local function isVoid(kind, token) -- a place that is nobody's any more: of a reader whose hold has ended
  return isUpgrade(kind) and not redis.call('ZSCORE', KEYS[1], 'r/' .. token)
end
local function fits(kind)
  if isUpgrade(kind) then
    return redis.call('ZCARD', KEYS[1]) == 1
  end
  return not inside or (inside == 'r' and kind == 'r')
end
local function enter(kind, token, till)
  if isUpgrade(kind) then
    local reader = 'r/' .. token
    kind = 'w' .. string.sub(kind, 2)
    redis.call('ZADD', KEYS[1], redis.call('ZSCORE', KEYS[1], reader), kind .. '/' .. token)
    redis.call('ZREM', KEYS[1], reader)
  else
    redis.call('ZADD', KEYS[1], till, kind .. '/' .. token)
  end
  inside = string.sub(kind, 1, 1)
end
local function leave(token) -- of either kind: a token is used for one hold only, and who gives back a grant may not know its kind
  return redis.call('ZREM', KEYS[1], 'r/' .. token, unpack(numbered('w', token, ARGV[4], ARGV[5]))) > 0
end
