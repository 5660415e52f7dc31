/** Streams a JSON array with each element on a separate line, without parsing or buffering it. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const LINE_FEED = 0x0a
const OPENERS = new Set([0x5b, 0x7b])
const CLOSERS = new Set([0x5d, 0x7d])

/**
 * Copies a JSON array with a line feed after each comma between its elements.
 * @example '[{"a":1},{"a":2}]' becomes '[{"a":1},\n{"a":2}]'
 * @throws Error if the array is incomplete
 */
export async function* splitRowsIntoLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let depth = 0
  let isInString = false
  let isEscaped = false
  let hasEnded = false
  for await (const chunk of body) {
    const pieces: Uint8Array[] = []
    let from = 0
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (byte === QUOTE) isInString = true
      else if (OPENERS.has(byte)) depth++
      else if (CLOSERS.has(byte)) hasEnded = --depth === 0
      else if (byte === COMMA && depth === 1) {
        pieces.push(chunk.subarray(from, i + 1), Uint8Array.of(LINE_FEED))
        from = i + 1
      }
    }
    yield Buffer.concat([...pieces, chunk.subarray(from)])
  }
  if (!hasEnded) throw new Error('the list broke off')
}
