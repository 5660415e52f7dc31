/** Reads the files of a ZIP archive (APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16) from strangers, within a bound. Browser-safe. */
import { invalidField } from '../../contract/errors.ts'

const END = 0x06054b50
const ENTRY = 0x02014b50
const LOCAL = 0x04034b50
const END_BYTES = 22
const ENTRY_BYTES = 46
const LOCAL_BYTES = 30
/** The longest comment behind the end of the archive. */
const MAX_COMMENT = 65_535
const MAX_ENTRIES = 10_000
/** The most bytes of all files that are read, unpacked. */
const MAX_BYTES = 512 * 2 ** 20
const STORED = 0
const DEFLATED = 8

type Entry = { readonly method: number; readonly packed: number; readonly at: number }

const createFileError = (where: string, message: string) => invalidField('file', `${where}: ${message}`)

const findEnd = (view: DataView): number => {
  const last = view.byteLength - END_BYTES
  for (let at = last; at >= Math.max(0, last - MAX_COMMENT); at--) if (view.getUint32(at, true) === END) return at
  throw createFileError('the file', 'is no ZIP archive, or is cut off')
}

/** Returns the unpacked bytes; undefined as soon as they are more than the bound. @throws TypeError for damaged data */
const inflate = async (data: Uint8Array<ArrayBuffer>, most: number): Promise<Uint8Array | undefined> => {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  // A loop over the stream itself is missing in Safari.
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length
    if (length > most) {
      await reader.cancel()
      return undefined
    }
    parts.push(part.value)
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer())
}

export class ZipFile {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #entries = new Map<string, Entry>()
  #left = MAX_BYTES

  /** @throws AppError VALIDATION_ERROR on `file` */
  constructor(bytes: Uint8Array) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#bytes = bytes
    this.#view = view
    const end = findEnd(view)
    const count = view.getUint16(end + 10, true)
    if (count > MAX_ENTRIES) throw createFileError('the file', `has more than ${MAX_ENTRIES} files`)
    let at = view.getUint32(end + 16, true)
    for (let i = 0; i < count; i++) {
      if (at + ENTRY_BYTES > bytes.length || view.getUint32(at, true) !== ENTRY)
        throw createFileError(`byte ${at}`, 'is no entry of a ZIP archive')
      const name = view.getUint16(at + 28, true)
      const start = at + ENTRY_BYTES
      this.#entries.set(new TextDecoder().decode(bytes.subarray(start, start + name)), {
        method: view.getUint16(at + 10, true),
        packed: view.getUint32(at + 20, true),
        at: view.getUint32(at + 42, true),
      })
      at = start + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    }
  }

  /** Returns an unpacked file; undefined if there is none. @throws AppError VALIDATION_ERROR on `file` */
  async read(name: string): Promise<Uint8Array | undefined> {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    const { at, method, packed } = entry
    if (at + LOCAL_BYTES > this.#bytes.length || this.#view.getUint32(at, true) !== LOCAL)
      throw createFileError(`byte ${at}`, `has no file ${JSON.stringify(name)}`)
    const start = at + LOCAL_BYTES + this.#view.getUint16(at + 26, true) + this.#view.getUint16(at + 28, true)
    if (method !== STORED && method !== DEFLATED) throw createFileError(`byte ${at}`, 'is packed by an unknown method')
    // A copy, because the bytes may be shared.
    const data = this.#bytes.slice(start, start + packed)
    const file = method === STORED ? data : await this.#inflate(data, at)
    this.#left -= file.length
    return file
  }

  /** Stops at the bound, whatever size the archive claims. */
  async #inflate(data: Uint8Array<ArrayBuffer>, at: number): Promise<Uint8Array> {
    const file = await inflate(data, this.#left).catch(() => {
      throw createFileError(`byte ${at}`, 'is damaged')
    })
    if (!file) throw createFileError(`byte ${at}`, `unpacks to more than ${MAX_BYTES} bytes`)
    return file
  }
}
