/** The objects of kinds for a template: of the kinds that it names, as far as the caller may list them. */
import { type SqlBool, sql } from 'kysely'
import { invalidField } from '../../contract/errors.ts'
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { ObjectOfKind } from '../../inventory/objects/api.ts'
import { selectObjects, toObject } from '../../inventory/objects/objects.ts'
import { toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { buildNameKeys } from '../../net/name-order.ts'
import { loadFields } from '../../resource/custom/definitions.ts'
import { type CustomValue, REFERENCE_TARGETS } from '../../resource/custom/fields.ts'
import type { StoredField } from '../../resource/custom/store.ts'
import { selectFromTable, toCustomTable } from '../../resource/named-tables.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import type { Send } from '../../template/protocol.ts'

/** The most objects that one template gets. */
export const MAX_OBJECTS = 100_000

/** The resources of objects, and of the objects that their fields name. */
const RESOURCES = ['objects', ...REFERENCE_TARGETS] as const

/** The tables of which these parts of a content are made. */
export const KIND_TABLES: readonly (keyof Tables & string)[] = ['kinds', 'custom_fields', ...RESOURCES.map(toTableName)]

const TAG = /\{[{%][\s\S]*?[%}]\}/g
/** The variable, with the name behind it, if that is in the template. */
const VARIABLE = /(?<![\w.-])kinds\b(?:\s*\.\s*([a-z][a-z0-9-]*)|\s*\[\s*(?:"([^"]*)"|'([^']*)')\s*\])?/g

/** The kinds that a template names: their ids, or all of them where only the rendering tells which. */
export type NamedKinds = readonly string[] | 'all'

/**
 * Returns the kinds that a template names; none for most templates.
 * @example findNamedKinds('{% for c in kinds.circuits %}{{ kinds["as-numbers"] | size }}') // ['circuits', 'as-numbers']
 */
export const findNamedKinds = (template: string): NamedKinds => {
  const ids = new Set<string>()
  for (const [tag] of template.matchAll(TAG))
    for (const [, byDot, double, single] of tag.matchAll(VARIABLE)) {
      // A hyphen at the end is of the end of the tag.
      const id = byDot?.replace(/-+$/, '') ?? double ?? single
      if (id === undefined) return 'all'
      ids.add(id)
    }
  return [...ids]
}

/** Returns a part of a cache key: which objects of these resources the caller may list. */
export const buildKindsTag = ({ caller: { permissions, scopedPermissions } }: Ctx): string => {
  const parts = RESOURCES.map((resource) => {
    const scoped = scopedPermissions?.get(`${resource}:list`)
    return permissions.has(`${resource}:list`) ? 'all' : (scoped?.cacheKey ?? 'none')
  })
  return parts.every((part) => part === 'all') ? '' : ` ${parts.join()}`
}

/** Finds names of objects by their table, each once. */
class Names {
  readonly #known = new Map<keyof Tables, Map<string, string | null>>()
  readonly #ctx: Ctx

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  async load(table: keyof Tables, ids: readonly string[]): Promise<void> {
    const known = this.#known.get(table) ?? new Map<string, string | null>()
    this.#known.set(table, known)
    const open = [...new Set(ids)].filter((id) => !known.has(id))
    for (const batch of splitBatches(open)) {
      for (const id of batch) known.set(id, null)
      const rows = await selectFromTable(this.#ctx.db, table).select(['id', 'name']).where('id', 'in', batch).execute()
      for (const { id, name } of rows) known.set(id, name)
    }
  }

  /** Returns the name of an object; null for one that the caller may not list. */
  get(table: keyof Tables, id: string | null): string | null {
    return id === null ? null : (this.#known.get(table)?.get(id) ?? null)
  }
}

/** A field of a kind that names objects, with the table of these. */
type ReferenceField = { readonly name: string; readonly table: keyof Tables }

const listReferenceFields = (fields: Iterable<StoredField>): ReferenceField[] =>
  [...fields].flatMap(({ name, reference_to }) =>
    reference_to === null ? [] : [{ name, table: toCustomTable(reference_to) }],
  )

const listIds = ({ custom = {} }: ObjectOfKind, { name }: ReferenceField): string[] => {
  const value = Object.hasOwn(custom, name) ? custom[name] : undefined
  return Array.isArray(value) ? value : typeof value === 'string' ? [value] : []
}

const loadNames = async (names: Names, objects: readonly ObjectOfKind[], fields: readonly ReferenceField[]) => {
  await names.load(
    'objects',
    objects.flatMap(({ parent_id }) => parent_id ?? []),
  )
  await names.load(
    'datacenters',
    objects.flatMap(({ datacenter_id }) => datacenter_id ?? []),
  )
  for (const field of fields)
    await names.load(
      field.table,
      objects.flatMap((object) => listIds(object, field)),
    )
}

/** Returns the object as the API has it, with the names of the objects that it names. */
const buildDocument = (object: ObjectOfKind, names: Names, fields: readonly ReferenceField[]): object => {
  const toNamed = (table: keyof Tables, id: string) => ({ id, name: names.get(table, id) })
  const { custom = {} } = object
  const named = fields.flatMap(({ name, table }): [string, object][] => {
    const value: CustomValue | undefined = Object.hasOwn(custom, name) ? custom[name] : undefined
    if (Array.isArray(value)) return [[name, value.map((id) => toNamed(table, id))]]
    return typeof value === 'string' ? [[name, toNamed(table, value)]] : []
  })
  return {
    ...object,
    parent: names.get('objects', object.parent_id),
    datacenter: names.get('datacenters', object.datacenter_id),
    custom: { ...custom, ...Object.fromEntries(named) },
  }
}

/** Objects that are read together. */
const AT_ONCE = 1000

async function* readObjects(listed: Ctx, kind: string): AsyncGenerator<ObjectOfKind[]> {
  const all = selectObjects(listed).where('objects.kind_id', '=', kind)
  let last: { readonly id: string; readonly name: string } | undefined
  for (;;) {
    const order = last && buildNameKeys(last.name).name_order
    const after = last && sql<SqlBool>`(objects.name_order, objects.id) > (${order}, ${last.id})`
    const rows = await (after ? all.where(after) : all).limit(AT_ONCE).execute()
    if (rows.length > 0) yield rows.map(toObject)
    last = rows.at(-1)
    if (rows.length < AT_ONCE) return
  }
}

/** @throws AppError VALIDATION_ERROR on `template` if these are too many objects for a template */
const checkCount = async (listed: Ctx, kinds: readonly string[]): Promise<void> => {
  const { n } = await listed.db
    .selectFrom('objects')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('kind_id', 'in', kinds)
    .executeTakeFirstOrThrow()
  if (Number(n) > MAX_OBJECTS)
    throw invalidField('template', `names kinds with ${n} objects; a template gets at most ${MAX_OBJECTS}`)
}

/** Sends the kinds that a template names, and their objects by name. @throws AppError VALIDATION_ERROR on `template` for too many */
export const sendKinds = async (ctx: Ctx, named: NamedKinds, send: Send): Promise<void> => {
  if (named.length === 0) return
  const stored = (await ctx.db.selectFrom('kinds').select('id').orderBy('id').execute()).map(({ id }) => id)
  const kinds = stored.filter((id) => named === 'all' || named.includes(id))
  if (kinds.length === 0) return
  const listed = await narrowToListed(ctx, RESOURCES)
  await checkCount(listed, kinds)
  const names = new Names(listed)
  for (const kind of kinds) {
    await send('kind', { id: kind })
    const fields = listReferenceFields((await loadFields(ctx, kind)).values())
    for await (const objects of readObjects(listed, kind)) {
      await loadNames(names, objects, fields)
      for (const object of objects) await send('object', buildDocument(object, names, fields))
    }
  }
}
