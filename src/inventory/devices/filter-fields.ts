/** The filter of feeds and DNS zones in their contracts. Browser-safe. */
import { z } from 'zod'
import { reference, Tags } from '../../contract/fields/fields.ts'
import { DeviceStatus } from './schema.ts'

/** Selects devices, and addresses of them. */
export const filterFields = {
  tags: Tags.describe('Devices with every one of these tags'),
  datacenter_id: reference('datacenters'),
  network_id: reference('networks').describe('Only addresses that belong to this network'),
  statuses: z
    .array(DeviceStatus)
    .max(DeviceStatus.options.length)
    .nullable()
    .transform((statuses) => DeviceStatus.options.filter((one) => statuses?.includes(one)))
    .transform((statuses): typeof statuses => (statuses.length > 0 ? statuses : ['active', 'maintenance']))
    .describe('Devices with one of these states; active and maintenance without it'),
}
