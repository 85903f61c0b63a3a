-- SPDX-License-Identifier: Apache-2.0
-- What the scripts of locks with several holders do alike. KEYS: 1 the holders, a sorted set by the end of their leases in ms; 2 the
-- queue, waiters as "kind/token"; 3 the clients' deadlines; 4 what the lock remembers while it is held. ARGV 1 is whose script it is.
-- Whoever uses this has said who may be in together: isKind(text) whether it is a kind, lookInside(first) forgets what it knew,
-- fits(kind) whether one of that kind may enter now, isFull() whether surely none of any kind may, isVoid(kind, token) whether a place is
-- nobody's, enter(kind, token, till, lease), and with it what it then knows; leave(token) whether it was in.
-- look(now): forgets holders whose leases have ended; then `first` is the holder whose lease ends first, at `firstEnds`, nil if none.
-- False, and nothing is changed, if the sorted set is somebody else's: isHold(member) knows ours.
-- admit(kind, token, now, lease): makes it a holder for so long.
-- keepPlaces(client, now, lease, anew): takes care that the places of the client last, one lease from now if wanted; 1 if that was done.
-- waiterIn(place): its kind, client and number; nothing of what is no waiter.
-- livesStill(place, now): whether the client of a waiter is there by now; with how long its places last, and the waiter's kind, client and
-- number. What is no waiter is not gone either, and has no kind.
-- letHeadsIn(now, instant, own, answer): as long as the first in the queue fits, makes it a holder until its client's deadline and tells
-- its client's inbox, or, if it is of the client `own`, adds its number and the instant to the answer. Clients that are gone lose their
-- places. True if nobody is left in the queue, false if that is not known.
-- use time_left
local first, firstEnds
local admitted = {}
local function look(now)
  local found = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  if found[1] and not isHold(found[1]) then
    return false
  end
  if found[1] and tonumber(found[2]) <= now then
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
    found = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  end
  first, firstEnds = found[1], tonumber(found[2])
  lookInside(first)
  return true
end
local function admit(kind, token, now, lease)
  enter(kind, token, string.format('%.0f', now + lease), lease)
  admitted[token] = true
  if first then
    keepAtLeast(KEYS[1], lease)
  else
    first, firstEnds = kind .. '/' .. token, now + lease
    redis.call('PEXPIRE', KEYS[1], lease)
  end
end
local function keepPlaces(client, now, lease, anew)
  local left = timeLeft(redis.call('HGET', KEYS[3], client), now)
  if not anew and left > 0 then
    return 0
  end
  if left < lease then
    redis.call('HSET', KEYS[3], client, string.format('%.0f', now + lease))
  end
  keepAtLeast(KEYS[2], lease)
  keepAtLeast(KEYS[3], lease)
  return 1
end
local function waiterIn(place)
  local kind, client, number = string.match(place, '^(%w+)/(.*):([0-9]+)$')
  if kind and isKind(kind) then
    return kind, client, number
  end
end
local function livesStill(place, now)
  local kind, client, number = waiterIn(place)
  if not kind then
    return true
  end
  local left = timeLeft(redis.call('HGET', KEYS[3], client), now)
  return left > 0 and not isVoid(kind, client .. ':' .. number), left, kind, client, number
end
local function letHeadsIn(now, instant, own, answer)
  while not isFull() do
    local head = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
    if not head then
      return true
    end
    local lives, left, kind, client, number = livesStill(head, now)
    if not kind then
      return false
    end
    local token = client .. ':' .. number
    if lives and not fits(kind) then
      return false
    end
    redis.call('ZREM', KEYS[2], head)
    if lives then
      admit(kind, token, now, left)
    end
    if lives and client == own then
      answer[#answer + 1] = number
      answer[#answer + 1] = instant
    elseif lives and token ~= ARGV[1] then -- who asks is told by the answer
      redis.pcall('PUBLISH', 'lockhouse:inbox:' .. client, lockKind .. ' ' .. number .. ' ' .. instant .. ' ' .. KEYS[1])
    end
  end
  return false
end
