/** The RRsets of a zone on its server, by a transfer. Those that servers make themselves are left out. */
import { isExactValue } from '../../net/dns/value.ts'
import type { DnsClient } from '../../platform/dns/client.ts'
import type { ServerRrset } from './judge.ts'
import { rrsetKey } from './wanted.ts'
import { relativeTo } from './zone-index.ts'

/** RFC 4034, RFC 5155, RFC 7344: signers keep them. */
const OF_SIGNERS = new Set(['RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'DNSKEY', 'DS', 'CDS', 'CDNSKEY'])

/** True for the RRsets that Plat never touches nor compares. */
export const isApart = (name: string, type: string): boolean =>
  type === 'SOA' || OF_SIGNERS.has(type) || (type === 'NS' && name === '@')

export type Transferred = {
  readonly serial: number
  /** By `rrsetKey`. */
  readonly rrsets: ReadonlyMap<string, ServerRrset>
}

/** @throws DnsError */
export const serverRrsets = async (client: DnsClient, zone: string, signal: AbortSignal): Promise<Transferred> => {
  const found = new Map<string, { values: string[]; ttl: number; isExact: boolean }>()
  let serial = 0
  for await (const { name: fqdn, type, ttl, value, rdata } of client.transfer(zone, {}, signal)) {
    const name = relativeTo(fqdn, zone)
    if (type === 'SOA' && name === '@') serial = Number(value.split(' ')[2])
    if (isApart(name, type)) continue
    const key = rrsetKey(name, type)
    const known = found.get(key)
    if (known) known.values.push(value)
    else found.set(key, { values: [value], ttl, isExact: true })
    const rrset = found.get(key)
    if (rrset && !isExactValue(type, rdata)) rrset.isExact = false
  }
  for (const { values } of found.values()) values.sort()
  return { serial, rrsets: found }
}
