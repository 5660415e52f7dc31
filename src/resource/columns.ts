/** The columns of the table of a resource, from its facts. */
import { toNameKey } from '../net/name-order.ts'
import { type FieldFacts, type FieldsOf, hasRefs, type ResourceFacts, type ValueOf } from './facts.ts'

type Column<F extends FieldFacts> = F extends { readonly type: 'flag' }
  ? number
  : F extends { readonly type: 'tags' | 'own' }
    ? string
    : ValueOf<F>

type NamesOf<T> = { [K in keyof T]: K }[keyof T] & string
type FieldNames<F extends ResourceFacts> =
  | NamesOf<F['fields']>
  | (F extends { laterFields: infer L } ? NamesOf<L> : never)
type Fields<F extends ResourceFacts> = FieldsOf<F> & Readonly<Record<string, FieldFacts>>

type LabelOf<F extends ResourceFacts> = F extends { readonly label: infer L extends string } ? L : 'name'
type IsNamed<F extends ResourceFacts> =
  LabelOf<F> extends keyof F['fields']
    ? F['fields'][LabelOf<F>] extends { readonly type: 'ip' }
      ? false
      : true
    : false
type OrderColumn<F extends ResourceFacts> = F extends { readonly orderColumn: infer C extends string }
  ? C
  : `${LabelOf<F>}_order`
type KeyedFields<F extends ResourceFacts> =
  | (F['fields'][LabelOf<F>] extends { readonly type: 'ip' } ? never : LabelOf<F>)
  | { [K in NamesOf<F['fields']>]: F['fields'][K] extends { readonly filter: 'same' } ? K : never }[NamesOf<
      F['fields']
    >]

/** The columns of the object itself in a row. */
export type SelectedRow<F extends ResourceFacts> = { id: string; managed_by: string; created_at: string } & {
  [K in FieldNames<F>]: Column<Fields<F>[K]>
} & (F extends { readonly refs: false } ? unknown : { refs: string }) &
  (F extends { readonly updates: false } ? unknown : { updated_at: string }) &
  (F extends { readonly custom: string } ? { custom: string | null } : unknown)

/** A row of the table of a resource. */
export type RowOf<F extends ResourceFacts> = SelectedRow<F> & {
  [K in KeyedFields<F> as `${K}_key`]: string
} & (IsNamed<F> extends true ? { [K in OrderColumn<F>]: string } : unknown) &
  (F extends { readonly identity: readonly string[] } ? { natural_key: string } : unknown)

export const getLabel = ({ label = 'name' }: ResourceFacts): string => label

/** Returns the column of the collation key of the label; undefined for objects without a name. */
export const getOrderColumn = (facts: ResourceFacts): string | undefined => {
  const label = getLabel(facts)
  const { type } = facts.fields[label] ?? { type: 'ip' }
  return type === 'ip' ? undefined : (facts.orderColumn ?? `${label}_order`)
}

/**
 * Returns the columns by which the rows are sorted for a field: the collation key of a name, the key of another text that has one, or
 * the field itself.
 */
export const toSortColumn = (facts: ResourceFacts, field: string): string => {
  if (field === getLabel(facts)) return getOrderColumn(facts) ?? field
  return listKeyedFields(facts).includes(field) ? `${field}_key` : field
}

/** Returns the fields with a second column in lower case, for filters in any case. An address has none. */
export const listKeyedFields = (facts: ResourceFacts): string[] => {
  const label = getLabel(facts)
  const filtered = Object.entries(facts.fields).filter(([, { filter }]) => filter === 'same')
  const labels = facts.fields[label]?.type === 'ip' ? [] : [label]
  return [...new Set([...labels, ...filtered.map(([name]) => name)])]
}

/** Returns the columns of the search index of a resource, without that of custom fields. */
export const listIndexedColumns = (facts: ResourceFacts): string[] => {
  const [label, keyed] = [getLabel(facts), listKeyedFields(facts)]
  return (facts.search ?? []).map((field) => (field === label && keyed.includes(field) ? `${field}_key` : field))
}

/**
 * Returns the function that builds the natural key of an object, which is unique; undefined without an identity, and for one of fields that
 * never change, which has no column. A space stands behind ids and numbers, which contain none, and a line feed between two texts.
 */
export const createKeyBuilder = ({ identity = [], fixed = [], fields }: ResourceFacts) => {
  if (identity.every((field) => fixed.includes(field))) return undefined
  const isCaseless = (field: string) => fields[field]?.type === 'text' || fields[field]?.type === 'name'
  const separator = identity.slice(0, -1).some(isCaseless) ? '\n' : ' '
  return (object: object): string => {
    const values = object as Readonly<Record<string, unknown>>
    const texts = identity.map((field) => [isCaseless(field), String(values[field] ?? '')] as const)
    return texts.map(([caseless, text]) => (caseless ? toNameKey(text) : text)).join(separator)
  }
}

/** Returns the columns of the object itself, in the order of its fields. */
export const listColumns = (facts: ResourceFacts): string[] => [
  'id',
  ...Object.keys(facts.fields),
  ...(hasRefs(facts) ? ['refs'] : []),
  'managed_by',
  'created_at',
  ...(facts.updates === false ? [] : ['updated_at']),
  ...Object.keys(facts.laterFields ?? {}),
  ...(facts.custom === undefined ? [] : ['custom']),
]
