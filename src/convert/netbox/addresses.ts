/** The addresses of a device or machine, in the order in which they matter. */
import { isDomainName } from '../../net/dns-name.ts'
import { formatIp } from '../../net/ip.ts'
import type { Line } from '../report-builder.ts'
import { compact, MAX_ADDRESSES, MAX_LABEL } from '../rows/row-text.ts'
import { findFirstMac, type Interface, type Interfaces, type Owner } from './interfaces.ts'
import { listLines, type Mapping, markDone, toText } from './mapping.ts'
import { type Networks, parseInterface } from './networks.ts'
import { FHRP_GROUP } from './objects/machines.ts'
import type { Ports } from './ports.ts'
import type { NetboxObject } from './read/objects.ts'
import { buildAddressKey, getSpace } from './spaces.ts'

const ADDRESS = 'ipam.ipaddress'
const USED = new Set('address assigned_object_type assigned_object_id dns_name vrf role status tags'.split(' '))

export type DeviceAddresses = {
  readonly rows: Record<string, unknown>[]
  readonly domains: string[]
  readonly lines: Line[]
}

export type AddressContext = Mapping & {
  readonly networks: Networks
  readonly interfaces: Interfaces
  readonly ports: Ports
  /** All addresses of devices, with their VRFs. */
  readonly taken: Set<string>
}

type Found = { readonly on: Interface; readonly object: NetboxObject }

const sortAddresses = ({ interfaces }: AddressContext, owner: Owner, device: NetboxObject): Found[] => {
  const found = interfaces.of(owner, device.id).flatMap((on) => on.addresses.map((object) => ({ on, object })))
  // Only the API tells which family it prefers.
  const primaries = [device.primary_ip, device.primary_ip4, device.primary_ip6]
  const getRank = ({ object }: Found): number => primaries.indexOf(object.id)
  const primary = found.filter((address) => getRank(address) >= 0).sort((a, b) => getRank(a) - getRank(b))
  return [...primary, ...found.filter((address) => getRank(address) < 0)]
}

export const buildAddresses = (context: AddressContext, owner: Owner, device: NetboxObject): DeviceAddresses => {
  const { report, networks, interfaces, ports, custom, taken } = context
  const made: DeviceAddresses = { rows: [], domains: [], lines: [] }
  const own = new Set<string>()
  for (const { on, object } of sortAddresses(context, owner, device)) {
    markDone(context, ADDRESS, object)
    const parsed = parseInterface(object.address)
    const ip = parsed && formatIp(parsed.ip)
    const key = buildAddressKey(object, ip ?? '')
    const why = !ip
      ? 'is not an address'
      : own.has(key)
        ? 'is on its device twice'
        : own.size === MAX_ADDRESSES && `is beyond the ${MAX_ADDRESSES} addresses of its device`
    if (!ip || why) {
      report.left(ADDRESS, String(why), object)
      continue
    }
    own.add(key)
    taken.add(key)
    const network = networks.holding(object.vrf, parsed.ip)
    const at = (field: string) => ({ kind: on.kind, id: on.object.id, field })
    made.rows.push(
      compact({
        ip,
        label: getLabel(object) ?? toText(context, at('name'), on.name, MAX_LABEL),
        network: network?.ref,
        space: network ? undefined : getSpace(object),
        switch_port: toText(context, at('cable'), interfaces.peerOf(on)),
        interface: ports.nameOf(on),
        mac_address: findFirstMac(on),
        dns_name: getAddressName(object),
        role: getAddressRole(object),
        custom: custom.of(ADDRESS, object),
      }),
    )
    made.lines.push(...listAddressLines(context, ip, object, made.domains))
  }
  return made
}

const ROLES = new Set(['loopback', 'secondary', 'anycast', 'vip', 'vrrp', 'hsrp', 'glbp', 'carp'])

const getAddressRole = ({ role }: NetboxObject): string | undefined =>
  typeof role === 'string' && ROLES.has(role) ? role : undefined

/** Returns the fields of an address that objects say: its group of gateways, and the address to which it is translated. */
export const listSaidFields = ({ model }: Mapping, object: NetboxObject): string[] => {
  const target = model.target(object, 'assigned_object')
  const isInGroup = target?.kind === FHRP_GROUP && model.isListed(target.kind, target.id)
  const isRule = typeof object.nat_inside === 'number' && model.isListed(ADDRESS, object.nat_inside)
  return [...(isInGroup ? ['assigned_object_type', 'assigned_object_id'] : []), ...(isRule ? ['nat_inside'] : [])]
}

const getDnsName = ({ dns_name }: NetboxObject): string =>
  dns_name === undefined ? '' : removeRootDot(String(dns_name))

/** Returns the name of an address; undefined for a wildcard, which is a domain of its device. */
const getAddressName = (object: NetboxObject): string | undefined => {
  const name = getDnsName(object)
  return isDomainName(name) && !name.startsWith('*') ? name : undefined
}

/** Returns the description of an address, unless it is no label: then it is a line of the device. */
const getLabel = ({ description }: NetboxObject): string | undefined => {
  const text = String(description ?? '').trim()
  return text === '' || text.length > MAX_LABEL || /\p{Cc}/u.test(text) ? undefined : text
}

const listAddressLines = (context: Mapping, ip: string, object: NetboxObject, domains: string[]): Line[] => {
  const said = getLabel(object) === undefined ? [] : ['description']
  const used = new Set([...USED, ...said, ...listSaidFields(context, object)])
  const lines = listLines(context, { kind: ADDRESS, object, used })
  const name = getDnsName(object)
  if (getAddressRole(object) === undefined) lines.push({ key: 'role', value: object.role })
  if (name !== '' && !isDomainName(name)) lines.push({ key: 'dns_name', value: name })
  else if (name.startsWith('*') && !domains.includes(name)) domains.push(name)
  return lines.map(({ key, value }) => ({ key: `${ip} ${key}`, value, field: `${ADDRESS}.${key}` }))
}

/** Returns a name of the DNS without the dot of the root. */
export const removeRootDot = (name: string): string => name.trim().replace(/\.$/, '')
