/** Devices take over the model of their type, where they have none. */
import type { Ctx } from '../../kernel/ctx.ts'
import { findDeviceTypes } from '../device-types/device-types.ts'
import type { Device } from './schema.ts'

type New = { readonly device: Device }

/** Returns new devices with the model of their type, where they have none, with one query for all types. */
export const withModels = async <T extends New>(ctx: Ctx, all: readonly T[]): Promise<T[]> => {
  const types = await findDeviceTypes(
    ctx,
    all.flatMap(({ device }) => device.device_type_id ?? []),
  )
  return all.map((one) => {
    const { device } = one
    const type = types.get(device.device_type_id ?? '')
    return type && device.make_model === '' ? { ...one, device: { ...device, make_model: type.name } } : one
  })
}
