/** The ids of kinds: words in paths and commands. Browser-safe. */
import { matchWhole } from './text-rules.ts'

export const KIND_ID = '[a-z][a-z0-9-]{0,49}'
const isId = new RegExp(matchWhole(KIND_ID))

/** True for a text that can be the id of a kind. */
export const isKindId = (text: string): boolean => isId.test(text)
