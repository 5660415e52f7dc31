/**
 * A full disk in two ways: a real, small file system that only a child process sees, and a simulated one by SQLite's
 * own limit, which works everywhere.
 */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { watchFullDisk } from '../../../testing/hostile/disk-full.ts'

const FULL =
  'The disk is full: changes are refused until there is space, reading and deleting go on; free space on the disk of the data folder'

type Seen = Awaited<ReturnType<typeof watchFullDisk>>

const PROGRAM = join(import.meta.dir, '../../../testing/hostile/disk-full.ts')
const DISK_MIB = 48

const inFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-full-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The file system is mounted in a separate namespace of the child, and disappears with it. */
const mounting = (folder: string, command: string) => [
  'unshare',
  ...(process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--map-root-user']),
  ...['sh', '-c', `mount -t tmpfs -o size=${DISK_MIB}m tmpfs '${folder}' && ${command}`],
]

const canMount = await inFolder(async (folder) => {
  if (Bun.which('unshare') === null) return false
  return Bun.spawnSync(mounting(folder, 'true')).exitCode === 0
})
if (!canMount)
  console.warn('disk-full.test.ts: this machine lets nobody mount a file system: only the limit of SQLite is tested')

const onRealDisk = (): Promise<Seen> =>
  inFolder(async (folder) => {
    const child = Bun.spawn(mounting(folder, `exec '${process.execPath}' '${PROGRAM}' '${folder}'`), {
      stderr: 'inherit',
    })
    // The program prints the result of `watchFullDisk`.
    return JSON.parse(await new Response(child.stdout).text()) as Seen
  })

const PLENTY = 1024 ** 4

const onLimitedFile = (): Promise<Seen> =>
  inFolder((folder) => {
    let free = PLENTY
    return watchFullDisk(folder, {
      freeBytes: () => free,
      fill: async (db) => {
        free = 0
        await db.write(async (tx) => {
          const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(tx.db)
          await sql.raw(`PRAGMA max_page_count = ${(rows[0]?.page_count ?? 0) + 100}`).execute(tx.db)
        })
      },
      empty: () => {
        free = PLENTY
      },
    })
  })

describe.each([
  ['the limit of SQLite', onLimitedFile],
  ...(canMount ? ([['a full disk', onRealDisk]] as const) : []),
] as const)('on %s', (_, watch) => {
  const seen = watch()

  test('a reserve is kept, and /readyz succeeds', async () => {
    const { before } = await seen
    expect(before).toEqual({ ready: { status: 200, message: '2 open connections' }, hasBallast: true })
  })

  test('a write is refused with 503, in words', async () => {
    const { whileFull } = await seen
    expect(whileFull.refusal).toEqual({
      status: 503,
      body: {
        code: 'UNAVAILABLE',
        error: FULL,
        details: [],
      },
    })
  })

  test('reads go on, and find all that was acknowledged', async () => {
    const { whileFull } = await seen
    expect(whileFull.acknowledged).toBeGreaterThan(0)
    expect(whileFull).toMatchObject({ readable: whileFull.acknowledged, listed: 200 })
  })

  test('/readyz says why', async () => {
    const { whileFull } = await seen
    expect(whileFull.ready).toEqual({ status: 503, message: FULL })
  })

  test('the reserve is released, and deleting works in its space', async () => {
    const { whileFull } = await seen
    expect(whileFull).toMatchObject({ hasBallast: false, deleted: 204 })
  })

  test('the data does not grow into that room', async () => {
    expect((await seen).whileFull.grownBy).toBe(0)
  })

  test('once there is space it goes on without a restart, and has a reserve again', async () => {
    const { after } = await seen
    expect(after).toMatchObject({ ready: { status: 200 }, created: 201, hasBallast: true })
  })

  test('nothing that was acknowledged is lost, and the file is sound', async () => {
    expect(await seen).toMatchObject({ lost: 0, integrity: ['ok'] })
  })

  test('the log says when it began and when it ended, once', async () => {
    expect((await seen).logged).toEqual(['ERROR', 'INFO'])
  })
})
