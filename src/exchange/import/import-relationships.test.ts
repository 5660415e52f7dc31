// A file of relationships: the outcome of each row, repeated rows, bad rows, and the number of queries for a file.
import { beforeEach, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { Relationship } from '../../inventory/relationships/api.ts'
import type { ImportResult } from '../estate/api.ts'

type Row = Readonly<Record<string, unknown>>

/** More than an import of 300 rows needs, and less than one for each row. */
const QUERIES = 150
const NONE = { created: 0, updated: 0, unchanged: 0, failed: 0 }

describe.each(onSqlite())('relationships in a file on %s', (dialect) => {
  const inv = inventory(dialect)
  let [a, b, c] = ['', '', '']
  let started = ''
  beforeEach(async () => {
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await inv.api.devices.create({ name })).id)
    ;[a, b, c] = ids as [string, string, string]
    started = inv.now()
    inv.advance(1000)
  })

  const load = async (rows: readonly Row[], query = ''): Promise<ImportResult> => {
    const response = await inv.admin.request('POST', `/api/estate/import?resource=relationships${query}`, rows)
    const last = (await response.text()).trimEnd().split('\n').at(-1) ?? ''
    return (JSON.parse(last) as { result: ImportResult }).result
  }
  const counts = async (rows: readonly Row[], query = '') => {
    const { created, updated, unchanged, failed } = await load(rows, query)
    return { created, updated, unchanged, failed }
  }
  const link = (more: Row = {}): Row => ({ parent_id: a, child_id: b, type: 'contains', ...more })
  const stored = async (device_id: string) =>
    (await inv.api.relationships.list({ device_id }))
      .map(({ parent_id, child_id, type, notes }) => [parent_id, child_id, type, notes])
      .sort()

  test('are created, each once for its devices and its type', async () => {
    const rows = [link(), link({ type: 'depends_on' }), link({ parent_id: b, child_id: a }), link({ parent_id: c })]
    expect(await counts(rows)).toEqual({ ...NONE, created: 4 })
    expect(await stored(a)).toEqual(
      [
        [a, b, 'contains', ''],
        [a, b, 'depends_on', ''],
        [b, a, 'contains', ''],
      ].sort(),
    )
  })

  test('existing relationships keep their notes, or get the notes of the file', async () => {
    await load([link({ notes: 'x' }), link({ parent_id: c, notes: 'x' })])
    const rows = [link({ notes: 'x' }), link({ parent_id: c, notes: 'y' }), link({ child_id: c })]
    expect(await counts(rows)).toEqual({ ...NONE, created: 1, updated: 1, unchanged: 1 })
    expect(await stored(b)).toEqual(
      [
        [a, b, 'contains', 'x'],
        [c, b, 'contains', 'y'],
      ].sort(),
    )
  })

  test('of which only the notes change keep the time of their creation', async () => {
    await load([link()])
    const before = inv.now()
    inv.advance(60_000)
    await load([link({ notes: 'later' })])
    const [one] = await inv.api.relationships.list({ device_id: a })
    expect([one?.notes, one?.created_at]).toEqual(['later', before])
  })

  test('that the file repeats are created by the first row, and updated by later ones', async () => {
    const rows = [link(), link(), link({ notes: 'x' }), link({ notes: 'x' }), link({ notes: 'y' })]
    expect(await counts(rows)).toEqual({ ...NONE, created: 1, updated: 2, unchanged: 2 })
    expect(await stored(a)).toEqual([[a, b, 'contains', 'y']])
  })

  test('that exist and that the file repeats are compared with the row before', async () => {
    await load([link({ notes: 'x' })])
    const rows = [link({ notes: 'y' }), link({ notes: 'y' }), link({ notes: 'x' })]
    expect(await counts(rows)).toEqual({ ...NONE, updated: 2, unchanged: 1 })
    expect(await stored(a)).toEqual([[a, b, 'contains', 'x']])
  })

  test('that the file repeats in another batch are compared with the row before', async () => {
    const others = Array.from({ length: 250 }, () => link({ parent_id: c }))
    const rows = [link(), ...others, link({ notes: 'x' })]
    expect(await counts(rows)).toEqual({ ...NONE, created: 2, updated: 1, unchanged: 249 })
  })

  test('with errors are named by row and field, and then nothing is imported', async () => {
    const rows = [
      link(),
      link({ parent_id: 'nope' }),
      link({ child_id: 'nope' }),
      link({ child_id: a }),
      link({ type: 'owns' }),
      link({ nots: 'x' }),
      link({ parent_id: 'nope' }),
      link({ notes: 'x' }),
    ]
    const { created, updated, failed, errors } = await load(rows)
    expect([created, updated, failed]).toEqual([1, 1, 6])
    expect(errors.map(({ row, code, details }) => [row, code, ...details.map(({ field }) => field)])).toEqual([
      [2, 'NOT_FOUND'],
      [3, 'VALIDATION_ERROR', 'child_id'],
      [4, 'VALIDATION_ERROR', 'child_id'],
      [5, 'VALIDATION_ERROR', 'type'],
      [6, 'VALIDATION_ERROR', 'nots'],
      [7, 'NOT_FOUND'],
    ])
    expect(await stored(a)).toEqual([])
  })

  test('are counted by a dry run, and not written', async () => {
    expect(await counts([link(), link({ notes: 'x' })], '&dry_run=true')).toEqual({ ...NONE, created: 1, updated: 1 })
    expect(await stored(a)).toEqual([])
  })

  describe('of 300 rows take a few queries a batch, not some for each row, if they', () => {
    let devices: string[] = []
    beforeEach(async () => {
      const rows = Array.from({ length: 300 }, (_, n) => ({ name: `child-${n}-of-${a}` }))
      await (await inv.admin.request('POST', '/api/estate/import?resource=devices', rows)).text()
      const stored = await inv.app.db.read
        .selectFrom('devices')
        .select('id')
        .where('name', 'like', `%-of-${a}`)
        .execute()
      devices = stored.map(({ id }) => id)
    })

    const file = (notes: string, children = devices): Row[] => children.map((child_id) => link({ child_id, notes }))
    /** Returns the number of queries that an import takes. */
    const queriesOf = async (rows: readonly Row[]): Promise<number> => {
      let count = 0
      inv.app.db.watch(() => {
        count++
      })
      await load(rows)
      inv.app.db.watch(() => {})
      return count
    }

    test('are new', async () => expect(await queriesOf(file(''))).toBeLessThan(QUERIES))

    test('exist', async () => {
      await load(file(''))
      expect(await queriesOf(file(''))).toBeLessThan(QUERIES)
    })

    test('have other notes', async () => {
      await load(file(''))
      expect(await queriesOf(file('x'))).toBeLessThan(QUERIES)
    })

    test('are repeated', async () => expect(await queriesOf([...file(''), ...file('x')])).toBeLessThan(2 * QUERIES))

    test('are bad', async () =>
      expect(
        await queriesOf(
          file(
            '',
            devices.map((id) => `not-${id}`),
          ),
        ),
      ).toBeLessThan(QUERIES))
  })

  test('leave other relationships of their devices as they are', async () => {
    await load([link({ notes: 'x' }), link({ parent_id: c, notes: 'y' })])
    const before = await inv.api.relationships.list({ device_id: b })
    await load([link({ child_id: c }), link({ notes: 'x', type: 'depends_on' })])
    const after = await inv.api.relationships.list({ device_id: b })
    const known = new Set(before.map((one: Relationship) => JSON.stringify(one)))
    expect(after.filter((one) => known.has(JSON.stringify(one)))).toHaveLength(2)
    expect(after.every(({ created_at }) => created_at > started)).toBe(true)
  })
})
