/** Writes a large value as the JSON that `JSON.stringify` gives, in pieces, so that the whole text is never in memory. */

/** The levels below which a value is written at once: the lists of a document are on the second. */
const LEVELS = 3
/** The length of a piece, in UTF-16 units. */
const PIECE = 65_536

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

function* serializeElements(values: readonly unknown[], levels: number): Generator<string> {
  let opening = '['
  for (const value of values) {
    yield opening
    yield* serializeValue(value, levels)
    opening = ','
  }
  yield opening === '[' ? '[]' : ']'
}

function* serializeValue(value: unknown, levels: number): Generator<string> {
  if (levels > 0 && Array.isArray(value)) yield* serializeElements(value, levels - 1)
  else if (levels > 0 && typeof value === 'object' && value !== null && !('toJSON' in value))
    yield* serializeMembers(value, levels - 1)
  else yield JSON.stringify(value) ?? 'null'
}

/** Yields the JSON of a value as UTF-8. */
export function* streamJson(value: object): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  let piece = ''
  for (const text of serializeValue(value, LEVELS)) {
    piece += text
    if (piece.length < PIECE) continue
    yield encoder.encode(piece)
    piece = ''
  }
  if (piece !== '') yield encoder.encode(piece)
}
