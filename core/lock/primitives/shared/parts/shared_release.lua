-- SPDX-License-Identifier: Apache-2.0
-- ARGV: 1 the owner's token, 2 the owner's client, 3 the kind.
-- Of a sorted set whose first member is a stranger's it is not known who is inside: nobody is let in.
local had = leave(ARGV[1])
if not had and redis.call('ZREM', KEYS[2], ARGV[3] .. '/' .. ARGV[1]) == 0 then
  return 0
end
local now, instant = serverTime()
local isOurs = look(now)
local answer = {1}
local unused = {}
if (isOurs and letHeadsIn(now, instant, ARGV[2], answer)) or (not had and redis.call('EXISTS', KEYS[2]) == 0) then
  unused[1] = KEYS[3]
end
if isOurs and not first then
  unused[#unused + 1] = KEYS[4]
end
if unused[1] then
  redis.call('DEL', unpack(unused))
end
return answer
