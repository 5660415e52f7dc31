/** How discovered devices are searched and sorted, in the browser or above the limit on the server. */

import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { DEFAULT_SPACE, parseIp, parseIpKey } from '../../../src/net/ip.ts'
import { toSortKey } from '../../../src/net/name-order.ts'
import type { Network } from '../api/contracts.ts'
import type { TableSpec } from '../table/engine.ts'
import { parseFilter } from '../table/filter.ts'
import { isWithin } from './presence/age.ts'
import type { DiscoveredDevice } from './shapes.ts'

export type Networks = ReadonlyMap<string, Pick<Network, 'name' | 'subnet' | 'space_id'>>

const isIn = (addresses: DiscoveredDevice['addresses'], value: string): boolean => {
  const cidr = value.includes('/') ? parseCidr(value) : undefined
  return addresses.some(({ ip }) => {
    const parsed = cidr && parseIp(ip)
    return cidr && parsed ? cidrHolds(cidr, parsed) : ip.startsWith(value)
  })
}

/** The ages that the filter offers. */
const AGES = ['<1h', '<24h', '<7d', '>24h', '>7d']

const formatYesNo = (isTrue: boolean): string => (isTrue ? 'yes' : 'no')

export const buildDiscoveredDevicesSpec = (networks: Networks): TableSpec<DiscoveredDevice> => {
  const network = ({ network_id }: DiscoveredDevice): string => networks.get(network_id)?.name ?? ''
  const ports = ({ open_ports }: DiscoveredDevice): readonly string[] => open_ports.map(String)
  const documented = ({ matched_device_id }: DiscoveredDevice): string => formatYesNo(matched_device_id !== null)
  return {
    id: ({ id }) => id,
    text: ({ ip, addresses, mac_address, hostname, vendor, model = '', os_guess, services }) =>
      [
        ip,
        ...addresses.map((one) => one.ip),
        mac_address,
        hostname,
        vendor,
        model,
        os_guess,
        ...services.map(({ service, product }) => `${service} ${product}`),
      ].join('\n'),
    sorts: {
      address: ({ ip }) => parseIpKey(ip, DEFAULT_SPACE) ?? ip,
      name: ({ hostname, ip }) => (hostname === '' ? `~${parseIpKey(ip, DEFAULT_SPACE) ?? ip}` : toSortKey(hostname)),
      mac: ({ mac_address }) => mac_address,
      vendor: ({ vendor }) => toSortKey(vendor),
      os: ({ os_guess }) => toSortKey(os_guess),
      ports: ({ open_ports }) => open_ports.length,
      status: ({ status }) => status,
      confidence: ({ confidence }) => confidence,
      network: (discovered) => toSortKey(network(discovered)),
      documented: (discovered) => toSortKey(documented(discovered)),
      seen: ({ last_seen }) => last_seen,
      first: ({ first_seen }) => first_seen,
    },
    fields: {
      status: ({ status }, value) => status.startsWith(value),
      ip: ({ addresses }, value) => isIn(addresses, value),
      mac: ({ mac_address }, value) => mac_address.toLowerCase().startsWith(value),
      vendor: ({ vendor }, value) => vendor.toLowerCase().startsWith(value),
      os: ({ os_guess }, value) => os_guess.toLowerCase().startsWith(value),
      port: (discovered, value) => ports(discovered).includes(value),
      net: (discovered, value) => network(discovered).toLowerCase().startsWith(value),
      documented: (discovered, value) => documented(discovered).startsWith(value),
      seen: ({ last_seen }, value) => isWithin(last_seen, value),
    },
    facets: {
      status: ({ status }) => [status],
      vendor: ({ vendor }) => [vendor],
      os: ({ os_guess }) => [os_guess],
      port: ports,
      net: (discovered) => [network(discovered)],
      documented: (discovered) => [documented(discovered)],
      seen: ({ last_seen }) => AGES.filter((age) => isWithin(last_seen, age)),
    },
  }
}

export type Split = {
  /** Words for the server, all of which must match. */
  readonly words: string
  /** The part of the filter for the loaded rows. */
  readonly rest: string
}

/**
 * Splits a filter into the words that the server searches for and the rest, for the table.
 * @example splitFilter('web status:up', f)
 */
export const splitFilter = (text: string, fields: readonly string[]): Split => {
  const terms = parseFilter(text, fields)
  const isWord = ({ field, isNegated }: (typeof terms)[number]) => field === '' && !isNegated
  const written = (wanted: boolean) =>
    terms
      .filter((term) => isWord(term) === wanted)
      .map(({ start, end }) => text.slice(start, end))
      .join(' ')
  return { words: written(true).replace(/"/g, ''), rest: written(false) }
}
