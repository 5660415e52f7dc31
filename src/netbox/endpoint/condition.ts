/** A condition of a list, made of a filter of a request. */
import type { RawBuilder, SqlBool } from 'kysely'

export type Condition<Item = never> = {
  /** The filter as it was sent: tells cached counts apart. */
  readonly name: string
  readonly test: (item: Item) => boolean
  /** The same test in SQL, where the rows of the list have what it needs. */
  readonly sql?: RawBuilder<SqlBool> | undefined
  /** SQL that holds at least for the items that meet the test, where there is no `sql`. */
  readonly rough?: RawBuilder<SqlBool> | undefined
  /** The database alone tells: `test` holds for all items. */
  readonly isSqlOnly?: true
}

/** The values of one parameter of a request. */
export type Asked = {
  /** The parameter as it was sent, such as `name__ic`. */
  readonly parameter: string
  /** The part behind `__`; '' for none. */
  readonly lookup: string
  readonly values: readonly string[]
}

export const NULL_VALUE = 'null'
