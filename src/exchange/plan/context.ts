import { createBreathe } from '../../base/runtime/pause.ts'
import { AppError, type FieldIssue, invalid } from '../../contract/errors.ts'
import type { Refs } from '../../contract/fields/external-fields.ts'
import type { RowRules } from '../../contract/fields/row-rules.ts'
import { isRecord, toText } from '../../contract/unknown.ts'
import { getCachedCount } from '../../database/cache/query-cache.ts'
import { toKindId } from '../../inventory/kinds/names.ts'
import { INVENTORY, type Resource } from '../../inventory/resources.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { cidrHolds, parseCidr } from '../../net/cidr.ts'
import { parseIp } from '../../net/ip.ts'
import type { Document } from '../../record/history/kinds.ts'
import type { Custom, CustomResource } from '../../resource/custom/fields.ts'
import { loadAddressFields } from '../apply/custom-addresses.ts'
import {
  loadAddressDefaults,
  loadReferenceFields,
  type NamedValue,
  type ReferenceFields,
} from '../apply/custom-references.ts'
import type { HiddenName, Scope } from '../apply/named-objects.ts'
import { type Entry, findStoredDocuments, Objects, toEntry } from '../apply/objects.ts'
import { type Fields, placeInRow } from '../apply/references.ts'
import { getRules, type ResourceRules } from '../apply/resources.ts'
import { type Ownership, type PlannedChange, type RowError, validateNew, validateStored } from '../apply/row.ts'
import { UnresolvedNames } from '../apply/unresolved.ts'
import { MAX_ERRORS } from '../estate/api.ts'

export type EstateRows = Readonly<Partial<Record<Resource, readonly unknown[]>>>

export type PlanInput = Ownership &
  RowRules & {
    readonly rows: EstateRows
    readonly prunes: boolean
    /** Called before objects of a resource are looked up. @throws AppError FORBIDDEN */
    readonly onNamed: (resource: Resource) => void
    /** The context of the whole estate, if the plan only knows a part of it. */
    readonly unscoped?: Ctx
    /** Called after each bad row with all of them. @throws AppError to end the plan */
    readonly onBadRow?: (failed: readonly RowError[]) => void
    /** Called with the number of planned rows. */
    readonly planned?: (rows: number) => void
    /** The rows of an earlier plan that change nothing, and their objects. They are not read again. */
    readonly settled?: Settled
  }

/** The objects of rows that change nothing, by resource and place. */
export type Settled = ReadonlyMap<Resource, ReadonlyMap<number, Entry>>

export type Plan = {
  /** In the order of the resources; the deletes follow. */
  readonly changes: readonly PlannedChange[]
  readonly errors: readonly RowError[]
  readonly settled: Settled
  /** The number of objects that the owner manages and the document does not have, if they are not pruned. */
  readonly extra: Readonly<Partial<Record<Resource, number>>>
  readonly unresolved: UnresolvedNames
}

export type Stored = { readonly id: string; readonly document: Document; readonly json: string }

/** A row with custom fields that may name later rows, once it is planned. */
export type LaterRow = {
  readonly resource: Resource
  readonly at: number
  readonly raw: unknown
  readonly id: string
  readonly named: readonly NamedValue[]
  readonly stored: Stored | undefined
  /** See `PlannedChange.places`. */
  readonly places?: readonly number[]
}

/** Stored addresses of a device of the document that its row does not have. */
export type KeptAddresses = { readonly at: number; readonly stored: Stored; readonly addresses: readonly Fields[] }

export type Row = {
  readonly at: number
  readonly raw: unknown
  readonly fields: Fields
  readonly issues: FieldIssue[]
  readonly hidden: readonly HiddenName[]
  readonly refs: Refs
}

/** Returns the errors of objects that the caller may not know, and that the stored object does not name. */
export const listHiddenIssues = (hidden: readonly HiddenName[], stored: Stored | undefined): FieldIssue[] =>
  hidden.filter(({ id }) => !stored?.json.includes(JSON.stringify(id))).map(({ issue }) => issue)

/** Returns the texts by which a row names an end of a cable: its device, unless it is a ref, and its port. */
const formatEnd = (end: unknown): string =>
  isRecord(end) ? [end.device, end.port].map(toText).filter(Boolean).join(' ') : ''

/** Names a row in plans and errors. */
export const formatRowName = (
  resource: Resource,
  { name, ip_address, manufacturer, model, a, b, parent, parent_id, type, child, child_id }: Fields,
): string => {
  if (resource === 'cables') return [a, b].map(formatEnd).filter(Boolean).join(' - ')
  if (resource === 'device-types') return [manufacturer, model].map(toText).filter(Boolean).join(' ')
  if (resource !== 'relationships') return toText(name) || toText(ip_address)
  return [parent ?? parent_id, type, child ?? child_id].map(toText).filter(Boolean).join(' ')
}

type NewRow = { readonly resource: Resource; readonly name: unknown; readonly key: string | undefined }

/** Returns the id of a new object: of a kind it is made of its name, so that other rows know it; '' if there is none. */
const makeNewId = (ctx: Ctx, { resource, name, key }: NewRow): string => {
  if (resource === 'kinds') return toKindId(toText(name))
  return resource === 'relationships' && key !== undefined ? key : ctx.newId()
}

/** The error of rows that an answer only counts. */
const UNLISTED = new AppError('VALIDATION_ERROR', 'has errors')

/** The plan of a document while it is made. */
export class Planning {
  readonly changes: PlannedChange[] = []
  readonly errors: RowError[] = []
  readonly settled = new Map<Resource, Map<number, Entry>>()
  readonly later: LaterRow[] = []
  readonly unresolved = new UnresolvedNames()
  readonly kept: KeptAddresses[] = []
  /** False if no row of a device has addresses, so that none moves to another device. */
  readonly givesAddresses: boolean
  readonly extra: Partial<Record<Resource, number>> = {}
  /** The values of custom fields that an address without them gets, once the definitions are planned. */
  addressDefaults: Custom = {}
  readonly scope: Scope
  readonly breathe = createBreathe()
  readonly #objects: ReadonlyMap<Resource, Objects>
  #spaces: Promise<boolean> | undefined
  #addressFields: ReturnType<typeof loadAddressFields> | undefined
  #fields: Promise<ReadonlyMap<CustomResource, ReferenceFields>> | undefined
  #planned = 0

  constructor(
    readonly ctx: Ctx,
    readonly input: PlanInput,
  ) {
    const { owner, prunes, onNamed } = input
    this.givesAddresses = (input.rows.devices ?? []).some((row) => isRecord(row) && row.addresses !== undefined)
    const isGoing = (entry: Entry) => prunes && entry.managed_by === owner
    this.#objects = new Map(INVENTORY.map((resource) => [resource, new Objects(ctx, resource, isGoing)]))
    this.scope = {
      getObjects: (resource) => this.objectsOf(resource),
      hasSpaces: () => this.#hasSpaces(),
      loadReferenceFields: (resource) => this.#referenceFieldsOf(resource),
      loadAddressFields: async (resource) => {
        this.#addressFields ??= loadAddressFields(this.ctx, this.changes)
        return (await this.#addressFields).get(resource)
      },
      onNamed,
      isHidden: (resource, id) => this.#isHidden(resource, id),
    }
  }

  async #isHidden(resource: Resource, id: string): Promise<boolean> {
    const { unscoped } = this.input
    return unscoped !== undefined && (await findStoredDocuments(unscoped, getRules(resource), [id])).size > 0
  }

  #hasSpaces(): Promise<boolean> {
    this.#spaces ??= this.#findSpaces()
    return this.#spaces
  }

  /** The definitions are the first rows of a document, so that their changes are planned. */
  async #referenceFieldsOf(resource: CustomResource): Promise<ReferenceFields> {
    this.#fields ??= loadReferenceFields(this.ctx, this.changes)
    return (await this.#fields).get(resource) ?? new Map()
  }

  /** Called before rows with addresses are planned. */
  async readAddressDefaults(): Promise<void> {
    this.addressDefaults = await loadAddressDefaults(this.ctx, this.changes)
  }

  async #findSpaces(): Promise<boolean> {
    if (this.input.rows.spaces?.length) return true
    const any = this.ctx.db.selectFrom('spaces').select('id').limit(1)
    const count = await getCachedCount(this.ctx, 'spaces', 'any', async () => (await any.execute()).length)
    return count > 0
  }

  /** A kept address is in no network that the document moves away from it. */
  readonly keepAddress = (address: Fields): Fields => {
    const subnet = this.objectsOf('networks').rowOf(toText(address.network_id))?.subnet
    const [cidr, ip] = [parseCidr(subnet ?? ''), parseIp(toText(address.ip))]
    if (!cidr || !ip || cidrHolds(cidr, ip)) return address
    return { ...address, network_id: null, pool_id: null }
  }

  /** True while the answer lists the errors of another bad row. */
  get isListed(): boolean {
    return this.errors.length < MAX_ERRORS
  }

  countRow(): void {
    this.input.planned?.(++this.#planned)
  }

  objectsOf(resource: Resource): Objects {
    const objects = this.#objects.get(resource)
    if (!objects) throw new Error(`${resource} is no resource of an estate document`)
    return objects
  }
}

/** The rows of one resource. */
export class Rows {
  readonly rules: ResourceRules
  readonly objects: Objects
  readonly settled = new Map<number, Entry>()
  /** The values of rows that are planned in the end, by the places of the rows. */
  readonly later = new Map<number, readonly NamedValue[]>()
  /** The rows by the objects that they mean or make. */
  readonly #claimed = new Map<string, number>()

  constructor(
    readonly planning: Planning,
    readonly resource: Resource,
  ) {
    this.rules = getRules(resource)
    this.objects = planning.objectsOf(resource)
    planning.settled.set(resource, this.settled)
  }

  settle(at: number, entry: Entry): void {
    this.planning.countRow()
    this.settled.set(at, entry)
    this.objects.add(entry)
    this.#claimed.set(entry.id, at)
  }

  fail({ at, raw, fields }: Row, issues: readonly FieldIssue[], isTwice = false): void {
    const { resource } = this
    this.planning.countRow()
    // References to a row that is there twice mean the first.
    if (!isTwice) this.objects.add({ ...toEntry('', fields, `${resource}[${at}]`), isBad: true })
    if (!this.planning.isListed) {
      this.planning.errors.push({ resource, row: at, name: '', error: UNLISTED })
      this.planning.input.onBadRow?.(this.planning.errors)
      return
    }
    const placed = new Map<string, FieldIssue>()
    for (const { field, message } of issues) {
      const place = placeInRow(resource, raw, field)
      // The first error of a field says why; later ones follow from it.
      if (!placed.has(place)) placed.set(place, { field: place, message })
    }
    const given = isRecord(raw) ? raw : {}
    this.planning.errors.push({
      resource,
      row: at,
      name: formatRowName(resource, given),
      error: invalid([...placed.values()]),
    })
  }

  /** Returns the earlier row that means or makes the same object. */
  #claim(key: string, at: number): FieldIssue[] {
    const earlier = this.#claimed.get(key)
    this.#claimed.set(key, earlier ?? at)
    if (earlier === undefined) return []
    return [{ field: '', message: `is the same ${this.rules.noun} as ${this.resource}[${earlier}]` }]
  }

  /** Finishes a row. @param key that no other row of the document may have, beside the id and the refs */
  finish(row: Row, stored: Stored | undefined, key?: string): void {
    const { at, fields, refs } = row
    const { resource, rules } = this
    const { input, changes, addressDefaults: defaults, keepAddress } = this.planning
    const given = toText(fields.id)
    const id = stored?.id ?? (given || makeNewId(this.planning.ctx, { resource, name: fields.name, key }))
    const keys = [
      ...(stored || given || (resource === 'kinds' && id !== '') ? [id] : []),
      ...(key === undefined ? [] : [`key ${key}`]),
      ...Object.entries(refs).map(([source, ref]) => `ref ${source} ${ref}`),
    ]
    const checked = stored
      ? validateStored(rules, fields, { before: stored.document, defaults }, { ...input, keepAddress })
      : validateNew(rules, fields, Object.hasOwn(fields, 'id') ? given : undefined, input)
    const twice = keys.flatMap((one) => this.#claim(one, at)).slice(0, 1)
    const hidden = listHiddenIssues(row.hidden, stored)
    if (id === '') row.issues.push({ field: 'id', message: 'cannot be made of the name: give one' })
    const issues = [...row.issues, ...hidden, ...twice, ...('issues' in checked ? checked.issues : [])]
    if ('issues' in checked || issues.length > 0) {
      this.fail(row, issues, twice.length > 0)
      return
    }
    const entry = toEntry(id, checked.after, `${resource}[${at}]`)
    const later = this.later.get(at)
    const { places, kept = [] } = checked
    const among = places && { places }
    if (later) this.planning.later.push({ resource, at, raw: row.raw, id, named: later, stored, ...among })
    if (stored && kept.length > 0 && this.planning.givesAddresses)
      this.planning.kept.push({ at, stored, addresses: kept })
    if (!('change' in checked)) {
      this.settle(at, entry)
      return
    }
    const name = formatRowName(resource, { ...checked.after, ...(isRecord(row.raw) ? row.raw : {}) })
    const common = { resource, id, name, row: at, ...checked.change, ...among }
    if (stored) changes.push({ ...common, change: 'update', before: stored.json })
    else changes.push({ ...common, change: 'create', document: { ...checked.change.document, id } })
    this.objects.add(entry)
    this.planning.countRow()
  }
}

/** Returns the stored objects of these ids, by id. */
export const findStored = async ({ planning, rules }: Rows, ids: readonly string[]): Promise<Map<string, Stored>> => {
  const documents = await findStoredDocuments(planning.ctx, rules, ids)
  return new Map([...documents].map(([id, one]) => [id, { id, ...one }]))
}
