/** The tables that Litestream keeps in the database are none of Plat's. */
import { beforeEach, expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addLitestreamTables,
  datacentersIn,
  fillData,
  litestreamTablesIn,
  plat,
  platIn,
  scratch,
} from '../../../testing/app/data-folders.ts'
import { inspect } from '../../database/disk/backup-file.ts'

let folder: string
let dataDir: string
let database: string
let file: string
beforeEach(async () => {
  folder = scratch()
  dataDir = join(folder, 'data')
  database = join(dataDir, 'plat.db')
  file = join(folder, 'plat.backup')
  await fillData(dataDir, 'ams')
})

const backup = () => plat('backup', file, '--data-dir', dataDir)
const restore = (from: string, to: string) => plat('restore', from, '--data-dir', to)
const manifestOf = (path: string) => {
  const found = inspect(path)
  if (found.kind !== 'backup') throw new Error(`${path} is no backup`)
  return found.manifest
}
/** Unpacks a backup without Plat. */
const unpack = (path: string): string => {
  const bytes = readFileSync(path)
  const to = join(folder, 'by-hand.db')
  writeFileSync(to, Bun.zstdDecompressSync(bytes.subarray(bytes.indexOf('\n') + 1)))
  return to
}

test('a backup neither holds nor counts them', async () => {
  await backup()
  const before = manifestOf(file)
  addLitestreamTables(database)
  expect(litestreamTablesIn(database)).toEqual(['_litestream_lock', '_litestream_seq'])
  expect(await plat('backup', file, '--data-dir', dataDir, '--force')).toMatchObject({ code: 0, err: '' })
  expect(manifestOf(file).counts).toEqual(before.counts)
  expect(litestreamTablesIn(unpack(file))).toEqual([])
})

test('a backup leaves them in the data', async () => {
  addLitestreamTables(database)
  await backup()
  expect(litestreamTablesIn(database)).toEqual(['_litestream_lock', '_litestream_seq'])
})

test('a backup of an earlier version that counts them is restored', async () => {
  await backup()
  const bytes = readFileSync(file)
  const end = bytes.indexOf('\n')
  const manifest = manifestOf(file)
  const counts = { _litestream_lock: 0, _litestream_seq: 1, ...manifest.counts }
  writeFileSync(file, Buffer.concat([Buffer.from(JSON.stringify({ ...manifest, counts })), bytes.subarray(end)]))
  const to = join(folder, 'other')
  expect(await restore(file, to)).toMatchObject({ code: 0, err: '' })
  expect(await datacentersIn(to)).toEqual(['ams'])
})

test('a file that Litestream restored is taken without them', async () => {
  const replica = join(folder, 'replica.db')
  copyFileSync(database, replica)
  addLitestreamTables(replica)
  const to = join(folder, 'other')
  const { code, out } = await platIn({}, 'restore', replica, '--data-dir', to, '-o', 'json')
  const { counts } = JSON.parse(out)
  expect([code, counts.datacenters, Object.keys(counts).filter((name) => name.startsWith('_'))]).toEqual([0, 1, []])
  expect(litestreamTablesIn(join(to, 'plat.db'))).toEqual([])
  expect(await datacentersIn(to)).toEqual(['ams'])
})

test('the doctor says what it says without them', async () => {
  const examine = async () => {
    const { code, out } = await platIn({ LISTEN_ADDR: 'localhost:0', DATA_DIR: dataDir }, 'doctor', '-o', 'json')
    const findings: { check: string; status: string }[] = JSON.parse(out)
    return { code, findings: findings.map(({ check, status }) => `${check}: ${status}`) }
  }
  const before = await examine()
  addLitestreamTables(database)
  expect(await examine()).toEqual(before)
  expect(before.code).toBe(0)
})

test('a server starts on a file that has them, and changes it', async () => {
  addLitestreamTables(database)
  await fillData(dataDir, 'ber')
  expect(await datacentersIn(dataDir)).toEqual(['ams', 'ber'])
  expect(litestreamTablesIn(database)).toEqual(['_litestream_lock', '_litestream_seq'])
})
