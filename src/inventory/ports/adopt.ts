/** Takes over the ports of a device that SNMP reported in scans. */

import type { Ctx } from '../../kernel/ctx.ts'
import type { SnmpFacts } from '../../scanner/protocol.ts'
import { addMissing } from './missing.ts'
import * as store from './store.ts'

/** The longest name of a port. */
const MAX_NAME = 64

/** The part of a stored observation that is read here. */
type Observation = { readonly snmp: Pick<SnmpFacts, 'interfaces'> | null }

/** A reported port. */
type Reported = { readonly name: string; readonly mac_address: string }

/** Returns the ports that the discovered devices matched with a device reported, the most recent report first. */
const findReported = async (ctx: Ctx, deviceId: string): Promise<Reported[]> => {
  const rows = await ctx.db
    .selectFrom('discovered_devices as found')
    .innerJoin('discovered_addresses as address', 'address.device_id', 'found.id')
    .select('address.observation')
    .where('found.matched_device_id', '=', deviceId)
    .orderBy('address.last_seen', 'desc')
    .orderBy('address.place')
    .execute()
  return rows.flatMap(({ observation }) => {
    // The column holds the JSON of an observation.
    const { snmp } = JSON.parse(observation) as Observation
    return (snmp?.interfaces ?? []).map(({ name, mac }) => ({ name: name.trim(), mac_address: mac }))
  })
}

/** Adds the reported ports that a device lacks, and the MAC addresses that its ports lack. */
export const adopt = async (ctx: Ctx, deviceId: string): Promise<{ added: number; updated: number }> => {
  const reported = (await findReported(ctx, deviceId)).filter(({ name }) => name !== '' && name.length <= MAX_NAME)
  const added = await addMissing(ctx, [{ device_id: deviceId, ports: reported }])
  const known = await store.findByNames(
    ctx,
    reported.map(({ name }) => ({ device_id: deviceId, name })),
  )
  const macs = new Map<string, string>()
  for (const { name, mac_address } of reported) {
    const { id, mac_address: mac } = known.get(store.buildNaturalKey({ device_id: deviceId, name })) ?? {}
    if (id !== undefined && mac === '' && mac_address !== '' && !macs.has(id)) macs.set(id, mac_address)
  }
  const writes = [...known.values()].flatMap((before) => {
    const mac_address = macs.get(before.id)
    return mac_address === undefined ? [] : [{ before, after: { ...before, mac_address, updated_at: ctx.now } }]
  })
  await store.write(ctx, writes)
  return { added: added.length, updated: macs.size }
}
