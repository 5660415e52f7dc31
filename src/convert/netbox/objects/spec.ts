/** How objects of NetBox become custom values and objects of kinds: the form of the tables in this folder. */
import type { Line } from '../../report-builder.ts'
import type { Circuits } from '../circuits.ts'
import type { Interfaces } from '../interfaces.ts'
import { type Mapping, type PlaceTree, type RowRef, toRef } from '../mapping.ts'
import type { NetboxModel, Target } from '../model.ts'
import { type NetboxObject, parseNumber } from '../read/objects.ts'

/** Values by the names of their custom fields. */
export type Values = Readonly<Record<string, unknown>>

export type SpecContext = {
  readonly model: NetboxModel
  readonly places: PlaceTree
  readonly interfaces: Interfaces
  readonly circuits: Circuits
}

/** How an object of NetBox becomes an object. */
export type RowSpec = {
  /** The fields that the row says, with blanks between them. */
  readonly used: string
  readonly getName?: (object: NetboxObject) => string
  readonly findParent?: (object: NetboxObject) => Target | undefined
  readonly isLocated?: boolean
  readonly listLines?: (object: NetboxObject, mapping: Mapping) => Line[]
  /** Returns why an object is left over. */
  readonly findProblem?: (object: NetboxObject) => string | undefined
  /** Marks objects as converted that the row says. */
  readonly onAdded?: (object: NetboxObject, mapping: Mapping) => void
}

export type KindSpec = {
  readonly kind: string
  readonly getValues?: (object: NetboxObject) => Values
  readonly row?: RowSpec
}

export type SpecFactory = (context: SpecContext) => readonly KindSpec[]

/** Returns a reference to an object that the file lists. */
export const toListedRef = (model: NetboxModel, kind: string, id: unknown): RowRef | undefined =>
  typeof id === 'number' && model.isListed(kind, id) ? toRef(kind, id) : undefined

export const toListedTarget = (model: NetboxModel, kind: string, id: unknown): Target | undefined =>
  typeof id === 'number' && model.isListed(kind, id) ? { kind, id } : undefined

/** Returns references to the listed ones of several objects. */
export const toListedRefs = (model: NetboxModel, kind: string, ids: unknown): RowRef[] =>
  Array.isArray(ids) ? ids.flatMap((id) => toListedRef(model, kind, id) ?? []) : []

type Named = { readonly kind: string; readonly id: unknown }

/** Returns a line for an object that the file does not list. */
export const listUnlisted = (model: NetboxModel, key: string, { kind, id }: Named): Line[] =>
  id === undefined || toListedRef(model, kind, id) ? [] : [{ key, value: model.label(kind, id) }]

/** Returns the name of an object that another one names; undefined without any. */
export const toLabel = (model: NetboxModel, kind: string, id: unknown): string | undefined =>
  id === undefined ? undefined : model.label(kind, id)

/** Returns references without doubles. */
export const dedupeRefs = (refs: readonly RowRef[]): RowRef[] => [
  ...new Map(refs.map((one) => [one.ref, one])).values(),
]

export const toInteger = (value: unknown): number | undefined => {
  const number = parseNumber(value)
  return number !== undefined && Number.isSafeInteger(number) ? number : undefined
}

/** Returns the address of an interface's text `10.0.0.1/24`. */
export const removeMask = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.replace(/\/\d+$/, '') : undefined

/** Returns the objects of a kind by the id that a field of them has. */
export const groupBy = (
  model: NetboxModel,
  kind: string,
  getId: (object: NetboxObject) => unknown,
): ReadonlyMap<unknown, readonly NetboxObject[]> => Map.groupBy(model.of(kind), getId)
