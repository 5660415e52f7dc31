/** The rules of devices. */

import {
  AppError,
  type FieldIssue,
  invalid,
  invalidField,
  notFound,
  orNotFound,
  rejectIssues,
} from '../../contract/errors.ts'
import { runBulk } from '../../kernel/bulk/bulk-run.ts'
import type { ChangedObject } from '../../kernel/changes/change-record.ts'
import { updateRefs } from '../../kernel/changes/object-refs.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { JsonText } from '../../kernel/handler-result.ts'
import { listChain } from '../../kernel/list.ts'
import { parseIpKeyOrThrow } from '../../net/ip.ts'
import { lockAllDefinitions } from '../../resource/custom/definitions.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import type { CustomPatch } from '../../resource/custom/fields.ts'
import { withCustom } from '../../resource/custom/fields.ts'
import { emitDeleted, emitDeleting } from '../../resource/deleting.ts'
import { type ObjectStates, readChanges } from '../../resource/read-changes.ts'
import type { Restored } from '../../resource/restore-fields.ts'
import * as occupancy from '../used-addresses/used-addresses.ts'
import { claimAddresses, findSpaces, lockAddresses, toIpKeys } from './address-locks.ts'
import { DeviceDraft, DevicePatch, devices } from './api.ts'
import { applyPatch } from './apply-patch.ts'
import { type CheckedDevice, lockCustomOfDevices, validateDevices } from './custom.ts'
import { withModels } from './device-type-defaults.ts'
import { claimAssetTag, findRefusedAssetTags } from './identity/asset-tags.ts'
import { listDevices } from './list/list.ts'
import { refreshTexts } from './list/refresh-texts.ts'
import { findDevices, searchTables } from './list/search.ts'
import { searchText, toLowerCaseCustom } from './list/search-text.ts'
import * as membership from './membership-store.ts'
import { withNetworks } from './networks.ts'
import { claimMount, findRefusedMounts, lockRacks, mountAll, mountChange } from './rack-positions.ts'
import { reactions } from './reactions.ts'
import { checkReferences, type References } from './references.ts'
import { deviceStore } from './row-store.ts'
import { type Address, type Device, MAX_ADDRESSES } from './schema.ts'
import * as store from './store.ts'
import { updateAll } from './update-all.ts'

/** A new device, with its error if it is invalid. */
type Made = { readonly device: Device; readonly error?: AppError }

/** `has_ports`: its ports are made beside it, so that it gets none of its type. */
type NewDevice = DeviceDraft & Restored & { readonly has_ports?: true }

/** A draft with an id and with its values of custom fields. */
type CheckedDraft = CheckedDevice<NewDevice & { readonly id: string }>['of']

/** Returns the fields in the order of the contract, as they will be sent. */
const buildDevice = (ctx: Ctx, { mount: _, has_ports: __, ...given }: CheckedDraft): Device => {
  const { device_type_id, serial, asset_tag, role, ...draft } = given
  const { created_at = ctx.now, custom = {}, addresses = [], ...rest } = draft
  const refs = draft.refs ? updateRefs({}, draft.refs) : {}
  const optional = {
    ...(device_type_id && { device_type_id }),
    ...(serial && { serial }),
    ...(asset_tag && { asset_tag }),
    ...(role && { role }),
  }
  return withCustom({ ...rest, addresses, refs, ...optional, created_at, updated_at: ctx.now }, custom)
}

const toMemberRows = async (ctx: Ctx, all: readonly Device[]) => {
  const space = await findSpaces(ctx, all)
  return all.flatMap(({ id, addresses }) =>
    addresses.map((address) => {
      const { ip, network_id } = address
      return { device_id: id, ip_key: parseIpKeyOrThrow(ip, space(address)), network_id }
    }),
  )
}

const hasAddresses = ({ addresses }: Pick<NewDevice, 'addresses'>): boolean => addresses.length > 0

/** True for a draft that refers to no other object, and claims nothing that another one may have. */
const isBare = ({ id, datacenter_id, device_type_id, mount, asset_tag, ...draft }: NewDevice): boolean =>
  !(id || datacenter_id || device_type_id || mount || asset_tag || hasAddresses(draft))

const toMade = (device: Device, issues: readonly FieldIssue[], error: AppError | undefined): Made => {
  const found = issues.length > 0 ? invalid(issues) : error
  return found ? { device, error: found } : { device }
}

const withNewIds = (ctx: Ctx, drafts: readonly NewDevice[]) =>
  drafts.map(({ id = ctx.newId(), ...draft }) => ({ id, ...draft }))

/** Validates drafts together, with one query for all of them. */
export const validate = async (ctx: Ctx, given: readonly NewDevice[]): Promise<Made[]> => {
  if (!given.every(isBare)) return validatePlaced(ctx, given)
  const drafts = withNewIds(ctx, given)
  const judged = await validateDevices(
    ctx,
    drafts.map((of) => ({ id: of.id, of })),
  )
  return judged.map(({ of, issues, error }) => toMade(buildDevice(ctx, of), issues, error))
}

const validatePlaced = async (ctx: Ctx, given: readonly NewDevice[]): Promise<Made[]> => {
  await lockCustomOfDevices(ctx)
  // The devices get the ports of their types.
  if (given.some(({ device_type_id }) => device_type_id)) await lockCustom(ctx, 'ports')
  await lockRacks(ctx, given)
  await lockAddresses(ctx, given)
  const drafts = withNewIds(ctx, given)
  const ids = given.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const [checked, taken] = await Promise.all([checkReferences(ctx, drafts), store.findDocs(ctx, ids)])
  const judged = await validateDevices(
    ctx,
    checked.map(({ of }) => ({ id: of.id, of })),
  )
  const mounted = await mountAll(
    ctx,
    await withModels(
      ctx,
      judged.map(({ of }) => ({ device: buildDevice(ctx, of), given: of.mount })),
    ),
  )
  const made = mounted.map(({ device }) => device)
  const refused = new Map([...(await findRefusedAssetTags(ctx, made)), ...(await findRefusedMounts(ctx, made))])
  return mounted.map(({ device, ...place }, i) => {
    const values = judged[i]
    const issues = [...(checked[i]?.issues ?? []), ...(values?.issues ?? []), ...place.issues]
    if (taken.has(device.id))
      return { device, error: new AppError('ALREADY_EXISTS', `A device with id "${device.id}" exists already`) }
    return toMade(device, issues, values?.error ?? refused.get(device.id))
  })
}

/** The last part of the name of the event of a device that is promoted from a discovered device. */
type CreationEvent = 'promoted'

/** Records valid devices in this transaction. */
export const insertAll = async (ctx: Ctx, all: readonly Device[], birth?: CreationEvent): Promise<void> => {
  const write = () =>
    deviceStore.write(
      ctx,
      all.map((after) => ({ after, event: birth })),
    )
  // Before the addresses: of two callers that make one device, the second learns which it is.
  await deviceStore.claimRefs(ctx, ...all.map(({ refs }) => refs))
  if (!all.some(hasAddresses)) return write()
  const members = await toMemberRows(ctx, all)
  const keys = members.map(({ ip_key }) => ip_key)
  await claimAddresses(ctx, all)
  await write()
  await membership.add(ctx, members)
  // The lock is taken as late as possible: other writers of neighboring addresses wait for it until the commit.
  await occupancy.lock(ctx, keys)
  await occupancy.take(ctx, keys)
}

/** Devices that are made again have their ports of before. */
const emitTyped = async (ctx: Ctx, drafts: readonly NewDevice[], made: readonly Device[]): Promise<void> => {
  if (!made.some(({ device_type_id }) => device_type_id)) return
  const fresh = made.filter((device, i) => {
    const { created_at, has_ports } = drafts[i] ?? {}
    return device.device_type_id && created_at === undefined && !has_ports
  })
  if (fresh.length > 0) await ctx.emit('devices.typed', fresh)
}

export const create = async (ctx: Ctx, draft: NewDevice, birth?: CreationEvent): Promise<Device> => {
  const [made] = await validate(ctx, [draft])
  if (!made) throw new Error('one draft makes one device')
  if (made.error) throw made.error
  await insertAll(ctx, [made.device], birth)
  await emitTyped(ctx, [draft], [made.device])
  return made.device
}

/** @throws AppError NOT_FOUND */
const getDocOrThrow = async (ctx: Ctx, id: string): Promise<string> =>
  orNotFound(await store.findDoc(ctx, id), 'device', id)

/** Returns the ids that are devices. */
export const filterExistingDevices = store.filterExistingIds

/** Returns the ids of the devices with these names, by lower-case name. */
export const findIdsByName = store.findIdsByName

export { toIpKeys, updateAll }

/** For the history. */
export const { findHolders } = store
export const findDocuments = store.findDocs

/** In the JSON of a device with an address. */
const WITH_ADDRESS = '"addresses":[{'

const isWithAddress = ({ change, before, after }: ChangedObject): boolean =>
  (change === 'create' && after === undefined) || [before, after].some((text) => text?.includes(WITH_ADDRESS))

/** Reads changed devices, without the new and deleted ones that have no address: features that follow devices need none of these. */
export const readFollowed = async (
  ctx: Ctx,
  changes: readonly ChangedObject[],
): Promise<readonly ObjectStates<Device>[]> => {
  const followed = changes.filter((one) => one.change === 'update' || isWithAddress(one))
  if (followed.length === 0) return []
  // The same list is read once.
  return readChanges<Device>(ctx, followed.length === changes.length ? changes : followed, findDocuments)
}

/** Returns the documents of devices, and locks their rows until commit. */
export const lockDocuments = store.lockDocs
export const { findNames } = store
export const getSearchText = (device: Device): string => searchText(device)
export { toLowerCaseCustom }

export const hasDevice = async (ctx: Ctx, id: string): Promise<boolean> => store.hasId(ctx, id)

/** @throws AppError NOT_FOUND */
export const assertDeviceExists = async (ctx: Ctx, id: string): Promise<void> => {
  if (!(await store.hasId(ctx, id))) throw notFound('device', id)
}

/** @throws AppError NOT_FOUND */
export const getOrThrow = async (ctx: Ctx, id: string): Promise<Device> =>
  // The column holds the JSON of a device.
  JSON.parse(await getDocOrThrow(ctx, id)) as Device

const lockForChange = async (ctx: Ctx, id: string): Promise<Device> => {
  const doc = orNotFound(await store.lockDoc(ctx, id), 'device', id)
  ctx.precondition(doc)
  // The column holds the JSON of a device.
  return JSON.parse(doc) as Device
}

/** Locks the places of a patch before its references are read; without addresses there are none. */
const checkPatch = async (ctx: Ctx, given: DevicePatch): Promise<References<DevicePatch> | undefined> => {
  if (given.addresses === undefined) return undefined
  await lockAddresses(ctx, [{ addresses: given.addresses }])
  const [checked] = await checkReferences(ctx, [given])
  return checked
}

export const update = async (ctx: Ctx, given: DevicePatch): Promise<Device> => {
  const { id } = given
  await lockCustomOfDevices(ctx)
  await lockRacks(ctx, [given])
  const placed = await checkPatch(ctx, given)
  const patch = placed?.of ?? given
  const before = await lockForChange(ctx, id)
  const [judged] = await validateDevices(ctx, [{ id, of: patch, before }])
  if (!judged) throw new Error('one patch is judged once')
  const mounted = await mountChange(ctx, { before, ...applyPatch(ctx, before, judged.of) }, given.mount)
  const { device, changes } = mounted.change
  const found = [...judged.issues, ...mounted.issues]
  const isRefused = found.length > 0 || judged.error !== undefined
  if (changes.length === 0 && !isRefused) return before
  const { issues } = placed ?? (await checkReferences(ctx, [patch]))[0] ?? { issues: [] }
  rejectIssues([...issues, ...found])
  if (judged.error) throw judged.error
  const hasMoved = changes.includes('addresses')
  const keys = hasMoved
    ? { old: await toIpKeys(ctx, [before]), new: await toIpKeys(ctx, [device]) }
    : { old: [], new: [] }
  await deviceStore.lockRefs(ctx, before, device)
  await occupancy.lock(ctx, [...keys.old, ...keys.new])
  if (hasMoved) await claimAddresses(ctx, [device])
  if (changes.includes('mount')) await claimMount(ctx, device)
  if (changes.includes('asset_tag')) await claimAssetTag(ctx, device)
  await deviceStore.write(ctx, [{ before, after: device }])
  if (hasMoved) {
    await membership.rebuild(ctx, [id])
    await occupancy.release(ctx, keys.old)
    await occupancy.take(ctx, keys.new)
  }
  return device
}

/**
 * Updates like `update`, for a caller who may have the permission only in a part of the estate. The call need not name the device.
 */
export const updateNamed = (ctx: Ctx, patch: DevicePatch): Promise<Device> => {
  const guard = { permission: 'devices:update', schema: DevicePatch, params: ['id'], isCreate: false } as const
  return ctx.checkScope({ ...guard, input: patch, given: patch }, () => update(ctx, patch))
}

type NewAddress = Pick<Address, 'ip' | 'label' | 'mac_address' | 'dns_name' | 'network_id' | 'pool_id'> & {
  readonly custom?: NonNullable<CustomPatch> | undefined
}

/** Locks a device that gets addresses, and the pools of its own, before they are claimed. Returns undefined if there is none. */
export const lockForAddresses = async (ctx: Ctx, id: string): Promise<Device | undefined> => {
  const doc = await store.lockDoc(ctx, id)
  if (doc === undefined) return undefined
  ctx.precondition(doc)
  // The column holds the JSON of a device.
  const device = JSON.parse(doc) as Device
  await lockAddresses(ctx, [device])
  return device
}

/** Adds claimed addresses to a locked device. @throws AppError VALIDATION_ERROR if it would have too many */
export const addAddresses = async (
  ctx: Ctx,
  { id, addresses }: Device,
  added: readonly NewAddress[],
): Promise<void> => {
  if (addresses.length + added.length > MAX_ADDRESSES)
    throw invalidField('device_id', `a device has at most ${MAX_ADDRESSES} addresses`)
  const whole = added.map(({ ip, label, mac_address, dns_name, network_id, pool_id, custom }) => {
    const type = ip.includes(':') ? 'ipv6' : 'ipv4'
    const fields = { ip, port: null, type, label, network_id, switch_port: '', mac_address, dns_name, pool_id }
    return custom ? { ...fields, custom } : fields
  })
  await update(ctx, { id, addresses: [...addresses, ...whole] })
}

/** Deletes locked devices, with few queries for all of them. */
const removeLocked = async (ctx: Ctx, all: readonly Device[]): Promise<void> => {
  const keys = await toIpKeys(ctx, all)
  await occupancy.lock(ctx, keys)
  await ctx.emit('devices.deleting', all)
  await emitDeleting(ctx, { resource: 'devices', objects: all })
  await deviceStore.write(
    ctx,
    all.map((before) => ({ before })),
  )
  await occupancy.release(ctx, keys)
  await emitDeleted(ctx, { resource: 'devices', ids: all.map(({ id }) => id) })
}

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockAllDefinitions(ctx)
  await removeLocked(ctx, [await lockForChange(ctx, id)])
}

/** @throws AppError NOT_FOUND for the first that does not exist */
export const removeAll = async (ctx: Ctx, ids: readonly string[]): Promise<void> => {
  await lockAllDefinitions(ctx)
  const docs = await store.lockDocs(ctx, ids)
  // The column holds the JSON of a device.
  await removeLocked(
    ctx,
    ids.map((id) => JSON.parse(orNotFound(docs.get(id), 'device', id)) as Device),
  )
}

/** Creates devices together. @throws AppError for the first that is invalid */
export const createAll = async (ctx: Ctx, drafts: readonly NewDevice[]): Promise<void> => {
  const made = await validate(ctx, drafts)
  const bad = made.find(({ error }) => error)
  if (bad?.error) throw bad.error
  const all = made.map(({ device }) => device)
  await insertAll(ctx, all)
  await emitTyped(ctx, drafts, all)
}

/** Sends the stored JSON unchanged. */
const sendDoc = ({ doc }: { readonly doc: string }): string => doc

export const feature: Feature = {
  operations: implement(devices, {
    list: async (ctx, { limit, offset, ...filter }) => listDevices(ctx, filter, { limit, offset }),
    search: async (ctx, { q, ...page }) => {
      const revision = await ctx.store.revision(['devices', ...searchTables(ctx)])
      return listChain(ctx, { revision, ...(await findDevices(ctx, q)), page, row: sendDoc })
    },
    create,
    get: async (ctx, { id, include = [] }) => {
      const doc = await getDocOrThrow(ctx.unscoped, id)
      return new JsonText(include.includes('networks') ? await withNetworks(ctx, id, doc) : doc)
    },
    update,
    delete: async (ctx, { id }) => remove(ctx, id),
    bulk: async (ctx, input) =>
      runBulk(ctx, input, {
        noun: 'device',
        permissions: 'devices',
        create: { schema: DeviceDraft, run: create },
        update: { schema: DevicePatch, run: update },
        remove,
      }),
  }),
  jobs: [refreshTexts],
  reactions,
}
