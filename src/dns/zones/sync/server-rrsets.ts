/** The RRsets of a zone on its server, by a transfer. RRsets that servers generate are left out. */

import { createBreathe } from '../../../base/runtime/pause.ts'
import { isExactValue } from '../../../net/dns/value.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError } from '../../client/dns-error.ts'
import { toRelativeName } from '../zone-index.ts'
import type { ServerRrset } from './compare-rrset.ts'
import { buildRrsetKey } from './desired-rrsets.ts'

/** RFC 4034, RFC 5155, RFC 7344: signers keep them. */
const OF_SIGNERS = new Set(['RRSIG', 'NSEC', 'NSEC3', 'NSEC3PARAM', 'DNSKEY', 'DS', 'CDS', 'CDNSKEY'])

/** True for the RRsets that Plat never touches nor compares. */
export const isApart = (name: string, type: string): boolean =>
  type === 'SOA' || OF_SIGNERS.has(type) || (type === 'NS' && name === '@')

export type Transferred = {
  readonly serial: number
  /** Keyed by `buildRrsetKey`. */
  readonly rrsets: ReadonlyMap<string, ServerRrset>
}

/** Each record takes at least 12 bytes of a message of 65,535 bytes. */
const MAX_VALUES = 5461

type Found = { readonly values: string[]; readonly ttl: number; isExact: boolean }

/** Sorts the values of each RRset. */
const sortValues = async (found: ReadonlyMap<string, Found>): Promise<void> => {
  const breathe = createBreathe()
  for (const { values } of found.values()) {
    if (values.length > 1) values.sort()
    await breathe()
  }
}

/** @throws DnsError, also for an RRset that no message can hold */
export const fetchServerRrsets = async (client: DnsClient, zone: string, signal: AbortSignal): Promise<Transferred> => {
  const found = new Map<string, Found>()
  const breathe = createBreathe()
  let serial = 0
  for await (const { name: fqdn, type, ttl, value, rdata } of client.transfer(zone, {}, signal)) {
    const name = toRelativeName(fqdn, zone)
    if (type === 'SOA' && name === '@') serial = Number(value.split(' ')[2])
    if (isApart(name, type)) continue
    const key = buildRrsetKey(name, type)
    const rrset = found.get(key) ?? { values: [], ttl, isExact: true }
    if (rrset.values.length === 0) found.set(key, rrset)
    if (rrset.values.length === MAX_VALUES)
      throw new DnsError('bad_answer', `bad answer: an RRset of type ${type} has more than ${MAX_VALUES} records`)
    rrset.values.push(value)
    if (rrset.isExact && !isExactValue(type, rdata)) rrset.isExact = false
    await breathe()
  }
  await sortValues(found)
  return { serial, rrsets: found }
}
