/** The names by which queries are counted. */
import { expect, test } from 'bun:test'
import { getQueryName } from './query-metrics.ts'

test.each([
  ['select "doc" from "devices" where "id" = ?', 'select devices'],
  ['insert into "addresses" ("ip") values (?)', 'insert addresses'],
  ['update "networks" set "name" = ?', 'update networks'],
  ['delete from "pools" where "id" = $1', 'delete pools'],
  ['SELECT pg_advisory_xact_lock(1)', 'other'],
  ['SAVEPOINT s1', 'other'],
])('%s', (sql, name) => {
  expect(getQueryName(sql)).toBe(name)
})
