/** The packs that come with the program: all versions that were ever released, and their rows in the form in which they are stored. */
import { toSingularName } from '../../inventory/kinds/names.ts'
import { normalizeDefinition } from '../../resource/custom/rules.ts'
import { CustomFieldDraft } from '../../resource/custom/schema.ts'
import { getRules } from '../apply/resources.ts'
import assets1 from './assets/1.json' with { type: 'json' }
import circuits1 from './circuits/1.json' with { type: 'json' }
import contacts1 from './contacts/1.json' with { type: 'json' }
import nat1 from './nat/1.json' with { type: 'json' }
import parts1 from './parts/1.json' with { type: 'json' }
import power1 from './power/1.json' with { type: 'json' }
import racks1 from './racks/1.json' with { type: 'json' }
import redundancy1 from './redundancy/1.json' with { type: 'json' }
import routing1 from './routing/1.json' with { type: 'json' }
import services1 from './services/1.json' with { type: 'json' }
import tenancy1 from './tenancy/1.json' with { type: 'json' }
import virtualization1 from './virtualization/1.json' with { type: 'json' }
import vpn1 from './vpn/1.json' with { type: 'json' }
import wireless1 from './wireless/1.json' with { type: 'json' }

type Given = Readonly<Record<string, unknown>>

/** A file as it is written. */
export type PackFile = {
  readonly name: string
  readonly version: number
  readonly title: string
  readonly description: string
  readonly kinds: readonly Given[]
  readonly 'custom-fields': readonly Given[]
}

/** The lists of packs. */
export const PACK_LISTS = ['kinds', 'custom-fields'] as const
export type PackList = (typeof PACK_LISTS)[number]

/** A row of a pack. */
export type PackRow = {
  readonly list: PackList
  /** Names the row among the rows of its list: the id of a kind, the resource and the name of a field. */
  readonly key: string
  /** All fields, also those with their default. */
  readonly document: Given
}

/** A version of a pack. */
export type Pack = Pick<PackFile, 'name' | 'version' | 'title' | 'description'> & { readonly rows: readonly PackRow[] }

/** @example buildKey('custom-fields', { resource: 'devices', name: 'tenant' }) // 'devices.tenant' */
export const buildKey = (list: PackList, { id, resource, name }: Given): string =>
  list === 'kinds' ? String(id) : `${resource}.${name}`

const toKind = (row: Given): Given => {
  const kind = getRules('kinds').draft.parse(row) as Given
  return { ...kind, singular: kind.singular || toSingularName(String(kind.name)) }
}

const toField = (row: Given): Given => {
  const { only_for, ...field } = CustomFieldDraft.parse(row)
  return normalizeDefinition({ ...field, ...(only_for && { only_for }) })
}

const toRow = (list: PackList, given: Given): PackRow => {
  const { refs: _, managed_by: __, ...document } = list === 'kinds' ? toKind(given) : toField(given)
  return { list, key: buildKey(list, document), document }
}

/** Returns a pack by its file. @throws ZodError for a row that no server takes */
export const parsePack = ({ kinds, 'custom-fields': fields, ...pack }: PackFile): Pack => ({
  ...pack,
  rows: [...kinds.map((row) => toRow('kinds', row)), ...fields.map((row) => toRow('custom-fields', row))],
})

/** The files, of each pack in the order of the versions. */
export const PACK_FILES: readonly PackFile[] = [
  ...[assets1, circuits1, contacts1, nat1, parts1, power1, racks1, redundancy1, routing1, services1, tenancy1],
  ...[virtualization1, vpn1, wireless1],
]

/** The versions of all packs. */
export type Packs = {
  /** The latest version of each pack, by name. */
  readonly latest: readonly Pack[]
  readonly findLatest: (name: string) => Pack | undefined
  readonly find: (name: string, version: number) => Pack | undefined
}

/** @param files of each pack in the order of the versions */
export const createPacks = (files: readonly PackFile[]): Packs => {
  const packs = files.map(parsePack)
  const byName = Map.groupBy(packs, ({ name }) => name)
  return {
    latest: [...byName.values()].flatMap((versions) => versions.at(-1) ?? []),
    findLatest: (name) => byName.get(name)?.at(-1),
    find: (name, version) => byName.get(name)?.find((one) => one.version === version),
  }
}

let made: Packs | undefined

/** Returns the packs of the program. They are read on first use, as the schemas of the operations are. */
export const getPacks = (): Packs => {
  made ??= createPacks(PACK_FILES)
  return made
}
