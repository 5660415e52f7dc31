/** Collects the text of a rendering as UTF-8, up to a limit. */
import { toValue } from 'liquidjs'

/** Text is encoded in pieces of this length, in UTF-16 units. */
const PIECE = 65_536

const encoder = new TextEncoder()

/** Returns the text of a value as LiquidJS prints it. */
const formatValue = (given: unknown): string => {
  const value: unknown = toValue(given)
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  return Array.isArray(value) ? value.map(formatValue).join('') : String(value)
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
    const text = formatValue(value)
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > this.limit) throw new Error(this.excess)
    this.#text += text
    // The second half of a surrogate pair may be in the next value.
    if (this.#text.length >= PIECE && !endsInHalf(this.#text)) this.#encode()
  }

  /** Returns the whole text. */
  finish(): Uint8Array[] {
    this.#encode()
    return this.#pieces
  }

  #encode(): void {
    this.#pieces.push(encoder.encode(this.#text))
    this.#text = ''
  }
}
