/** The fields of objects that other systems keep or know: the owner of an object. Browser-safe. */
import { Filter, ruledText } from './fields.ts'

const OWNER = '[A-Za-z0-9][A-Za-z0-9._:/@-]{0,63}'
const isOwner = new RegExp(`^${OWNER}$`)

/** The owner of an object, such as a Git repository; `""` for none. */
export const ManagedBy = ruledText(64, {
  holds: (text) => isOwner.test(text),
  pattern: OWNER,
  error: 'must begin with a letter or digit, and have 1-64 of A-Z a-z 0-9 . _ : / @ -',
}).describe('The owner of the object, such as a Git repository; empty for none')

/** The filter of lists by owner. */
export const ManagedByFilter = Filter.optional().describe('Only objects that this owner manages')
