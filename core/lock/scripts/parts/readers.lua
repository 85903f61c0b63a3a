-- SPDX-License-Identifier: Apache-2.0
-- Who holds a read-write lock: one writer "w/token", or any number of readers "r/token". It remembers nothing in KEYS 4.
local lockKind = 'FairReadWriteLock'
local function holds(kind, token)
  return redis.call('ZSCORE', KEYS[1], kind .. '/' .. token)
end
local function fits(kind)
  local first = redis.call('ZRANGE', KEYS[1], 0, 0)[1]
  return not first or (kind == 'r' and string.sub(first, 1, 2) == 'r/')
end
local function enter(kind, token, till)
  redis.call('ZADD', KEYS[1], string.format('%.0f', till), kind .. '/' .. token)
end
local function leave(_, token) -- of either kind: a token is used for one hold only, and who gives back a grant may not know its kind
  return redis.call('ZREM', KEYS[1], 'r/' .. token, 'w/' .. token) == 1
end
