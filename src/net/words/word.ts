// A word of a search in the spellings in which texts may have it.

/** The spellings of a word in lower case; the first is as it was typed. A text holds the word if it contains one of them. */
export type Word = readonly [string, ...string[]]

/** @param text in lower case */
export const holdsWord = (text: string, word: Word): boolean => word.some((spelling) => text.includes(spelling))

/** True if each text that holds `narrow` also holds `wide`. */
export const isNarrowerWord = (narrow: Word, wide: Word): boolean =>
  narrow.every((spelling) => holdsWord(spelling, wide))
