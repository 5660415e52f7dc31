/** The effect of the lists and the empty values of a row on its object. Browser-safe. */
import { z } from 'zod'

export const LIST_RULES = ['replace', 'add'] as const
export const EMPTY_RULES = ['clear', 'keep'] as const

export type RowRules = {
  readonly lists: (typeof LIST_RULES)[number]
  readonly empty: (typeof EMPTY_RULES)[number]
}

/** The rules of a source that knows a part of each object: it takes nothing away. */
export const SOURCE_RULES: RowRules = { lists: 'add', empty: 'keep' }

/** The rules of a document that a person writes, equal to the rules of an update. */
export const DOCUMENT_RULES: RowRules = { lists: 'replace', empty: 'clear' }

/** Returns the fields of a contract that state the rules. */
export const rowRuleFields = ({ lists, empty }: RowRules) => ({
  lists: z
    .enum(LIST_RULES)
    .default(lists)
    .describe(
      'What a list of a row does to the list of its object: `replace` it, or `add` to it. With `add`, addresses are matched by `ip` ' +
        'and keep the fields that the row does not have',
    ),
  empty: z
    .enum(EMPTY_RULES)
    .default(empty)
    .describe('What null, an empty text and an empty list do to a field: `clear` it, or `keep` it as it is'),
})

const ANY_RULES = rowRuleFields(SOURCE_RULES)

/** The fields of a converted document that state its rules. An older server has none. */
export const CONVERTED_RULES = {
  lists: ANY_RULES.lists.unwrap().optional(),
  empty: ANY_RULES.empty.unwrap().optional(),
}

/** Returns a converted document with its rules, so that an apply of it takes nothing away. */
export const withSourceRules = <D extends object>(document: D): RowRules & D => ({ ...SOURCE_RULES, ...document })
