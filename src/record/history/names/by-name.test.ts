import { expect, test } from 'bun:test'
import { testApp } from '../../../../testing/app/app.ts'
import { NAMED_KINDS, selectEarlier } from './by-name.ts'

test('names before a change are found by the index of names, for any number of kinds', async () => {
  const { db, close } = await testApp({ dialect: 'sqlite' })
  const earlier = selectEarlier(db.read, NAMED_KINDS, 'web').as('earlier')
  const query = db.read.selectFrom(earlier).select(['earlier.kind', 'earlier.id']).distinct().compile()
  const plan = { ...query, sql: `EXPLAIN QUERY PLAN ${query.sql}` }
  const { rows } = await db.read.executeQuery(plan)
  const searches = (rows as unknown as { detail: string }[])
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith('SEARCH history'))
  expect(searches).toHaveLength(NAMED_KINDS.length)
  expect(searches.filter((detail) => !detail.includes('history_in_order (kind=? AND order_key>'))).toEqual([])
  await close()
})
