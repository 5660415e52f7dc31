/** One model of a NetBox, whatever its version and the form of the file: resolves types, tags and lists, and finds objects. */
import { createFileError } from '../converter.ts'
import type { ReportBuilder } from '../report-builder.ts'
import { isSecret, removeSecrets } from '../secret-fields.ts'
import { CONTENT_TYPE, getReferenceKind } from './read/kinds.ts'
import { listIn, type NetboxObject, type NetboxSource, parseNumber } from './read/objects.ts'
import { renamePluginKinds, toOwnKind } from './read/plugin-kinds.ts'

/** An object of a kind that a generic field names. */
export type Target = { readonly kind: string; readonly id: number }
export type CableEnds = { readonly a: readonly Target[]; readonly b: readonly Target[] }

const TAG = 'extras.tag'

/** The most ends of a side of a cable that are connected to the other side, each with each. */
const MAX_ENDS = 100

/** Fields that hold a content type, as a number in a dump. */
const TYPE_FIELDS = [
  ...['assigned_object_type', 'scope_type', 'content_type', 'object_type', 'component_type', 'interface_type'],
  ...[
    'member_type',
    'termination_type',
    'termination_a_type',
    'termination_b_type',
    'parent_object_type',
    'related_object_type',
  ],
]

/** Tables of pairs: the object, the field of the pair that names it, and the list that its other field belongs to. */
const PAIRS: Readonly<Record<string, { readonly kind: string; readonly field: string; readonly list: string }>> = {
  'circuits.provider_asns': { kind: 'circuits.provider', field: 'provider', list: 'asns' },
  'dcim.interface_vdcs': { kind: 'dcim.interface', field: 'interface_id', list: 'vdcs' },
  'dcim.interface_wireless_lans': { kind: 'dcim.interface', field: 'interface_id', list: 'wireless_lans' },
  'ipam.l2vpn_export_targets': { kind: 'ipam.l2vpn', field: 'l2vpn', list: 'export_targets' },
  'ipam.l2vpn_import_targets': { kind: 'ipam.l2vpn', field: 'l2vpn', list: 'import_targets' },
  'ipam.service_ipaddresses': { kind: 'ipam.service', field: 'service', list: 'ipaddresses' },
  'tenancy.contact_groups': { kind: 'tenancy.contact', field: 'contact', list: 'groups' },
  'tenancy.contactgroupmembership': { kind: 'tenancy.contact', field: 'contact', list: 'groups' },
  'vpn.l2vpn_export_targets': { kind: 'vpn.l2vpn', field: 'l2vpn', list: 'export_targets' },
  'vpn.l2vpn_import_targets': { kind: 'vpn.l2vpn', field: 'l2vpn', list: 'import_targets' },
  'dcim.site_asns': { kind: 'dcim.site', field: 'site', list: 'asns' },
  'ipam.vrf_export_targets': { kind: 'ipam.vrf', field: 'vrf', list: 'export_targets' },
  'ipam.vrf_import_targets': { kind: 'ipam.vrf', field: 'vrf', list: 'import_targets' },
  'dcim.interface_tagged_vlans': { kind: 'dcim.interface', field: 'interface_id', list: 'tagged_vlans' },
  'virtualization.vminterface_tagged_vlans': {
    ...{ kind: 'virtualization.vminterface', field: 'vminterface', list: 'tagged_vlans' },
  },
  'extras.customfield_content_types': { kind: 'extras.customfield', field: 'customfield', list: 'content_types' },
  'extras.customfield_object_types': { kind: 'extras.customfield', field: 'customfield', list: 'object_types' },
}

export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export class NetboxModel {
  readonly source: NetboxSource
  /** The ids of kinds in Plat by the ids of types of the plugin. */
  readonly pluginKinds: ReadonlyMap<number, string>
  readonly #report: ReportBuilder
  readonly #byId = new Map<string, Map<number, NetboxObject>>()
  readonly #types = new Map<number, string>()
  readonly #tagIds = new Map<string, number[]>()
  readonly #named = new Map<string, Set<number>>()

  constructor(given: NetboxSource, report: ReportBuilder) {
    const source = renamePluginKinds(given)
    this.source = source
    this.pluginKinds = source.kindIds
    this.#report = report
    this.#readTypes()
    for (const kind of source.objects.keys()) this.#index(kind)
    this.#readTags()
    for (const { id, name } of this.of(TAG)) listIn(this.#tagIds, String(name)).push(id)
    for (const table of Object.keys(PAIRS)) this.#readPairs(table)
  }

  get kinds(): string[] {
    return [...this.#byId.keys()]
  }

  /** The objects of a kind by ascending id. */
  of(kind: string): NetboxObject[] {
    return [...(this.#byId.get(kind)?.values() ?? [])].sort((a, b) => a.id - b.id)
  }

  /** The objects of a kind in any order. */
  each(kind: string): Iterable<NetboxObject> {
    return this.#byId.get(kind)?.values() ?? []
  }

  /** True for a kind with objects. */
  has(kind: string): boolean {
    return (this.#byId.get(kind)?.size ?? 0) > 0
  }

  /** True for an object that the file lists, and not only names. */
  isListed(kind: string, id: number): boolean {
    return this.#byId.get(kind)?.has(id) ?? false
  }

  find(kind: string, id: unknown): NetboxObject | undefined {
    if (typeof id !== 'number') return undefined
    return this.#byId.get(kind)?.get(id) ?? this.source.briefs.get(kind)?.get(id)
  }

  /** True for a file with regions, groups of sites or locations beside its sites. */
  get hasSeveralPlaces(): boolean {
    return ['dcim.region', 'dcim.sitegroup', 'dcim.location'].some((kind) => this.has(kind))
  }

  /** True for an object with a name that `label` has returned, so that a row has it. */
  isNamed(kind: string, id: number): boolean {
    return this.#named.get(kind)?.has(id) ?? false
  }

  /** Returns the text by which people know an object. */
  label(kind: string, id: unknown): string {
    if (typeof id === 'number') this.#markNamed(kind, id)
    const { name, model, address, prefix, asn }: Partial<NetboxObject> = this.find(kind, id) ?? {}
    return String(name ?? model ?? address ?? prefix ?? asn ?? `#${id}`)
  }

  /** Returns the object that a pair of fields names, like `scope_type` and `scope_id`. */
  target(object: NetboxObject, field: string): Target | undefined {
    const kind = object[`${field}_type`]
    const id = object[`${field}_id`]
    return typeof kind === 'string' && typeof id === 'number' ? { kind, id } : undefined
  }

  /** Returns the ends of each cable: fields of the cable before 3.3, separate objects since. */
  cableEnds(): Map<number, CableEnds> {
    const ends = new Map<number, { a: Target[]; b: Target[] }>()
    for (const cable of this.of('dcim.cable')) {
      const getTargets = (side: 'a' | 'b'): Target[] => {
        const single = this.target(cable, `termination_${side}`)
        return single ? [single] : listRestEnds(cable[`${side}_terminations`])
      }
      ends.set(cable.id, { a: getTargets('a'), b: getTargets('b') })
    }
    for (const end of this.of('dcim.cabletermination')) {
      const known = ends.get(Number(end.cable))
      const target = this.target(end, 'termination')
      if (!known || !target) continue
      const side = end.cable_end === 'B' ? known.b : known.a
      if (side.length < MAX_ENDS && !side.some(({ kind, id }) => kind === target.kind && id === target.id))
        side.push(target)
    }
    return ends
  }

  #markNamed(kind: string, id: number): void {
    const known = this.#named.get(kind)
    if (known) known.add(id)
    else this.#named.set(kind, new Set([id]))
  }

  #readTypes(): void {
    for (const { id, app_label, model } of this.source.objects.get(CONTENT_TYPE) ?? [])
      if (typeof id === 'number') this.#types.set(id, `${app_label}.${model}`)
  }

  #index(kind: string): void {
    if (kind === CONTENT_TYPE) return
    const found = new Map<number, NetboxObject>()
    for (const object of this.source.objects.get(kind) ?? []) {
      this.#report.read(kind)
      for (const field of TYPE_FIELDS) {
        const type = object[field]
        if (type !== undefined) object[field] = this.#typeOf(kind, type)
      }
      this.#dropSecrets(kind, object)
      const { id } = object
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0)
        this.#report.left(kind, 'has no number', object)
      // Pages that were read while objects were made overlap.
      else if (found.has(id)) this.#report.left(kind, 'stands in the file twice', object)
      else found.set(id, object as NetboxObject) // its id is a number
    }
    this.#byId.set(kind, found)
  }

  /** Removes secrets before anything reads them. */
  #dropSecrets(kind: string, object: Record<string, unknown>): void {
    for (const field in object) {
      const value = object[field]
      if (isSecret(field)) {
        delete object[field]
        this.#report.dropped(`${kind}.${field}`)
      } else if (typeof value === 'object') object[field] = removeSecrets(this.#report, `${kind}.${field}`, value)
    }
  }

  #typeOf(kind: string, type: unknown): unknown {
    if (typeof type === 'string') return toOwnKind(type, this.pluginKinds)
    if (typeof type !== 'number') return type
    const name = this.#types.get(type)
    if (name !== undefined) return toOwnKind(name, this.pluginKinds)
    if (this.#types.size > 0) return `#${type}`
    throw createFileError(
      'the file',
      `${kind} has the content type ${type}, and the file has no contenttypes.contenttype; do not exclude it`,
    )
  }

  /** Gives each object its tags, which a dump keeps apart. */
  #readTags(): void {
    const tagged = new Map<NetboxObject, string[]>()
    for (const item of this.of('extras.taggeditem')) {
      const kind = String(item.content_type)
      const object = this.#byId.get(kind)?.get(Number(item.object_id))
      if (!object) this.#report.left('extras.taggeditem', 'is on no object of the file', item)
      else listIn(tagged, object).push(this.#nameTag(item.tag))
    }
    for (const [object, tags] of tagged) Object.assign(object, { tags })
    this.#byId.delete('extras.taggeditem')
  }

  /** Tags count as used where a row has them. */
  #nameTag(id: unknown): string {
    return String(this.find(TAG, id)?.name ?? `#${id}`)
  }

  /** Gives each object its list, which a database keeps in a table of pairs. */
  #readPairs(table: string): void {
    const pair = PAIRS[table]
    if (!pair) return
    const lists = new Map<NetboxObject, unknown[]>()
    for (const { id: _, ...fields } of this.of(table)) {
      const object = this.find(pair.kind, fields[pair.field])
      const value = Object.entries(fields).find(([field]) => field !== pair.field)?.[1]
      if (object) listIn(lists, object).push(value)
    }
    for (const [object, list] of lists) Object.assign(object, { [pair.list]: list })
    this.#byId.delete(table)
  }

  /** Returns the kinds of objects that have a custom field. */
  kindsOfField({ content_types, object_types }: NetboxObject): string[] {
    const all = [content_types, object_types].find(Array.isArray) ?? []
    return all.map((type: unknown) =>
      String(Array.isArray(type) ? type.join('.') : this.#typeOf('extras.customfield', type)),
    )
  }

  /** Returns the tags of an object by name. */
  tags({ tags }: NetboxObject): string[] {
    if (!Array.isArray(tags)) return []
    const names = tags.map(String).sort(compareTexts)
    for (const name of names) for (const id of this.#tagIds.get(name) ?? []) this.#markNamed(TAG, id)
    return names
  }

  /** Returns the value of a field as people read it: names in place of numbers. */
  readable(kind: string, field: string, value: unknown): unknown {
    const target = getReferenceKind(kind, field)
    if (target === undefined) return value
    if (Array.isArray(value))
      return value
        .map((id) => this.label(target, id))
        .sort(compareTexts)
        .join(', ')
    return typeof value === 'number' ? this.label(target, value) : value
  }
}

/** Returns the ends of a cable in the API since 3.3. */
const listRestEnds = (list: unknown): Target[] => {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_ENDS).flatMap((end): Target[] => {
    const { object_type: kind, object_id } = (end ?? {}) as Record<string, unknown>
    const id = parseNumber(object_id)
    return typeof kind === 'string' && id !== undefined ? [{ kind, id }] : []
  })
}
