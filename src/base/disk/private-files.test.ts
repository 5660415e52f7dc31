/**
 * The data folder of an earlier installation, or one that another user created, is closed to other users before it is
 * used.
 */
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openData, scratch } from '../../../testing/app/data-folders.ts'
import { DataFolderOpenError, makePrivateFolder } from './private-files.ts'

const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8)

test.each([0o755, 0o750, 0o777, 0o701])(
  'a folder of mode %o is closed to others at the start, and so is its lock',
  async (mode) => {
    const dataDir = join(scratch(), 'data')
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, 'plat.lock'), '', { mode: 0o644 })
    chmodSync(join(dataDir, 'plat.lock'), 0o666)
    chmodSync(dataDir, mode)
    const { close } = await openData(dataDir)
    expect([dataDir, join(dataDir, 'plat.lock'), join(dataDir, 'plat.db')].map(modeOf)).toEqual(['700', '600', '600'])
    await close()
  },
)

test('a folder that is closed already stays as it is', () => {
  const folder = join(scratch(), 'data')
  mkdirSync(folder)
  chmodSync(folder, 0o500)
  makePrivateFolder(folder)
  expect(modeOf(folder)).toBe('500')
})

test('a folder that all users share is refused, and stays as it is', () => {
  const folder = join(scratch(), 'shared')
  mkdirSync(folder)
  chmodSync(folder, 0o1777)
  expect(() => makePrivateFolder(folder)).toThrow(DataFolderOpenError)
  expect(modeOf(folder)).toBe('1777')
})

// The mode of a folder of /proc cannot be changed, not even by root.
test('a folder with a fixed mode keeps the server from starting, and the error names it', async () => {
  const main = join(import.meta.dir, '../../main.ts')
  const env = { ...process.env, LISTEN_ADDR: '127.0.0.1:0', DATA_DIR: '/proc/self' }
  const child = Bun.spawn([process.execPath, main, 'serve'], { env, cwd: scratch(), stderr: 'pipe' })
  const [code, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
  expect(code).toBe(1)
  expect(said).toMatch(/^error: Other users of this machine can get at \/proc\/self \(mode 0555\), [^\n]*\n$/)
})
