/** The names of a device in the zones that concern it. Pure functions. */
import { cidrHolds, parseCidr } from '../../../src/net/cidr.ts'
import { type Ip, parseIp } from '../../../src/net/ip.ts'
import type { Device } from '../api/contracts.ts'
import type { Zone } from './queries.ts'

type Named = Pick<Device, 'hostname' | 'domains'> & {
  readonly addresses: readonly Pick<Device['addresses'][number], 'ip' | 'dns_name'>[]
}
type Known = Pick<Zone, 'id' | 'name' | 'subnet' | 'is_default'>

/** A name relative to its zone. */
export type ZoneName = { readonly zoneId: string; readonly zone: string; readonly name: string }

const normalizeName = (name: string): string => name.trim().toLowerCase().replace(/\.$/, '')

const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`)

/** One name may be in several zones: an inside and an outside view. */
const filterLongest = <Z>(zones: readonly Z[], sizeOf: (zone: Z) => number): Z[] => {
  const most = Math.max(...zones.map(sizeOf))
  return zones.filter((zone) => sizeOf(zone) === most)
}

const listForwardNames = (name: string, zones: readonly Known[]): ZoneName[] =>
  filterLongest(
    zones.filter((zone) => isWithin(name, zone.name)),
    (zone) => zone.name.length,
  ).map((zone) => ({
    zoneId: zone.id,
    zone: zone.name,
    name: name === zone.name ? '@' : name.slice(0, -zone.name.length - 1),
  }))

const BITS = { 4: 8, 6: 4 } as const
const HEX = 16

/** Octets, or hexadecimal digits, from the left. */
const listLabels = ({ family, value }: Ip): string[] => {
  if (family === 6) return [...value.toString(HEX).padStart(32, '0')]
  return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n))
}

const listReverseNames = (text: string, zones: readonly Known[]): ZoneName[] => {
  const ip = parseIp(text)
  if (!ip) return []
  const holding = zones.flatMap((zone) => {
    const cidr = zone.subnet === null ? undefined : parseCidr(zone.subnet)
    return cidr && cidrHolds(cidr, ip) ? [{ zone, prefix: cidr.prefix }] : []
  })
  return filterLongest(holding, ({ prefix }) => prefix).map(({ zone, prefix }) => {
    const labels = listLabels(ip)
    // A zone of RFC 2317 is longer than its labels, and names the last octet.
    const kept = Math.max(1, labels.length - Math.floor(prefix / BITS[ip.family]))
    return { zoneId: zone.id, zone: zone.name, name: labels.slice(-kept).reverse().join('.') }
  })
}

/** @example listZoneNames({ hostname: 'web.example.org', ... }, zones) // [{ zone: 'example.org', name: 'web', ... }] */
export const listZoneNames = ({ hostname, domains, addresses }: Named, zones: readonly Known[]): ZoneName[] => {
  const usual = zones.find(({ is_default }) => is_default)
  const host = normalizeName(hostname)
  const completed = host === '' || host.includes('.') ? host : usual && `${host}.${usual.name}`
  const names = [
    completed ?? '',
    ...addresses.map(({ dns_name }) => normalizeName(dns_name)),
    ...domains.map(normalizeName),
  ]
  const forward = [...new Set(names)].filter((name) => name !== '').flatMap((name) => listForwardNames(name, zones))
  const reverse = addresses.flatMap(({ ip }) => listReverseNames(ip, zones))
  const all = new Map([...forward, ...reverse].map((one) => [`${one.zoneId} ${one.name}`, one]))
  return [...all.values()]
}
