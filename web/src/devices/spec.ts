/** How devices are searched, sorted and shown in the table. Runs in the worker. */
import { type Cidr, cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { ipKey, parseIp } from '../../../src/net/ip.ts'
import { parseIpv4 } from '../../../src/net/ipv4-text.ts'
import type { Device, DeviceStatus } from '../api/contracts.ts'
import type { TableSpec } from '../table/engine.ts'

/** What the page needs of a device to draw its row. */
export type DeviceRow = {
  readonly id: string
  readonly name: string
  readonly hostname: string
  readonly status: DeviceStatus
  readonly ip: string
  readonly addressCount: number
  readonly datacenter: string
  readonly model: string
  readonly os: string
  readonly tags: readonly string[]
  readonly location: string
  readonly updatedAt: string
}

export const DEVICE_FIELDS = ['tag', 'os', 'dc', 'ip', 'status', 'model', 'location', 'id', 'in'] as const

/** As numbers and not as text: 10.0.0.9 is before 10.0.0.10, and IPv4 before IPv6. */
const addressKey = (device: Device): string => {
  const ip = device.addresses[0]?.ip
  if (ip === undefined) return '~'
  const v4 = parseIpv4(ip)
  if (v4 !== undefined) return `0${v4.toString(16).padStart(8, '0')}`
  const v6 = parseIp(ip)
  return v6 ? `1${ipKey(v6)}` : '~'
}

/** `10.0.` is a beginning, `10.0.0.0/24` a network. */
const createIpTest = () => {
  let asked = ''
  let cidr: Cidr | undefined
  return (device: Device, value: string): boolean => {
    if (value !== asked) {
      asked = value
      cidr = value.includes('/') ? parseCidr(value) : undefined
    }
    const network = cidr
    if (!network) return device.addresses.some(({ ip }) => ip.startsWith(value))
    return device.addresses.some(({ ip }) => {
      const parsed = parseIp(ip)
      return parsed !== undefined && cidrHolds(network, parsed)
    })
  }
}

const has = (text: string, value: string): boolean => text.toLowerCase().includes(value)

/** `names` gives the datacenters their names, `marked` holds the ids of the last import; both may be filled later. */
export const deviceSpec = (
  names: ReadonlyMap<string, string>,
  marked: ReadonlySet<string> = new Set(),
): TableSpec<Device> => {
  const datacenter = (device: Device): string => names.get(device.datacenter_id ?? '') ?? ''
  return {
    id: (device) => device.id,
    text: (device) =>
      [
        device.name,
        device.hostname,
        device.description,
        device.make_model,
        device.os,
        device.location,
        ...device.tags,
        ...device.addresses.map(({ ip }) => ip),
        ...device.domains,
      ].join('\n'),
    sorts: {
      // As the server sorts them, so that they come in order.
      name: (device) => device.name.toLowerCase(),
      address: addressKey,
      status: (device) => device.status,
      datacenter,
      model: (device) => device.make_model,
      os: (device) => device.os,
      location: (device) => device.location,
      updated: (device) => device.updated_at,
    },
    fields: {
      tag: (device, value) => device.tags.some((tag) => tag.toLowerCase().startsWith(value)),
      os: (device, value) => has(device.os, value),
      dc: (device, value) => datacenter(device).toLowerCase().startsWith(value),
      ip: createIpTest(),
      status: (device, value) => device.status.startsWith(value),
      model: (device, value) => has(device.make_model, value),
      location: (device, value) => has(device.location, value),
      id: (device, value) => device.id.toLowerCase() === value,
      in: (device, value) => value === 'import' && marked.has(device.id),
    },
    facets: {
      tag: (device) => device.tags,
      os: (device) => [device.os],
      dc: (device) => [datacenter(device)],
      status: (device) => [device.status],
      model: (device) => [device.make_model],
    },
  }
}

export const deviceRow = (device: Device, names: ReadonlyMap<string, string>): DeviceRow => ({
  id: device.id,
  name: device.name,
  hostname: device.hostname,
  status: device.status,
  ip: device.addresses[0]?.ip ?? '',
  addressCount: device.addresses.length,
  datacenter: names.get(device.datacenter_id ?? '') ?? '',
  model: device.make_model,
  os: device.os,
  tags: device.tags,
  location: device.location,
  updatedAt: device.updated_at,
})
