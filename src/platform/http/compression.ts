/** Content codings (RFC 9110 8.4): which one a client takes, and the bytes in it. */
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import type { Source } from './outgoing.ts'

export type Coding = 'zstd' | 'br' | 'gzip'
/** Ours to choose among codings that the client likes alike: the quickest first. */
const PREFERENCE: readonly Coding[] = ['zstd', 'br', 'gzip']

/** Loaded by the first answer that is compressed: a start needs none of it. */
const zlib = () => process.getBuiltinModule('node:zlib')

/** Brotli's default of 11 is for files that are compressed once. */
const brotli = () => ({ params: { [zlib().constants.BROTLI_PARAM_QUALITY]: 4 } })
const GZIP = { level: 5 }

/** Of the compressors of streams, as powers of two. */
const STREAM_WINDOW_BITS = 18
const STREAM_TABLE_BITS = 16

/** Larger texts are compressed off the event loop; for smaller ones the way there and back costs more than the work. */
const SYNC_UP_TO_LENGTH = 32 * 1024

/** Codings or media ranges by name with their weights (RFC 9110 12.4.2); one with a broken weight has the weight 0. */
export const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((one) => {
      const [name = '', ...params] = one.split(';').map((part) => part.trim().toLowerCase())
      const q = params.find((param) => param.startsWith('q='))
      const weight = q === undefined ? 1 : Number(q.slice(2))
      return [name, weight >= 0 ? weight : 0]
    }),
  )

/**
 * The coding to answer with, out of those that there are; undefined for none.
 * @example acceptedCoding('gzip;q=0.5, br') // 'br'
 */
export const acceptedCoding = <C extends Coding = Coding>(
  header: string | null,
  // Without a choice there are all of them.
  codings: readonly C[] = PREFERENCE as readonly C[],
): C | undefined => {
  if (!header) return undefined
  const weights = weightsOf(header)
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = [...codings].sort((a, b) => weightOf(b) - weightOf(a))[0]
  // Without compression is as good as named where the header says nothing of it.
  const least = weights.get('identity') ?? 0
  return best && weightOf(best) > 0 && weightOf(best) >= least ? best : undefined
}

/** At once; for texts that are compressed once and kept, and for short ones. */
export const compressedBytes = (coding: Coding, text: string | Buffer): Uint8Array<ArrayBuffer> => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const { gzipSync, brotliCompressSync, zstdCompressSync } = zlib()
  if (coding === 'gzip') return gzipSync(bytes, GZIP)
  return coding === 'br' ? brotliCompressSync(bytes, brotli()) : zstdCompressSync(bytes)
}

const inThread = {
  gzip: (bytes: Buffer) => promisify<Buffer, object, Buffer<ArrayBuffer>>(zlib().gzip)(bytes, GZIP),
  br: (bytes: Buffer) => promisify<Buffer, object, Buffer<ArrayBuffer>>(zlib().brotliCompress)(bytes, brotli()),
  zstd: (bytes: Buffer) => promisify<Buffer, Buffer<ArrayBuffer>>(zlib().zstdCompress)(bytes),
}

/** As `compressedBytes`; a long text off the event loop. */
export const compressed = async (coding: Coding, text: string | Buffer): Promise<Uint8Array<ArrayBuffer>> => {
  if (text.length <= SYNC_UP_TO_LENGTH) return compressedBytes(coding, text)
  return inThread[coding](typeof text === 'string' ? Buffer.from(text) : text)
}

/**
 * A list that is sent waits for its client with all of its compressor's memory. With windows of 256 KB a list is as small, and no slower
 * to compress: zstd takes 1.0 MB in place of 3.2, Brotli 1.5 in place of 6.2.
 */
const streamCompressor = (coding: Coding): Transform => {
  const { constants: c, createGzip, createBrotliCompress, createZstdCompress } = zlib()
  if (coding === 'gzip') return createGzip(GZIP)
  if (coding === 'br')
    return createBrotliCompress({ params: { ...brotli().params, [c.BROTLI_PARAM_LGWIN]: STREAM_WINDOW_BITS } })
  const tables = { [c.ZSTD_c_hashLog]: STREAM_TABLE_BITS, [c.ZSTD_c_chainLog]: STREAM_TABLE_BITS }
  return createZstdCompress({ params: { [c.ZSTD_c_windowLog]: STREAM_WINDOW_BITS, ...tables } })
}

/** Resolves when the compressor takes more, or no more at all. */
const drained = (compressor: Transform): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      compressor.off('drain', done)
      compressor.off('close', done)
      resolve()
    }
    compressor.on('drain', done)
    compressor.on('close', done)
  })

/** The bytes of a source in a coding, chunk by chunk, as they are asked for. */
export const compressedSource = (coding: Coding, bytes: AsyncIterable<Uint8Array>): Source => {
  const compressor = streamCompressor(coding)
  const chunks = compressor[Symbol.asyncIterator]()
  const plain = bytes[Symbol.asyncIterator]()
  let isFed = false
  /** One chunk at a time: what waits here waits in memory. */
  const feed = async (): Promise<void> => {
    isFed = true
    try {
      for (;;) {
        const { done, value } = await plain.next()
        if (done || compressor.destroyed) break
        if (!compressor.write(value)) await drained(compressor)
      }
      compressor.end()
    } catch (error) {
      compressor.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
  return {
    next: () => {
      if (!isFed) void feed()
      return chunks.next()
    },
    // Not that of `chunks`, which would end nothing that was never asked for anything.
    return: async () => {
      compressor.destroy()
      await plain.return?.()
      return { done: true, value: undefined }
    },
  }
}
