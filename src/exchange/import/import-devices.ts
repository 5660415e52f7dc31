/** Imports devices: new ones are validated and written together, failing rows separately. */

import type { Breathe } from '../../base/runtime/pause.ts'
import { AppError, invalid, invalidField } from '../../contract/errors.ts'
import { getOwn } from '../../contract/own.ts'
import { isRecord, toOptionalText } from '../../contract/unknown.ts'
import { parse } from '../../contract/validate.ts'
import { DeviceDraft, DevicePatch } from '../../inventory/devices/api.ts'
import * as devices from '../../inventory/devices/devices.ts'
import type { Device } from '../../inventory/devices/schema.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import { buildAddressKey, type MergedRow, mergeRow, removeEmpty, toRowPlace } from '../apply/known-part.ts'
import {
  type Batching,
  checkFields,
  type Done,
  type Importer,
  type Outcome,
  parseRow,
  type Row,
  tryRow,
} from './row.ts'

type New = { readonly at: number; readonly draft: DeviceDraft & Restored }

/** Finds a device by id if the row has one, otherwise by its name, which must be that of one device. */
const findExistingIds = async (ctx: Ctx, rows: readonly Row[]): Promise<(string | AppError | undefined)[]> => {
  const getId = ({ value: { id } }: Row) => toOptionalText(id)
  const known = await devices.filterExistingDevices(
    ctx,
    rows.flatMap((row) => getId(row) ?? []),
  )
  const named = await devices.findIdsByName(
    ctx,
    rows.flatMap(({ value: { id, name } }) => (id === undefined && typeof name === 'string' ? [name] : [])),
  )
  return rows.map((row) => {
    const id = getId(row)
    if (id !== undefined) return known.has(id) ? id : undefined
    const { name } = row.value
    const [first, ...others] = (typeof name === 'string' && named.get(toNameKey(name.trim()))) || []
    return others.length > 0 ? invalidField('name', 'is the name of several devices; give the id') : first
  })
}

/** Returns the key by which a row names a device; undefined for a bad row without id and name. */
const getRowKey = ({ id, name }: Row['value']): string | undefined => {
  if (typeof id === 'string') return id
  return typeof name === 'string' ? toNameKey(name.trim()) : undefined
}

/** The devices that the rows of a batch mean. */
class Stored {
  readonly #devices = new Map<string, Device>()

  /** Reads the devices of these ids, and locks them: their lists are added to. */
  async read(ctx: Ctx, ids: readonly string[]): Promise<void> {
    const unknown = ids.filter((id) => !this.#devices.has(id))
    // The column holds the JSON of a device.
    for (const [id, json] of await devices.lockDocuments(ctx, unknown))
      this.#devices.set(id, JSON.parse(json) as Device)
  }

  get(id: string): Device | undefined {
    return this.#devices.get(id)
  }

  set(device: Device): void {
    this.#devices.set(device.id, device)
  }
}

type Updating = Pick<Batching, 'rules' | 'moves'> & {
  readonly stored: Stored
  /** True if any row of the batch has addresses. */
  readonly hasAddresses: boolean
}

type Update = Partial<MergedRow> & { readonly fields: Row['value'] }

/** Returns the update of a device by a row that adds to its lists. */
const mergeDevice = async (ctx: Ctx, before: Device, value: Row['value'], updating: Updating): Promise<Update> => {
  const { rules, moves, stored, hasAddresses } = updating
  const merged = mergeRow(value, before, rules)
  if (!hasAddresses) return { ...merged, kept: [] }
  const { fields, kept } = merged
  const named = { id: before.id, key: getRowKey(value) }
  const all = Array.isArray(fields.addresses) ? fields.addresses : before.addresses
  const left = moves.removeGiven(named, all, kept)
  if (fields.addresses === undefined && left === all) return merged
  const had = new Set(before.addresses.map(buildAddressKey))
  const addresses: unknown[] = []
  for (const one of left) {
    if (isRecord(one) && !had.has(buildAddressKey(one))) {
      const { address, released } = await moves.take(ctx, named, one)
      if (released) stored.set(released)
      addresses.push(address)
    } else addresses.push(one)
  }
  return { ...merged, fields: { ...fields, addresses } }
}

const toUpdate = async (ctx: Ctx, id: string, value: Row['value'], updating: Updating): Promise<Update> => {
  const { rules, stored } = updating
  if (rules.lists === 'replace') return { fields: rules.empty === 'keep' ? removeEmpty(value) : value }
  await stored.read(ctx, [id])
  const before = stored.get(id)
  return before ? mergeDevice(ctx, before, value, updating) : { fields: value }
}

/** Returns an error with the places of the addresses in the row. */
const withRowPlaces = (error: unknown, places: readonly number[] | undefined): unknown =>
  error instanceof AppError && error.code === 'VALIDATION_ERROR' && places
    ? invalid(error.details.map(({ field, message }) => ({ field: toRowPlace(field, places), message })))
    : error

/** The fields of an update. Fields of a record are changed one by one. */
const FIELDS: ReadonlySet<string> = new Set(Object.keys(DevicePatch.shape))
const RECORDS: ReadonlySet<string> = new Set(['refs', 'custom'])

const isSame = (field: string, given: unknown, stored: unknown): boolean =>
  Bun.deepEquals(given, stored) ||
  (RECORDS.has(field) &&
    isRecord(given) &&
    isRecord(stored) &&
    Object.entries(given).every(([key, value]) => Bun.deepEquals(value, getOwn(stored, key))))

/** True if an update would change nothing: most rows of a second import. Values in another form are left to the update. */
const isUnchanged = (fields: Row['value'], before: Device): boolean =>
  Object.entries(fields).every(
    ([field, value]) =>
      !FIELDS.has(field) || isSame(field, value, Object.hasOwn(before, field) ? Reflect.get(before, field) : undefined),
  )

const update = async (ctx: Ctx, id: string, value: Row['value'], updating: Updating): Promise<Done> => {
  checkFields(DeviceDraft, value)
  const { fields, kept = [], places } = await toUpdate(ctx, id, value, updating)
  const before = updating.stored.get(id)
  if (before && isUnchanged(fields, before)) {
    updating.moves.keep(id, kept, true)
    return 'unchanged'
  }
  try {
    const device = await devices.update(ctx, parse(DevicePatch, { ...fields, id }))
    const isChanged = device.updated_at === ctx.now
    updating.stored.set(device)
    updating.moves.keep(id, kept, !isChanged)
    return isChanged ? 'updated' : 'unchanged'
  } catch (error) {
    throw withRowPlaces(error, places)
  }
}

type Pending = { readonly drafts: readonly New[]; readonly outcomes: Outcome[]; readonly breathe: Breathe }

const createAll = async (ctx: Ctx, { drafts, outcomes, breathe }: Pending): Promise<void> => {
  if (drafts.length === 0) return
  const together = await tryRow(ctx, async () => {
    await devices.createAll(
      ctx,
      drafts.map(({ draft }) => draft),
    )
    return 'created'
  })
  for (const { at, draft } of drafts) {
    // One bad row failed the batch, so each row is tried separately to find it.
    outcomes[at] =
      together === 'created'
        ? together
        : await tryRow(ctx, async () => {
            await devices.create(ctx, draft)
            return 'created'
          })
    await breathe()
  }
}

/** Returns a new device with its addresses, which an earlier row may have had. */
const takeAddresses = async (ctx: Ctx, draft: New['draft'], key: string | undefined, { moves, stored }: Updating) => {
  const addresses: (typeof draft)['addresses'] = []
  for (const one of draft.addresses) {
    const { address, released } = await moves.take(ctx, { key }, one)
    if (released) stored.set(released)
    addresses.push(address)
  }
  return { ...draft, addresses }
}

export const importDevices: Importer = async (ctx, rows, { breathe, rules, moves }, lookup) => {
  const outcomes: Outcome[] = []
  const ids = await findExistingIds(await lookup(), rows)
  const stored = new Stored()
  const adds = rules.lists === 'add'
  const updating = { rules, moves, stored, hasAddresses: rows.some(({ value }) => value.addresses !== undefined) }
  if (adds)
    await stored.read(
      ctx,
      ids.filter((id) => typeof id === 'string'),
    )
  const seen = new Set<string>()
  let drafts: New[] = []
  for (const [at, { value, ownPorts }] of rows.entries()) {
    await breathe()
    const name = getRowKey(value)
    if (name !== undefined && seen.has(name)) {
      // If a file contains a device twice, it must be created before the second row can update it.
      await createAll(ctx, { drafts, outcomes, breathe })
      drafts = []
      const [again] = await findExistingIds(await lookup(), rows.slice(at, at + 1))
      ids[at] = again
    }
    if (name !== undefined) seen.add(name)
    const id = ids[at]
    if (id instanceof AppError) {
      outcomes[at] = id
      continue
    }
    if (id !== undefined) {
      outcomes[at] = await tryRow(ctx, () => update(ctx, id, value, updating))
      continue
    }
    const draft = parseRow(DeviceDraft, value)
    if (draft instanceof AppError) {
      outcomes[at] = draft
      continue
    }
    const placed = adds ? await takeAddresses(ctx, draft, name, updating) : draft
    drafts.push({ at, draft: ownPorts === undefined ? placed : { ...placed, created_at: ownPorts } })
  }
  await createAll(ctx, { drafts, outcomes, breathe })
  return outcomes
}
