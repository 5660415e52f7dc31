/** Differences between discovered and documented devices: the items of the inbox. Pure. */

import type { Device } from '../../inventory/devices/schema.ts'
import { isHostname } from '../../net/dns-name.ts'
import { isKnownByLeases } from '../devices/derive.ts'
import type { Conflict } from '../devices/records.ts'
import type { Bucket, DiscoveredDevice, InboxField, InboxItem } from '../schema.ts'

export type Finding = InboxItem['fields'][number]

/** The ports of a link by LLDP, each as a name or a MAC address. */
export type LinkedPorts = {
  readonly local: string
  readonly remote: string
  /** The description of the remote port, of one that is given by its MAC address. */
  readonly description?: string
}

/** A statement of another device about the place where this one is connected. */
export type Link =
  /** A switch has learned a MAC of it on one of its ports. */
  | {
      readonly kind: 'switch_port'
      readonly mac: string
      readonly port: string
      readonly sourceId: string
      readonly because: string
    }
  /** A neighbor by LLDP, as a discovered device. */
  | {
      readonly kind: 'neighbour'
      readonly targetId: string
      readonly because: string
      /** The port of each of the two. Links from before have none. */
      readonly ports?: LinkedPorts
    }

/** Returns the discovered devices that links are to or from. */
export const listLinkedIds = (links: readonly Link[]): string[] =>
  links.map((link) => (link.kind === 'switch_port' ? link.sourceId : link.targetId))

/** A neighbor that is documented, and not yet as one. */
export type Neighbour = { readonly id: string; readonly name: string; readonly because: string }

/** Returns the fields of a documented device that are compared. */
export const listComparedFields = ({ hostname, make_model, os, status, addresses }: Device): readonly unknown[] => [
  ...[hostname, make_model, os, status],
  ...addresses.map(({ ip, space_id, network_id, mac_address, switch_port }) => [
    ...[ip, space_id, network_id, mac_address, switch_port],
  ]),
]

export type Compared = {
  readonly discovered: DiscoveredDevice
  /** The documented device with its addresses in the space of the network. */
  readonly documented: Device | undefined
  readonly locked: ReadonlySet<string>
  readonly conflicts: readonly Conflict[]
  /** The MAC that each address was last seen with, if only this device has it. */
  readonly macs: ReadonlyMap<string, string>
  /** True for a device that was heard, and that no scan has seen since. */
  readonly isHeard: boolean
  readonly links: readonly Link[]
  /** Name of a switch by the id of its discovered device. */
  readonly switchNames: ReadonlyMap<string, string>
  readonly neighbours: readonly Neighbour[]
}

/** A guess below this confidence does not contradict the documentation. */
const SURE_OS = 60
const LIKELY_OS = 40

const createFinding = (field: InboxField, documented: string, observed: string, because: string): Finding => ({
  field,
  documented,
  observed,
  because,
  target_id: null,
})

const isSameHost = (a: string, b: string): boolean => {
  const [one, other] = [a.toLowerCase(), b.toLowerCase()]
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`)
}

const compareHostname = ({ discovered }: Compared, { hostname: known }: Device): Finding[] => {
  const seen = discovered.hostname
  if (seen === '' || !isHostname(seen) || (known !== '' && isSameHost(seen, known))) return []
  return [createFinding('hostname', known, seen, 'name')]
}

/** Uses what the device says by SNMP. The owner of its MAC has made its network interface, and perhaps nothing else. */
const compareMakeModel = ({ discovered: { model = '' } }: Compared, { make_model }: Device): Finding[] =>
  make_model === '' && model !== '' ? [createFinding('make_model', '', model.slice(0, 255), 'SNMP')] : []

const compareOs = ({ discovered }: Compared, { os: known }: Device): Finding[] => {
  const { os_guess: seen, os_confidence: sure } = discovered
  if (seen === '') return []
  const because = `${sure} % sure`
  if (known === '') return sure >= LIKELY_OS ? [createFinding('os', '', seen.slice(0, 255), because)] : []
  const [one, other] = [seen.toLowerCase(), known.toLowerCase()]
  const isLess = !/\d/.test(one) && other.startsWith(one.split(/[\s/]/)[0] ?? one)
  if (one.includes(other) || other.includes(one) || isLess || sure < SURE_OS) return []
  return [createFinding('os', known, seen.slice(0, 255), because)]
}

/** Returns the addresses of the device that belong to this network: by their own field, or because they were seen there. */
export const listNetworkAddresses = (device: Pick<Device, 'addresses'>, discovered: DiscoveredDevice): string[] => {
  const seen = new Set(discovered.addresses.map(({ ip }) => ip))
  return device.addresses
    .filter(({ ip, network_id }) => network_id === discovered.network_id || seen.has(ip))
    .map(({ ip }) => ip)
}

const compareAddresses = ({ discovered }: Compared, device: Device): Finding[] => {
  const seen = discovered.addresses.filter(({ status }) => status === 'up').map(({ ip }) => ip)
  const known = listNetworkAddresses(device, discovered)
  const all = new Set(device.addresses.map(({ ip }) => ip))
  if (seen.every((ip) => all.has(ip))) return []
  return [createFinding('addresses', known.join(', '), seen.join(', '), discovered.identity.kind)]
}

const compareStatus = ({ discovered }: Compared, device: Device): Finding[] => {
  if (discovered.status === 'down')
    return device.status === 'active'
      ? [createFinding('status', device.status, 'decommissioned', 'no longer seen')]
      : []
  return device.status === 'planned' || device.status === 'decommissioned'
    ? [createFinding('status', device.status, 'active', discovered.reasons[0] ?? 'seen')]
    : []
}

/** Uses the first documented MAC that differs. A contradiction between scans says more, and takes its place. */
const compareMacAddress = ({ macs, conflicts }: Compared, { addresses: known }: Device): Finding[] => {
  if (conflicts.some(({ kind }) => kind === 'lease')) return []
  for (const { ip, mac_address } of known) {
    const seen = macs.get(ip)
    if (mac_address !== '' && seen !== undefined && seen !== mac_address)
      return [createFinding('mac_address', mac_address, seen, `at ${ip}`)]
  }
  return []
}

/** Uses the first documented address that was seen. A device with several MACs has several ports and is left alone. */
const compareSwitchPorts = ({ discovered, links: all, switchNames }: Compared, device: Device): Finding[] => {
  // Links from devices that were deleted cannot be verified.
  const links = all.filter((link) => link.kind !== 'switch_port' || switchNames.has(link.sourceId))
  const seen = new Set(discovered.addresses.map(({ ip }) => ip))
  const macs = new Set(links.flatMap((link) => (link.kind === 'switch_port' ? [link.mac] : [])))
  if (macs.size !== 1) return []
  for (const link of links) {
    if (link.kind !== 'switch_port') continue
    const address = device.addresses.find(({ ip }) => seen.has(ip))
    const place = [switchNames.get(link.sourceId), link.port].filter(Boolean).join(' ').slice(0, 255)
    if (address && address.switch_port !== place)
      return [createFinding('switch_port', address.switch_port, place, link.because)]
  }
  return []
}

const compareConnections = ({ neighbours }: Compared): Finding[] =>
  neighbours.map(({ id, name, because }) => ({ ...createFinding('connected_to', '', name, because), target_id: id }))

const listContradictions = ({ conflicts }: Compared): Finding[] =>
  conflicts.map((one) =>
    one.kind === 'lease'
      ? { ...createFinding('mac_address', one.before, one.after, `both had ${one.ip}`), target_id: one.otherId }
      : createFinding('ssh_host_key', one.before, one.after, `SSH at ${one.ip}; no login was tried`),
  )

/** Preview of the fields that a promotion would document. */
const buildPreview = ({ discovered }: Compared): Finding[] => {
  const { hostname: name, addresses: seen, model = '', os_guess } = discovered
  const all = [
    createFinding('hostname', '', name, 'name'),
    createFinding('addresses', '', seen.map(({ ip }) => ip).join(', '), discovered.identity.kind),
    createFinding('make_model', '', model.slice(0, 255), 'SNMP'),
    createFinding('os', '', os_guess, `${discovered.os_confidence} % sure`),
  ]
  return all.filter(({ observed }) => observed !== '')
}

export type Verdict = { readonly bucket: Bucket | ''; readonly findings: readonly Finding[] }

/** Decides the bucket, if any, and its findings. A contradiction comes first; a device that is gone has no other findings. */
export const compareFindings = (compared: Compared): Verdict => {
  const { discovered, documented, locked } = compared
  const conflicts = listContradictions(compared)
  if (!documented) {
    if (conflicts.length > 0) return { bucket: 'conflict', findings: [...conflicts, ...buildPreview(compared)] }
    // A client of DHCP that was never seen comes and goes.
    const isNew = discovered.status === 'up' && (compared.isHeard || !isKnownByLeases(discovered))
    return isNew ? { bucket: 'new', findings: buildPreview(compared) } : { bucket: '', findings: [] }
  }
  const isGone = discovered.status === 'down'
  const differences = isGone
    ? compareStatus(compared, documented)
    : [
        compareHostname,
        compareAddresses,
        compareMacAddress,
        compareMakeModel,
        compareOs,
        compareSwitchPorts,
        compareConnections,
        compareStatus,
      ].flatMap((rule) => rule(compared, documented))
  const open = differences.filter(({ field }) => !locked.has(field))
  if (conflicts.length > 0) return { bucket: 'conflict', findings: [...conflicts, ...open] }
  if (open.length === 0) return { bucket: '', findings: [] }
  return { bucket: isGone ? 'gone' : 'changed', findings: open }
}

/** Signature of an item, to detect that it changed since it was ignored. */
export const buildSignature = ({ bucket, findings }: Verdict): string =>
  JSON.stringify([bucket, ...findings.map(({ field, observed, target_id }) => [field, observed, target_id])])
