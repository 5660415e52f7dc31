/**
 * Names: texts of Plat where NetBox has objects. A name exists while an object has it, or since a client made it. Clients see the names of the
 * objects that they see, and the names that they made.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { compareNames } from '../../net/name-order.ts'
import { loadFields } from '../../resource/custom/definitions.ts'
import { readCustom } from '../../resource/custom/objects.ts'
import { toCustomTable } from '../../resource/named-tables.ts'
import { buildNameKey } from '../numbers/keys.ts'
import type { Kind } from '../numbers/kinds.ts'
import { findNames, findNumberedNames, hasNamed, type NameAttributes, toSlugged } from '../numbers/names.ts'
import { assignNumbers } from '../numbers/numbers.ts'
import { makeSlugs } from '../numbers/slugs.ts'
import { UNASSIGNED, UNKNOWN } from './keys.ts'
import { MACHINE_TAG, matchMachines } from './machines.ts'
import { deviceTypes, vlans } from './rows.ts'
import type { NamedObject, SmallSet } from './small-set.ts'

export type NameMember = NamedObject & {
  readonly attributes: NameAttributes | undefined
  /** The texts of objects that are the name: they differ in case. None for a name that no object has. */
  readonly texts: readonly string[]
}

/** Reads the texts of the objects that the caller sees. Texts that differ in case are one name. */
type ReadTexts = (ctx: Ctx) => Promise<readonly string[]>

/** The column has the name key of the role. Its text is that of the device with the lowest id. */
const readRoles: ReadTexts = async (ctx) => {
  const text = sql.raw(ctx.store.sql.past.text('devices.doc', 'role')) as RawBuilder<string | null>
  const lowest = ctx.db
    .selectFrom('devices')
    .select(sql<string>`min(devices.id)`.as('id'))
    .where('role_key', 'is not', null)
    .groupBy('role_key')
  const rows = await ctx.db.selectFrom('devices').select(text.as('role')).where('id', 'in', lowest).execute()
  // A virtual machine may have no role.
  const without = ctx.db
    .selectFrom('devices')
    .select('id')
    .where('role_key', 'is', null)
    .where(matchMachines(false))
    .limit(1)
  const texts = rows.map(({ role }) => role ?? '')
  return (await without.executeTakeFirst()) ? [...texts, UNASSIGNED.name] : texts
}

const readPlatforms: ReadTexts = async (ctx) => {
  const rows = await ctx.db.selectFrom('devices').select('os').distinct().where('os', '<>', '').orderBy('os').execute()
  return rows.map(({ os }) => os)
}

const readManufacturers: ReadTexts = async (ctx) => {
  const own = (await deviceTypes.rows(ctx).execute()).map((row) => deviceTypes.fromRow(row).manufacturer)
  const untyped = ctx.db.selectFrom('devices').select('id').where('device_type_id', 'is', null)
  const other = untyped.where(matchMachines(false)).limit(1)
  return (await other.executeTakeFirst()) ? [...own, UNKNOWN] : own
}

/** Reads the values of a custom field that serves as names of NetBox, and its choices. */
const readCustomTexts = async (ctx: Ctx, resource: string, field: string): Promise<string[]> => {
  const definition = (await loadFields(ctx, resource)).get(field)
  if (definition === undefined || (definition.type !== 'text' && definition.type !== 'choice')) return []
  if (definition.type === 'choice') return definition.choices
  // Devices and reservations hold the values of addresses.
  if (resource === 'addresses') return []
  const table = toCustomTable(resource)
  const { rows } = await sql<{ holder: string }>`SELECT min(held.object_id) AS holder FROM custom_values AS held
    JOIN ${sql.table(table)} AS holder ON holder.id = held.object_id
    WHERE held.field = ${definition.number} GROUP BY held.value`.execute(ctx.db)
  const holders = await readCustom(
    ctx,
    resource,
    rows.map(({ holder }) => holder),
  )
  return [...holders.values()].flatMap((custom) => [custom[field] ?? []].flat().map(String))
}

const readCustomOf =
  (resources: readonly string[], field: string): ReadTexts =>
  async (ctx) => {
    const texts: string[] = []
    for (const resource of resources) texts.push(...(await readCustomTexts(ctx, resource, field)))
    return texts
  }

/** The resources with the custom field `role`, which is a role of NetBox. */
const WITH_ROLE = ['networks', 'vlans', 'pools'] as const

/** The resources with the custom field `tags`. */
export const TAGGED = ['datacenters', 'networks', 'vlans', 'spaces', 'racks', 'ports', 'cables'] as const

const readTags: ReadTexts = async (ctx) => {
  const texts = [...(await readCustomOf([...TAGGED, 'addresses'], 'tags')(ctx))]
  for (const table of ['device_tags', 'pool_tags'] as const) {
    const tags = ctx.db.selectFrom(table).select('tag').distinct().where('tag', '<>', MACHINE_TAG).orderBy('tag')
    for (const { tag } of await tags.execute()) texts.push(tag)
  }
  return texts
}

const readGroups: ReadTexts = async (ctx) => (await vlans.rows(ctx).execute()).map((row) => vlans.fromRow(row).group)

/** The numbered names of a kind, by key. A slug stays when other names go. */
export type NameBook = ReadonlyMap<string, { readonly slug: string; readonly attributes: NameAttributes | undefined }>

/** Reads the names of a kind that have a number, of all callers. */
export const readNameBook = async (ctx: Ctx, kind: Kind): Promise<NameBook> => {
  const names = await findNumberedNames(ctx, kind)
  const slugs = makeSlugs(toSlugged(names))
  return new Map(names.map(({ number, key, attributes }) => [key, { slug: slugs.get(number) ?? '', attributes }]))
}

const createNameSet = (
  kind: Kind,
  tables: readonly (keyof Tables & string)[],
  readTexts: ReadTexts,
): SmallSet<NameMember> => ({
  name: kind,
  tables: [...tables, 'netbox_ids'],
  // Each user with a reach sees the names that it has made.
  buildPart: ({ caller: { scopedPermissions, userId } }) => (scopedPermissions ? (userId ?? 'none') : ''),
  read: async (ctx) => {
    // Databases return rows in different orders.
    const used = Map.groupBy([...new Set(await readTexts(ctx))].sort(), buildNameKey)
    used.delete('')
    const { scopedPermissions, userId } = ctx.caller
    const made = (await findNames(ctx, kind)).filter(
      ({ key, attributes }) => !scopedPermissions || used.has(key) || hasNamed(attributes, userId),
    )
    const names = new Map([
      ...[...used].map(([key, [text = '']]) => [key, text] as const),
      ...made.map(({ key, attributes }) => [key, attributes.name] as const),
    ])
    await assignNumbers(
      ctx,
      [...names.keys()].map((key) => ({ kind, key })),
    )
    const book = await readNameBook(ctx, kind)
    return [...names]
      .map(([key, name]): NameMember => {
        const { slug, attributes } = book.get(key) ?? { slug: undefined, attributes: undefined }
        return { key, kind, name, ownSlug: slug, attributes, texts: used.get(key) ?? [] }
      })
      .sort((a, b) => compareNames(a.name, b.name) || (a.key < b.key ? -1 : 1))
  },
})

const CUSTOM = ['custom_fields', 'custom_values'] as const

export const DEVICE_ROLES = createNameSet('dcim.devicerole', ['devices', 'device_tags'], readRoles)
export const PLATFORMS = createNameSet('dcim.platform', ['devices'], readPlatforms)
export const MANUFACTURERS = createNameSet(
  'dcim.manufacturer',
  ['device_types', 'devices', 'device_tags'],
  readManufacturers,
)
export const TAGS = createNameSet('extras.tag', ['device_tags', 'pool_tags', ...CUSTOM, ...TAGGED], readTags)
export const NETWORK_ROLES = createNameSet('ipam.role', [...CUSTOM, ...WITH_ROLE], readCustomOf(WITH_ROLE, 'role'))
export const VLAN_GROUPS = createNameSet('ipam.vlangroup', ['vlans'], readGroups)
