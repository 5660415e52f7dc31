/** Summarizes the answer of a lookup in one sentence, only from the fields of the answer. */
import type { Lookup, LookupNetwork } from './api.ts'

type Facts = Omit<Lookup, 'summary' | 'known' | 'ways'> & {
  /** The time of the lookup: leases before it are over. */
  readonly now: string
}

const formatNetwork = ({ name, subnet }: LookupNetwork): string => `${name} (${subnet})`

const formatWhere = ({ networks: [nearest] = [] }: Facts, before: string): string =>
  nearest ? `${before} ${formatNetwork(nearest)}` : ''

const joinNames = (all: readonly { readonly name: string }[]): string => {
  const shown = all.slice(0, 3).map(({ name }) => name)
  return `${shown.join(', ')}${all.length > shown.length ? ' and others' : ''}`
}

const formatCount = ({ more }: Facts, list: string, count: number): string =>
  more.includes(list) ? `more than ${count}` : `${count}`

const formatMinute = (timestamp: string): string => `${timestamp.slice(0, 16).replace('T', ' ')} UTC`

/** Formats the end of a lease in force, after a comma. */
const formatLease = ({ now, discovered = [] }: Facts): string => {
  const [ends] = discovered.flatMap(({ lease_expires_at: at }) => (at !== null && at > now ? at : []))
  if (ends === undefined) return ''
  return ends.startsWith('9999-') ? ', leased without end' : `, leased until ${formatMinute(ends)}`
}

const describeAssigned = (facts: Facts): string => {
  const { query, devices = [] } = facts
  const [first, ...others] = devices
  if (!first) return `${query} is assigned${formatWhere(facts, ', in')}`
  if (others.length > 0)
    return `${formatCount(facts, 'devices', devices.length)} devices have ${query}: ${joinNames(devices)}`
  return `${query} belongs to ${first.name}, ${first.status}${formatWhere(facts, ', in')}${formatLease(facts)}`
}

const describeReserved = (facts: Facts): string => {
  const [reservation] = facts.reservations ?? []
  const holder = reservation && (reservation.hostname || reservation.purpose)
  const until = reservation?.expires_at ? ` until ${formatMinute(reservation.expires_at)}` : ''
  return `${facts.query} is reserved${holder ? ` for ${holder}` : ''}${until}${formatWhere(facts, ', in')}`
}

const describeSeen = (facts: Facts): string => {
  const [host] = facts.discovered ?? []
  const who = host ? host.hostname || host.mac_address || host.vendor || 'a host' : 'a host'
  return `${facts.query} is not documented, but ${who} was seen there${formatWhere(facts, ', in')}${formatLease(facts)}`
}

/** Returns the first pool that may give out the address: one of its most specific network, if the networks are known. */
export const findOwnPool = ({ kind, networks = [], pools = [] }: Pick<Lookup, 'kind' | 'networks' | 'pools'>) => {
  const own = networks.filter(({ subnet }) => subnet === networks[0]?.subnet).map(({ id }) => id)
  return kind === 'ip' && own.length > 0 ? pools.find(({ network_id }) => own.includes(network_id)) : pools[0]
}

const describeFree = (facts: Facts): string => {
  const pool = findOwnPool(facts)
  return `${facts.query} is free${pool ? `, in the pool ${pool.name}` : ''}${formatWhere(facts, pool ? ' of' : ', in')}`
}

const describeAddress = (facts: Facts): string => {
  switch (facts.state) {
    case 'assigned':
      return describeAssigned(facts)
    case 'reserved':
      return describeReserved(facts)
    case 'discovered':
      return describeSeen(facts)
    case 'network_address':
    case 'broadcast_address':
      return `${facts.query} is the ${facts.state.replace('_', ' ')}${formatWhere(facts, ' of')}`
    case 'free':
      return describeFree(facts)
    default:
      return `${facts.query} is in no network`
  }
}

/** From this size on, the number of taken addresses is not meaningful. */
const COUNTLESS = 2 ** 32

const formatTaken = ({ taken, usable }: Facts): string => {
  if (taken === undefined || usable === undefined) return ''
  const verb = taken === 1 ? 'is' : 'are'
  if (usable < COUNTLESS) return `; ${taken} of ${usable.toLocaleString('en-US')} addresses ${verb} taken`
  return `; ${taken} address${taken === 1 ? '' : 'es'} ${verb} taken`
}

const describeBlock = (facts: Facts): string => {
  const { query, networks: [nearest] = [], inside = [] } = facts
  const taken = formatTaken(facts)
  switch (facts.state) {
    case 'network':
      return nearest ? `${query} is the network ${nearest.name}${taken}` : `${query} is a network${taken}`
    case 'divided': {
      const count = inside.length === 0 ? 'Networks' : `${formatCount(facts, 'inside', inside.length)} network`
      return `${count}${inside.length > 1 ? 's' : ''} ${inside.length === 1 ? 'lies' : 'lie'} in ${query}${inside.length > 0 ? `: ${joinNames(inside)}` : ''}${taken}`
    }
    case 'assigned':
      return `${query} is not a network, and in use${formatWhere(facts, ', in')}${taken}`
    case 'free':
      return `${query} is free${formatWhere(facts, ', in')}`
    default:
      return `No network overlaps ${query}`
  }
}

const formatAddresses = ({ devices = [] }: Facts): string => {
  const ips = [...new Set(devices.flatMap(({ addresses }) => addresses.map(({ ip }) => ip)))]
  return ips.length === 0 ? '' : `, at ${ips.slice(0, 3).join(', ')}${ips.length > 3 ? ' and others' : ''}`
}

const describeName = (facts: Facts): string => {
  const { query, kind, devices = [], discovered = [], reservations = [] } = facts
  const [device, ...others] = devices
  const [host] = discovered
  const [reservation] = reservations
  if (device && others.length > 0)
    return `${formatCount(facts, 'devices', devices.length)} devices have ${query}: ${joinNames(devices)}`
  if (device)
    return kind === 'mac'
      ? `${query} is an interface of ${device.name}, ${device.status}${host ? `, seen at ${host.ip}` : ''}${formatLease(facts)}`
      : `${query} is ${device.name === query ? 'a device' : `the device ${device.name}`}, ${device.status}${formatAddresses(facts)}`
  if (reservation) return `${query} has the address ${reservation.ip_address} reserved`
  if (host)
    return `${query} is not documented, but was seen at ${host.ip}${formatWhere(facts, ', in')}${formatLease(facts)}`
  return `Nothing is known of ${query}`
}

/** @example formatSummary(facts) // '10.0.0.5 belongs to web-01, active, in Servers (10.0.0.0/24)' */
export const formatSummary = (facts: Facts): string => {
  if (facts.kind === 'ip') return describeAddress(facts)
  return facts.kind === 'cidr' ? describeBlock(facts) : describeName(facts)
}
