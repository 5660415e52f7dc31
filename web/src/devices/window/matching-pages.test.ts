/** All that match are selected without their ids, which are read by pages. */
import { expect, test } from 'bun:test'
import { createMatching, MATCHING_PAGE } from './matching-pages.ts'

const ids = Array.from({ length: 2500 }, (_, i) => `id-${i}`)
const listPage = async (_: unknown, limit: number, offset: number) =>
  ids.slice(offset, offset + limit).map((id) => ({ id }))

test('the pages have all ids except the removed ones', async () => {
  const all = createMatching({ params: [], count: ids.length, listPage })
  const some = all.toggle(['id-0', 'id-2400']).toggle(['id-0'])
  expect([all.size, some.size, some.has('id-0'), some.has('id-2400')]).toEqual([2500, 2499, true, false])
  expect(some.pages).toBe(Math.ceil(ids.length / MATCHING_PAGE))
  const pages = await Promise.all(Array.from({ length: some.pages }, (_, number) => some.page(number)))
  expect(pages.flat()).toEqual(ids.filter((id) => id !== 'id-2400'))
})
