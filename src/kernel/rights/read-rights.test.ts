import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoized, RevisionCache } from '../../database/cache/revision-cache.ts'
import { openSqlite } from '../../database/sqlite/sqlite.ts'
import { createRights } from './read-rights.ts'

type Source = (key: string, read: () => Promise<number>) => Promise<number>

describe('the source of rights', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-test-'))
  const db = openSqlite<Record<'t', object>>(join(folder, 'plat.db'))
  afterAll(async () => {
    await db.close()
    rmSync(folder, { recursive: true })
  })

  const setUp = () => {
    const cache = new RevisionCache()
    const state = { revision: 'a', ms: 10_000, reads: 0 }
    const { sourceAt } = createRights<Record<'t', object>, Source>({
      db,
      tables: ['t'],
      common: [],
      now: () => new Date(state.ms),
      committed: (revision) => memoized<number>(cache.at('a test', revision)),
      within: () => (_, look) => look(),
    })
    const read = () =>
      sourceAt({ revision: () => state.revision, timeline: () => '', remember: (_, __, look) => look() })(
        'key',
        async () => ++state.reads,
      )
    return { state, read }
  }

  test('reads once while nothing is committed', async () => {
    const { state, read } = setUp()
    await read()
    state.ms += 999
    expect(await read()).toBe(1)
  })

  test('reads again after a commit', async () => {
    const { state, read } = setUp()
    await read()
    state.revision = 'b'
    expect(await read()).toBe(2)
  })

  test.each([1000, -1000])('reads again after %d ms', async (ms) => {
    const { state, read } = setUp()
    await read()
    state.ms += ms
    expect(await read()).toBe(2)
  })
})
