/** The networks that the addresses of a device belong to, also where an address names none. */
import type { Ctx } from '../../kernel/ctx.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import { withSpace } from '../spaces/fields.ts'
import type { ShownDevice } from './schema.ts'

/** Returns the networks by the order of the addresses; several of an address in equal subnets. */
const findNetworks = async (ctx: Ctx, deviceId: string): Promise<NonNullable<ShownDevice['networks']>> => {
  // The context of a caller with the permission in the same scopes as that for the device is not narrowed.
  const { db } = ctx.unscoped === ctx ? await narrowToListed(ctx, ['networks']) : ctx
  const rows = await db
    .selectFrom('addresses')
    .innerJoin('network_addresses', (join) =>
      join
        .onRef('network_addresses.device_id', '=', 'addresses.device_id')
        .onRef('network_addresses.ip_key', '=', 'addresses.ip_key'),
    )
    .innerJoin('networks', 'networks.id', 'network_addresses.network_id')
    .select(['addresses.ip', 'networks.space_id', 'networks.id', 'networks.name', 'networks.subnet'])
    .where('addresses.device_id', '=', deviceId)
    .where(({ or, eb }) =>
      or([eb('addresses.network_id', 'is', null), eb('addresses.network_id', '=', eb.ref('networks.id'))]),
    )
    .orderBy('addresses.position')
    .orderBy('networks.id')
    .execute()
  return rows.map(({ ip, space_id, ...network }) => ({ ...withSpace({ ip }, space_id), ...network }))
}

/** Returns the JSON of a device with its networks. @param doc its JSON, which is an object with fields */
export const withNetworks = async (ctx: Ctx, id: string, doc: string): Promise<string> =>
  `${doc.slice(0, -1)},"networks":${JSON.stringify(await findNetworks(ctx, id))}}`
