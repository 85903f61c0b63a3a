-- SPDX-License-Identifier: Apache-2.0
-- Goes on only where KEYS[1] is a string that holds the token ARGV[1].
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'string' then
  return {'not-a-lock', kind}
end
if redis.call('STRLEN', KEYS[1]) ~= #ARGV[1] or redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return {'changed', redis.call('GETRANGE', KEYS[1], 0, 511), '1'}
end
