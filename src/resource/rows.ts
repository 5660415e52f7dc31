/** The rows of a resource: the columns of its table and the conversion of objects, from its facts. */

import { withRefs } from '../contract/fields/external-fields.ts'
import { toNameKey, toNameOrder } from '../net/name-order.ts'
import { getLabel, getOrderColumn, listColumns, listKeyedFields } from './columns.ts'
import { formatCustom, type WithCustom, withCustomOfRow } from './custom/rows.ts'
import { type FieldFacts, hasRefs, listFields, type ResourceFacts } from './facts.ts'

/** A value of a row. */
type Cell = string | number | null
type Row = Readonly<Record<string, Cell>>
type Values = Readonly<Record<string, unknown>>

const isJson = ({ type }: FieldFacts): boolean => type === 'tags' || type === 'own'
const isText = ({ type }: FieldFacts): boolean => type === 'name' || type === 'text' || type === 'mac'

const toCell = (facts: FieldFacts, value: unknown): Cell => {
  if (value === undefined) return isText(facts) ? '' : null
  if (facts.type === 'flag') return Number(value)
  // The other types have texts, numbers and null.
  return isJson(facts) ? JSON.stringify(value) : (value as Cell)
}

const fromCell = (facts: FieldFacts, cell: Cell | undefined): unknown => {
  if (facts.type === 'flag') return cell === 1
  // As `toCell` writes it.
  return isJson(facts) ? JSON.parse(cell as string) : cell
}

export type RowConversion<T> = {
  /** The columns that a query selects. */
  readonly columns: readonly string[]
  /** These, and the columns of keys. */
  readonly allColumns: readonly string[]
  readonly toRow: (object: T) => Row
  readonly fromRow: (row: object) => T
}

export type RowParts<T> = {
  /** Returns the natural key of an object, if its resource has an identity. */
  readonly buildKey?: ((object: T) => string) | undefined
  /** Fields without a column of their name. */
  readonly elsewhere?: readonly string[] | undefined
  /** Fields that stand behind the times in objects. */
  readonly lastFields?: readonly string[] | undefined
}

export const createConversion = <T extends object>(
  facts: ResourceFacts,
  { buildKey, elsewhere = [], lastFields = [] }: RowParts<T>,
): RowConversion<T> => {
  const fields = listFields(facts).filter(([name]) => !elsewhere.includes(name))
  const early = listColumns(facts).filter((name) => name !== 'custom' && !lastFields.includes(name))
  const members = [...early, ...lastFields, ...(facts.custom === undefined ? [] : ['custom'])]
  const columns = members.filter((name) => !elsewhere.includes(name))
  const keyed = listKeyedFields(facts)
  const isReferred = hasRefs(facts)
  // Most fields are stored as they are.
  const converted = fields.filter(([, one]) => one.type === 'flag' || isJson(one) || one.onlyWithValue)
  const labelKey = `${getLabel(facts)}_key`
  const order = getOrderColumn(facts)
  const keyColumns = [
    ...keyed.map((field) => `${field}_key`),
    ...(order === undefined ? [] : [order]),
    ...(buildKey ? ['natural_key'] : []),
  ]
  // The fields of an object are its columns. Loops, because every write of the inventory runs this.
  const toRow = (object: T): Row => {
    const values = object as Values
    const row: Record<string, unknown> = { ...values }
    for (const [name, one] of converted) row[name] = toCell(one, values[name])
    for (const field of keyed) row[`${field}_key`] = toNameKey(String(values[field]))
    if (order !== undefined) row[order] = toNameOrder(String(row[labelKey]))
    if (isReferred) row.refs = JSON.stringify(values.refs)
    if (facts.custom !== undefined) row.custom = formatCustom(object as WithCustom)
    if (buildKey) row.natural_key = buildKey(object)
    return row as Row
  }
  const readFields = (row: Row): Record<string, unknown> => {
    const object: Record<string, unknown> = elsewhere.length === 0 ? { ...row } : {}
    if (elsewhere.length > 0) for (const name of members) object[name] = row[name]
    for (const [name, one] of converted) {
      if (one.onlyWithValue && (row[name] === null || row[name] === '')) delete object[name]
      else object[name] = fromCell(one, row[name])
    }
    return object
  }
  const fromRow = (row: object): T => {
    const plain = converted.length + elsewhere.length === 0 ? row : readFields(row as Row)
    // The row has the columns of its facts.
    const referred = (hasRefs(facts) ? withRefs(plain as { readonly refs: string }) : plain) as object
    return (
      facts.custom === undefined ? referred : withCustomOfRow(referred as { readonly custom: string | null })
    ) as T
  }
  return { columns, allColumns: [...columns, ...keyColumns], toRow, fromRow }
}
