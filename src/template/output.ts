/** Collects the text of a rendering as UTF-8, up to a limit. */
import { toValue } from 'liquidjs'

/** Text is encoded in pieces of this length, in UTF-16 units. */
const PIECE = 65_536

const encoder = new TextEncoder()

/** Returns the text of a value as LiquidJS prints it. */
const textOf = (given: unknown): string => {
  const value: unknown = toValue(given)
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(textOf).join('') : String(value)
}

const endsInHalf = (text: string): boolean => /[\uD800-\uDBFF]$/.test(text)

/** The emitter that LiquidJS writes to. */
export class Output {
  /** LiquidJS returns it from a rendering. The text is in the pieces. */
  readonly buffer = ''
  readonly #pieces: Uint8Array[] = []
  #text = ''
  #bytes = 0

  /** @param excess the message for more than `limit` bytes */
  constructor(
    readonly limit: number,
    readonly excess: string,
  ) {}

  write(value: unknown): void {
    this.#text += textOf(value)
    // The second half of a surrogate pair may be in the next value.
    if (this.#text.length >= PIECE && !endsInHalf(this.#text)) this.#encode()
  }

  /** Returns the whole text. */
  finish(): Uint8Array[] {
    this.#encode()
    return this.#pieces
  }

  #encode(): void {
    // Text has at least a byte per unit, so a text that is too long is not encoded at all.
    if (this.#bytes + this.#text.length > this.limit) throw new Error(this.excess)
    const piece = encoder.encode(this.#text)
    this.#text = ''
    this.#bytes += piece.byteLength
    if (this.#bytes > this.limit) throw new Error(this.excess)
    this.#pieces.push(piece)
  }
}
