-- SPDX-License-Identifier: Apache-2.0
-- Goes on only where KEYS[1] is a string that holds the token ARGV[1]. ARGV[2], where there is one: nothing, or of a token of which those are only the first
-- bytes how many it has, a space, and its SHA-1.
-- use is_token
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then
  return {'already-free'}
elseif kind ~= 'string' then
  return {'not-a-lock', kind}
end
if not isToken(ARGV[1], ARGV[2]) then
  return {'changed', redis.call('GETRANGE', KEYS[1], 0, 511), '1'}
end
