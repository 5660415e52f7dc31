/** Content codings (RFC 9110 8.4): negotiates a coding and compresses. */
import type { Transform } from 'node:stream'
import { promisify } from 'node:util'
import type { Source } from './response-stream.ts'

export type Coding = 'zstd' | 'br' | 'gzip'
/** Order of preference among codings of equal weight: the fastest first. */
const PREFERENCE: readonly Coding[] = ['zstd', 'br', 'gzip']

/** Loaded by the first compressed answer, so that starting is faster. */
const loadZlib = () => process.getBuiltinModule('node:zlib')

/** Brotli's default of 11 is for files that are compressed once. */
const getBrotliOptions = () => ({ params: { [loadZlib().constants.BROTLI_PARAM_QUALITY]: 4 } })
const GZIP = { level: 5 }

/** Compressor parameters for streams, as powers of two. */
const STREAM_WINDOW_BITS = 18
const STREAM_TABLE_BITS = 16

/** Longer texts are compressed off the event loop. For shorter ones the dispatch costs more than the work. */
const SYNC_UP_TO_LENGTH = 32 * 1024

/** Returns the weights of codings or media ranges by name (RFC 9110 12.4.2). An invalid weight counts as 0. */
export const parseWeights = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(',').map((one) => {
      const [name = '', ...params] = one.split(';').map((part) => part.trim().toLowerCase())
      const q = params.find((param) => param.startsWith('q='))
      const weight = q === undefined ? 1 : Number(q.slice(2))
      return [name, weight >= 0 ? weight : 0]
    }),
  )

/** Returns the coding for an answer; undefined for none. @example selectCoding('gzip;q=0.5, br') // 'br' */
export const selectCoding = <C extends Coding = Coding>(
  header: string | null,
  // The default is all codings.
  codings: readonly C[] = PREFERENCE as readonly C[],
): C | undefined => {
  if (!header) return undefined
  const weights = parseWeights(header)
  const getWeight = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = [...codings].sort((a, b) => getWeight(b) - getWeight(a))[0]
  // The absence of compression is acceptable unless the header excludes it.
  const least = weights.get('identity') ?? 0
  return best && getWeight(best) > 0 && getWeight(best) >= least ? best : undefined
}

/** Compresses synchronously, for short texts and for texts that are compressed once and cached. */
export const compressSync = (coding: Coding, text: string | Buffer): Uint8Array<ArrayBuffer> => {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  const { gzipSync, brotliCompressSync, zstdCompressSync } = loadZlib()
  if (coding === 'gzip') return gzipSync(bytes, GZIP)
  return coding === 'br' ? brotliCompressSync(bytes, getBrotliOptions()) : zstdCompressSync(bytes)
}

const inThread = {
  gzip: (bytes: Buffer) => promisify<Buffer, object, Buffer<ArrayBuffer>>(loadZlib().gzip)(bytes, GZIP),
  br: (bytes: Buffer) =>
    promisify<Buffer, object, Buffer<ArrayBuffer>>(loadZlib().brotliCompress)(bytes, getBrotliOptions()),
  zstd: (bytes: Buffer) => promisify<Buffer, Buffer<ArrayBuffer>>(loadZlib().zstdCompress)(bytes),
}

/** Compresses like `compressSync`; a long text off the event loop. */
export const compress = async (coding: Coding, text: string | Buffer): Promise<Uint8Array<ArrayBuffer>> => {
  if (text.length <= SYNC_UP_TO_LENGTH) return compressSync(coding, text)
  return inThread[coding](typeof text === 'string' ? Buffer.from(text) : text)
}

/**
 * A streamed list holds its compressor's memory while it waits for its client. Windows of 256 KB compress as well and
 * as fast: zstd takes 1.0 MB instead of 3.2, Brotli 1.5 instead of 6.2.
 */
const streamCompressor = (coding: Coding): Transform => {
  const { constants: c, createGzip, createBrotliCompress, createZstdCompress } = loadZlib()
  if (coding === 'gzip') return createGzip(GZIP)
  if (coding === 'br')
    return createBrotliCompress({
      params: { ...getBrotliOptions().params, [c.BROTLI_PARAM_LGWIN]: STREAM_WINDOW_BITS },
    })
  const tables = { [c.ZSTD_c_hashLog]: STREAM_TABLE_BITS, [c.ZSTD_c_chainLog]: STREAM_TABLE_BITS }
  return createZstdCompress({ params: { [c.ZSTD_c_windowLog]: STREAM_WINDOW_BITS, ...tables } })
}

/** Resolves when the compressor accepts more input, or has ended. */
const waitForDrain = (compressor: Transform): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      compressor.off('drain', done)
      compressor.off('close', done)
      resolve()
    }
    compressor.on('drain', done)
    compressor.on('close', done)
  })

/** Returns the bytes of a source in a coding, chunk by chunk on demand. */
export const compressSource = (coding: Coding, bytes: AsyncIterable<Uint8Array>): Source => {
  const compressor = streamCompressor(coding)
  const chunks = compressor[Symbol.asyncIterator]()
  const plain = bytes[Symbol.asyncIterator]()
  let isFed = false
  /** One chunk at a time: each waiting chunk takes memory. */
  const feed = async (): Promise<void> => {
    isFed = true
    try {
      for (;;) {
        const { done, value } = await plain.next()
        if (done || compressor.destroyed) break
        if (!compressor.write(value)) await waitForDrain(compressor)
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
    // The `return` of `chunks` would not close a generator that has not started.
    return: async () => {
      compressor.destroy()
      await plain.return?.()
      return { done: true, value: undefined }
    },
  }
}
