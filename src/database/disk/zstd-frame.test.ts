import { expect, test } from 'bun:test'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'
import { findFrameEnd } from './zstd-frame.ts'

const findIn = (bytes: Uint8Array, start: number): number | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-frame-'))
  const file = join(folder, 'frame')
  writeFileSync(file, bytes)
  const descriptor = openSync(file, 'r')
  try {
    return findFrameEnd(descriptor, start)
  } finally {
    closeSync(descriptor)
    rmSync(folder, { recursive: true })
  }
}

const CONTENTS: readonly (readonly [string, Uint8Array])[] = [
  ['nothing', new Uint8Array(0)],
  ['one byte', new Uint8Array([7])],
  ['300 bytes', new Uint8Array(300).fill(65)],
  ['equal bytes in several blocks', new Uint8Array(700_000)],
  ['random bytes in several blocks', crypto.getRandomValues(new Uint8Array(60_000))],
  ['text', new TextEncoder().encode('a line of text\n'.repeat(50_000))],
]

test.each(CONTENTS)('the end of a frame of %s is found, with and without a checksum', (_, content) => {
  for (const checksum of [0, 1]) {
    const frame = zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: checksum } })
    const bytes = Buffer.concat([Buffer.from('head\n'), frame, Buffer.from('more')])
    expect(findIn(bytes, 5)).toBe(5 + frame.length)
    expect(findIn(bytes.subarray(0, 5 + frame.length - 1), 5)).toBeGreaterThan(5 + frame.length - 1)
  }
})

test('bytes of another format have no end of a frame', () => {
  expect(findIn(Buffer.from('no frame at all'), 0)).toBeUndefined()
  expect(findIn(Buffer.from('abc'), 0)).toBeUndefined()
})
