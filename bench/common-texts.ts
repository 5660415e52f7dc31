/** Texts of three pieces that nearly all devices of the estate have. Each is searched once: only the first search counts its matches. */

import { searchText } from '../src/inventory/devices/list/search-text.ts'
import type { Device } from '../src/inventory/devices/schema.ts'
import { generateEstate } from './estate/estate.ts'

/** Devices of which the pieces are taken. */
const SAMPLE = 1000
/** Pieces that are combined by threes. */
const PIECES = 12
/** The shortest piece that the index has. */
const LENGTH = 3

const piecesOf = (text: string): Set<string> => {
  const pieces = new Set<string>()
  for (let at = 0; at + LENGTH <= text.length; at++) {
    const piece = text.slice(at, at + LENGTH)
    if (/^[a-z0-9.]+$/.test(piece)) pieces.add(piece)
  }
  return pieces
}

/** Returns texts of which each is a first search, the most common pieces first. */
export const commonTexts = (): string[] => {
  const counts = new Map<string, number>()
  // A draft has all fields of which a search text is made.
  for (const draft of generateEstate({ devices: SAMPLE }).devices)
    for (const piece of piecesOf(searchText(draft as unknown as Device)))
      counts.set(piece, (counts.get(piece) ?? 0) + 1)
  const common = [...counts].sort(([, a], [, b]) => b - a).slice(0, PIECES)
  const pieces = common.map(([piece]) => piece)
  return pieces.flatMap((a, i) =>
    pieces.slice(i + 1).flatMap((b, j) => pieces.slice(i + j + 2).map((c) => `${a} ${b} ${c}`)),
  )
}
