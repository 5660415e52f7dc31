/** Copies of a device. Pure. */
import type { Device, DeviceDraft } from '../../api/contracts.ts'
import { type Expanded, expandNames } from '../../ports/range.ts'
import { plural } from '../../ui/format.ts'

const BOUNDS = { most: 500, noun: 'device', length: 255 }

/** @example expandDeviceNames('ams-srv-[02-11]') */
export const expandDeviceNames = (pattern: string): Expanded => expandNames(pattern, BOUNDS)

/** @example formatNames(['a-1', 'a-2', 'a-3']) // '3 devices: a-1 … a-3' */
export const formatNames = (names: readonly string[]): string => {
  const shown = names.length <= 2 ? names.join(', ') : `${names[0]} … ${names.at(-1)}`
  return `${plural(names.length, 'device')}: ${shown}`
}

/** Returns an example of a pattern for devices that follow this one. @example suggestPattern('srv-01') // 'srv-[02-11]' */
export const suggestPattern = (name: string): string => {
  const [, before = '', digits, after = ''] = /^(.*?)(\d{1,9})(\D*)$/.exec(name) ?? []
  if (digits === undefined) return `${name}-[1-10]`
  const pad = (number: number) => String(number).padStart(digits.length, '0')
  const next = Number(digits) + 1
  return `${before}[${pad(next)}-${pad(next + 9)}]${after}`
}

/** The address of a copy, with the pool or network that it is of. */
export type OwnAddress = {
  readonly ip: string
  readonly network_id: string
  readonly pool_id?: string | undefined
  readonly space_id?: string | undefined
}

/** Renames the first label of a host name that begins with the name of the device; another one is not copied. */
const renameHost = ({ name, hostname }: Device, copy: string): string => {
  const rest = hostname.slice(name.length)
  const isOwn = hostname.toLowerCase().startsWith(name.toLowerCase()) && (rest === '' || rest.startsWith('.'))
  return isOwn ? copy + rest : ''
}

type Copy = { readonly name: string; readonly address?: OwnAddress | undefined }

/**
 * Returns the input of a new device. Addresses, the place in a rack, the serial number, the asset tag, refs and the owner are not copied.
 * @param unique the names of custom fields whose values differ between devices
 */
export const buildCopy = (device: Device, { name, address }: Copy, unique: ReadonlySet<string>): DeviceDraft => {
  const { description, make_model, os, status, datacenter_id, username, location, tags, domains } = device
  const custom = Object.entries(device.custom ?? {}).filter(([field]) => !unique.has(field))
  return {
    ...{ name, hostname: renameHost(device, name), description, make_model, os, status, datacenter_id },
    ...{ username, location, tags: [...tags], domains: [...domains] },
    ...(device.device_type_id && { device_type_id: device.device_type_id }),
    ...(device.role && { role: device.role }),
    addresses: address
      ? [
          {
            ip: address.ip,
            network_id: address.network_id,
            ...(address.pool_id !== undefined && { pool_id: address.pool_id }),
            ...(address.space_id !== undefined && { space_id: address.space_id }),
          },
        ]
      : [],
    ...(custom.length > 0 && { custom: Object.fromEntries(custom) }),
  } as DeviceDraft
}
