/** The parts of the store of a resource that its facts do not tell. */

import type { Refs } from '../contract/fields/external-fields.ts'
import type { Ctx } from '../kernel/ctx.ts'
import type { ResourceFacts } from './facts.ts'
import type { ValuedParts } from './record.ts'
import type { Cells } from './row-updates.ts'

/** An object as it is stored. */
export type StoredObject = { readonly id: string; readonly refs?: Refs }

/** An object after a write, with the values of columns beyond the fields; without them an update keeps these columns. */
export type Written<T> = { readonly after: T; readonly columns?: Cells | undefined }

/** A new object, a changed one, or a deleted one. */
export type ObjectWrite<T> =
  | (Written<T> & { readonly before?: undefined; readonly event?: string | undefined })
  | (Written<T> & { readonly before: T })
  | { readonly before: T; readonly after?: undefined; readonly columns?: undefined }

/** The fields of an object that its natural key is built from. */
export type KeyFields<F extends ResourceFacts, T> = F extends { readonly identity: readonly (infer K)[] }
  ? Pick<T, K & keyof T>
  : T

/** Rows that do not follow from the fields. */
export type OwnRows<T> = {
  /** The columns that writes set. */
  readonly columns: readonly string[]
  /** The columns that queries select, if they differ from the columns. */
  readonly selected?: readonly string[]
  readonly toRows: (ctx: Ctx, objects: readonly T[]) => Promise<readonly Cells[]> | readonly Cells[]
  readonly fromRow: (row: never) => T
  /** Columns of indexes, which an update only sets if they differ: to set one costs a change of its indexes, also by the same value. */
  readonly indexed?: { readonly columns: readonly string[]; readonly toCells: (object: T) => Cells }
  /** The column with the document of the object. */
  readonly document?: string
  /** The columns that depend on the values of custom fields. */
  readonly valued?: readonly string[]
}

export type Searched<T> = {
  readonly getText: (object: T) => string
  /** Tells whether searches may rank an object differently, even with the same text. */
  readonly isFoundOtherwise: (before: T, after: T) => boolean
}

/** A column with the text that searches match. */
export type SearchText<T> = { readonly column: string; readonly load: (ctx: Ctx) => Promise<Searched<T>> }

/** The key of objects without an own id. */
export type CompositeKey<T> = {
  readonly columns: readonly (keyof T & string)[]
  readonly buildId: (object: T) => string
  readonly parseId: (id: string) => Cells
}

export type OwnStore<F extends ResourceFacts, T> = {
  /** Returns the text that is unique for the fields of `identity`, if it is not that of `createKeyBuilder`. */
  readonly buildKey?: (object: KeyFields<F, T>) => string
  readonly rows?: OwnRows<T>
  readonly key?: CompositeKey<T>
  readonly search?: SearchText<T>
  /** Returns an object as the history has it, if it has not all that is stored. */
  readonly toDocument?: (object: T) => object
  readonly valuedParts?: ValuedParts<T>
  /** Columns beyond the fields, such as keys of addresses, and the function that computes them, if writes do not give them. */
  readonly columns?: readonly string[]
  readonly toColumns?: (ctx: Ctx, objects: readonly T[]) => Promise<readonly Cells[]> | readonly Cells[]
  /** Fields without a column of their name. */
  readonly elsewhere?: readonly (keyof T & string)[]
  /** Returns a row with these fields in place of `columns`, which queries then select. */
  readonly fromColumns?: (row: never) => object
  /** Returns these fields of an object, if they are rows of other tables. */
  readonly readParts?: (ctx: Ctx, ids: readonly string[]) => Promise<(id: string) => Partial<T>>
  /** Fields that stand behind the times in objects. */
  readonly lastFields?: readonly (keyof T & string)[]
  /** The columns of the order of the list, if they differ from `order`. */
  readonly orderBy?: readonly string[]
  /** Deletes the rows of other tables that refer to the objects, before their rows are deleted. */
  readonly removeParts?: (ctx: Ctx, objects: readonly T[]) => Promise<void>
  /** Writes the rows of other tables that belong to the objects. */
  readonly writeParts?: (ctx: Ctx, writes: readonly ObjectWrite<T>[]) => Promise<void>
  /** Called before a write, such as to clear a cache. */
  readonly onWrite?: (ctx: Ctx) => void
}
