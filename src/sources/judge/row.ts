/** A row of a source as a judgment reads it. */
import { isRecord, toText } from '../../contract/unknown.ts'
import type { SourceRow } from '../table.ts'
import type { StoredObject } from './object-reads.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The settings of a source that decide about its rows. */
export type JudgedSource = Pick<
  SourceRow,
  | ('id' | 'name' | 'kind' | 'options' | 'mode' | 'custom' | 'ref')
  | ('when_gone' | 'gone_after_hours' | 'max_gone_percent')
>

/** A stored row and its parsed fields. */
export type OpenRow = { readonly stored: StoredObject; readonly fields: Fields }

/** Parses an object that is stored as JSON. */
export const parseFields = (json: string): Fields => {
  const value: unknown = JSON.parse(json)
  return isRecord(value) ? value : {}
}

export const toOpenRow = (stored: StoredObject): OpenRow => ({ stored, fields: parseFields(stored.row) })

/** The owner of the objects that a source makes. */
export const buildOwner = (sourceId: string): string => `source:${sourceId}`

/** True for an owner that is no source: its objects are left to it. */
export const isForeignOwner = (managedBy: string): boolean => managedBy !== '' && !managedBy.startsWith('source:')

/** A person has said that the row means a new object. */
export const BY_PERSON = 'a person'
export const isOwnObject = ({ object_id, because }: StoredObject): boolean =>
  object_id === null && because === BY_PERSON

/** The kinds of which several rows may mean one machine, because they describe and do not run it. */
const DESCRIBING: ReadonlySet<string> = new Set(['document', 'netbox'])

type Saying = { readonly source_id: string; readonly kind: string; readonly type: string }

/** True if two rows cannot mean the same device. */
export const areApart = (one: Saying, other: Saying): boolean =>
  one.source_id === other.source_id || (one.kind === other.kind && one.type === other.type && !DESCRIBING.has(one.kind))

export const listRefs = (fields: Fields): [source: string, id: string][] =>
  isRecord(fields.refs)
    ? Object.entries(fields.refs).flatMap(([source, id]) =>
        toText(id).trim() === '' ? [] : [[source, toText(id).trim()]],
      )
    : []

export const listAddresses = (fields: Fields): Fields[] =>
  Array.isArray(fields.addresses) ? fields.addresses.filter(isRecord) : []
