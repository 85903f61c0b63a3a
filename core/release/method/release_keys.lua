-- SPDX-License-Identifier: Apache-2.0
-- Releases a lock that lies under several keys: strings with the same token, and what goes with them.
-- KEYS[1 … n] the strings · KEYS[from n + 1] what goes with them · ARGV[1] the token that the operator saw · ARGV[2] n.
-- 1. None of the strings is there: already free. Only other types are: not this lock any more.
-- 2. None has the token: changed; the reply tells whose the first is.
-- 3. Delete those that have the token, and what goes with them. Those of others stay; the reply names one that is no string.
local count = tonumber(ARGV[2])
local mine, other, any, left, odd = {}, nil, false, '', nil
for i = 1, count do
  local kind = redis.call('TYPE', KEYS[i]).ok
  if kind ~= 'none' and kind ~= 'string' then
    left, odd = KEYS[i], odd or kind
  elseif kind == 'string' then
    any = true
    if redis.call('STRLEN', KEYS[i]) == #ARGV[1] and redis.call('GET', KEYS[i]) == ARGV[1] then
      mine[#mine + 1] = KEYS[i]
    else
      other = other or redis.call('GETRANGE', KEYS[i], 0, 511)
    end
  end
end
if not any and odd then
  return {'not-a-lock', odd}
elseif not any then
  return {'already-free'}
elseif #mine == 0 then
  return {'changed', other, '1'}
end
for i = count + 1, #KEYS do
  mine[#mine + 1] = KEYS[i]
end
redis.call('DEL', unpack(mine))
return {'released', '', '', '', left}
