/** The rules of device types. */

import type { Config } from '../../base/config/config.ts'
import { createBreathe, pause } from '../../base/runtime/pause.ts'
import { getTemporaryFolder } from '../../base/runtime/unnamed-file.ts'
import { invalid } from '../../contract/errors.ts'
import { merge } from '../../contract/merge.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { resourceRules } from '../../resource/rules.ts'
import type { Device } from '../devices/schema.ts'
import { buildName, type DeviceType, deviceTypes, type ImportedType } from './api.ts'
import type { PortsOf, PortsWanted } from './events.ts'
import type { LibraryType } from './library.ts'
import { createLibraryReader } from './library-process.ts'
import type { deviceTypeFacts } from './resource.ts'
import { findDeviceIds, lockKeys, store } from './store.ts'

/** For the history, and for the rows of documents and files. */
export const { findIdsByKeys, buildKey: buildNaturalKey } = store

/** Returns the existing device types of these ids, by id. Devices take over their size and model. */
export const findDeviceTypes = store.findAll

const rules = resourceRules<typeof deviceTypeFacts, DeviceType>(store, {
  derive: (type) => ({ ...type, name: buildName(type) }),
  check: async (ctx, { after }) => {
    if (after) await lockKeys(ctx, [buildNaturalKey(after)])
  },
  taken: ({ name }) => `A device type "${name}" exists already`,
})
export const { create, update, remove } = rules

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
    await ctx.emit('ports.wanted', event)
    ids.push(...event.added.map(({ device_id }) => device_id))
  }
  return ids
}

/** Adds the ports of their types to new devices. */
const addPorts = async (ctx: Ctx, devices: readonly Device[]): Promise<void> => {
  const types = await findDeviceTypes(
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
  const { ports, name } = await rules.getOrThrow(ctx, id)
  const all = await findDeviceIds(ctx, id)
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
  await lockKeys(ctx, keys)
  const ids = await findIdsByKeys(ctx, [...new Set(keys)])
  return new Map(
    [...(await findDeviceTypes(ctx, [...ids.values()])).values()].map((type) => [buildNaturalKey(type), type]),
  )
}

/** Creates or updates a device type of the library. Fields that its document does not have are cleared. */
const importOne = async (ctx: Ctx, known: Known, { draft, ignored, left }: LibraryType): Promise<ImportedType> => {
  const before = known.get(buildNaturalKey(draft))
  if (!before) {
    const made = await create(ctx, draft)
    known.set(buildNaturalKey(made), made)
    return { id: made.id, name: made.name, outcome: 'created', ignored, left }
  }
  const { id } = before
  // Fields that the library lacks stay.
  const { refs: _, managed_by: __, ...fields } = draft
  if (merge(before, fields).changes.length === 0) return { id, name: before.name, outcome: 'unchanged', ignored, left }
  const after = await update(ctx, { ...fields, id })
  known.set(buildNaturalKey(after), after)
  return { id, name: after.name, outcome: 'updated', ignored, left }
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
      ...rules.handlers,
      apply: async (ctx, { id, device_ids }) => apply(ctx, id, device_ids),
      import: {
        isReadOnly: true,
        readsNoState: true,
        prepare: async (ctx, { yaml }) => {
          // Checked before up to 8 MiB of YAML are read.
          requireImport(ctx)
          const types = await readLibrary(yaml, ctx)
          return (ctx) => importAll(ctx, types)
        },
      },
    }),
    reactions: { ...rules.reactions, 'devices.typed': addPorts },
  }
}
