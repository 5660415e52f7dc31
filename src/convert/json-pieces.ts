/**
 * Writes a large value as the JSON that `JSON.stringify` gives, in pieces, so that the whole text is never in memory. An iterable is
 * written as a list, and a function as the value that it returns when its turn comes.
 */

/** The levels below which a value is written at once: the lists of a document are on the second. */
const LEVELS = 3
/** The length of a piece, in UTF-16 units. */
const PIECE = 65_536
/** The pieces after which garbage is collected: the engine would let it grow with the memory outside of the heap. */
const PIECES_TO_COLLECT = 32

function* serializeMembers(value: object, levels: number): Generator<string> {
  let opening = '{'
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    yield `${opening}${JSON.stringify(key)}:`
    yield* serializeValue(member, levels)
    opening = ','
  }
  yield opening === '{' ? '{}' : '}'
}

function* serializeElements(values: Iterable<unknown>, levels: number): Generator<string> {
  let opening = '['
  for (const value of values) {
    yield opening
    yield* serializeValue(value, levels)
    opening = ','
  }
  yield opening === '[' ? '[]' : ']'
}

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

function* serializeValue(given: unknown, levels: number): Generator<string> {
  const value: unknown = typeof given === 'function' ? given() : given
  if (levels > 0 && isIterable(value)) yield* serializeElements(value, levels - 1)
  else if (levels > 0 && typeof value === 'object' && value !== null && !('toJSON' in value))
    yield* serializeMembers(value, levels - 1)
  else yield JSON.stringify(value) ?? 'null'
}

/** Yields the JSON of a value as UTF-8. */
export function* streamJson(value: object): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let piece = ''
  let pieces = 0
  for (const text of serializeValue(value, LEVELS)) {
    piece += text
    if (piece.length < PIECE) continue
    yield encoder.encode(piece)
    piece = ''
    if (++pieces % PIECES_TO_COLLECT === 0) Bun.gc(true)
  }
  if (piece !== '') yield encoder.encode(piece)
}
