// Lists of many devices that are filtered and in the order of a field, right after the import: PostgreSQL has no statistics yet.

import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { inventory } from '../../../testing/estates/inventory.ts'
import { engines } from '../../../testing/servers/servers.ts'
import { testsAll } from '../../../testing/tests-all.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { buildKeys } from './values.ts'

const DEVICES = testsAll ? 6000 : 2000
const AT_ONCE = 250
/** Reading all values for each of the devices takes several times as long. */
const SOON_MS = 300
const ATTEMPTS = 3

const keyOf = (watts: number): string => buildKeys({ type: 'integer' }, watts)[0] ?? ''

type Known = { readonly id: string; readonly name: string; readonly custom: Record<string, string | number> }

const made: readonly Known[] = Array.from({ length: DEVICES }, (_, i) => ({
  id: `d${i}`,
  name: `d${String(i).padStart(5, '0')}`,
  custom: { owner: i % 2 === 0 ? 'even' : 'odd', ...(i % 7 > 0 && { watts: (i * 7919) % 500 }) },
}))

const byWatts = (all: readonly Known[], isReverse: boolean): string[] =>
  all
    .toSorted((a, b) => {
      const [one, other] = [a.custom.watts, b.custom.watts]
      if (one === undefined || other === undefined)
        return Number(one === undefined) - Number(other === undefined) || (a.name < b.name ? -1 : 1)
      return (Number(one) - Number(other)) * (isReverse ? -1 : 1) || (a.name < b.name ? -1 : 1)
    })
    .map(({ id }) => id)

describe.each(engines())('filtered and sorted lists on %s', (dialect) => {
  const inv = inventory(dialect)
  const found = async (query: string) => {
    const { body, total } = await inv.ask(`GET /api/devices?${query}`)
    return { ids: (body as { id: string }[]).map(({ id }) => id), total }
  }

  test('of many devices are right and soon there', async () => {
    if (dialect === 'postgres')
      await inv.app.db.write(({ db }) =>
        sql`ALTER TABLE custom_values SET (autovacuum_enabled = false)`.execute(db).then(() => undefined),
      )
    for (const [name, type] of [
      ['owner', 'text'],
      ['watts', 'integer'],
      ['nobody', 'text'],
    ] as const)
      await inv.api.customFields.create({ resource: 'devices', name, type })
    for (let from = 0; from < DEVICES; from += AT_ONCE) {
      const operations = made.slice(from, from + AT_ONCE).map((device) => ({ op: 'create', device }))
      expect((await inv.ask('POST /api/devices/bulk', { operations })).status).toBe(200)
    }
    const even = made.filter(({ custom }) => custom.owner === 'even')
    const took: number[] = []
    for (let i = 0; i < ATTEMPTS; i++) {
      const startedMs = performance.now()
      const { ids, total } = await found(`custom.owner=even&sort=custom.watts&limit=${50 + i}`)
      took.push(performance.now() - startedMs)
      expect({ ids, total }).toEqual({ ids: byWatts(even, false).slice(0, 50 + i), total: String(even.length) })
    }
    expect(Math.min(...took)).toBeLessThan(SOON_MS)
    const last = even.length - 20
    for (const isReverse of [false, true]) {
      const order = `sort=${isReverse ? '-' : ''}custom.watts`
      const wanted = byWatts(even, isReverse)
      expect((await found(`custom.owner=even&${order}`)).ids).toEqual(wanted)
      expect((await found(`custom.owner=even&${order}&offset=${last}&limit=20`)).ids).toEqual(wanted.slice(last))
    }
    expect((await found('sort=custom.watts')).ids).toEqual(byWatts(made, false))
    const without = made.filter(({ custom }) => custom.watts === undefined)
    expect(await found('custom.watts=&limit=30')).toEqual({
      ids: without.slice(0, 30).map(({ id }) => id),
      total: String(without.length),
    })
    expect((await found('custom.watts=&custom.owner=odd')).total).toBe(
      String(without.filter(({ custom }) => custom.owner === 'odd').length),
    )
    expect(await found('custom.owner=')).toEqual({ ids: [], total: '0' })
    await inv.api.devices.create({ id: 'last', name: 'without any' })
    expect(await found('custom.owner=')).toEqual({ ids: ['last'], total: '1' })
    expect((await found('custom.nobody=&limit=1')).total).toBe(String(DEVICES + 1))
  }, 60_000)

  test('of many rows are right and soon there', async () => {
    const numbers: number[] = []
    for (const [name, type] of [
      ['owner', 'text'],
      ['watts', 'integer'],
    ] as const) {
      const { id } = await inv.api.customFields.create({ resource: 'racks', name, type })
      const row = await inv.app.db.read.selectFrom('custom_fields').select('number').where('id', '=', id).execute()
      numbers.push(Number(row[0]?.number))
    }
    await inv.api.racks.create({ id: 'first', name: 'first' })
    const row = await inv.app.db.read.selectFrom('racks').selectAll().executeTakeFirstOrThrow()
    for (const some of splitBatches(made, AT_ONCE))
      await inv.app.db.write(async ({ db }) => {
        const racks = some.map(({ id, name, custom }) => ({
          ...row,
          ...{ id, name, ...buildNameKeys(name), custom: JSON.stringify(custom) },
        }))
        const values = some.flatMap(({ id: object_id, custom: { owner = '', watts } }) => [
          { field: numbers[0] ?? 0, value: String(owner), object_id },
          ...(watts === undefined ? [] : [{ field: numbers[1] ?? 0, value: keyOf(Number(watts)), object_id }]),
        ])
        for (const batch of splitBatches(racks, 100)) await db.insertInto('racks').values(batch).execute()
        for (const batch of splitBatches(values, 300)) await db.insertInto('custom_values').values(batch).execute()
      })
    const listed = async (query: string) => {
      const { body } = await inv.ask(`GET /api/racks?${query}`)
      return (body as { id: string }[]).map(({ id }) => id)
    }
    const even = made.filter(({ custom }) => custom.owner === 'even')
    const took: number[] = []
    for (const isReverse of [false, true, false]) {
      const [wanted, limit] = [byWatts(even, isReverse), 50 + took.length]
      const startedMs = performance.now()
      const ids = await listed(`custom.owner=even&sort=${isReverse ? '-' : ''}custom.watts&limit=${limit}`)
      took.push(performance.now() - startedMs)
      expect(ids).toEqual(wanted.slice(0, limit))
      const query = `custom.owner=even&sort=${isReverse ? '-' : ''}custom.watts`
      expect(await listed(query)).toEqual(wanted)
      expect(await listed(`${query}&offset=${even.length - 20}&limit=20`)).toEqual(wanted.slice(-20))
    }
    expect(Math.min(...took)).toBeLessThan(SOON_MS)
  }, 60_000)
})
