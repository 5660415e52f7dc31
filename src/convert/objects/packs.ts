/** The packs of kinds and custom fields that converters fill, in their newest versions. */
import { RELEASED } from '../../exchange/packs/released.ts'
import type { Definition } from '../../resource/custom/rules.ts'
import { isCleared, validateValue } from '../../resource/custom/values.ts'
import type { EstateRow } from '../converter.ts'

type PackKind = { readonly id: string; readonly name: string; readonly unique_names?: boolean }
type PackRow = Partial<Definition> & Pick<Definition, 'resource' | 'name' | 'type'>
type Pack = {
  readonly name: string
  readonly kinds: readonly PackKind[]
  readonly 'custom-fields': readonly PackRow[]
}

// The last version of a pack is its newest. A test of the packs validates each row.
const PACKS = [...new Map(RELEASED.map((file) => [file.name, file])).values()] as readonly unknown[] as readonly Pack[]

/** A custom field that a pack brings. */
export type PackField = { readonly pack: string; readonly definition: Definition }

const BARE: Omit<Definition, 'resource' | 'name' | 'type'> = {
  ...{ label: '', description: '', group: '', position: 0, default: null, pattern: '', minimum: null, maximum: null },
  ...{ searchable: false, required: false, unique: false, multiple: false, choices: [], reference_to: null },
}

const buildKey = (resource: string, name: string): string => `${resource} ${name}`

const FIELDS: ReadonlyMap<string, PackField> = new Map(
  PACKS.flatMap(({ name: pack, 'custom-fields': rows }) =>
    rows.map((row) => [buildKey(row.resource, row.name), { pack, definition: { ...BARE, ...row } }] as const),
  ),
)

const KINDS: ReadonlyMap<string, { readonly pack: string; readonly hasUniqueNames: boolean }> = new Map(
  PACKS.flatMap(({ name: pack, kinds }) =>
    kinds.map(({ id, unique_names }) => [id, { pack, hasUniqueNames: unique_names ?? true }] as const),
  ),
)

export const findPackField = (resource: string, name: string): PackField | undefined =>
  FIELDS.get(buildKey(resource, name))

const NAMES: ReadonlySet<string> = new Set(PACKS.flatMap(({ kinds }) => kinds.map(({ name }) => name.toLowerCase())))

/** True for the name of a kind of a pack, in any case. */
export const isPackKindName = (name: string): boolean => NAMES.has(name.toLowerCase())

/** Returns the fields of packs. */
export const listPackFields = (packs: ReadonlySet<string>): readonly PackField[] =>
  [...FIELDS.values()].filter(({ pack }) => packs.has(pack))

/** Returns the pack of a kind, and whether its names are unique; undefined for a kind of no pack. */
export const findPackKind = (kind: string) => KINDS.get(kind)

/** True for a value that a field of a pack takes. References are rows, and fit. */
export const fitsPackField = (resource: string, name: string, value: unknown): boolean => {
  const definition = findPackField(resource, name)?.definition
  if (definition === undefined || value === undefined || isCleared(value)) return false
  return (
    definition.type === 'reference' ||
    'value' in validateValue(definition, definition.type === 'text' ? String(value) : value)
  )
}

/** Returns the packs of a document by name: packs that rows use, and packs with a kind that a field names. */
export const listPacks = (fields: readonly EstateRow[], ...used: readonly Iterable<string>[]): string[] => {
  const kinds = fields.flatMap(({ resource, reference_to }) => [resource, reference_to])
  const named = kinds.flatMap((kind) => findPackKind(String(kind))?.pack ?? [])
  return [...new Set([...used.flatMap((packs) => [...packs]), ...named])].sort()
}
