/** Content codings (RFC 9110 8.4): which one a client takes, and the bytes in it. */
import { brotliCompressSync, constants, createBrotliCompress, createGzip, createZstdCompress, gzipSync, zstdCompressSync } from 'node:zlib'
import { Readable } from 'node:stream'

export type Coding = 'zstd' | 'br' | 'gzip'
/** Ours to choose among codings that the client likes alike: the quickest first. */
const PREFERENCE: readonly Coding[] = ['zstd', 'br', 'gzip']

/** Brotli's default of 11 is for files that are compressed once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const GZIP = { level: 5 }

/**
 * The coding to answer with; undefined for none.
 * @example acceptedCoding('gzip;q=0.5, br') // 'br'
 */
export const acceptedCoding = (header: string | null): Coding | undefined => {
  if (!header) return undefined
  const weights = new Map(
    header.split(',').map((one) => {
      const [name = '', ...params] = one.split(';').map((part) => part.trim().toLowerCase())
      const q = params.find((param) => param.startsWith('q='))
      return [name, q ? Number(q.slice(2)) : 1]
    }),
  )
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const best = [...PREFERENCE].sort((a, b) => weightOf(b) - weightOf(a))[0]
  return best && weightOf(best) > 0 ? best : undefined
}

export const compressedBytes = (coding: Coding, text: string): Uint8Array<ArrayBuffer> => {
  const bytes = Buffer.from(text)
  if (coding === 'gzip') return gzipSync(bytes, GZIP)
  return coding === 'br' ? brotliCompressSync(bytes, BROTLI) : zstdCompressSync(bytes)
}

export const compressedStream = (coding: Coding, bytes: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const compressor =
    coding === 'gzip' ? createGzip(GZIP) : coding === 'br' ? createBrotliCompress(BROTLI) : createZstdCompress()
  const source = Readable.from(bytes, { objectMode: false })
  source.once('error', (error) => compressor.destroy(error))
  compressor.once('close', () => source.destroy())
  source.pipe(compressor)
  // The web stream of a byte stream carries bytes.
  return Readable.toWeb(compressor) as ReadableStream<Uint8Array>
}
