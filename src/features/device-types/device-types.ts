/** The rules of device types. */
import { AppError, invalid, orNotFound } from '../../platform/contract/errors.ts'
import { listRows } from '../../platform/contract/list.ts'
import { merge } from '../../platform/contract/merge.ts'
import { containsText } from '../../platform/db/contains.ts'
import { isManagedBy } from '../../platform/db/managed-by.ts'
import { updateRefs, withChangedRefs } from '../../platform/operation/object-refs.ts'
import type { Config } from '../../platform/runtime/config/config.ts'
import { createBreathe, pause } from '../../platform/runtime/pause.ts'
import { getTemporaryFolder } from '../../platform/runtime/unnamed-file.ts'
import { type Ctx, type Feature, implement } from '../ctx.ts'
import type { Device } from '../devices/schema.ts'
import type { Restored } from '../restore-fields.ts'
import {
  buildName,
  type DeviceType,
  type DeviceTypeDraft,
  type DeviceTypePatch,
  deviceTypes,
  type ImportedType,
  type TypePort,
} from './api.ts'
import type { LibraryType } from './library.ts'
import { createLibraryReader } from './library-process.ts'
import * as store from './store.ts'

/** For the history, and for the rows of documents and files. */
export const { findDocuments, findIdsByKeys, buildNaturalKey } = store

/** Returns the existing device types of these ids, by id. Devices take over their size and model. */
export const findDeviceTypes = store.findByIds

/** Emitted after new devices with a type were recorded. */
export const DEVICES_TYPED = 'devices.typed'

const getOrThrow = async (ctx: Ctx, id: string): Promise<DeviceType> =>
  orNotFound(await store.find(ctx, id), 'device type', id)

const lockForChange = async (ctx: Ctx, id: string): Promise<DeviceType> => {
  const type = orNotFound(await store.lock(ctx, id), 'device type', id)
  ctx.precondition(type)
  return type
}

/** Another device type has the manufacturer and the model. @throws AppError ALREADY_EXISTS */
const refuseTaken = async (ctx: Ctx, type: DeviceType): Promise<void> => {
  const key = buildNaturalKey(type)
  await store.lockKeys(ctx, [key])
  const holder = (await findIdsByKeys(ctx, [key])).get(key)
  if (holder !== undefined && holder !== type.id)
    throw new AppError('ALREADY_EXISTS', `A device type "${type.name}" exists already`)
}

export const create = async (ctx: Ctx, input: DeviceTypeDraft & Restored): Promise<DeviceType> => {
  const { id = Bun.randomUUIDv7(), created_at = ctx.now, manufacturer, model } = input
  if (input.id !== undefined && (await store.find(ctx, id)))
    throw new AppError('ALREADY_EXISTS', `A device type with id "${id}" exists already`)
  const { slug, part_number, height, full_depth, power_w, description, ports, managed_by } = input
  const refs = updateRefs({}, input.refs)
  // First: of several creates by one ref, the later ones become updates.
  await store.claimRefs(ctx, refs)
  const names = { name: buildName({ manufacturer, model }), manufacturer, model, slug, part_number }
  const size = { height, full_depth, power_w }
  const times = { created_at, updated_at: ctx.now }
  const type: DeviceType = { id, ...names, ...size, description, ports, refs, managed_by, ...times }
  await refuseTaken(ctx, type)
  await store.insert(ctx, type)
  return type
}

export const update = async (ctx: Ctx, { id, ...patch }: DeviceTypePatch): Promise<DeviceType> => {
  const before = await lockForChange(ctx, id)
  const { value, changes } = merge(before, withChangedRefs(before, patch))
  if (changes.length === 0) return before
  const type = { ...value, name: buildName(value), updated_at: ctx.now }
  await refuseTaken(ctx, type)
  await store.updateRow(ctx, before, type)
  return type
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  const type = await lockForChange(ctx, id)
  await ctx.emit('device_type.deleting', type)
  await store.deleteRow(ctx, type)
}

type PortsOf = { readonly device_id: string; readonly ports: readonly TypePort[] }

/** Emitted for devices that are to have these ports. Missing ports are added, and then named in `added`. */
export const PORTS_WANTED = 'ports.wanted'

export type PortsWanted = { readonly wanted: readonly PortsOf[]; readonly added: { readonly device_id: string }[] }

/** The ports that are looked up and added between two turns of the event loop. */
const PORTS_PER_TURN = 1000

/** Returns the devices in portions of few ports. */
const splitIntoPortions = (wanted: readonly PortsOf[]): PortsOf[][] => {
  const portions: PortsOf[][] = []
  let count = PORTS_PER_TURN
  for (const one of wanted) {
    count += one.ports.length
    const last = portions.at(-1)
    if (last && count <= PORTS_PER_TURN) last.push(one)
    else {
      portions.push([one])
      count = one.ports.length
    }
  }
  return portions
}

/** @returns the ids of the devices of the added ports */
const addMissing = async (ctx: Ctx, wanted: readonly PortsOf[]): Promise<string[]> => {
  const ids: string[] = []
  for (const [index, portion] of splitIntoPortions(wanted).entries()) {
    if (index > 0) await pause()
    const event: PortsWanted = { wanted: portion, added: [] }
    await ctx.emit(PORTS_WANTED, event)
    ids.push(...event.added.map(({ device_id }) => device_id))
  }
  return ids
}

/** Adds the ports of their types to new devices. */
const addPorts = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const types = await store.findByIds(
    ctx,
    devices.flatMap(({ device_type_id }) => device_type_id ?? []),
  )
  const wanted: PortsOf[] = devices.flatMap(({ id, device_type_id }) => {
    const { ports = [] } = types.get(device_type_id ?? '') ?? {}
    return ports.length > 0 ? [{ device_id: id, ports }] : []
  })
  await addMissing(ctx, wanted)
}

/** @throws AppError VALIDATION_ERROR on `device_ids` for a device of another type */
const apply = async (ctx: Ctx, id: string, deviceIds: readonly string[] | null | undefined) => {
  const { ports, name } = await getOrThrow(ctx, id)
  const all = await store.findDeviceIds(ctx, id)
  const called = ctx.canListAll('device-types') ? `the type "${name}"` : 'the type'
  const known = new Set(all)
  const issues = (deviceIds ?? []).flatMap((one, index) =>
    known.has(one) ? [] : [{ field: `device_ids[${index}]`, message: `is no device of ${called}: "${one}"` }],
  )
  if (issues.length > 0) throw invalid(issues)
  const chosen = deviceIds ? new Set(deviceIds) : await ctx.filterPermitted('devices', all)
  const added = await addMissing(
    ctx,
    // In one order for all callers, because each portion locks its devices.
    all.filter((one) => chosen.has(one)).map((device_id) => ({ device_id, ports })),
  )
  return { devices: new Set(added).size, ports_added: added.length }
}

/** The device types there are, by natural key. */
type Known = Map<string, DeviceType>

const lockKnownTypes = async (ctx: Ctx, keys: readonly string[]): Promise<Known> => {
  await store.lockKeys(ctx, keys)
  const ids = await findIdsByKeys(ctx, [...new Set(keys)])
  return new Map(
    [...(await store.findByIds(ctx, [...ids.values()])).values()].map((type) => [buildNaturalKey(type), type]),
  )
}

/** Creates or updates a device type of the library. Fields that its document does not have are cleared. */
const importOne = async (ctx: Ctx, known: Known, { draft, ignored }: LibraryType): Promise<ImportedType> => {
  const before = known.get(buildNaturalKey(draft))
  if (!before) {
    const made = await create(ctx, draft)
    known.set(buildNaturalKey(made), made)
    return { id: made.id, name: made.name, outcome: 'created', ignored }
  }
  const { id } = before
  // Fields that the library lacks stay.
  const { refs: _, managed_by: __, ...fields } = draft
  if (merge(before, fields).changes.length === 0) return { id, name: before.name, outcome: 'unchanged', ignored }
  const after = await update(ctx, { ...fields, id })
  known.set(buildNaturalKey(after), after)
  return { id, name: after.name, outcome: 'updated', ignored }
}

/** @throws AppError FORBIDDEN */
const requireImport = (ctx: Ctx): void => ctx.require('device-types:update')

const importAll = async (ctx: Ctx, types: readonly LibraryType[]) => {
  requireImport(ctx)
  const known = await lockKnownTypes(
    ctx,
    types.map(({ draft }) => buildNaturalKey(draft)),
  )
  const breathe = createBreathe()
  const device_types: ImportedType[] = []
  for (const type of types) {
    device_types.push(await importOne(ctx, known, type))
    await breathe()
  }
  const count = (outcome: ImportedType['outcome']) => device_types.filter((one) => one.outcome === outcome).length
  return { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), device_types }
}

type DeviceTypeOptions = { readonly config: Pick<Config, 'dataDir'> }

export const deviceTypesFeature = ({ config }: DeviceTypeOptions): Feature => {
  const readLibrary = createLibraryReader(getTemporaryFolder(config.dataDir))
  return {
    operations: implement(deviceTypes, {
      list: async (ctx, { name, managed_by, ...page }) => {
        let query = store.query(ctx)
        if (name) query = query.where(containsText('name_key', name))
        if (managed_by) query = query.where(isManagedBy(managed_by))
        return listRows(ctx, { revision: await ctx.store.revision(['device_types']), query, page, row: store.fromRow })
      },
      create,
      get: async (ctx, { id }) => getOrThrow(ctx, id),
      update,
      delete: async (ctx, { id }) => remove(ctx, id),
      apply: async (ctx, { id, device_ids }) => apply(ctx, id, device_ids),
      import: {
        isReadOnly: true,
        prepare: async (ctx, { yaml }) => {
          // Checked before up to 8 MiB of YAML are read.
          requireImport(ctx)
          const types = await readLibrary(yaml, ctx)
          return (ctx) => importAll(ctx, types)
        },
      },
    }),
    reactions: { [DEVICES_TYPED]: addPorts },
  }
}
