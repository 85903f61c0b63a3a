-- SPDX-License-Identifier: Apache-2.0
-- Tells who stands first in the queue of a Redisson fair lock, or in a part of it. Writes nothing.
-- KEYS[1] the queue · KEYS[2] the deadlines · ARGV[1] channel of a waiter, without the waiter's name behind it
-- ARGV[2] the place to begin with, the head's being 0 · ARGV[3] how many places this run looks at.
-- 1. Go through the queue from there, and count the lapsed places.
-- 2. Of a place that has not lapsed tell whose it is, the ms that it has left, and how many listen on its channel. Go on behind it only where
--    nobody does, and nobody can elsewhere: on a master without replicas that is no node of a cluster.
-- The reply: lapsed places, 1 where it ended neither with such a one nor with the queue, 1 where nobody can listen elsewhere, how many places
-- there are in all, how many of the lapsed stand before all others, then three of each place; nothing stands for no end and for what this user may
-- not ask.
-- use fair_queue
local function isAlone()
  local cluster, replication = ask('INFO', 'cluster'), ask('INFO', 'replication')
  return type(cluster) == 'string' and type(replication) == 'string' and string.find(cluster, 'cluster_enabled:0', 1, true) and
    string.find(replication, 'role:master', 1, true) and string.find(replication, 'connected_slaves:0', 1, true)
end
local place = fairQueue(KEYS[1], KEYS[2])
local lapsed, atHead, alone, places, done = 0, 0, nil, {}, false
for i = tonumber(ARGV[2]), tonumber(ARGV[2]) + tonumber(ARGV[3]) - 1 do
  local waiter, left = place(i)
  if not waiter then
    done = true
    break
  elseif left and left <= 0 then
    lapsed = lapsed + 1
    atHead = #places == 0 and lapsed or atHead
  else
    if alone == nil then
      alone = isAlone() and true or false
    end
    local heard = #waiter <= 512 and listeners(ARGV[1] .. ':' .. waiter)
    places[#places + 1] = string.sub(waiter, 1, 512)
    places[#places + 1] = left and string.format('%.0f', left) or ''
    places[#places + 1] = heard and tostring(heard) or ''
    if not alone or heard ~= 0 then
      done = true
      break
    end
  end
end
local length = redis.call('TYPE', KEYS[1]).ok == 'list' and redis.call('LLEN', KEYS[1]) or 0
return {lapsed, done and 0 or 1, alone and 1 or 0, length, atHead, unpack(places)}
