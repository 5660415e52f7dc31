/**
 * An endpoint of the NetBox-compatible API is one declaration: its list, its objects, its writes, its filters, `OPTIONS` and the schema follow
 * from it.
 */
import type { Tables } from '../../database/tables.ts'
import type { Kind } from '../numbers/kinds.ts'
import type { World } from '../world/world.ts'
import type { Condition } from './condition.ts'
import type { CustomFields } from './custom.ts'
import type { Path } from './declared.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import type { Filter } from './filter.ts'

export type Table = keyof Tables & string

/** A field by which a list is ordered. */
export type Ordering = {
  readonly field: 'id' | 'name' | 'created' | 'last_updated' | 'address' | 'prefix' | 'vid'
  readonly isReverse: boolean
}

export type Page = { readonly limit: number | undefined; readonly offset: number }

/** Where the items of an endpoint come from. */
export type Source<Item> = {
  /** The tables of which a commit changes the list. */
  readonly tables: readonly Table[]
  /** Yields the items that meet all conditions, in the order of the list, in chunks of bounded size. */
  readonly items: (world: World, conditions: readonly Condition<Item>[], page: Page) => AsyncIterable<readonly Item[]>
  /** Yields the same in another order; absent for a source or an order that memory sorts. */
  readonly itemsBy?: (
    world: World,
    conditions: readonly Condition<Item>[],
    page: Page & { readonly ordering: readonly Ordering[] },
  ) => AsyncIterable<readonly Item[]> | undefined
  readonly count: (world: World, conditions: readonly Condition<Item>[]) => Promise<number>
  /** Returns the items of these keys that the caller sees. */
  readonly find: (world: World, keys: readonly string[]) => Promise<readonly Item[]>
}

export type Writes<Item> = {
  /** Stores a new object. Returns its key. */
  readonly create?: (draft: Draft<Item>) => Promise<string>
  /** Stores the changes of an object. Returns its key afterwards. */
  readonly update?: (draft: Draft<Item>, item: Item) => Promise<string>
  readonly remove?: (draft: Draft<Item>, item: Item) => Promise<void>
}

export type Endpoint<Item> = {
  readonly path: Path
  readonly kind: Kind
  readonly fields: readonly Field<Item>[]
  /** Fields that requests may have and answers have not. They are taken over first. */
  readonly inputs?: readonly Pick<Field<Item>, 'name' | 'write'>[]
  /** The fields of its brief form: in other objects, and in lists with `brief`. */
  readonly brief: readonly string[]
  /** The fields of its nested form, if it has one: as a tag, above another object, or of a service. */
  readonly nested?: readonly string[]
  readonly key: (item: Item) => string
  readonly source: Source<Item>
  readonly filters: Readonly<Record<string, Filter<Item>>>
  /** The columns of times, where rows have them. */
  readonly times?: { readonly created: string; readonly last_updated: string }
  /** The filters by custom fields, and their definitions. */
  readonly custom?: CustomFields<Item>
  /** Reads the sets, names and definitions that the fields of any item need. */
  readonly prepare: (world: World) => Promise<void>
  readonly writes?: Writes<Item>
  /** True for an item in place of an object that NetBox demands and Plat has not: it is not written. */
  readonly isStandIn?: (item: Item) => boolean
  /** The sets that its writes change, although their objects belong to other endpoints. */
  readonly changedSets?: readonly object[]
  /** A write changes a set that its answer shows, or that later objects of its request may name. */
  readonly isSmall?: true
}
