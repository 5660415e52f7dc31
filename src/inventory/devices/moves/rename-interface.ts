/** Renames the interface in the addresses of a device, when the port of that name gets another one. */

import type { Ctx } from '../../../kernel/ctx.ts'
import { toNameKey } from '../../../net/name-order.ts'
import { deviceStore } from '../row-store.ts'
import type { Device } from '../schema.ts'
import * as store from '../store.ts'

type Renamed = { readonly from: string; readonly to: string }

/** The caller has locked the row of the device. Addresses stay where they are, so nothing else is locked. */
export const renameInterface = async (ctx: Ctx, deviceId: string, { from, to }: Renamed): Promise<void> => {
  const doc = await store.findDoc(ctx, deviceId)
  if (doc === undefined) return
  // The column holds the JSON of a device.
  const before = JSON.parse(doc) as Device
  const key = toNameKey(from)
  const addresses = before.addresses.map((address) =>
    toNameKey(address.interface ?? '') === key ? { ...address, interface: to } : address,
  )
  if (addresses.every(({ interface: name }, i) => name === before.addresses[i]?.interface)) return
  const device = { ...before, addresses, updated_at: ctx.now }
  await deviceStore.write(ctx, [{ before, after: device }])
}
