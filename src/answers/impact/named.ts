/** Finds the devices that go away with the objects that a call names. */
import { type FieldIssue, invalid } from '../../contract/errors.ts'
import { findDatacentersBelow } from '../../inventory/datacenters/datacenters.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { Named } from './answer.ts'
import {
  compareNames,
  type DeviceName,
  filterExisting,
  findDevices,
  findInDatacenters,
  findInNetworks,
  mergeByName,
} from './store.ts'

export type Names = {
  readonly device_ids?: readonly string[] | undefined
  readonly datacenter_ids?: readonly string[] | undefined
  readonly network_ids?: readonly string[] | undefined
}

const listMissing = (field: keyof Names, noun: string, ids: readonly string[], known: ReadonlySet<string>) =>
  ids.flatMap((id): FieldIssue[] =>
    known.has(id) ? [] : [{ field, message: `there is no ${noun} with the id "${id}"` }],
  )

/** @throws AppError VALIDATION_ERROR for objects that do not exist, or without any object */
export const requireNamed = async (ctx: Ctx, names: Names): Promise<void> => {
  const { device_ids = [], datacenter_ids = [], network_ids = [] } = names
  if (device_ids.length + datacenter_ids.length + network_ids.length === 0)
    throw invalid([{ field: 'device_ids', message: 'is required, or datacenter_ids or network_ids' }])
  const devices = new Set((await findDevices(ctx, device_ids)).map(({ id }) => id))
  const issues = [
    ...listMissing('device_ids', 'device', device_ids, devices),
    ...listMissing(
      'datacenter_ids',
      'datacenter',
      datacenter_ids,
      await filterExisting(ctx, 'datacenters', datacenter_ids),
    ),
    ...listMissing('network_ids', 'network', network_ids, await filterExisting(ctx, 'networks', network_ids)),
  ]
  if (issues.length > 0) throw invalid(issues)
}

const findAllBelow = async (ctx: Ctx, ids: readonly string[]): Promise<string[]> => {
  const below = new Set<string>()
  for (const id of ids) if (!below.has(id)) for (const one of await findDatacentersBelow(ctx, id)) below.add(one)
  return [...below]
}

/** Returns the devices of the named objects. A device that goes away does not count as a member of a network. */
export const findNamed = async (ctx: Ctx, names: Names): Promise<Named> => {
  const { device_ids = [], datacenter_ids = [], network_ids = [] } = names
  const devices: DeviceName[] = (await findDevices(ctx, device_ids)).sort(compareNames)
  const inDatacenters =
    datacenter_ids.length === 0 ? [] : await findInDatacenters(ctx, await findAllBelow(ctx, datacenter_ids))
  const failed = mergeByName(devices, inDatacenters)
  const own = new Set(failed.map(({ id }) => id))
  const members = network_ids.length === 0 ? [] : await findInNetworks(ctx, network_ids)
  const others = members.filter(({ id }) => !own.has(id))
  return {
    failed,
    cutOff: others.filter(({ has_others }) => Number(has_others) === 0),
    degraded: others.filter(({ has_others }) => Number(has_others) === 1),
  }
}
