/** `did you mean`: finds the known word nearest to a mistyped one. */

/** The longest word that is compared: the time grows with the length, and no known word is longer. */
const MAX_WORD = 64

/** Counts changed, missing, extra or swapped letters between two words (optimal string alignment). */
const computeDistance = (a: string, b: string): number => {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwap = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

/** @example findNearest('tgs', ['name', 'tags']) // 'tags' */
export const findNearest = (word: string, known: Iterable<string>): string | undefined => {
  if (word.length > MAX_WORD) return undefined
  const typed = word.toLowerCase()
  let best: string | undefined
  // About one error in three letters; a larger distance means a different word.
  let bound = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const one of known) {
    if (one.length > MAX_WORD) continue
    const isBeginning = one.toLowerCase().startsWith(typed) && typed.length > 1
    // The difference of the lengths already shows a larger distance.
    if (!isBeginning && Math.abs(one.length - typed.length) >= bound) continue
    const off = isBeginning ? 1 : computeDistance(typed, one.toLowerCase())
    // The shortest of the words that begin with the typed one is chosen.
    if (off < bound || (best !== undefined && off === bound && one.length < best.length && one.startsWith(typed))) {
      best = one
      bound = off
    }
  }
  return best
}

/** @example formatSuggestion('--tgs', ['--tags']) // '; did you mean --tags?' */
export const formatSuggestion = (word: string, known: Iterable<string>): string => {
  const best = findNearest(word, known)
  return best === undefined ? '' : `; did you mean ${best}?`
}
