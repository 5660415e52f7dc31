/** Temporary files of answers are private, bounded, and leave nothing on the disk. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../../../testing/until.ts'
import { createSpoolSpace } from './spool.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plat-spool-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const PLENTY = () => 1024 ** 4
const spaceOf = (mostBytes: number) => createSpoolSpace({ folder, mostBytes, freeBytes: PLENTY })

/** Open files of this process in the folder. */
const openFiles = (): string[] =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
    } catch {
      return false // closed by now
    }
  })

describe('a temporary file', () => {
  test('returns its content from any position', async () => {
    const file = await spaceOf(100).create()
    await file.append(Buffer.from('hello '))
    await file.append(Buffer.from('world'))
    expect(Buffer.from(await file.read(4, 100)).toString()).toBe('o world')
    file.close()
  })

  test('has no name in the folder', async () => {
    const file = await spaceOf(100).create()
    await file.append(Buffer.from('secret'))
    expect(readdirSync(folder)).toEqual([])
    file.close()
  })

  test.skipIf(process.platform !== 'linux')('a temporary file is only for this user', async () => {
    const file = await spaceOf(100).create()
    await file.append(Buffer.from('x'))
    expect(openFiles().map((fd) => statSync(`/proc/self/fd/${fd}`).mode & 0o777)).toEqual([0o600])
    file.close()
  })

  test.skipIf(process.platform !== 'linux')('is gone once it is closed', async () => {
    const file = await spaceOf(100).create()
    await file.append(Buffer.from('x'))
    file.close()
    await until('no open file', async () => openFiles().length === 0 || undefined)
    expect(readdirSync(folder)).toEqual([])
  })

  test('that is closed takes nothing more', async () => {
    const file = await spaceOf(100).create()
    file.close()
    expect(file.append(Buffer.from('x'))).rejects.toThrow('closed')
  })
})

describe('the space of temporary files', () => {
  test('is bounded for all of them together', async () => {
    const space = spaceOf(10)
    const one = await space.create()
    await one.append(Buffer.from('1234567'))
    expect([space.hasRoomFor(3), space.hasRoomFor(4)]).toEqual([true, false])
    one.close()
  })

  test('comes back with the end of one', async () => {
    const space = spaceOf(10)
    const one = await space.create()
    await one.append(Buffer.from('1234567'))
    one.close()
    expect(space.hasRoomFor(10)).toBe(true)
  })

  test('is at most a quarter of the free space', () => {
    const space = createSpoolSpace({ folder, freeBytes: () => 400 })
    expect([space.hasRoomFor(100), space.hasRoomFor(101)]).toEqual([true, false])
  })

  test('is tidied at the start, and nothing else is', () => {
    writeFileSync(join(folder, 'spool-of-a-killed-process'), 'x')
    writeFileSync(join(folder, 'plat.db'), 'x')
    spaceOf(10)
    expect(readdirSync(folder)).toEqual(['plat.db'])
  })

  test('is known for a folder that does not exist yet', () => {
    const space = createSpoolSpace({ folder: join(folder, 'later') })
    expect(space.hasRoomFor(1)).toBe(true)
  })

  test('needs no folder before the first file', async () => {
    const space = createSpoolSpace({ folder: join(folder, 'later'), freeBytes: PLENTY })
    expect(existsSync(join(folder, 'later'))).toBe(false)
    const file = await space.create()
    file.close()
    expect(statSync(join(folder, 'later')).mode & 0o777).toBe(0o700)
  })
})
