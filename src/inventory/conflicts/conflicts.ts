/** The rules of conflicts: the decisions of users, and the events that trigger a check. */

import { AppError, invalidField, orNotFound } from '../../contract/errors.ts'
import type { Tables } from '../../database/tables.ts'
import type { OnObjectsChanged } from '../../kernel/context.ts'
import { type Ctx, type Feature, implement } from '../../kernel/ctx.ts'
import { listRows } from '../../kernel/list.ts'
import { parseIpKeyOrThrow } from '../../net/ip.ts'
import { differsIn, listStates, type ObjectStates, readChanges } from '../../resource/read-changes.ts'
import * as devices from '../devices/devices.ts'
import type { Device } from '../devices/schema.ts'
import type { Network } from '../networks/api.ts'
import { findDocuments } from '../networks/networks.ts'
import { findSpaceKey, findSpaceKeys } from '../spaces/keys.ts'
import { conflicts, type Resolution } from './api.ts'
import { buildAddressKey, findDevicesWithAddress, type Place } from './causes.ts'
import { checkAddresses, checkAll, checkChangedPlaces, close } from './detect.ts'
import { type Conflict, narrowConflict } from './schema.ts'
import * as store from './store.ts'

/** Returns the conflict of a stored row. */
export const toConflict = store.fromRow

/** Returns the cause under which the conflict of an address is stored. */
export const buildAddressCauseKey = buildAddressKey

const lockForChange = async (ctx: Ctx, id: string): Promise<store.Stored> => {
  const stored = orNotFound(await store.lock(ctx, id), 'conflict', id)
  ctx.precondition(stored.conflict)
  return stored
}

/** @throws AppError NOT_FOUND */
const getOrThrow = async (ctx: Ctx, id: string): Promise<Conflict> =>
  orNotFound(await store.find(ctx, id), 'conflict', id).conflict

/** Returns the devices with the address of a conflict. */
const findHolders = async (ctx: Ctx, conflict: Conflict): Promise<string[]> =>
  findDevicesWithAddress(ctx, parseIpKeyOrThrow(conflict.ip_address, await findSpaceKey(ctx, conflict)))

/** Removes the address from every other device. Each is a step, so that the conflict follows. */
const leaveTo = async (ctx: Ctx, conflict: Conflict, keep: string): Promise<void> => {
  const { ip_address, space_id } = conflict
  const holders = await findHolders(ctx, conflict)
  // A conflict does not name all of very many members.
  if ((await ctx.filterPermitted('devices', holders)).size < holders.length)
    throw new AppError('FORBIDDEN', 'The conflict has members outside of your part of the estate')
  for (const id of holders) {
    if (id === keep) continue
    const { addresses } = await devices.getOrThrow(ctx, id)
    const others = addresses.filter((address) => address.ip !== ip_address || address.space_id !== space_id)
    await ctx.step(() => devices.updateNamed(ctx, { id, addresses: others }))
  }
}

const resolve = async (ctx: Ctx, { id, keep_device_id: keep, notes }: Resolution): Promise<Conflict> => {
  const stored = await lockForChange(ctx, id)
  const { conflict } = stored
  if (conflict.status === 'resolved') throw invalidField('id', 'the conflict is resolved already')
  if (keep !== undefined) {
    if (conflict.type !== 'duplicate_ip') throw invalidField('keep_device_id', 'only devices can keep an address')
    if (!(await findHolders(ctx, conflict)).includes(keep))
      throw invalidField('keep_device_id', 'is not part of the conflict')
    ctx.require('devices:update')
  }
  const told = { ...conflict, resolved_by: ctx.author, notes: notes === '' ? conflict.notes : notes }
  if (keep === undefined) return close(ctx, { ...stored, conflict: told })
  // The removed cause resolves it. The user is stored before that, so that the record names who did it.
  await store.update(ctx, { ...stored, conflict: { ...told, status: 'active' } })
  await leaveTo(ctx, conflict, keep)
  return getOrThrow(ctx, id)
}

const ignore = async (ctx: Ctx, id: string, notes: string): Promise<Conflict> => {
  const { conflict, cause } = await lockForChange(ctx, id)
  if (conflict.status === 'resolved') throw invalidField('id', 'the conflict is resolved already')
  const ignored: Conflict = {
    ...conflict,
    status: 'ignored',
    resolved_by: ctx.author,
    notes: notes === '' ? conflict.notes : notes,
  }
  await store.update(ctx, { conflict: ignored, cause })
  return ignored
}

const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await lockForChange(ctx, id)
  await store.remove(ctx, id)
}

const summary = async (ctx: Ctx) => {
  const counts = await store.countByTypeAndStatus(ctx)
  const sum = (wanted: Partial<Conflict>): number =>
    counts
      .filter((one) => Object.entries(wanted).every(([field, value]) => one[field as 'type' | 'status'] === value))
      .reduce((total, { n }) => total + Number(n), 0)
  return {
    active: sum({ status: 'active' }),
    resolved: sum({ status: 'resolved' }),
    ignored: sum({ status: 'ignored' }),
    duplicate_ip: sum({ status: 'active', type: 'duplicate_ip' }),
    overlapping_subnet: sum({ status: 'active', type: 'overlapping_subnet' }),
  }
}

/** Returns the conflicts with a member that the caller reaches, without the others. */
const narrowConflicts = async (ctx: Ctx, all: readonly Conflict[]): Promise<Conflict[]> => {
  const ids = (members: (conflict: Conflict) => readonly string[]) => [...new Set(all.flatMap(members))]
  const seen = new Set([
    ...(await ctx.filterPermitted(
      'devices',
      ids(({ device_ids }) => device_ids),
    )),
    ...(await ctx.filterPermitted(
      'networks',
      ids(({ network_ids }) => network_ids),
    )),
  ])
  return all.flatMap((conflict) => narrowConflict(conflict, (id) => seen.has(id)) ?? [])
}

const detect = async (ctx: Ctx): Promise<{ conflicts: Conflict[]; count: number }> => {
  await checkAll(ctx)
  const all = (await store.query(ctx, { status: 'active' }).execute()).map(store.fromRow)
  const shown = ctx.isScoped ? await narrowConflicts(ctx, all) : all
  return { conflicts: shown, count: shown.length }
}

const hasMoved = (states: ObjectStates<Device>): boolean =>
  listStates(states).some(({ addresses }) => addresses.length > 0) && differsIn(states, ['addresses'])

/** Checks the addresses that devices have gained and lost. */
const followDevices: OnObjectsChanged<Tables> = async (ctx, changes) => {
  const moved = (await devices.readFollowed(ctx, changes)).filter(hasMoved)
  if (moved.length === 0) return
  const earlier = moved.filter(({ before }) => before !== undefined)
  const [all, lost] = [
    await devices.toIpKeys(ctx, moved.flatMap(listStates)),
    earlier.length > 0 ? await devices.toIpKeys(ctx, earlier.flatMap(listStates)) : [],
  ]
  await checkAddresses(ctx, { all, lost })
}

/** The fields of a network that say with which networks it may share its place. */
const PLACED = ['subnet', 'datacenter_id', 'space_id'] as const

/** Checks the places that networks have left and come to. */
const followNetworks: OnObjectsChanged<Tables> = async (ctx, changes) => {
  const all = await readChanges<Network>(ctx, changes, findDocuments)
  const moved = all.filter((states) => differsIn(states, PLACED))
  const [left, reached] = [moved.flatMap(({ before }) => before ?? []), moved.flatMap(({ after }) => after ?? [])]
  const networks = moved.length === 1 ? [...left, ...reached] : [...reached, ...left]
  const space = await findSpaceKeys(ctx, networks)
  await checkChangedPlaces(
    ctx,
    networks.map(
      ({ datacenter_id, subnet, space_id }): Place => ({ datacenter_id, subnet, space: space({ space_id }) }),
    ),
  )
}

export const feature: Feature = {
  operations: implement(conflicts, {
    list: async (ctx, { type, status, space_id, ...page }) => {
      const revision = await ctx.store.revision(['conflicts'])
      return listRows(ctx, {
        revision,
        query: store.query(ctx, { type, status, space_id }),
        page,
        row: store.fromRow,
      })
    },
    summary,
    ofDevice: async (ctx, { id, status, ...page }) => {
      const revision = await ctx.store.revision(['conflicts', 'devices'])
      await devices.assertDeviceExists(ctx.unscoped, id)
      return listRows(ctx, { revision, query: store.selectByMember(ctx, id, { status }), page, row: store.fromRow })
    },
    get: async (ctx, { id }) => getOrThrow(ctx, id),
    detect,
    resolve,
    ignore: async (ctx, { id, notes }) => ignore(ctx, id, notes),
    delete: async (ctx, { id }) => remove(ctx, id),
  }),
  follows: { device: followDevices, network: followNetworks },
}
