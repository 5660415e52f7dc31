/** The names by which an exported document refers to objects, as an apply reads them. */

import { splitBatches } from '../../database/query/batches.ts'
import { findAll } from '../../inventory/ports/ports.ts'
import { INVENTORY, type Resource, toTableName } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { parseCidr } from '../../net/cidr.ts'
import type { Document } from '../../record/history/kinds.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import {
  type Entry,
  findStoredDocuments,
  normalizeSubnet,
  selectBySpace,
  toEntry,
  toGivenKey,
} from '../apply/objects.ts'
import { getRules } from '../apply/resources.ts'

/** The number of rows with documents that are read together. */
const AT_ONCE = 250

type Id = { readonly id: string }

/** Returns the ids of the devices with names that others have as well. */
const findRepeatedDevices = async ({ db }: Ctx): Promise<string[]> => {
  const repeated = db
    .selectFrom('devices')
    .select('name_key')
    .groupBy('name_key')
    .having((eb) => eb(eb.fn.countAll(), '>', 1))
  return (await db.selectFrom('devices').select('id').where('name_key', 'in', repeated).execute()).map(({ id }) => id)
}

const findIds = async (ctx: Ctx, resource: Resource): Promise<string[]> => {
  // There may be many devices, and most of their names are unique.
  if (resource === 'devices') return findRepeatedDevices(ctx)
  return (await selectFromTable(ctx.db, toTableName(resource)).select('id').execute()).map(({ id }) => id)
}

export const canList = ({ caller }: Ctx, resource: Resource): boolean => caller.permissions.has(`${resource}:list`)

/** Resources that rows only refer to by ids, or of which only the names of referenced objects are read. */
const UNNAMED: readonly Resource[] = ['ports', 'cables', 'relationships', 'reservations']
const NAMED = INVENTORY.filter((resource) => !UNNAMED.includes(resource))

/** The resources with names that are looked up in the object beside them. */
const NAMED_WITHIN: readonly Resource[] = ['pools', 'objects']

type Fields = Readonly<Record<string, unknown>>

const add = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
  const known = map.get(key)
  if (known) known.push(entry)
  else map.set(key, [entry])
}

/** Returns a field of an entry; null without a value. */
const getEntryField = (entry: Entry, field: string): unknown => Reflect.get(entry, field) ?? null

/** The named objects of one resource. */
class NamedObjects {
  readonly #byId = new Map<string, Entry>()
  readonly #byName = new Map<string, Entry[]>()
  readonly #bySubnet = new Map<string, Entry[]>()

  add(entry: Entry): void {
    this.#byId.set(entry.id, entry)
    add(this.#byName, toGivenKey(entry.name), entry)
    if (entry.subnet !== undefined) add(this.#bySubnet, entry.subnet, entry)
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  /** Returns the objects that a text means: objects with this name, and networks with this subnet. */
  meant(text: string): readonly Entry[] {
    const named = this.#byName.get(toGivenKey(text)) ?? []
    const ofSubnet = parseCidr(text) ? (this.#bySubnet.get(normalizeSubnet(text)) ?? []) : []
    return selectBySpace([...new Set([...named, ...ofSubnet])])
  }

  named(name: string): readonly Entry[] {
    return this.#byName.get(toGivenKey(name)) ?? []
  }
}

export class Names {
  readonly #ctx: Ctx
  readonly #objects = new Map<Resource, NamedObjects>(NAMED.map((resource) => [resource, new NamedObjects()]))
  /** The names of devices that no other device has. */
  readonly #devices = new Map<string, string>()
  #ports: ReadonlyMap<string, string> = new Map()

  private constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  /** Objects that the caller may not list are referred to by their ids. */
  static async read(ctx: Ctx): Promise<Names> {
    const names = new Names(ctx)
    for (const resource of NAMED.filter((one) => canList(ctx, one)))
      for (const batch of splitBatches(await findIds(ctx, resource), AT_ONCE))
        for (const [id, { document }] of await findStoredDocuments(ctx, getRules(resource), batch))
          names.#of(resource).add(toEntry(id, document))
    return names
  }

  #of(resource: Resource): NamedObjects {
    const objects = this.#objects.get(resource)
    if (!objects) throw new Error(`${resource} has no names`)
    return objects
  }

  /** Reads the names of devices before they are referred to. Names of earlier calls are forgotten. */
  async readDevices(ids: readonly string[]): Promise<void> {
    this.#devices.clear()
    if (!canList(this.#ctx, 'devices')) return
    for (const batch of splitBatches([...new Set(ids)])) {
      const query = this.#ctx.db.selectFrom('devices').select(['id', 'name']).where('id', 'in', batch)
      for (const { id, name } of await query.execute()) this.#devices.set(id, name)
    }
  }

  /** Reads the names of ports before they are referred to, beside their device. Names of earlier calls are forgotten. */
  async readPorts(ids: readonly string[]): Promise<void> {
    if (!canList(this.#ctx, 'ports')) return
    this.#ports = new Map([...(await findAll(this.#ctx, ids))].map(([id, { name }]) => [id, name]))
  }

  /** The name of an object, for the order of rows. */
  nameOf(resource: Resource, id: string): string {
    if (resource === 'ports') return this.#ports.get(id) ?? ''
    return this.#of(resource).get(id)?.name ?? this.#devices.get(id) ?? ''
  }

  /**
   * Returns what an object is called: a text, an object of conditions, or its id.
   * @param beside the fields beside the reference: names of pools are looked up in a network, names of objects in a kind
   */
  reference(resource: Resource, id: string, beside: Fields = {}): unknown {
    // The id of a kind is readable, and the name may change.
    if (resource === 'kinds') return id
    if (resource === 'ports') return this.#ports.get(id) ?? ({ id } satisfies Id)
    const objects = this.#of(resource)
    const entry = objects.get(id)
    if (!entry) return this.#devices.get(id) ?? ({ id } satisfies Id)
    const { key } = getRules(resource)
    const meant = objects.meant(entry.name)
    const [within] = NAMED_WITHIN.includes(resource) && key.by === 'name' ? key.within : []
    const holder = within === undefined ? undefined : beside[within]
    const isAlone = meant.every((one) => one === entry || getEntryField(one, String(within)) !== holder)
    if ((meant.length === 1 && meant[0] === entry) || (holder !== undefined && isAlone)) return entry.name
    const fields = key.by === 'name' ? [...key.within, ...key.apart] : []
    return this.#conditions(resource, entry, fields) ?? ({ id } satisfies Id)
  }

  /** Returns the fewest fields that tell an object from the others of its name; undefined if none do. */
  #conditions(resource: Resource, entry: Entry, fields: readonly string[]): object | undefined {
    const named = this.#of(resource).named(entry.name)
    for (let n = 0; n <= fields.length; n++) {
      const some = fields.slice(0, n)
      const alike = named.filter((one) =>
        some.every((field) => getEntryField(one, field) === getEntryField(entry, field)),
      )
      const same = some.includes('space_id') ? alike : selectBySpace(alike)
      if (same.length === 1 && same[0] === entry)
        return { name: entry.name, ...Object.fromEntries(some.map((field) => this.condition(resource, entry, field))) }
    }
    return undefined
  }

  /** Returns a field that tells objects apart as a document has it. */
  condition(resource: Resource, document: Entry | Document, field: string): readonly [string, unknown] {
    const reference = getRules(resource).level.references.find((one) => one.field === field)
    const value: unknown = Reflect.get(document, field) ?? null
    if (!reference) return [field, value]
    return [reference.as, typeof value === 'string' ? this.reference(reference.resource, value) : null]
  }

  /**
   * Returns how a row says which object it means beside its name: nothing, the fields that tell it apart, or its id as
   * well.
   */
  distinction(resource: Resource, id: string): { readonly fields: readonly string[]; readonly needsId: boolean } {
    const { key } = getRules(resource)
    if (resource === 'kinds') return { fields: [], needsId: true }
    const entry = key.by === 'name' ? this.#objects.get(resource)?.get(id) : undefined
    if (!entry || key.by !== 'name') return { fields: [], needsId: false }
    const isSame = (one: Entry, fields: readonly string[]) =>
      fields.every((field) => getEntryField(one, field) === getEntryField(entry, field))
    const alike = this.#of(resource)
      .named(entry.name)
      .filter((one) => one !== entry && isSame(one, key.within))
    for (let n = 0; n <= key.apart.length; n++) {
      const fields = key.apart.slice(0, n)
      if (!alike.some((one) => isSame(one, fields))) return { fields, needsId: false }
    }
    return { fields: key.apart, needsId: true }
  }
}
