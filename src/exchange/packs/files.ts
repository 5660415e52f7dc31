/** The versions of packs, with their rows in the form in which they are stored. */
import { toSingularName } from '../../inventory/kinds/names.ts'
import { normalizeDefinition } from '../../resource/custom/rules.ts'
import { CustomFieldDraft } from '../../resource/custom/schema.ts'
import { getRules } from '../apply/resources.ts'
import { type PackFile, RELEASED } from './released.ts'

type Given = Readonly<Record<string, unknown>>

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
  made ??= createPacks(RELEASED)
  return made
}
