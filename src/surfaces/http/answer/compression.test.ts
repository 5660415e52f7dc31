import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { type Coding, compress, compressSource, compressSync, selectCoding } from './compression.ts'
import type { Source } from './response-stream.ts'

const DECODE = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync }
const CODINGS: readonly Coding[] = ['gzip', 'br', 'zstd']

describe('the coding for', () => {
  test.each([
    [null, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['zstd', 'zstd'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip, deflate, br', 'br'],
    ['gzip,br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br', 'br'],
    ['gzip ; q=0.2 , br ; q=0.9', 'br'],
    ['*', 'zstd'],
    ['zstd;q=0, *', 'br'],
    ['gzip;q=0.1, *;q=0', 'gzip'],
    ['identity', undefined],
    ['identity, *;q=0', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br;q=0', undefined],
    ['*;q=0', undefined],
    ['deflate', undefined],
    ['compress, x-unknown', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip', 'gzip'],
    ['identity;q=0, gzip', 'gzip'],
    ['gzip;q=abc', undefined],
    ['gzip;q=abc, br;q=0.1', 'br'],
    ['gzip;q=-1', undefined],
    [',,;q=1,', undefined],
  ])('%p is %p', (header, coding) => {
    expect(selectCoding(header)).toBe(coding as Coding | undefined)
  })
})

const all = async (source: Source): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  for (;;) {
    const { done, value } = await source.next()
    if (done) return Buffer.concat(chunks)
    chunks.push(value)
  }
}

describe.each(CODINGS)('%s', (coding) => {
  test.each([0, 1, 5000, 100_000])('gives back a text of %d characters', async (length) => {
    const text = 'é😀x'
      .repeat(Math.ceil(length / 4))
      .slice(0, length)
      .toWellFormed()
    expect(DECODE[coding](await compress(coding, text)).toString()).toBe(text)
  })

  test('is the same at once', () => {
    expect(DECODE[coding](compressSync(coding, 'text')).toString()).toBe('text')
  })

  test('gives back a stream', async () => {
    async function* bytes() {
      for (let i = 0; i < 500; i++) yield new TextEncoder().encode(`line ${i}\n`)
    }
    const expected = Array.from({ length: 500 }, (_, i) => `line ${i}\n`).join('')
    expect(DECODE[coding](await all(compressSource(coding, bytes()))).toString()).toBe(expected)
  })

  test('of a stream that fails, fails', async () => {
    async function* bytes() {
      yield new Uint8Array(10)
      throw new Error('broken')
    }
    expect(all(compressSource(coding, bytes()))).rejects.toThrow('broken')
  })

  test('of a stream that is not read on ends its source', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    async function* bytes() {
      try {
        for (;;) yield crypto.getRandomValues(new Uint8Array(50_000))
      } finally {
        resolve('ended')
      }
    }
    const source = compressSource(coding, bytes())
    await source.next()
    await source.return?.()
    expect(await promise).toBe('ended')
  })

  test('of a long text lets the event loop turn', async () => {
    let turns = 0
    const count = () => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await compress(
      coding,
      JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ ip: `10.0.${i}`, id: Bun.hash(`${i}`).toString() }))),
    )
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(1)
  })
})
