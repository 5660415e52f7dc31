// Pages of the devices of a scope, with few areas and with many for the page.

import { beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { type Person, people } from '../../../../testing/estates/people.ts'
import { engines } from '../../../../testing/servers/servers.ts'
import { compareNames } from '../../../net/name-order.ts'

const Made = z.object({ id: z.string() })
const Named = z.array(z.object({ id: z.string(), name: z.string() }))

/** Scopes that overlap the one of the caller, so that its devices have several areas. */
const OTHERS = ['a', 'b', 'c']
const DEVICES = 60

describe.each(engines())('the devices of a scope on %s', (dialect) => {
  const all = people(dialect)
  let ada: Person
  beforeAll(async () => {
    const make = async (noun: string, body: object) =>
      Made.parse((await all.admin.ask(`POST /api/${noun}`, body)).body).id
    for (const tag of OTHERS) await make('scopes', { name: tag, tags: [tag] })
    const scope = await make('scopes', { name: 'part', tags: ['part'] })
    ada = await all.person()
    await make('grants', { role_id: 'viewer', user_id: ada.id, scope_id: scope })
    for (let n = 0; n < DEVICES; n++) {
      const others = OTHERS.filter((_, bit) => (n >> bit) % 2 === 1)
      const tags = [...(n % 3 === 0 ? [] : ['part']), ...others]
      // Two of each name.
      const status = n % 4 === 0 ? 'maintenance' : 'active'
      await make('devices', { name: `machine ${(n * 37) % 30}`, tags, status })
    }
  }, 60_000)

  const list = async (query: string) => Named.parse((await ada.ask(`GET /api/devices${query}`)).body)

  test.each(['', 'status=active', 'tags=a', 'tags=a&tags=b'])('are in pages with "%s"', async (filter) => {
    const whole = await list(`?${filter}`)
    const names = whole.map(({ name }) => name)
    expect(names).toEqual(names.toSorted(compareNames))
    for (const [sort, rows] of [
      ['name', whole],
      ['-name', whole.toReversed()],
    ] as const) {
      expect(await list(`?${filter}&sort=${sort}`)).toEqual(rows)
      for (const limit of [1, 3, 7, 100])
        for (const offset of [0, 1, 9, whole.length - 1, whole.length])
          expect(await list(`?${filter}&sort=${sort}&limit=${limit}&offset=${offset}`)).toEqual(
            rows.slice(offset, offset + limit),
          )
    }
  })

  test('the devices of a scope have its tag', async () => {
    const { body, headers } = await ada.ask('GET /api/devices?limit=2')
    expect([Named.parse(body).length, headers.get('x-total-count')]).toEqual([2, `${(DEVICES * 2) / 3}`])
  })
})
