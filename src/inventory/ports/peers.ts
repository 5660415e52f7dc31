/** The other ends of the cables of ports. */
import type { Ctx } from '../../kernel/ctx.ts'
import type { Peer } from './api.ts'

export type Peers = ReadonlyMap<string, readonly Peer[]>

/** Returns the other ends of the cables of a device by the id of its port, the front before the rear. */
export const findPeers = async (ctx: Ctx, deviceId: string): Promise<Peers> => {
  const ends = await ctx.db
    .selectFrom('ports as own')
    .innerJoin('cable_ends as end', 'end.port_id', 'own.id')
    .innerJoin('ports as other', 'other.id', 'end.other_port_id')
    .leftJoin('devices as device', 'device.id', 'other.device_id')
    .select(['own.id', 'end.side', 'end.cable_id', 'end.other_side', 'end.other_port_id'])
    .select(['other.name as port', 'other.device_id', 'device.name as device'])
    .where('own.device_id', '=', deviceId)
    .orderBy('end.side')
    .execute()
  const peers = new Map<string, Peer[]>()
  for (const { id, side, cable_id, device_id, device, other_port_id, port, other_side } of ends) {
    // The caller may not list the device.
    const peer: Peer = {
      side,
      cable_id,
      device_id,
      device: device ?? '',
      port_id: other_port_id,
      port,
      port_side: other_side,
    }
    const others = peers.get(id)
    if (others) others.push(peer)
    else peers.set(id, [peer])
  }
  return peers
}
