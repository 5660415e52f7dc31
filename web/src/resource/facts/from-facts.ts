/** The fields of a resource from its facts: form, columns, filters, details, comparison and cells of files. Imports no React. */

import type { CellKind } from '../../../../src/base/csv/cells.ts'
import type { ContractOf, Resource } from '../../../../src/inventory/resources.ts'
import type { AnyOperation } from '../../../../src/kernel/operation.ts'
import { DEFAULT_SPACE, parseIpKey } from '../../../../src/net/ip.ts'
import {
  type Computed,
  type ComputedFacts,
  type FieldFacts,
  type FieldsOf,
  hasRefs,
  listFields,
  type ResourceFacts,
} from '../../../../src/resource/facts.ts'
import type { Contracts, Out } from '../../api/contracts.ts'
import {
  buildNameField,
  CUSTOM_VALUES,
  type Field,
  type Fields,
  ID_FIELD,
  MANAGED_BY_FIELD,
  REFS_FIELD,
  TIME_FIELDS,
} from '../fields.ts'

/** Names of other objects by their ids. */
export type Names = ReadonlyMap<string, string>

type Named = ResourceFacts & { readonly name: Resource }

/** The objects of a resource, as `create` answers. */
export type ItemOf<F extends Named> = Contracts[ContractOf<F['name']>] extends {
  readonly create: infer G extends AnyOperation
}
  ? Extract<Out<G>, object>
  : never

/** The part of a field that differs from the default of its facts. An object is merged into the default, property by property. */
export type Difference<T> = Partial<Field<T>>

type Owned = 'id' | 'custom' | 'refs' | 'managed_by' | 'created_at' | 'updated_at'
type FactNames<F extends ResourceFacts> = (keyof FieldsOf<F> | keyof Computed<F>) & string

/** The differences of a resource by its fields. A field beyond the facts, as only rows of a list have, is declared as a whole. */
export type Differences<F extends ResourceFacts, T> = {
  readonly [N in FactNames<F> | Owned]?: Difference<T>
} & { readonly [N in Exclude<keyof T & string, FactNames<F> | Owned>]-?: Field<T> }

type Options = {
  /** Names of the objects that references name. */
  readonly names?: Names | undefined
  /** The order of the fields, if it is not the order in files. */
  readonly order?: readonly string[]
}

const ABBREVIATIONS = new Set(['ip', 'mac', 'os', 'id'])
/** A longer text has an area in forms. */
const MAX_LINE = 1000

export const withCapital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** @example toLabel('part_number') // 'Part number' */
export const toLabel = (name: string): string =>
  withCapital(
    name
      .replace(/_id(s?)$/, '$1')
      .split('_')
      .map((word) => (ABBREVIATIONS.has(word) ? word.toUpperCase() : word))
      .join(' '),
  )

/** @example toChoices(['bottom_up']) // [['bottom_up', 'Bottom up']] */
export const toChoices = <const T extends string>(values: readonly T[]): (readonly [T, string])[] =>
  values.map((value) => [value, withCapital(value.replaceAll('_', ' '))] as const)

/** The column of an id has the name of the object: `datacenter` of `datacenter_id`. */
const getShortName = (name: string): string => name.replace(/_id(s?)$/, '$1')

type Row = Readonly<Record<string, unknown>>
type Default = Field<Row>

const buildReference = (name: string, to: string, names: Names): Partial<Default> => ({
  text: (row) => names.get(String(row[name] ?? '')) ?? '',
  isSearched: false,
  // A reference of facts is to a resource.
  form: { kind: 'reference', to: to as Resource },
  column: { id: getShortName(name), width: 150 },
  filter: { test: 'begins', hasFacet: true },
})

const buildNumber = (name: string, usual: number | undefined): Partial<Default> => ({
  isSearched: false,
  cell: 'number',
  form: { kind: 'number', ...(usual !== undefined && { initial: String(usual) }) },
  column: { width: 90, isRight: true },
  sort: (row) => (typeof row[name] === 'number' ? row[name] : -1),
  filter: false,
})

const buildFlag = (name: string, usual: boolean): Partial<Default> => ({
  text: (row) => (row[name] ? 'yes' : 'no'),
  isSearched: false,
  form: { kind: 'flag', initial: String(usual), send: (text) => text === 'true' },
  column: { width: 100 },
  filter: { test: 'equals' },
})

const buildChoice = (of: readonly string[], usual: string | undefined): Partial<Default> => ({
  isSearched: false,
  form: { kind: 'select', options: toChoices(of), ...(usual !== undefined && { initial: usual }) },
  column: { width: 128 },
  filter: { test: 'begins', hasFacet: true },
})

type Context = { readonly names: Names; readonly isFixed: boolean }

const LONG_TEXT: Partial<Default> = { form: { kind: 'area' }, column: { width: 220 }, sort: false, filter: false }

/** Returns the parts that follow from the type of a field. */
const buildOfType = (name: string, facts: FieldFacts, names: Names): Partial<Default> => {
  switch (facts.type) {
    case 'name':
      return buildNameField()
    case 'text':
      return facts.max > MAX_LINE ? LONG_TEXT : { filter: { hasFacet: true } }
    case 'integer':
    case 'number':
      return buildNumber(name, facts.usual)
    case 'flag':
      return buildFlag(name, facts.usual)
    case 'choice':
      return buildChoice(facts.of, facts.usual)
    case 'tags':
      return {
        form: { kind: 'tags', hint: 'With commas between them' },
        column: { width: 160 },
        sort: false,
        filter: { name: 'tag', test: 'begins', hasFacet: true },
      }
    case 'moment':
      return { isSearched: false, form: { kind: 'moment' }, column: { width: 130 }, filter: false }
    case 'ip':
      return {
        form: { isMono: true },
        column: { isMono: true },
        sort: (row) => parseIpKey(String(row[name] ?? ''), DEFAULT_SPACE) ?? String(row[name] ?? ''),
      }
    case 'mac':
      return { form: { isMono: true }, column: { isMono: true, width: 150 } }
    case 'reference':
      return buildReference(name, facts.to, names)
    case 'own':
      return facts.cell ? { cell: facts.cell } : {}
    case 'date':
      return { form: { isMono: true, hint: 'Like 2026-01-31' }, filter: { test: 'begins' } }
  }
}

const buildStored = (name: string, facts: FieldFacts, { names, isFixed }: Context): Default => {
  const own = buildOfType(name, facts, names)
  const { description = '', required, isComputed, onlyWithValue } = facts
  return {
    label: toLabel(name),
    ...own,
    ...(onlyWithValue && { isOptional: true }),
    form: isComputed
      ? false
      : {
          ...(description && { hint: description }),
          ...own.form,
          ...(required && { isRequired: true }),
          ...(isFixed && { isFixed: true }),
        },
  }
}

const buildComputed = (name: string, { type }: ComputedFacts): Default => {
  const count = (row: Row): number => (Array.isArray(row[name]) ? row[name].length : 0)
  const hidden = { label: toLabel(name), isSearched: false, form: false, filter: false } as const
  return type === 'ids'
    ? {
        ...hidden,
        text: (row) => String(count(row)),
        column: { id: getShortName(name), width: 90, isRight: true },
        sort: count,
      }
    : { ...hidden, column: false, isDetail: false, isCompared: false }
}

/** Returns the names of all fields in the order of forms and files. */
export const orderInputs = (facts: ResourceFacts): string[] => {
  const { inputs = [], computed = {}, custom, laterFields = {} } = facts
  const stored = Object.keys(facts.fields).flatMap((name) => [
    name,
    ...Object.entries(computed).flatMap(([other, { after }]) => (after === name ? other : [])),
  ])
  const last = Object.keys(computed).filter((name) => !stored.includes(name))
  const values = custom === undefined ? [] : ['custom']
  const owned = [...(hasRefs(facts) ? ['refs'] : []), 'managed_by']
  const later = Object.keys(laterFields)
  const behind = later.length > 0 ? [...owned, ...later, ...values] : [...values, ...owned]
  return [...new Set([...inputs, ...stored, ...last, ...behind])]
}

const MERGED = ['form', 'column', 'filter'] as const

/** Puts a difference into the default, part by part. An empty hint takes the hint of the default away. */
const merge = <T>(usual: Field<T>, own: Difference<T> = {}): Field<T> => {
  const merged: Record<string, unknown> = { ...usual, ...own }
  for (const part of MERGED) if (usual[part] && own[part]) merged[part] = { ...usual[part], ...own[part] }
  if (own.form && own.form.hint === '') {
    const { hint: _, ...form } = { ...usual.form, ...own.form }
    merged.form = form
  }
  // A default with the parts of a difference is a field.
  return merged as Field<T>
}

/**
 * Returns the declaration of all fields of a resource. A field without a difference has the defaults of its facts.
 * @example buildFields(rackFacts, { location: { form: { hint: 'Room and row' } } }, { names })
 */
export const buildFields = <const F extends Named, T extends object = ItemOf<F>>(
  facts: F,
  differences: Differences<F, T>,
  { names = new Map(), order = orderInputs(facts) }: Options = {},
): Fields<T> => {
  const { fixed = [] }: ResourceFacts = facts
  const usual: Record<string, Default> = {
    id: ID_FIELD,
    ...Object.fromEntries(
      listFields(facts).map(([name, field]) => [
        name,
        buildStored(name, field, { names, isFixed: fixed.includes(name) }),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(facts.computed ?? {}).map(([name, field]) => [name, buildComputed(name, field)]),
    ),
    ...(facts.custom !== undefined && { custom: CUSTOM_VALUES }),
    // The text of refs reads the refs of a row, which a resource with refs has.
    ...(hasRefs(facts) && { refs: REFS_FIELD as unknown as Default }),
    managed_by: MANAGED_BY_FIELD,
    created_at: TIME_FIELDS.created_at,
    ...(facts.updates !== false && { updated_at: TIME_FIELDS.updated_at }),
  }
  const own: Readonly<Record<string, Difference<T> | undefined>> = differences
  const all = [...new Set(['id', ...order, ...Object.keys(usual), ...Object.keys(own)])]
  return Object.fromEntries(
    all.flatMap((name) => {
      // The defaults read the fields of a row by their names.
      const base = usual[name] as Field<T> | undefined
      return base || own[name] ? [[name, base ? merge(base, own[name]) : own[name]]] : []
    }),
    // The compiler does not know the names of the facts.
  ) as Fields<T>
}

const toCellKind = (facts: FieldFacts): CellKind => {
  if (facts.type === 'tags') return 'list'
  if (facts.type === 'own') return facts.cell ?? 'text'
  return facts.type === 'integer' || facts.type === 'number' ? 'number' : 'text'
}

/** True for objects that are found by their place in another one, so that files need no id of them. */
const isFoundInParent = ({ identity = [], fields }: ResourceFacts): boolean =>
  identity.some((name) => fields[name]?.type === 'reference' && fields[name].required === true)

/** Returns the columns of a file that an import takes, in their order, and how a cell of each is read. */
export const listFileCells = (facts: ResourceFacts): Readonly<Record<string, CellKind>> => {
  const kinds = new Map<string, CellKind>([
    ...listFields(facts).flatMap(([name, field]): [string, CellKind][] =>
      field.isComputed ? [] : [[name, toCellKind(field)]],
    ),
    ['custom', 'record'],
    ['refs', 'record'],
    ['managed_by', 'text'],
  ])
  return Object.fromEntries([
    ...(isFoundInParent(facts) ? [] : [['id', 'text'] as const]),
    ...orderInputs(facts).flatMap((name) => {
      const kind = kinds.get(name)
      return kind === undefined ? [] : [[name, kind] as const]
    }),
  ])
}
