/** Damaged files for readers: cut off, with changed bytes, or with nothing of the format. */

import { AppError } from '../../src/contract/errors.ts'
import type { Converter } from '../../src/convert/converter.ts'

/** Returns a generator of pseudorandom numbers (mulberry32), so that a failure repeats. */
export const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Returns the outcome of a conversion: a document, or the message of an error on `file`. Any other error is thrown. */
export const outcomeOf = async (convert: Converter, bytes: Uint8Array): Promise<'document' | string> => {
  try {
    const { documents, hosts } = await convert(bytes, { now: new Date(0) })
    for (const rows of [hosts, ...Object.values(documents)]) for (const _ of rows);
    return 'document'
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION_ERROR' && error.details[0]?.field === 'file')
      return error.details[0].message
    throw error
  }
}

/** Yields the file cut off at about `count` places. */
export function* cutOff(file: Uint8Array, count: number): Generator<Uint8Array> {
  const step = Math.max(1, Math.floor(file.length / count))
  for (let end = 0; end < file.length - 2; end += step) yield file.slice(0, end)
}

/** Yields `count` copies of the file, each with a few bytes changed, taken out or repeated. */
export function* damaged(file: Uint8Array, count: number): Generator<Uint8Array> {
  const random = randomOf(7)
  for (let i = 0; i < count; i++) {
    const copy = file.slice()
    for (let changes = 1 + random(8); changes > 0; changes--) copy[random(copy.length)] = random(256)
    const at = random(copy.length)
    const length = random(64)
    if (i % 3 === 1) yield Buffer.concat([copy.subarray(0, at), copy.subarray(at + length)])
    else if (i % 3 === 2) yield Buffer.concat([copy.subarray(0, at + length), copy.subarray(at)])
    else yield copy
  }
}

/** Yields files that have nothing of any format. */
export function* rubbish(count: number): Generator<Uint8Array> {
  const random = randomOf(11)
  for (let i = 0; i < count; i++) yield Uint8Array.from({ length: random(2000) }, () => random(256))
  for (const text of ['', ' ', '{', '[', '{}', '[]', 'null', '0', '"', '[{}]', '[[]]', '{"a":[]}', '\u0000', 'COPY '])
    yield new TextEncoder().encode(text)
  for (const open of ['[', '{"a":', '[{"model":', '{"dcim/sites":[', '{"subnets":['])
    yield new TextEncoder().encode(open.repeat(200_000))
}
