/** A copy that is killed at any moment can be resumed, with the same result. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { platIn, scratch } from '../../../testing/app/data-folders.ts'
import { takeOneIn } from '../../../testing/cases.ts'
import { everyRow, ROWS_EACH } from '../../../testing/estates/every-table.ts'
import { type Move, newMove, startOn } from '../../../testing/moving.ts'
import { engines } from '../../../testing/servers/servers.ts'

const path = (name: string): string => JSON.stringify(join(import.meta.dir, name))

/** `nth` counts the steps of that name. */
const script = ({ from, to, step, nth }: { from: string; to: string; step: string; nth: number }): string => `
  const { copyEstate } = await import(${path('copy.ts')})
  const { ${from.startsWith('postgres:') ? 'openPostgresSource' : 'openSqliteSource'}: openSource } = await import(${path(from.startsWith('postgres:') ? 'postgres-adapter.ts' : 'sqlite-adapter.ts')})
  const { ${to.startsWith('postgres:') ? 'openPostgresTarget' : 'openSqliteTarget'}: openTarget } = await import(${path(to.startsWith('postgres:') ? 'postgres-adapter.ts' : 'sqlite-adapter.ts')})
  let seen = 0
  await copyEstate({
    source: await openSource(${JSON.stringify(from)}),
    target: await openTarget(${JSON.stringify(to)}),
    isRestart: false,
    signal: new AbortController().signal,
    progress: () => {},
    step: (done) => {
      if (done === ${JSON.stringify(step)} && ++seen === ${nth}) process.kill(process.pid, 'SIGKILL')
    },
  })
`

const copyKilledAt = async (where: Parameters<typeof script>[0]): Promise<void> => {
  const child = Bun.spawn([process.execPath, '--no-env-file', '-e', script(where)], { stderr: 'inherit' })
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
}

const START_TIMEOUT_MS = 60_000
const UNFINISHED = 'This database is an unfinished copy'

// Left out rather than skipped, because a run on SQLite only is intended.
if (engines().includes('postgres')) {
  let full: Move
  beforeAll(async () => {
    full = await newMove()
    expect(await full.away('-q')).toEqual({ code: 0, out: '', err: '' })
  }, START_TIMEOUT_MS)
  afterAll(() => full.end())

  test.each(
    takeOneIn(2, [
      ['batch', 12],
      ['settled', 1],
    ] as const),
  )('killed at "%s" %i on its way to PostgreSQL', async (step, nth) => {
    const move = await newMove()
    await copyKilledAt({ from: move.dataDir, to: move.url, step, nth })
    const [start] = await Promise.allSettled([startOn({ DATABASE_URL: move.url })])
    const { out } = await move.away('-o', 'json')
    const whole = await move.ask('SELECT count(*)::int AS n FROM webhooks')
    await move.end()
    expect(String(start.status === 'rejected' && start.reason)).toContain(UNFINISHED)
    expect(JSON.parse(out)).toMatchObject({ is_same: true, is_resumed: true })
    expect(whole).toEqual([{ n: ROWS_EACH }])
  })

  test.each(
    takeOneIn(2, [
      ['batch', 12],
      ['fastened', 1],
    ] as const),
  )('killed at "%s" %i on its way to SQLite', async (step, nth) => {
    const back = scratch()
    await copyKilledAt({ from: full.url, to: back, step, nth })
    const [start] = await Promise.allSettled([startOn({ DATA_DIR: back })])
    const { code } = await platIn({}, 'database', 'copy', '--from', full.url, '--to', back, '-q')
    expect(String(start.status === 'rejected' && start.reason)).toContain(UNFINISHED)
    expect(code).toBe(0)
    expect(everyRow(join(back, 'plat.db'))).toEqual(everyRow(full.file))
  })
}
