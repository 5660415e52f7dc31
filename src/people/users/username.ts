/** The rules for new usernames. Browser-safe. */
import { z } from 'zod'
import { Name } from '../../contract/fields/fields.ts'
import { VISIBLE_TEXT } from '../../contract/fields/text-rules.ts'

/** Format characters and line and paragraph separators: they are invisible, or reorder the text around them. */
const MARK = /[\p{Cf}\p{Zl}\p{Zp}]/u

const CONTROL = /\p{Cc}/u

/** Spaces, and invisible letters such as the Hangul fillers. */
const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u

const MAX_LENGTH = 255

/** @example formatCodePoint('\u200b') // 'U+200B' */
const formatCodePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** A new username: one line of visible characters, in the normal form NFKC (UAX 15), so that equal texts are equal. */
export const Username = z
  .string()
  // Before trimming, which removes some of these characters.
  .check((check) => {
    const [mark] = MARK.exec(check.value) ?? []
    if (mark === undefined) return
    const message = `must not contain invisible characters or marks of direction: it has ${formatCodePoint(mark)}`
    check.issues.push({ code: 'custom', message, input: check.value })
  })
  .trim()
  .normalize('NFKC')
  .trim()
  .min(1, 'must not be blank')
  .max(MAX_LENGTH)
  .refine((name) => name.isWellFormed() && !CONTROL.test(name), {
    error: 'must be valid Unicode text without control characters',
  })
  .refine((name) => name === '' || !UNSEEN.test(name), { error: 'must not be blank' })
  .meta({ exact: { pattern: VISIBLE_TEXT } })

/** The username of an existing user. It may be older than the current rules, which apply when it changes. */
export const KeptUsername = Name.refine((name) => !CONTROL.test(name), {
  error: 'must not contain control characters',
  // A name that changes has to keep to the rules of today.
}).meta({ exact: { pattern: VISIBLE_TEXT } })
