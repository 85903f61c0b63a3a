-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex: a string whose value is its owner's token.
-- KEYS[1] the lock · ARGV[1] the token that the operator saw.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. Delete it. Nobody is told: clients of this family look again by themselves.
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'string' then
  return {'not-a-lock', kind}
end
if redis.call('STRLEN', KEYS[1]) ~= #ARGV[1] or redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {'changed', redis.call('GETRANGE', KEYS[1], 0, 511), '1'}
end
redis.call('DEL', KEYS[1])
return {'released'}
