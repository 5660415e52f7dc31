/** The rows of the palette: their order, and which of them is marked. */

/** A row that is there before the server answers: a page, an action or a view. */
type Known = { readonly id: string; readonly text: string; readonly synonyms?: readonly string[] | undefined }

const WHOLE = 0
const BEGINNING = 1
const PART = 2

const IS_OF_WORD = /[\p{L}\p{N}]/u

/** Returns how well a typed text fits a name. Undefined if the name does not contain it. */
const rankName = (name: string, typed: string): number | undefined => {
  const text = name.toLowerCase()
  if (text === typed) return WHOLE
  for (let at = text.indexOf(typed); at !== -1; at = text.indexOf(typed, at + 1)) {
    if (at === 0 || !IS_OF_WORD.test(text.charAt(at - 1))) return BEGINNING
  }
  return text.includes(typed) ? PART : undefined
}

/** A synonym is found by its beginning, and not by a part of it. */
const rankKnown = ({ text, synonyms = [] }: Known, typed: string): number | undefined => {
  const ranks = [
    rankName(text, typed),
    ...synonyms.map((one) => (one === typed ? WHOLE : one.startsWith(typed) ? BEGINNING : undefined)),
  ]
  return ranks.reduce((best, rank) => (best === undefined || (rank !== undefined && rank < best) ? rank : best))
}

const rankFound = ({ text }: Known, typed: string): number => {
  const name = text.toLowerCase()
  return name === typed ? WHOLE : name.startsWith(typed) ? BEGINNING : PART
}

type Sources<Row> = {
  readonly known: readonly Row[]
  /** The answer of a lookup. */
  readonly answers: readonly Row[]
  /** The objects that the search has found. */
  readonly found: readonly Row[]
}

export type Rows<Row> = {
  readonly rows: readonly Row[]
  /** The number of the first rows whose name is or begins with the text, which come before all answers of the server. */
  readonly sure: number
}

/**
 * Returns the rows in order: names that are the text or have it at the beginning of a word, the answer, the found objects, and names that
 * contain it elsewhere.
 */
export const orderRows = <Row extends Known>(text: string, { known, answers, found }: Sources<Row>): Rows<Row> => {
  const typed = text.trim().toLowerCase()
  const ranked = Map.groupBy(known, (row) => rankKnown(row, typed))
  const first = [...(ranked.get(WHOLE) ?? []), ...(ranked.get(BEGINNING) ?? [])]
  const objects = found.toSorted((a, b) => rankFound(a, typed) - rankFound(b, typed))
  return { rows: [...first, ...answers, ...objects, ...(ranked.get(PART) ?? [])], sure: first.length }
}

/** Returns the rows in the new order, but for the marked one and those above it, which stay where they are. */
export const keepMarked = <Row extends Known>(
  shown: readonly Row[],
  next: readonly Row[],
  marked: string | undefined,
): readonly Row[] => {
  const last = shown.findIndex(({ id }) => id === marked)
  const byId = new Map(next.map((row) => [row.id, row]))
  if (last === -1 || marked === undefined || !byId.has(marked)) return next
  const kept = shown.slice(0, last + 1).flatMap(({ id }) => byId.get(id) ?? [])
  return [...kept, ...next.filter((row) => !kept.includes(row))]
}

/**
 * Returns the id of the marked row: the one that the user has chosen, else the first one. Nothing is marked while an answer may come above
 * the first row.
 */
export const findMarked = (
  { rows, sure }: Rows<Known>,
  { chosen, isAnswered }: { readonly chosen: string | undefined; readonly isAnswered: boolean },
): string | undefined => {
  if (chosen !== undefined && rows.some(({ id }) => id === chosen)) return chosen
  return sure > 0 || isAnswered ? rows[0]?.id : undefined
}
