-- SPDX-License-Identifier: Apache-2.0
-- Releases a token mutex: a string whose value is its owner's token.
-- KEYS[1] the lock · ARGV[1] the token that the operator saw · ARGV[2] nothing, or of a longer one its length and SHA-1.
-- 1. No key: already free. Not a string: not this lock any more.
-- 2. Another value: changed; the reply tells whose it is now. A value of another length is not even read whole.
-- 3. Delete it. Nobody is told: clients of this family look again by themselves.
-- use compare_token
redis.call('DEL', KEYS[1])
return {'released'}
