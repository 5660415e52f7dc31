/** The declaration of a field, from which form, table, filter and the rest derive. Imports no React. */

import type { CellKind } from '../../../src/base/csv/cells.ts'
import { toNameKey, toSortKey } from '../../../src/net/name-order.ts'
import type { SortKey, TableSpec } from '../table/engine.ts'
import type { FieldSpec } from './resource.ts'

type Text = string | readonly string[]

const FILTERS = {
  begins: (text: string, value: string) => toNameKey(text).startsWith(value),
  contains: (text: string, value: string) => toNameKey(text).includes(value),
  equals: (text: string, value: string) => toNameKey(text) === value,
}

type Filter<T> = {
  /** Typed before the colon; the column's id by default. */
  readonly name?: string
  /** `value` is in lower case. */
  readonly test?: keyof typeof FILTERS | ((row: T, value: string) => boolean)
  /** Offers the values of the rows as completions. */
  readonly hasFacet?: boolean
}

type FieldColumn = {
  /** In the URL; the name of the field by default. */
  readonly id?: string
  /** The label of the field by default. */
  readonly text?: string
  /** In pixels. */
  readonly width?: number
  readonly isMono?: boolean
  readonly isRight?: boolean
  /** Kept on a phone. */
  readonly isEssential?: boolean
  /** The least width. */
  readonly least?: number
}

/** A label is enough: `false` takes a field out of one of the places where it is shown by default. */
export type Field<T> = {
  readonly label: string
  /** The text that is shown, searched and compared; the value itself by default. */
  readonly text?: (row: T) => Text
  /** Searched by the words of a filter. */
  readonly isSearched?: boolean
  readonly form?: Partial<FieldSpec> | false
  readonly column?: FieldColumn | false
  readonly sort?: ((row: T) => SortKey | undefined) | false
  readonly filter?: Filter<T> | false
  readonly cell?: CellKind
  readonly isDetail?: boolean
  /** Left out of the details where it is empty. */
  readonly isOptional?: boolean
  readonly isCompared?: boolean
}

/** One declaration for each field of the contract: a field without one does not compile. */
export type Fields<T> = { readonly [F in keyof T & string]-?: Field<T> }

const UNSEARCHED = { isSearched: false, form: false, filter: false, isCompared: false } as const

export const ID_FIELD = { ...UNSEARCHED, label: 'ID', column: false } as const

/** @param width of its column, in pixels */
export const buildNameField = (width = 200) =>
  ({
    label: 'Name',
    form: { isRequired: true },
    column: { width, isEssential: true },
    filter: false,
    isDetail: false,
    isCompared: false,
  }) as const

export const TIME_FIELDS = {
  created_at: { ...UNSEARCHED, label: 'Created', column: false },
  updated_at: { ...UNSEARCHED, label: 'Changed', column: { id: 'updated', text: 'Updated', width: 130 } },
} as const

/** The owner of an object. No form has it, and the details show it where it is set. */
export const MANAGED_BY_FIELD = {
  label: 'Managed by',
  form: { isShown: () => false },
  column: false,
  filter: { name: 'managed', test: 'equals', hasFacet: true },
  isOptional: true,
  isCompared: false,
} as const

type Refs = Readonly<Record<string, string>>

const formatRefs = (refs: Refs): string[] => Object.entries(refs).map((pair) => pair.join(':'))
/** @param absent replaces the ids */
const parseRefs = (text: string, absent?: null): Record<string, string | null> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [source = '', ...id] = line.trim().split(':')
      return source === '' ? [] : [[source, absent === undefined ? id.join(':').trim() : absent]]
    }),
  )

/** The ids of an object in other systems, in a form one on each line. A save names the removed ids. */
export const REFS_FIELD = {
  ...MANAGED_BY_FIELD,
  label: 'Also known as',
  form: {
    section: 'More',
    kind: 'area',
    hint: 'One on each line, like netbox:dcim.device.42',
    // The value of a resource with refs.
    read: (refs: unknown) => formatRefs(refs as Refs).join('\n'),
    send: (text: string, before = '') => ({ ...parseRefs(before, null), ...parseRefs(text) }),
  },
  text: ({ refs }: { readonly refs: Refs }) => formatRefs(refs),
  filter: { name: 'ref', test: 'contains' },
  cell: 'record',
} as const

/**
 * The values of custom fields. Forms get their control from `customControl`; columns, filters and details follow from the definitions.
 */
export const CUSTOM_VALUES = {
  ...UNSEARCHED,
  label: 'Custom fields',
  form: { isShown: () => false },
  column: false,
  cell: 'record',
  isDetail: false,
} as const

export const joinText = (text: Text): string => (typeof text === 'string' ? text : text.join(', '))

const toText = (value: unknown): Text => {
  if (Array.isArray(value)) return value.map(String)
  return value === null || value === undefined ? '' : String(value)
}

const createReader = <T extends object>(name: string, { text }: Field<T>): ((row: T) => Text) =>
  text ?? ((row) => toText(Reflect.get(row, name)))

/** A field as its resource names it, with its defaults. */
export type Declared<T> = { readonly name: string; readonly field: Field<T>; readonly read: (row: T) => Text }

const listDeclared = <T extends object>(fields: Fields<T>): Declared<T>[] =>
  Object.entries<Field<T>>(fields).map(([name, field]) => ({ name, field, read: createReader(name, field) }))

/** Returns the fields named in `first` in that order, then the others as declared. */
const sortFields = <T extends object>(fields: Fields<T>, first: readonly string[]): Declared<T>[] => {
  const computeRank = ({ name }: Declared<T>) => (first.includes(name) ? first.indexOf(name) : first.length)
  return listDeclared(fields).sort((a, b) => computeRank(a) - computeRank(b))
}

export const getColumnId = <T>({ name, field }: Declared<T>): string => (field.column || undefined)?.id ?? name

/** Returns the fields that have a column. */
export const listColumnFields = <T extends object>(fields: Fields<T>, first: readonly string[] = []): Declared<T>[] =>
  sortFields(fields, first).filter(({ field }) => field.column !== false)

/** The last section of a form, which is closed unless one of its fields is set or wrong. */
export const MORE = 'More'

/** A section of a form with its fields in their order; '' has no heading. */
export type Section = readonly [heading: string, names: readonly string[]]

/**
 * Returns the controls of a form; `given` adds the parts that only a component has, such as loaded options.
 * @param first the names of the fields that come first, or the sections. Fields of no section come into the last one.
 */
export const buildFormFields = <T extends object>(
  fields: Fields<T>,
  first: readonly (string | Section)[] = [],
  given: Readonly<Record<string, Partial<FieldSpec>>> = {},
): FieldSpec[] => {
  const sections = first.filter((one) => typeof one !== 'string')
  const headings = new Map(sections.flatMap(([heading, names]) => names.map((name) => [name, heading] as const)))
  const order = first.flatMap((one) => (typeof one === 'string' ? one : one[1]))
  return sortFields(fields, order)
    .filter(({ field }) => field.form !== false)
    .map(({ name, field }) => ({
      ...{ name, label: field.label, section: headings.get(name) ?? (sections.length > 0 ? MORE : undefined) },
      ...field.form,
      ...given[name],
    }))
}

const createTest = <T>({ field, read }: Declared<T>): ((row: T, value: string) => boolean) => {
  const test = (field.filter || undefined)?.test ?? 'contains'
  if (typeof test === 'function') return test
  const holds = FILTERS[test]
  return (row, value) => {
    const text = read(row)
    return typeof text === 'string' ? holds(text, value) : text.some((one) => holds(one, value))
  }
}

/** How the rows of a list are searched, sorted and filtered; the filters of the fields in `first` are offered first. */
export const buildTableSpec = <T extends { readonly id: string }>(
  fields: Fields<T>,
  first: readonly string[] = [],
): TableSpec<T> => {
  const all = sortFields(fields, first)
  const searched = all.filter(({ field }) => field.isSearched !== false)
  const sorted = all.filter(({ field }) => field.column !== false && field.sort !== false)
  const filtered = all.filter(({ field }) => field.filter !== false)
  const filterName = (one: Declared<T>) => (one.field.filter || undefined)?.name ?? getColumnId(one)
  const joinLines = (text: Text): string => (typeof text === 'string' ? text : text.join('\n'))
  return {
    id: ({ id }) => id,
    text: (row) => searched.map(({ read }) => joinLines(read(row))).join('\n'),
    sorts: Object.fromEntries(
      sorted.map((one) => [getColumnId(one), one.field.sort || ((row: T) => toSortKey(joinText(one.read(row))))]),
    ),
    fields: Object.fromEntries(filtered.map((one) => [filterName(one), createTest(one)])),
    facets: Object.fromEntries(
      filtered
        .filter(({ field }) => (field.filter || undefined)?.hasFacet)
        .map((one) => [
          filterName(one),
          (row: T) => {
            const text = one.read(row)
            return typeof text === 'string' ? [text] : text
          },
        ]),
    ),
  }
}

/** Returns the label and the text of each field for a page of details or a comparison. */
export const listShownFields = <T extends object>(
  fields: Fields<T>,
  where: 'isDetail' | 'isCompared',
  first: readonly string[] = [],
): Declared<T>[] => sortFields(fields, first).filter(({ field }) => field[where] !== false)

/** Returns the columns of a file, in the order of the declaration, and how a cell of each is read. */
export const listCellKinds = <T extends object>(fields: Fields<T>): Readonly<Record<string, CellKind>> =>
  Object.fromEntries(
    listDeclared(fields)
      .filter(({ name, field }) => name === 'id' || field.form !== false)
      .map(({ name, field }) => {
        const kind = field.form ? field.form.kind : undefined
        return [name, field.cell ?? (kind === 'tags' ? 'list' : kind === 'number' ? 'number' : 'text')]
      }),
  )
