/** The small resources, as one drawer makes and changes them all: their fields, and how they are read and written. */
import type { ReactNode } from 'react'
import type { AnyOperation } from '../../../src/kernel/operation.ts'
import type { Tagged } from '../api/client.ts'
import type { Change } from '../api/contracts.ts'
import type { Written } from '../api/proposing.ts'
import type { Filter, Referable } from './referable.ts'

/** The input of a control that replaces one of the kinds. */
export type ControlInput = {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
  readonly isNew: boolean
  /** The errors of all fields; a field with parts shows the errors of its parts. */
  readonly errors: Readonly<Record<string, string>>
  /** The values of all fields, as they are typed. */
  readonly values: Values
}

export type FieldSpec = {
  readonly name: string
  readonly label: string
  /** A reference chooses one of many objects by a part of its name. */
  readonly kind?: 'text' | 'area' | 'select' | 'reference' | 'flag' | 'number' | 'tags' | 'moment'
  /** The heading that it stands under. */
  readonly section?: string | undefined
  /** Shows a part of this other field, whose value it changes. */
  readonly of?: string
  /** True for a value that opens the section of seldom fields; by default for one that differs from a new object's. */
  readonly isSet?: (value: string) => boolean
  readonly hint?: string
  /** Shown where nothing is typed. */
  readonly placeholder?: string
  readonly isMono?: boolean
  readonly isRequired?: boolean
  /** Can be chosen when it is made, and not later. */
  readonly isFixed?: boolean
  /** The objects that a reference without options chooses from. */
  readonly to?: Referable
  /** The part of them that is offered. */
  readonly filter?: Filter
  /** The text of no object of a reference that is not required; "None" by default. */
  readonly none?: string
  /** Values with their texts. A note tells references of one name apart. */
  readonly options?: readonly (readonly [value: string, text: string, note?: string | undefined])[]
  /** In the place of a control of one of the kinds; `read` and `send` are how its text is made of the object and sent. */
  readonly render?: (input: ControlInput) => ReactNode
  readonly read?: (value: unknown) => string
  /** `before` is the text of the stored object, of a change. Undefined is not sent. */
  readonly send?: (text: string, before?: string) => unknown
  /** The value in the form of a new object. */
  readonly initial?: string
  /** Shares its line with the next field that does. */
  readonly isHalf?: boolean
  /** Never kept as a draft. */
  readonly isSecret?: boolean
  /** Shown for such an object; always by default. A hidden field is not sent. */
  readonly isShown?: (values: Values, isNew: boolean) => boolean
}

export type Values = Readonly<Record<string, string>>
export type Input = Readonly<Record<string, unknown>>

export type Resource<T> = {
  /** `network` */
  readonly noun: string
  /** For a form that is more than a column of fields. */
  readonly isWide?: boolean
  readonly fields: readonly FieldSpec[]
  readonly getName: (value: T) => string
  /** The operations of the contract, by their verbs. */
  readonly operations: Readonly<Record<string, AnyOperation>>
  readonly get: (id: string) => Promise<Tagged<T>>
  readonly create: (input: Input) => Promise<T>
  readonly update: (id: string, input: Input, etag: string) => Promise<T>
  readonly remove: (id: string, fields: Input) => Promise<Written>
  /** The change that a deletion would be; undefined for objects without a history. */
  readonly preview?: (id: string) => Promise<Change>
  /** First parts of the keys of the queries that are repeated after a change. */
  readonly changes: readonly string[]
  /** Where pages have read the object already. */
  readonly queryKey?: (id: string) => readonly string[]
  readonly onSaved?: (value: T) => void
  /** Content below the form of an object. */
  readonly below?: (id: string) => ReactNode
}

/** Returns true if the changes of an operation are in the history. */
export const isKept = ({ headers = {} }: Pick<AnyOperation, 'headers'>): boolean =>
  Object.values(headers).includes('change_note')
