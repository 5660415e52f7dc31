// A file runs without savepoints until a row fails. Then it runs again, and each bad row is named.
import { beforeEach, describe, expect, test } from 'bun:test'
import { inventory } from '../../../testing/estates/inventory.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import type { ImportResult } from '../estate/api.ts'

type Row = Readonly<Record<string, unknown>>
type Progress = { readonly progress: { readonly done: number } }

/** Several batches. */
const ROWS = 250
const COUNTS = { created: 0, updated: 0, unchanged: 0, failed: 0 }

describe.each(onSqlite())('a file of devices on %s', (dialect) => {
  const inv = inventory(dialect)

  const load = async (rows: readonly Row[], query = '') => {
    const response = await inv.admin.request('POST', `/api/estate/import?resource=devices${query}`, rows)
    const lines = (await response.text()).trimEnd().split('\n')
    const { result } = JSON.parse(lines.at(-1) ?? '') as { result: ImportResult }
    const done = lines.slice(0, -1).map((line) => (JSON.parse(line) as Progress).progress.done)
    return { result, done }
  }
  const counts = ({ result: { created, updated, unchanged, failed } }: Awaited<ReturnType<typeof load>>) => ({
    created,
    updated,
    unchanged,
    failed,
  })
  // The tests share a database.
  let prefix = ''
  let tests = 0
  beforeEach(() => {
    prefix = `file-${++tests}-`
  })
  const rowsWith = (bad: Readonly<Record<number, Row>>): Row[] =>
    Array.from({ length: ROWS }, (_, i) => ({ name: `${prefix}${i + 1}`, ...bad[i + 1] }))
  const stored = async () => (await inv.api.devices.list({})).filter(({ name }) => name.startsWith(prefix))

  const UNKNOWN = { addresses: [{ ip: '10.0.0.1', network_id: 'nowhere' }] }

  test('with bad rows in several batches names each of them in order, and writes nothing', async () => {
    const loaded = await load(rowsWith({ 3: UNKNOWN, 120: { name: '' }, 240: UNKNOWN }))
    expect(counts(loaded)).toEqual({ ...COUNTS, created: ROWS - 3, failed: 3 })
    expect(loaded.result.errors.map(({ row, details: [first] }) => [row, first?.field])).toEqual([
      [3, 'addresses[0].network_id'],
      [120, 'name'],
      [240, 'addresses[0].network_id'],
    ])
    expect(await stored()).toEqual([])
  })

  test('with a bad update names it, and updates nothing', async () => {
    await load(rowsWith({}))
    inv.advance(1000)
    const loaded = await load(rowsWith({ 5: { location: 'x' }, 200: UNKNOWN }))
    expect(counts(loaded)).toEqual({ ...COUNTS, updated: 1, unchanged: ROWS - 2, failed: 1 })
    expect(loaded.result.errors.map(({ row }) => row)).toEqual([200])
    expect((await stored()).map(({ location }) => location)).toEqual(Array(ROWS).fill(''))
  })

  test('an import with a bad last row never shows less progress than before', async () => {
    const { done } = await load(rowsWith({ [ROWS]: UNKNOWN }))
    expect(done).toEqual([...done].sort((a, b) => a - b))
  })

  test('in a dry run counts the rows, and writes nothing', async () => {
    expect(counts(await load(rowsWith({}), '&dry_run=true'))).toEqual({ ...COUNTS, created: ROWS })
    expect(counts(await load(rowsWith({ 7: UNKNOWN }), '&dry_run=true'))).toEqual({
      ...COUNTS,
      created: ROWS - 1,
      failed: 1,
    })
    expect(await stored()).toEqual([])
  })

  test('after a file that failed is imported whole', async () => {
    await load(rowsWith({ 240: UNKNOWN }))
    expect(counts(await load(rowsWith({})))).toEqual({ ...COUNTS, created: ROWS })
    expect(await stored()).toHaveLength(ROWS)
  })
})
