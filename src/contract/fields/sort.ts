/** The order of a list, as its field `sort`: one of its fields or a custom field, reversed with `-`. Browser-safe. */
import { line } from './fields.ts'
import { matchWhole } from './text-rules.ts'

const CUSTOM = 'custom.'
const CUSTOM_NAME = '[a-z][a-z0-9_]{0,49}'

/** The fields by which every list can be sorted. */
const COMMON: readonly string[] = ['name', 'created_at', 'updated_at']

/** The fields by which a list of objects without names can be sorted. */
export const TIMES: readonly string[] = ['created_at', 'updated_at']

const MAX_SORT = '-custom.'.length + 50

/**
 * Declares the field `sort` of a list. @param own further fields, without dots @param common fields that the list shares with others
 */
export const sortField = (own: readonly string[] = [], common: readonly string[] = COMMON) => {
  const fields = [...common, ...own]
  const pattern = `-?(?:${fields.join('|')}|custom\\.${CUSTOM_NAME})`
  const isSort = new RegExp(matchWhole(pattern))
  return line(MAX_SORT)
    .refine((text) => isSort.test(text), {
      error: `must be one of ${fields.join(', ')} and custom.<name>; \`-\` before it reverses it`,
    })
    .meta({ exact: { pattern: matchWhole(pattern) } })
    .optional()
    .describe(`${fields.join(', ')} or custom.<name>; \`-\` reverses it`)
}

export type Sort = {
  /** A field, or the name of a custom field. */
  readonly by: string
  readonly isCustom: boolean
  readonly isReverse: boolean
}

/** @example parseSort('-custom.watts') // { by: 'watts', isCustom: true, isReverse: true } */
export const parseSort = (text: string): Sort => {
  const isReverse = text.startsWith('-')
  const field = isReverse ? text.slice(1) : text
  const isCustom = field.startsWith(CUSTOM)
  return { by: isCustom ? field.slice(CUSTOM.length) : field, isCustom, isReverse }
}
