// Reads and writes the numbers, names and bytes of DNS messages, in network byte order.

import { DnsFormatError } from './format-error.ts'
import { decodeName, encodeNameOrThrow, expandName } from './name.ts'

/** The largest message: TCP has a length of two bytes before it (RFC 1035 section 4.2.2). */
export const MESSAGE_MAX = 65_535

/** Reads forwards from an offset. Every method throws DnsFormatError at the end of the bytes. */
export class WireReader {
  at: number
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get left(): number {
    return this.bytes.length - this.at
  }

  #advance(size: number): number {
    if (size > this.left) throw new DnsFormatError('the message is cut off')
    const start = this.at
    this.at += size
    return start
  }

  u8(): number {
    return this.#view.getUint8(this.#advance(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#advance(2))
  }

  u32(): number {
    return this.#view.getUint32(this.#advance(4))
  }

  u48(): number {
    const high = this.u16()
    return high * 2 ** 32 + this.u32()
  }

  /** Returns a view, not a copy. */
  take(size: number): Uint8Array {
    const start = this.#advance(size)
    return this.bytes.subarray(start, start + size)
  }

  /** Returns a copy. Of a few bytes it costs less than a view. */
  copy(size: number): Uint8Array {
    const start = this.#advance(size)
    return this.bytes.slice(start, start + size)
  }

  name(): string {
    const { name, end } = decodeName(this.bytes, this.at)
    this.at = end
    return name
  }

  /** Reads a name as `expandName`. */
  expandedName(): Uint8Array {
    const { wire, end } = expandName(this.bytes, this.at)
    this.at = end
    return wire
  }
}

const POINTER = 0xc000
/** Offsets have 14 bits (RFC 1035 section 4.1.4). */
const OFFSET_MAX = 0x3fff

/** Writes forwards into a buffer that grows. */
export class WireWriter {
  #bytes = new Uint8Array(512)
  #view = new DataView(this.#bytes.buffer)
  #size = 0
  readonly #offsets = new Map<string, number>()

  get size(): number {
    return this.#size
  }

  /** Replaces the buffer and its view, so it is called before they are read. */
  #grow(size: number): number {
    const start = this.#size
    this.#size += size
    if (this.#size > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#size, 2 * this.#bytes.length))
      larger.set(this.#bytes)
      this.#bytes = larger
      this.#view = new DataView(larger.buffer)
    }
    return start
  }

  u8(value: number): this {
    const at = this.#grow(1)
    this.#view.setUint8(at, value)
    return this
  }

  u16(value: number): this {
    const at = this.#grow(2)
    this.#view.setUint16(at, value)
    return this
  }

  u32(value: number): this {
    const at = this.#grow(4)
    this.#view.setUint32(at, value)
    return this
  }

  u48(value: number): this {
    return this.u16(Math.floor(value / 2 ** 32)).u32(value % 2 ** 32)
  }

  put(bytes: Uint8Array): this {
    const at = this.#grow(bytes.length)
    this.#bytes.set(bytes, at)
    return this
  }

  /** Writes a name without compression, as in rdata (RFC 3597 section 4) and in TSIG (RFC 8945 section 4.2). */
  name(name: string): this {
    return this.put(encodeNameOrThrow(name))
  }

  /** Writes a name, and a pointer in place of the labels that were written here before. */
  compressedName(name: string): this {
    const wire = encodeNameOrThrow(name)
    for (let at = 0; wire[at]; ) {
      const rest = String.fromCharCode(...wire.subarray(at))
      const known = this.#offsets.get(rest)
      if (known !== undefined) return this.u16(POINTER | known)
      if (this.#size <= OFFSET_MAX) this.#offsets.set(rest, this.#size)
      const end = at + 1 + (wire[at] ?? 0)
      this.put(wire.subarray(at, end))
      at = end
    }
    return this.u8(0)
  }

  setU16(at: number, value: number): void {
    this.#view.setUint16(at, value)
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#size)
  }
}
