/** The device as it is sent and stored, for the contracts that answer with devices. Browser-safe. */
import { z } from 'zod'
import { Refs } from '../../platform/contract/external-fields.ts'
import { Timestamp } from '../../platform/contract/fields.ts'
import { customOutput } from '../custom-fields/fields.ts'
import { Mount } from '../racks/mount.ts'
import { SpaceOf } from '../spaces/fields.ts'

export const DeviceStatus = z.enum(['planned', 'active', 'maintenance', 'decommissioned'])

export const Address = z
  .object({
    ip: z.string(),
    port: z.int().nullable(),
    type: z.string(),
    label: z.string(),
    network_id: z.string().nullable(),
    switch_port: z.string(),
    interface: z.string().optional().describe('The port of the device itself; absent where none is recorded'),
    mac_address: z.string(),
    dns_name: z.string(),
    pool_id: z.string().nullable(),
    space_id: SpaceOf,
    custom: customOutput('addresses'),
  })
  .meta({ id: 'Address' })
export type Address = z.infer<typeof Address>

export const Device = z
  .object({
    id: z.string(),
    name: z.string(),
    hostname: z.string(),
    description: z.string(),
    make_model: z.string(),
    os: z.string(),
    status: DeviceStatus,
    datacenter_id: z.string().nullable(),
    username: z.string(),
    location: z.string(),
    tags: z.array(z.string()),
    addresses: z.array(Address),
    domains: z.array(z.string()),
    refs: Refs,
    managed_by: z.string(),
    device_type_id: z.string().optional().describe('The device type; absent without one'),
    mount: Mount.optional().describe('The place in a rack; absent without one'),
    custom: customOutput('devices'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Device', columns: ['id', 'name', 'status', 'os', 'addresses', 'tags'] })
export type Device = z.infer<typeof Device>
