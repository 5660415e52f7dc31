/** Finds the objects that a document refers to: among its rows first, then among the stored ones. */

import type { Refs } from '../../contract/fields/external-fields.ts'
import { toOptionalText } from '../../contract/unknown.ts'
import { splitBatches } from '../../database/query/batches.ts'
import { type Resource, toTableName } from '../../inventory/resources.ts'
import { findRefs } from '../../kernel/changes/object-refs.ts'
import { findIdByRef } from '../../kernel/changes/resolve-refs.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { formatCidr, parseCidr } from '../../net/cidr.ts'
import { toNameKey } from '../../net/name-order.ts'
import { type Document, KIND_RULES, parseDocument } from '../../record/history/kinds.ts'
import { selectFromTable } from '../../resource/named-tables.ts'
import { getRules, type ResourceRules } from './resources.ts'

/** The fields by which an object is found. */
export type Entry = {
  readonly id: string
  readonly name: string
  readonly subnet: string | undefined
  readonly datacenter_id: string | undefined
  readonly network_id: string | undefined
  readonly device_id: string | undefined
  readonly space_id: string | undefined
  readonly kind_id: string | undefined
  readonly managed_by: string
  readonly refs: Refs
  /** The row that means the object: `networks[2]`. */
  readonly row?: string
  /** The row has errors, so it makes no object. */
  readonly isBad?: boolean
}

/** The conditions of a reference, all of which hold. `text` is a name, or a CIDR. */
export type Wanted = {
  readonly text?: string
  readonly name?: string
  readonly subnet?: string
  readonly id?: string
  readonly ref?: { readonly source: string; readonly id: string }
  readonly datacenter_id?: string | null
  readonly network_id?: string | null
  readonly device_id?: string | null
  readonly space_id?: string | null
  readonly kind_id?: string | null
}

/** The references among the conditions, first those that few objects have in common. */
const PARTS = ['network_id', 'device_id', 'datacenter_id', 'space_id', 'kind_id'] as const

/**
 * Returns the name key of a name as a document has it.
 * @example toGivenKey(' AMS-Web ') // 'ams-web'
 */
export const toGivenKey = (name: string): string => toNameKey(name.trim())

/** Returns the canonical text of a subnet, or a text that is none as it is. */
export const normalizeSubnet = (text: string): string => {
  const cidr = parseCidr(text)
  return cidr ? formatCidr(cidr) : text
}

/** A device type is called by its manufacturer and its model, of which a row has no name. */
const getName = ({ name, manufacturer, model }: Document): string =>
  toOptionalText(name) ?? [manufacturer, model].filter((part) => typeof part === 'string').join(' ')

export const toEntry = (id: string, document: Document, row?: string): Entry => ({
  id,
  name: getName(document),
  subnet: toOptionalText(document.subnet),
  datacenter_id: toOptionalText(document.datacenter_id),
  network_id: toOptionalText(document.network_id),
  device_id: toOptionalText(document.device_id),
  space_id: toOptionalText(document.space_id),
  kind_id: toOptionalText(document.kind_id),
  managed_by: toOptionalText(document.managed_by) ?? '',
  // The documents of objects that have refs.
  refs: (document.refs as Refs | undefined) ?? {},
  ...(row !== undefined && { row }),
})

const isMatch = (entry: Entry, wanted: Wanted): boolean => {
  const { text, name, subnet, id, ref } = wanted
  if (id !== undefined && entry.id !== id) return false
  if (ref && entry.refs[ref.source] !== ref.id) return false
  if (name !== undefined && toGivenKey(entry.name) !== toGivenKey(name)) return false
  if (subnet !== undefined && entry.subnet !== normalizeSubnet(subnet)) return false
  if (text !== undefined && toGivenKey(entry.name) !== toGivenKey(text) && entry.subnet !== normalizeSubnet(text))
    return false
  return PARTS.every((part) => wanted[part] === undefined || (entry[part] ?? null) === wanted[part])
}

/** The default space is meant if several objects match, unless the reference says which space. */
export const selectBySpace = <E extends Pick<Entry, 'space_id'>>(
  found: readonly E[],
  wanted: Wanted = {},
): readonly E[] => {
  if (found.length < 2 || wanted.space_id !== undefined) return found
  const inDefault = found.filter(({ space_id }) => space_id === undefined)
  return inDefault.length > 0 ? inDefault : found
}

const add = (map: Map<string, Entry[]>, key: string, entry: Entry): void => {
  const known = map.get(key)
  if (known) known.push(entry)
  else map.set(key, [entry])
}

/** The read rows of a resource, by each condition that is looked up separately. */
class RowIndex {
  readonly #byId = new Map<string, Entry>()
  readonly #byName = new Map<string, Entry[]>()
  readonly #bySubnet = new Map<string, Entry[]>()
  readonly #byRef = new Map<string, Entry[]>()

  add(entry: Entry): void {
    this.#byId.set(entry.id, entry)
    add(this.#byName, toGivenKey(entry.name), entry)
    if (entry.subnet !== undefined) add(this.#bySubnet, entry.subnet, entry)
    for (const [source, id] of Object.entries(entry.refs)) add(this.#byRef, `${source} ${id}`, entry)
  }

  get(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  find(wanted: Wanted): Entry[] {
    return this.#some(wanted).filter((entry) => isMatch(entry, wanted))
  }

  #some({ id, ref, name, subnet, text }: Wanted): readonly Entry[] {
    const none: readonly Entry[] = []
    if (id !== undefined) {
      const entry = this.#byId.get(id)
      return entry ? [entry] : none
    }
    if (ref) return this.#byRef.get(`${ref.source} ${ref.id}`) ?? none
    if (name !== undefined) return this.#byName.get(toGivenKey(name)) ?? none
    if (subnet !== undefined) return this.#bySubnet.get(normalizeSubnet(subnet)) ?? none
    if (text === undefined) return [...this.#byId.values()]
    const named = this.#byName.get(toGivenKey(text)) ?? none
    const ofSubnet = this.#bySubnet.get(normalizeSubnet(text)) ?? none
    return ofSubnet.length === 0 ? named : [...new Set([...named, ...ofSubnet])]
  }
}

/** Returns the ids of the stored objects of a resource with these names, in lower case. */
export const findIdsByNames = async (ctx: Ctx, resource: Resource, names: readonly string[]): Promise<string[]> => {
  const ids: string[] = []
  for (const batch of splitBatches(names)) {
    const query = selectFromTable(ctx.db, toTableName(resource))
      .select('id')
      .where('name_key', 'in', batch)
      .orderBy('id')
    for (const { id } of await query.execute()) ids.push(id)
  }
  return ids
}

/** Returns the stored objects of these ids, by id. */
export const findStoredDocuments = async (
  ctx: Ctx,
  { kind }: ResourceRules,
  ids: readonly string[],
): Promise<Map<string, { readonly document: Document; readonly json: string }>> => {
  const found = await KIND_RULES[kind].documents(ctx, [...new Set(ids)])
  return new Map([...found].map(([id, json]) => [id, { document: parseDocument(json), json }]))
}

/** Returns the ids of the objects that have refs, by `source id`. */
export const findIdsByRefs = async (
  ctx: Ctx,
  resource: Resource,
  refs: readonly (readonly [source: string, id: string])[],
): Promise<Map<string, string>> => {
  const rows = await findRefs(
    ctx,
    refs.map(([source, external_id]) => ({ resource, source, external_id })),
  )
  return new Map(rows.map(({ source, external_id, object_id }) => [`${source} ${external_id}`, object_id]))
}

/** The objects of one resource after the plan: the objects of the rows, and the stored objects that no row means. */
export class Objects {
  readonly #rows = new RowIndex()
  readonly #stored = new Map<string, Promise<Entry[]>>()
  readonly #ctx: Ctx
  readonly #rules: ResourceRules
  readonly #isGoing: (entry: Entry) => boolean

  /** @param isGoing true for a stored object that is deleted, if no row means it */
  constructor(ctx: Ctx, resource: Resource, isGoing: (entry: Entry) => boolean) {
    this.#ctx = ctx
    this.#rules = getRules(resource)
    this.#isGoing = isGoing
  }

  add(entry: Entry): void {
    this.#rows.add(entry)
  }

  /** Returns the row that means the object of an id. */
  rowOf(id: string): Entry | undefined {
    return this.#rows.get(id)
  }

  /** Returns the objects that a reference may mean: objects of rows, if there are any. */
  find(wanted: Wanted): readonly Entry[] | Promise<readonly Entry[]> {
    if (wanted.text !== undefined && this.#rules.resource === 'kinds') return this.#findKind(wanted.text)
    const rows = this.#rows.find(wanted)
    return rows.length > 0 ? selectBySpace(rows, wanted) : this.#findStored(wanted)
  }

  /** A text means a kind by its id, else by its name. */
  async #findKind(text: string): Promise<readonly Entry[]> {
    const byId = await this.find({ id: text })
    return byId.length > 0 ? byId : this.find({ name: text })
  }

  async #findStored(wanted: Wanted): Promise<readonly Entry[]> {
    const key = JSON.stringify(wanted)
    const known = this.#stored.get(key) ?? this.#read(wanted)
    this.#stored.set(key, known)
    const isLeft = (entry: Entry) => !this.#rows.get(entry.id) && !this.#isGoing(entry) && isMatch(entry, wanted)
    return selectBySpace((await known).filter(isLeft), wanted)
  }

  async #read(wanted: Wanted): Promise<Entry[]> {
    const documents = await findStoredDocuments(this.#ctx, this.#rules, await this.#ids(wanted))
    return [...documents].map(([id, { document }]) => toEntry(id, document))
  }

  async #ids({ id, ref, name, subnet, text, ...parts }: Wanted): Promise<string[]> {
    const { resource } = this.#rules
    if (id !== undefined) return [id]
    if (ref) return [await findIdByRef(this.#ctx, resource, ref)].filter((found) => found !== undefined)
    if (name !== undefined) return findIdsByNames(this.#ctx, resource, [toGivenKey(name)])
    if (subnet !== undefined) return this.#idsOf('subnet', normalizeSubnet(subnet))
    if (text !== undefined) {
      const named = await findIdsByNames(this.#ctx, resource, [toGivenKey(text)])
      const isSubnet = resource === 'networks' && parseCidr(text) !== undefined
      return isSubnet ? [...named, ...(await this.#idsOf('subnet', normalizeSubnet(text)))] : named
    }
    const part = PARTS.find((one) => parts[one] !== undefined)
    return part ? this.#idsOf(part, parts[part] ?? null) : []
  }

  /** @param column of the table, which has it because the objects have the field */
  async #idsOf(column: string, value: string | null): Promise<string[]> {
    const all = selectFromTable(this.#ctx.db, toTableName(this.#rules.resource)).select('id').orderBy('id')
    const rows = await all.where(column, value === null ? 'is' : '=', value).execute()
    return rows.map(({ id }) => id)
  }
}
