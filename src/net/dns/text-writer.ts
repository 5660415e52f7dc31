// Builds the text of names and values. `+=` on a string keeps a node of memory for each part until the string is read.

const BACKSLASH = 92
const ZERO = 48

const decoder = new TextDecoder()

/** Collects ASCII characters in a buffer. */
export class TextWriter {
  readonly #bytes: Uint8Array
  #size = 0

  /** @param capacity the most characters; later ones are lost */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity)
  }

  /** Appends one ASCII character. */
  put(code: number): this {
    this.#bytes[this.#size++] = code
    return this
  }

  /** Appends a byte as a character or as an escape of at most four characters (RFC 1035 section 5.1). */
  escape(code: number, isSpecial: boolean): this {
    if (code < 0x20 || code >= 0x7f) return this.escapeDigits(code)
    return isSpecial ? this.put(BACKSLASH).put(code) : this.put(code)
  }

  /** Appends a byte as an escape of three digits. */
  escapeDigits(code: number): this {
    this.put(BACKSLASH)
    this.put(ZERO + Math.floor(code / 100)).put(ZERO + (Math.floor(code / 10) % 10))
    return this.put(ZERO + (code % 10))
  }

  /** Returns the text as a string of its own. */
  finish(): string {
    return decoder.decode(this.#bytes.subarray(0, this.#size))
  }
}
