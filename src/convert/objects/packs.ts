/** The packs of kinds and custom fields that converters fill, in their newest versions. */
import assets from '../../exchange/packs/assets/1.json' with { type: 'json' }
import circuits from '../../exchange/packs/circuits/1.json' with { type: 'json' }
import contacts from '../../exchange/packs/contacts/1.json' with { type: 'json' }
import nat from '../../exchange/packs/nat/1.json' with { type: 'json' }
import parts from '../../exchange/packs/parts/1.json' with { type: 'json' }
import power from '../../exchange/packs/power/1.json' with { type: 'json' }
import racks from '../../exchange/packs/racks/1.json' with { type: 'json' }
import redundancy from '../../exchange/packs/redundancy/1.json' with { type: 'json' }
import routing from '../../exchange/packs/routing/1.json' with { type: 'json' }
import services from '../../exchange/packs/services/1.json' with { type: 'json' }
import tenancy from '../../exchange/packs/tenancy/1.json' with { type: 'json' }
import virtualization from '../../exchange/packs/virtualization/1.json' with { type: 'json' }
import vpn from '../../exchange/packs/vpn/1.json' with { type: 'json' }
import wireless from '../../exchange/packs/wireless/1.json' with { type: 'json' }
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

const PACKS = [
  ...[assets, circuits, contacts, nat, parts, power, racks, redundancy, routing, services, tenancy, virtualization],
  ...[vpn, wireless],
  // A test of the packs validates each row. The type of JSON has texts in place of the words of an enumeration.
] as readonly unknown[] as readonly Pack[]

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
