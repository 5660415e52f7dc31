// Bytes to be read again later: a little in memory, more in a private file that disappears with the process.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSpool, type Spool } from './spool.ts'
import { removeLeftNames } from './unnamed-file.ts'

let dataDir: string
let dir: string
const open: Spool[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plat-spool-'))
  dir = join(dataDir, 'tmp')
})
afterEach(async () => {
  for (const spool of open.splice(0)) await spool.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const spoolIn = (freeBytes?: () => number): Spool => {
  const spool = createSpool({ dir, ...(freeBytes ? { freeBytes } : {}) })
  open.push(spool)
  return spool
}

const MIB = 1024 * 1024
const piece = (byte: number, length = MIB) => new Uint8Array(length).fill(byte)
const hashOf = async (pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<string> => {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const one of pieces) hasher.update(one)
  return hasher.digest('hex')
}
/** The unnamed files of the folder that this process has open, with their permissions. */
const unnamed = (): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`)
      if (!target.startsWith(dir) || !target.endsWith(' (deleted)')) return []
      return [(statSync(`/proc/self/fd/${fd}`).mode & 0o777).toString(8)]
    } catch {
      return [] // closed since the listing
    }
  })

test.each([0, 1, MIB, MIB + 1, 5 * MIB])('%i bytes are read as they were written, twice', async (length) => {
  const spool = spoolIn()
  const pieces = [piece(1, length >> 1), piece(2, length - (length >> 1))]
  for (const one of pieces) await spool.write(one)
  const expected = await hashOf(pieces)
  expect([await hashOf(spool.read()), await hashOf(spool.read())]).toEqual([expected, expected])
})

test('many small pieces are read in their order, the last of them from memory', async () => {
  const spool = spoolIn()
  const pieces = Array.from({ length: 50 }, (_, at) => piece(at, 64 * 1024 + at))
  for (const one of pieces) await spool.write(one)
  expect(await hashOf(spool.read())).toBe(await hashOf(pieces))
})

test('a little makes no file', async () => {
  await spoolIn().write(piece(1))
  expect(readdirSync(dataDir)).toEqual([])
})

describe('more lies in a file', () => {
  const filled = async () => {
    const spool = spoolIn()
    for (let i = 0; i < 3; i++) await spool.write(piece(i))
    return spool
  }

  test('that has no name, in a folder of our own', async () => {
    await filled()
    expect([readdirSync(dir), (statSync(dir).mode & 0o777).toString(8)]).toEqual([[], '700'])
  })
  test('that only its owner may open', async () => {
    await filled()
    expect(unnamed()).toEqual(['600'])
  })
  test('that is closed with the spool', async () => {
    await (await filled()).close()
    expect(unnamed()).toEqual([])
  })
})

describe('a body that cannot be stored is 503 UNAVAILABLE', () => {
  const writing = async (spool: Spool) => {
    for (let i = 0; i < 3; i++) await spool.write(piece(i))
  }

  test('on a disk that has hardly any space', async () => {
    const error = { status: 503, code: 'UNAVAILABLE', message: expect.stringMatching(/^The disk has not enough space/) }
    expect(writing(spoolIn(() => 10 * MIB))).rejects.toMatchObject(error)
  })
  test('when the space is used up on the way', async () => {
    let free = 100 * MIB
    const spool = spoolIn(() => free)
    await writing(spool)
    free = 0
    const more = async () => {
      for (let i = 0; i < 9; i++) await spool.write(piece(i))
    }
    expect(more()).rejects.toMatchObject({ status: 503 })
  })
  test('where the folder can not be made', async () => {
    writeFileSync(dir, 'a file of that name')
    expect(writing(spoolIn())).rejects.toMatchObject({ status: 503 })
  })
})

test('leftovers of a crash are removed, and nothing else', () => {
  mkdirSync(dir)
  for (const name of ['spool-1', 'other']) writeFileSync(join(dir, name), 'left')
  removeLeftNames(dir)
  expect([readdirSync(dir), readFileSync(join(dir, 'other'), 'utf8')]).toEqual([['other'], 'left'])
})

test('where there was never a spool, nothing is left', () => {
  removeLeftNames(dir)
  expect(readdirSync(dataDir)).toEqual([])
})
