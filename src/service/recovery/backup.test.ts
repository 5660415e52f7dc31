import { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addDatacenter, fillData, openData, plat, platIn, scratch } from '../../../testing/app/data-folders.ts'
import { writeBackup } from '../../database/disk/backup.ts'
import { inspect } from '../../database/disk/backup-file.ts'

let folder: string
let dataDir: string
let file: string
beforeEach(async () => {
  folder = scratch()
  dataDir = join(folder, 'data')
  file = join(folder, 'plat.backup')
  await fillData(dataDir, 'ams', 'ber')
})

const backup = (...flags: string[]) => plat('backup', file, '--data-dir', dataDir, ...flags)
/** Reads the file by hand, as a user could: a line of JSON, then zstd. */
const unpackByHand = (): Database => {
  const bytes = readFileSync(file)
  const database = join(folder, 'by-hand.db')
  writeFileSync(database, Bun.zstdDecompressSync(bytes.subarray(bytes.indexOf('\n') + 1)))
  return new Database(database)
}
const namesIn = (database: Database) =>
  database
    .query<{ name: string }, []>('SELECT name FROM datacenters ORDER BY name')
    .all()
    .map(({ name }) => name)

describe('a backup', () => {
  test('holds the data, as a database of its own', async () => {
    expect(await backup()).toMatchObject({ code: 0, err: '' })
    expect(namesIn(unpackByHand())).toEqual(['ams', 'ber'])
  })

  test('contains its description', async () => {
    const { out } = await backup('-o', 'json')
    expect(JSON.parse(out)).toMatchObject({ file, bytes: statSync(file).size, format: 'plat-backup/1' })
    expect(inspect(file)).toMatchObject({ kind: 'backup', manifest: { counts: { datacenters: 2, devices: 0 } } })
  })

  test('is reported in one line', async () => {
    const { out } = await backup()
    expect(out).toMatch(
      /plat\.backup: 0 devices and \d+ other rows, [\d.]+ [KM]B, in [\d.]+ KB; read back and found whole\n$/,
    )
  })

  test('only the owner can read a backup, and nothing is left beside it', async () => {
    await backup()
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'plat.backup'])
  })

  test('does not touch the data, nor their schema', async () => {
    await backup()
    expect(readdirSync(dataDir).toSorted()).toEqual(['plat.db', 'plat.lock'])
  })

  test('of a server that writes is a consistent snapshot', async () => {
    const { db, close } = await openData(dataDir)
    let written = 0
    let isOver = false
    const writing = (async () => {
      while (!isOver) await Promise.all(['a', 'b', 'c'].map((name) => addDatacenter(db, `${name}-${written++}`)))
    })()
    const { code } = await backup()
    isOver = true
    await writing
    await close()
    const database = unpackByHand()
    const names = namesIn(database)
    // Writes are numbered in their order, so a snapshot has no gaps.
    const numbers = names.flatMap((name) => /-(\d+)$/.exec(name)?.[1] ?? []).map(Number)
    expect(code).toBe(0)
    expect(written).toBeGreaterThan(numbers.length)
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, i) => i))
    expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })

  test('replaces an older one only with --force', async () => {
    await backup()
    await fillData(dataDir, 'cph')
    const refused = await backup()
    expect(refused).toMatchObject({ code: 5, err: `error: ${file} exists already; --force replaces it\n` })
    expect(namesIn(unpackByHand())).toEqual(['ams', 'ber'])
    expect((await backup('--force')).code).toBe(0)
    expect(namesIn(unpackByHand())).toEqual(['ams', 'ber', 'cph'])
  })

  test('that was killed half-way is removed by the next one', async () => {
    const { pid, exited } = Bun.spawn(['true'])
    await exited
    const [killed, working, old] = [pid, process.ppid, 1].map((one) => `plat.backup.${one}.part`)
    for (const name of [killed, working, old]) mkdirSync(join(folder, name ?? ''))
    writeFileSync(join(folder, killed ?? '', 'plat.db'), 'half')
    utimesSync(join(folder, old ?? ''), 1, 1)
    await backup()
    expect(readdirSync(folder).toSorted()).toEqual(['data', 'plat.backup', working ?? ''])
  })

  test('that is stopped leaves nothing', async () => {
    const stop = new AbortController()
    const making = writeBackup(
      { database: join(dataDir, 'plat.db'), target: file, version: '1', now: () => new Date() },
      { signal: stop.signal, progress: (stage) => stage === 'unpacking' && stop.abort(new Error('stopped')) },
    )
    const [outcome] = await Promise.allSettled([making])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } })
    expect(readdirSync(folder)).toEqual(['data'])
  })

  test('shows how far it is', async () => {
    const stages = new Set<string>()
    await writeBackup(
      { database: join(dataDir, 'plat.db'), target: file, version: '1', now: () => new Date() },
      { signal: new AbortController().signal, progress: (stage) => void stages.add(stage) },
    )
    // A copy this small may be complete before its stage is shown.
    stages.delete('copying')
    expect([...stages]).toEqual(['compressing', 'unpacking', 'checking'])
  })
})

describe('no backup is made', () => {
  const refused = async (argv: string[], code: number, message: string) => {
    const before = readdirSync(folder).toSorted()
    expect(await plat('backup', ...argv)).toEqual({ code, out: '', err: `error: ${message}\n` })
    expect(readdirSync(folder).toSorted()).toEqual(before)
  }
  const inData = ['--data-dir', '']
  beforeEach(() => {
    inData[1] = dataDir
  })

  test('of data that are not there', () =>
    refused(
      [file, '--data-dir', join(folder, 'other')],
      4,
      `There is no ${join(folder, 'other', 'plat.db')}; DATA_DIR or --data-dir names the folder of the data`,
    ))

  test('into a folder that is not there', () =>
    refused([join(folder, 'x', 'y'), ...inData], 4, `There is no folder ${join(folder, 'x')}`))

  test('over a folder', async () => {
    mkdirSync(join(folder, 'backups'))
    const target = join(folder, 'backups')
    await refused([target, '--force', ...inData], 2, `${target} is not a regular file: name another one`)
  })

  test.each(['plat.db', 'plat.db-wal', 'plat.lock', 'plat.ballast'])('over the data: %s', (name) => {
    const target = join(dataDir, name)
    return refused([target, '--force', ...inData], 2, `${target} belongs to the data: name another file`)
  })

  test('on standard output', () =>
    refused(['-', ...inData], 2, 'a backup is read back once it is written, so it needs a FILE'))

  test('of data that are damaged', async () => {
    const database = join(dataDir, 'plat.db')
    const bytes = readFileSync(database)
    // The second half of every page but the first: rows, and the lists of pages.
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xff, at + 2048, at + 4096)
    writeFileSync(database, bytes)
    const { code, err } = await backup()
    expect({ code, isThere: existsSync(file) }).toEqual({ code: 1, isThere: false })
    expect(err).toMatch(/^error: .*damaged/)
  })

  test("of a database that is not Plat's", async () => {
    const other = join(folder, 'other')
    mkdirSync(other)
    new Database(join(other, 'plat.db')).run('CREATE TABLE t (id TEXT)')
    const { code, err } = await plat('backup', file, '--data-dir', other)
    expect({ code, err }).toEqual({ code: 1, err: `error: ${join(other, 'plat.db')} is no database of Plat\n` })
    expect(existsSync(file)).toBe(false)
  })
})

test('on PostgreSQL the tool for it is named', async () => {
  const { code, err } = await platIn({ DATABASE_URL: 'postgres://u:secret@db/plat' }, 'backup', file)
  expect({ code, err }).toEqual({
    code: 2,
    err: 'error: The data are in PostgreSQL, which has its own tool for this:\n  pg_dump --format=custom --file=plat.dump "$DATABASE_URL"\n',
  })
})
