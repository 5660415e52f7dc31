/** The plugin netbox_custom_objects: its types, and their objects in the form of other objects with custom fields. */
import { toPlural } from '../../../contract/change-summary.ts'
import { toSingular } from '../../../contract/command-name.ts'
import { isResource } from '../../../inventory/resources.ts'
import { findPackKind } from '../../objects/packs.ts'
import { isPluginObject, PLUGIN } from './kinds.ts'
import { parseList } from './lists.ts'
import { CUSTOM_FIELDS, type NetboxSource, type Objects } from './objects.ts'

export const PLUGIN_TYPE = `${PLUGIN}.customobjecttype`
export const PLUGIN_FIELD = `${PLUGIN}.customobjecttypefield`

/** The mark of a kind of NetBox whose objects are objects of a kind in Plat. */
const MARK = 'custom-objects:'

export const toPluginKind = (kindId: string): string => MARK + kindId

/** Returns the id of the kind in Plat; undefined for a kind of NetBox itself. */
export const getPluginKindId = (kind: string): string | undefined =>
  kind.startsWith(MARK) ? kind.slice(MARK.length) : undefined

const MAX_ID = 50
/** Ids that no kind may have. */
const RESERVED = new Set(['default', 'kinds', 'new', 'objects', 'packs'])

const isFree = (id: string, taken: ReadonlySet<string>): boolean =>
  ![id, toSingular(id), toPlural(id)].some((one) => isResource(one) || findPackKind(one) !== undefined) &&
  !RESERVED.has(id) &&
  !taken.has(id)

/** Returns the id of a kind for a slug. @example buildKindId('dhcp_scope', new Set()) // 'dhcp-scope' */
const buildKindId = (slug: string, taken: ReadonlySet<string>): string => {
  const plain =
    slug
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^[-0-9]+|-+$/g, '') || 'kind'
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `-${n}`
    const id = `${plain.slice(0, MAX_ID - suffix.length).replace(/-$/, '')}${suffix}`
    if (isFree(id, taken)) return id
  }
}

type Fields = Readonly<Record<string, unknown>>

/** Returns the value of a field as the API has it. */
const toValue = ({ type }: Fields, value: unknown): unknown => {
  if (type === 'boolean') return value === true || value === 't'
  return type === 'multiselect' ? parseList(value) : value
}

/** Moves the values of the fields of a type into the custom fields of an object. */
const toObject = (object: Fields, fields: readonly Fields[]): Record<string, unknown> => {
  const rest: Record<string, unknown> = { ...object }
  const custom: Record<string, unknown> = {}
  for (const field of fields) {
    const name = String(field.name)
    // A dump has the id of another object in a column with `_id` behind its name.
    const key = [name, name.replace(/_id$/, '')].find((one) => rest[one] !== undefined)
    if (key === undefined) continue
    custom[name] = toValue(field, rest[key])
    delete rest[key]
  }
  delete rest.custom_object_type
  return { ...rest, [CUSTOM_FIELDS]: custom }
}

/** Returns lists of several objects, which a dump has in a table of pairs. */
const readPairs = (
  objects: Objects,
  table: string,
  fields: readonly Fields[],
): Map<unknown, Record<string, unknown[]>> => {
  const lists = new Map<unknown, Record<string, unknown[]>>()
  for (const { name } of fields)
    for (const { source, target } of objects.get(`${table}_${name}`) ?? []) {
      const own = lists.get(source) ?? {}
      lists.set(source, own)
      own[String(name)] = [...(own[String(name)] ?? []), target]
    }
  return lists
}

export type PluginSource = NetboxSource & {
  /** The ids of kinds in Plat by the ids of types. */
  readonly kindIds: ReadonlyMap<number, string>
}

/** Returns the source with the objects of the plugin under the kinds that they get in Plat. */
export const renamePluginKinds = (source: NetboxSource): PluginSource => {
  const objects: Objects = new Map([...source.objects].filter(([kind]) => !isPluginObject(kind)))
  const kindIds = new Map<number, string>()
  const taken = new Set<string>()
  const fields = Map.groupBy(source.objects.get(PLUGIN_FIELD) ?? [], ({ custom_object_type }) => custom_object_type)
  const read = new Set<string>()
  for (const { id, slug, name } of source.objects.get(PLUGIN_TYPE) ?? []) {
    if (typeof id !== 'number' || kindIds.has(id)) continue
    const kindId = buildKindId(String(slug ?? name ?? ''), taken)
    taken.add(kindId)
    kindIds.set(id, kindId)
    const table = `${PLUGIN}.table${id}model`
    const own = fields.get(id) ?? []
    const pairs = readPairs(source.objects, table, own)
    const kinds = [`${PLUGIN}.${slug}`, table]
    const rows = kinds.flatMap((kind) => source.objects.get(kind) ?? [])
    for (const kind of [...kinds, ...own.map((field) => `${table}_${field.name}`)]) read.add(kind)
    if (rows.length > 0)
      objects.set(
        toPluginKind(kindId),
        rows.map((row) => toObject({ ...row, ...pairs.get(row.id) }, own)),
      )
  }
  for (const [kind, rows] of source.objects) if (isPluginObject(kind) && !read.has(kind)) objects.set(kind, rows)
  return { ...source, objects, kindIds }
}

const TABLE = /^netbox_custom_objects\.table(\d+)model$/i

/** Returns the kind of a content type of the plugin; any other kind as it is. */
export const toOwnKind = (kind: string, kindIds: ReadonlyMap<number, string>): string => {
  if (kindIds.size === 0) return kind
  const kindId = kindIds.get(Number(TABLE.exec(kind)?.[1]))
  return kindId === undefined ? kind : toPluginKind(kindId)
}
