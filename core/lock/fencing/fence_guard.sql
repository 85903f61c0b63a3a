-- SPDX-License-Identifier: Apache-2.0
-- The resource's side of a fence, where the resource is a table: a write passes only if its fence is not older than the highest that
-- the row has seen. Put your table for `document` and your columns for `body`; run them as they are in SQLite, PostgreSQL or MySQL.

-- 1. Once: the column. A fence is below 2^63 as long as it is counted or made of a time in microseconds.
ALTER TABLE document ADD COLUMN fence BIGINT NOT NULL DEFAULT 0;

-- 2. Every write. One row changed: it passed. None: the row is missing, or a newer holder has written; then stop the work.
--    Equal passes: one holder may write often.
UPDATE document SET body = :body, fence = :fence WHERE id = :id AND fence <= :fence;
