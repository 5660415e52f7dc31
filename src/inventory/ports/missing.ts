/** Adds the ports that devices lack, with few queries for all of them. */
import { notFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { lockCustom } from '../../resource/custom/engine.ts'
import { withDefaults } from '../../resource/custom/rows.ts'
import { refuseTooMany } from './checks.ts'
import type { StoredPort } from './store.ts'
import * as store from './store.ts'

/** A port to add where the device has none of its name. */
export type NewPort = Pick<StoredPort, 'name'> &
  Partial<Pick<StoredPort, 'kind' | 'type' | 'pass_through' | 'mac_address'>>

type Wanted = { readonly device_id: string; readonly ports: readonly NewPort[] }

/** Returns a port with the defaults of the contract. */
const buildPort = (ctx: Ctx, device_id: string, port: NewPort): StoredPort => ({
  id: ctx.newId(),
  device_id,
  ...{ kind: 'network', type: '', speed_mbps: null, mac_address: '', enabled: true, parent_id: null },
  ...{ pass_through: false, vlan_id: null, tagged_vlan_ids: [], description: '', refs: {}, managed_by: '' },
  ...port,
  created_at: ctx.now,
  updated_at: ctx.now,
})

/**
 * Adds the ports that devices lack by their names, in any case, and changes none. Locks the rows of the devices.
 * @returns the added ports
 * @throws AppError NOT_FOUND for an unknown device, VALIDATION_ERROR on `device_id` if one would have too many ports
 */
export const addMissing = async (ctx: Ctx, wanted: readonly Wanted[]): Promise<StoredPort[]> => {
  await lockCustom(ctx, 'ports')
  const names = await store.lockDevices(
    ctx,
    wanted.map(({ device_id }) => device_id),
  )
  const places = wanted.flatMap(({ device_id, ports }) => ports.map((port) => ({ ...port, device_id })))
  const known = await store.findByNames(ctx, places)
  const added = new Map<string, StoredPort>()
  for (const { device_id, ports } of wanted) {
    if (!names.has(device_id)) throw notFound('device', device_id)
    for (const port of ports) {
      const key = store.buildNaturalKey({ device_id, name: port.name })
      if (!known.has(key) && !added.has(key)) added.set(key, buildPort(ctx, device_id, port))
    }
  }
  const all = [...added.values()]
  const counts = new Map<string, number>()
  for (const { device_id } of all) counts.set(device_id, (counts.get(device_id) ?? 0) + 1)
  for (const [deviceId, count] of counts) await refuseTooMany(ctx, deviceId, count)
  const made = await withDefaults(ctx, 'ports', all)
  const writes = made.map((after) => ({ after }))
  if (writes.length > 0) await store.write(ctx, writes)
  return made
}
