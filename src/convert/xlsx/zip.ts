/** Reads the files of a ZIP archive (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16) from strangers: each within a bound. */
import { inflateRawSync } from 'node:zlib'
import { createFileError } from '../converter.ts'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
/** The longest comment behind the end of the archive. */
const MAX_COMMENT = 65_535
const MAX_ENTRIES = 10_000
/** The most bytes of all files that are read, unpacked. */
const MAX_BYTES = 512 * 2 ** 20
const STORED = 0
const DEFLATED = 8

type Entry = { readonly method: number; readonly packed: number; readonly at: number }

const findEnd = (bytes: Buffer): number => {
  for (let at = bytes.length - END_BYTES; at >= Math.max(0, bytes.length - END_BYTES - MAX_COMMENT); at--)
    if (bytes.readUInt32LE(at) === END) return at
  throw createFileError('the file', 'is no ZIP archive, or is cut off')
}

export class ZipFile {
  readonly #bytes: Buffer
  readonly #entries = new Map<string, Entry>()
  #left = MAX_BYTES

  /** @throws AppError VALIDATION_ERROR on `file` */
  constructor(bytes: Buffer) {
    this.#bytes = bytes
    const end = findEnd(bytes)
    const count = bytes.readUInt16LE(end + 10)
    if (count > MAX_ENTRIES) throw createFileError('the file', `has more than ${MAX_ENTRIES} files`)
    let at = bytes.readUInt32LE(end + 16)
    for (let i = 0; i < count; i++) {
      if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== ENTRY)
        throw createFileError(`byte ${at}`, 'is no entry of a ZIP archive')
      const [name, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
        number,
        number,
        number,
      ]
      this.#entries.set(bytes.toString('utf8', at + 46, at + 46 + name), {
        method: bytes.readUInt16LE(at + 10),
        packed: bytes.readUInt32LE(at + 20),
        at: bytes.readUInt32LE(at + 42),
      })
      at += 46 + name + extra + comment
    }
  }

  /** Returns an unpacked file; undefined if there is none. @throws AppError VALIDATION_ERROR on `file` */
  read(name: string): Uint8Array | undefined {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    const { at, method, packed } = entry
    if (at + 30 > this.#bytes.length || this.#bytes.readUInt32LE(at) !== LOCAL)
      throw createFileError(`byte ${at}`, `has no file ${JSON.stringify(name)}`)
    const start = at + 30 + this.#bytes.readUInt16LE(at + 26) + this.#bytes.readUInt16LE(at + 28)
    const data = this.#bytes.subarray(start, start + packed)
    if (method !== STORED && method !== DEFLATED) throw createFileError(`byte ${at}`, 'is packed by an unknown method')
    const file = method === STORED ? data : this.#inflate(data, at)
    this.#left -= file.length
    return file
  }

  /** Stops at the bound, whatever size the archive claims. */
  #inflate(data: Buffer, at: number): Uint8Array {
    try {
      return inflateRawSync(data, { maxOutputLength: Math.max(1, this.#left) })
    } catch (error) {
      const isTooLarge = error instanceof RangeError || (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
      throw createFileError(`byte ${at}`, isTooLarge ? `unpacks to more than ${MAX_BYTES} bytes` : 'is damaged')
    }
  }
}
