/** A field of an endpoint: its type, how it is read and how it is written. */
import type { Kind } from '../numbers/kinds.ts'
import type { Counter } from '../world/counters.ts'
import type { World } from '../world/world.ts'
import type { Draft } from './draft.ts'

/** The values of a choice with their labels. */
export type Choices = Readonly<Record<string, string>>

/** The type of a field in the schema and in `OPTIONS`. */
export type FieldType =
  | { readonly is: 'string' | 'integer' | 'decimal' | 'boolean' | 'date-time' | 'json' | 'strings' | 'integers' }
  | { readonly is: 'choice'; readonly of: Choices; readonly isNumber?: true }
  | {
      readonly is: 'object' | 'objects'
      readonly of: Kind
      /** Shown in its nested form, by default in the brief one. */
      readonly isNested?: true
    }

export type Counted<Item> = {
  /** Each counter counts for its keys. */
  readonly of: readonly { readonly by: Counter; readonly keys: (item: Item, world: World) => readonly string[] }[]
  readonly show: (sum: number) => unknown
}

export type Field<Item> = {
  readonly name: string
  readonly type: FieldType
  readonly read: (item: Item, world: World) => unknown
  /** The field is the number of the objects that refer to an item, in place of what `read` returns. */
  readonly counted?: Counted<Item>
  /** Returns the text by which `ordering` sorts, by code points, where the field itself tells no order. */
  readonly order?: (item: Item) => string
  /** A create needs it. */
  readonly isRequired?: true
  /** Null is a value of it. */
  readonly isNullable?: true
  /** Takes the value of a request over into the draft. A field without it is read only, and ignored in requests. */
  readonly write?: (value: unknown, draft: Draft<Item>) => void | Promise<void>
}
