import { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  addDatacenter,
  contentOf,
  datacentersIn,
  fillData,
  openData,
  plat,
  platIn,
  scratch,
} from '../../../testing/app/data-folders.ts'
import type { Migration } from '../../database/migrate.ts'
import { migrations as released } from '../../database/migrations/index.ts'
import { restoreData } from './restore.ts'

const LATER: Migration = { name: '9999-later', floor: 'this', statements: () => ['CREATE TABLE later (id TEXT)'] }

let folder: string
let dataDir: string
let file: string
beforeEach(async () => {
  folder = scratch()
  dataDir = join(folder, 'data')
  file = join(folder, 'plat.backup')
  await fillData(dataDir, 'old')
  await plat('backup', file, '--data-dir', dataDir)
  await fillData(dataDir, 'new')
})

const restore = (...flags: string[]) => plat('restore', file, '--data-dir', dataDir, ...flags)
const asideIn = (dir: string) => readdirSync(dir).filter((name) => /^plat-replaced-\d{8}T\d{6}Z(-\d+)?\.db$/.test(name))
const namesIn = (path: string) => {
  const database = new Database(path, { readonly: true })
  const rows = database.query<{ name: string }, []>('SELECT name FROM datacenters ORDER BY name').all()
  database.close()
  return rows.map(({ name }) => name)
}

describe('a restore', () => {
  test('into a folder that was deleted brings the data back', async () => {
    rmSync(dataDir, { recursive: true })
    expect(await restore()).toMatchObject({ code: 0, err: '' })
    expect(await datacentersIn(dataDir)).toEqual(['old'])
  })

  test('says what it has done', async () => {
    const { out } = await restore('--force')
    expect(out).toMatch(
      /^\S+plat\.backup, made by Plat [\d.]+ at \S+, is restored to \S+data: 0 devices\nThe previous data is in \S+plat-replaced-\S+\.db\n$/,
    )
  })

  test('over data needs --force', async () => {
    const before = contentOf(dataDir)
    const { code, err } = await restore()
    expect({ code, err }).toEqual({
      code: 5,
      err: `error: There are data in ${dataDir}; --force replaces them, and keeps them aside\n`,
    })
    expect(contentOf(dataDir)).toEqual(before)
  })

  test('keeps the old data aside, whole', async () => {
    const { out } = await restore('--force', '-o', 'json')
    const [aside = ''] = asideIn(dataDir)
    expect(JSON.parse(out)).toMatchObject({ replaced: join(dataDir, aside), pending: [] })
    expect(namesIn(join(dataDir, aside))).toEqual(['new', 'old'])
    expect(await datacentersIn(dataDir)).toEqual(['old'])
  })

  test('keeps two of one second apart', async () => {
    const options = { file, dataDir, isForced: true, migrations: released, now: () => new Date(0) }
    const watch = { signal: new AbortController().signal, progress: () => {} }
    await restoreData(options, watch)
    await restoreData(options, watch)
    expect(asideIn(dataDir).toSorted()).toEqual([
      'plat-replaced-19700101T000000Z-2.db',
      'plat-replaced-19700101T000000Z.db',
    ])
  })

  test('keeps acknowledged writes that a killed server had only in its log', async () => {
    const { db, close } = await openData(dataDir)
    await addDatacenter(db, 'newest')
    const crashed = join(folder, 'crashed')
    mkdirSync(crashed)
    for (const name of ['plat.db', 'plat.db-wal']) copyFileSync(join(dataDir, name), join(crashed, name))
    await close()
    await plat('restore', file, '--data-dir', crashed, '--force')
    expect(namesIn(join(crashed, asideIn(crashed)[0] ?? ''))).toEqual(['new', 'newest', 'old'])
    expect(await datacentersIn(crashed)).toEqual(['old'])
  })

  test('does not let the log of data that are gone into the new ones', async () => {
    const { db, close } = await openData(dataDir)
    await addDatacenter(db, 'newest')
    const other = join(folder, 'other')
    mkdirSync(other)
    copyFileSync(join(dataDir, 'plat.db-wal'), join(other, 'plat.db-wal'))
    await close()
    expect((await plat('restore', file, '--data-dir', other)).code).toBe(0)
    expect(await datacentersIn(other)).toEqual(['old'])
  })

  test('puts damaged data aside as they are', async () => {
    writeFileSync(join(dataDir, 'plat.db'), 'no database any more '.repeat(1000))
    expect((await restore('--force')).code).toBe(0)
    expect(readFileSync(join(dataDir, asideIn(dataDir)[0] ?? ''), 'utf8')).toStartWith('no database any more')
    expect(await datacentersIn(dataDir)).toEqual(['old'])
  })

  test('leaves files that only their owner can read', async () => {
    await restore('--force')
    expect(statSync(join(dataDir, 'plat.db')).mode & 0o777).toBe(0o600)
  })

  test('takes the copy that an upgrade has made', async () => {
    const { close } = await openData(dataDir, [...released, LATER])
    await close()
    const copy = join(dataDir, `plat-before-${released.length + 1}.db`)
    expect((await plat('restore', copy, '--data-dir', dataDir, '--force')).code).toBe(0)
    expect(await datacentersIn(dataDir)).toEqual(['new', 'old'])
  })

  test('of an older schema says so, and the next start brings it up to date', async () => {
    const watch = { signal: new AbortController().signal, progress: () => {} }
    const migrations = [...released, LATER]
    const { pending } = await restoreData({ file, dataDir, isForced: true, migrations, now: () => new Date() }, watch)
    expect(pending).toEqual([LATER.name])
    expect(await datacentersIn(dataDir, migrations)).toEqual(['old'])
  })
})

describe('nothing is touched', () => {
  const refused = async (code: number, message: string | RegExp) => {
    const before = contentOf(dataDir)
    const answer = await restore('--force')
    expect(contentOf(dataDir)).toEqual(before)
    expect(answer).toMatchObject({ code, out: '' })
    expect(answer.err).toMatch(message)
  }

  test('while a server uses the folder', async () => {
    const { close } = await openData(dataDir)
    const { code, err } = await restore('--force')
    await close()
    expect({ code, err }).toEqual({
      code: 1,
      err: `error: Another Plat is using the data folder ${dataDir}. Stop it first, or set DATA_DIR to another folder.\n`,
    })
    expect(await datacentersIn(dataDir)).toEqual(['new', 'old'])
  })

  test('while another command reads the data', async () => {
    const reader = new Database(join(dataDir, 'plat.db'))
    reader.run('BEGIN')
    reader.query('SELECT * FROM datacenters').all()
    const { code, err } = await restore('--force')
    reader.close()
    expect(code).toBe(6)
    expect(err).toStartWith('error: another command is reading the data')
    expect(await datacentersIn(dataDir)).toEqual(['new', 'old'])
    expect(asideIn(dataDir)).toEqual([])
  })

  test('by a backup of a newer schema', async () => {
    const newer = join(folder, 'newer')
    const { close } = await openData(newer, [...released, LATER])
    await close()
    await plat('backup', file, '--force', '--data-dir', newer)
    await refused(1, /^error: The backup was made by a newer Plat, [\d.]+: it has the migration 9999-later/)
  })

  test('by the copy of a newer schema', async () => {
    const newer = join(folder, 'newer')
    const { close } = await openData(newer, [...released, LATER])
    await close()
    file = join(newer, 'plat.db')
    await refused(1, /newer Plat: it has the migration 9999-later/)
  })

  // In the middle, at the last byte, and at the beginning of the data.
  test.each([0.5, 1, 0])('by a backup with one bit changed (%p)', async (share) => {
    const bytes = readFileSync(file)
    const first = bytes.indexOf('\n') + 1
    const at = Math.min(bytes.length - 1, Math.floor(first + (bytes.length - first) * share))
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
    await refused(1, /damaged/)
  })

  test.each([0.9, 0.5])('by a backup that was cut off (%p)', async (share) => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * share)))
    await refused(1, /is damaged: bytes are missing at its end, at least \d+/)
  })

  test('by a backup that lacks its last byte', async () => {
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, -1))
    await refused(1, /is damaged: bytes are missing at its end, at least 1\b/)
  })

  test.each([
    ['one byte', (_: Buffer) => Buffer.from('\n'), 1],
    ['zeros', (_: Buffer) => Buffer.alloc(4096), 4096],
    ['another backup', (bytes: Buffer) => bytes, undefined],
  ])('by a backup with %s behind its end', async (_, more, count) => {
    const bytes = readFileSync(file)
    writeFileSync(file, Buffer.concat([bytes, more(bytes)]))
    await refused(1, new RegExp(`has ${count ?? bytes.length} bytes behind the end of the backup`))
  })

  test('by two compressed parts behind one manifest', async () => {
    const bytes = readFileSync(file)
    writeFileSync(file, Buffer.concat([bytes, bytes.subarray(bytes.indexOf('\n') + 1)]))
    await refused(1, /has \d+ bytes behind the end of the backup/)
  })

  test('by a backup whose data have another format', async () => {
    const bytes = readFileSync(file)
    bytes.fill(0, bytes.indexOf('\n') + 1, bytes.indexOf('\n') + 5)
    writeFileSync(file, bytes)
    await refused(1, /is damaged: its content does not match its checksum/)
  })

  test.each<[string, (manifest: Record<string, unknown>) => Record<string, unknown>]>([
    ['another checksum', (manifest) => ({ ...manifest, sha256: '0'.repeat(64) })],
    ['a smaller size', (manifest) => ({ ...manifest, size: 4096 })],
    ['a larger size', (manifest) => ({ ...manifest, size: Number(manifest.size) + 1 })],
    ['other counts', (manifest) => ({ ...manifest, counts: {} })],
    ['another schema', (manifest) => ({ ...manifest, schema: ['0001-inventory'] })],
  ])('by a backup with a manifest that says %s', async (_, change) => {
    const bytes = readFileSync(file)
    const end = bytes.indexOf('\n')
    const manifest = change(JSON.parse(bytes.toString('utf8', 0, end)))
    writeFileSync(file, Buffer.concat([Buffer.from(JSON.stringify(manifest)), bytes.subarray(end)]))
    await refused(1, /damaged/)
  })

  test.each([
    ['nothing', ''],
    ['text', 'hello\n'],
    ['other JSON', '{"a":1}\n'],
    ['half a manifest', '{"format":"plat-backup/1"}\n'],
  ])('by a file that holds %s', async (_, text) => {
    writeFileSync(file, text)
    await refused(1, /is no backup of Plat, or its beginning is damaged/)
  })

  test('by a backup of a format to come', async () => {
    writeFileSync(file, '{"format":"plat-backup/2","more":true}\n')
    await refused(1, /was made by a newer Plat, whose backups this version can't read/)
  })

  test('by the data file itself', async () => {
    file = join(dataDir, 'plat.db')
    await refused(1, /is the data file itself/)
  })

  test('by a file that is not there', async () => {
    file = join(folder, 'x')
    await refused(4, /^error: There is no .*x\n$/)
  })
})

test('on PostgreSQL the tool for it is named', async () => {
  const { code, err } = await platIn({ DATABASE_URL: 'postgres://u:secret@db/plat' }, 'restore', file)
  expect(code).toBe(2)
  expect(err).toContain('pg_restore --clean --if-exists --dbname="$DATABASE_URL" plat.dump')
})

test('an empty folder is not made to hold data by a restore that fails', async () => {
  const empty = join(folder, 'empty')
  writeFileSync(file, 'no backup\n')
  await plat('restore', file, '--data-dir', empty)
  expect(existsSync(join(empty, 'plat.db'))).toBe(false)
})
