/** The filter of a feed as a sentence, and the configuration of its consumer. Pure functions. */
import type { Feed } from './queries.ts'

export type Filter = Pick<Feed, 'tags' | 'datacenter_id' | 'network_id' | 'statuses' | 'address_label' | 'family'> &
  Partial<Pick<Feed, 'zone_id' | 'space_id'>>

/** Names of datacenters, networks, spaces and zones, by their ids. */
export type Names = ReadonlyMap<string, string>

export const STATUSES: readonly Feed['statuses'][number][] = ['planned', 'active', 'maintenance', 'decommissioned']

const FAMILIES = { '': '', ipv4: 'IPv4', ipv6: 'IPv6' } as const

/** @example joinWords(['a', 'b', 'c']) // 'a, b and c' */
const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const formatAddresses = ({ family, address_label }: Filter): string => {
  if (family === '' && address_label === '') return ''
  const label = address_label === '' ? '' : ` labelled ${address_label}`
  return `${FAMILIES[family]} addresses${label}`.trim()
}

/** @example filterInWords(filter, names) // 'Devices tagged web, in Dublin; active; IPv4 addresses' */
export const filterInWords = (filter: Filter, names: Names): string => {
  const { tags, datacenter_id, network_id, space_id, statuses, zone_id } = filter
  const getName = (noun: string, id: string) => names.get(id) ?? `${noun} ${id}`
  if (zone_id) return `The zone ${names.get(zone_id) ?? zone_id}`
  const isAny = STATUSES.every((one) => statuses.includes(one))
  const states = isAny ? 'in any state' : joinWords(statuses)
  const clauses = [
    ...(tags.length === 0 ? [] : [`tagged ${joinWords(tags)}`]),
    ...(datacenter_id === null ? [] : [`in ${getName('datacenter', datacenter_id)}`]),
    ...(network_id === null ? [] : [`with an address in ${getName('network', network_id)}`]),
    ...(space_id ? [`in the address space ${getName('space', space_id)}`] : []),
  ]
  const devices = clauses.length === 0 ? 'All devices' : `Devices ${clauses.join(', ')}`
  return [devices, states, formatAddresses(filter)].filter((part) => part !== '').join('; ')
}

/** Stands for the key until one has been made on the page. */
export const NO_KEY = 'YOUR_KEY'

/** A part of the configuration, and where it belongs. */
type Usage = { readonly title: string; readonly text: string }

type Consumer = {
  readonly url: string
  /** The address of this server. */
  readonly server: string
  readonly id: string
  readonly token: string | undefined
}

/** Fills in the configuration of the consumer. Other braces stay, because formats have them too. */
export const fillUsage = (usage: readonly Usage[], { url, server, id, token = NO_KEY }: Consumer) => {
  const values: Readonly<Record<string, string>> = { url, server, id, token }
  return usage.map(({ title, text }) => ({
    title,
    text: text.replace(/\{(url|server|id|token)\}/g, (whole, name: string) => values[name] ?? whole),
  }))
}
