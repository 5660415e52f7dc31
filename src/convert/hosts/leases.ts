/** The leases of a DHCP server: the last entry of an address counts, and only one that has not ended. */

import type { Lease, LeaseEntry } from '../../net/leases/lease.ts'
import { parseMac } from '../../net/mac.ts'
import type { LazyConversion } from '../converter.ts'
import type { ConvertOptions } from '../protocol.ts'
import { Findings } from './found.ts'
import type { Found } from './found-store.ts'
import { createLineError } from './text.ts'

const hasEnded = (endsMs: number | undefined, now: Date): boolean => endsMs !== undefined && endsMs <= now.getTime()

const getName = ({ hostname = '' }: { readonly hostname?: string | undefined }): string =>
  hostname.replace(/\.$/, '').toLowerCase()

/** The smallest MAC address of each host name. */
type Macs = ReadonlyMap<string, string>

/**
 * Tells machines of one host name apart: many phones are called `android`. The one with the smallest MAC address keeps the name.
 * A lease without a MAC address, as those of IPv6, is of that one.
 */
const distinguish = ({ hostname, mac_address = '' }: Lease, macs: Macs): Pick<Found, 'distinct'> => {
  const mac = parseMac(mac_address)
  const isFirst = mac === undefined || macs.get(getName({ hostname })) === mac
  return hostname === undefined || hostname === '' || isFirst ? {} : { distinct: mac }
}

export class Leases {
  readonly #byAddress = new Map<string, Lease>()
  #replaced = 0

  add(lease: Lease): void {
    if (this.#byAddress.delete(lease.ip)) this.#replaced++
    this.#byAddress.set(lease.ip, lease)
  }

  #findMacs(now: Date): Macs {
    const macs = new Map<string, string>()
    for (const lease of this.#byAddress.values()) {
      const mac = parseMac(lease.mac_address ?? '')
      if (mac === undefined || lease.over !== undefined || hasEnded(lease.endsMs, now)) continue
      const name = getName(lease)
      const known = macs.get(name)
      if (known === undefined || mac < known) macs.set(name, mac)
    }
    return macs
  }

  conversion(source: string, options: ConvertOptions): LazyConversion {
    const findings = new Findings('lease', options)
    const { now } = options
    const macs = this.#findMacs(now)
    for (const { over, endsMs, ...found } of this.#byAddress.values()) {
      const why = over ?? (hasEnded(endsMs, now) ? 'has ended' : undefined)
      if (why === undefined) findings.add({ ...found, ...distinguish(found, macs) })
      else findings.leave(why, found)
    }
    if (this.#replaced > 0) {
      findings.report.read('lease', this.#replaced)
      findings.report.dropped('lease', 'has a later entry of the same address', this.#replaced)
    }
    return findings.conversion(source)
  }
}

/**
 * Reads the entries of a file. `isKnown` is true if a line of it is of the format.
 * @throws AppError VALIDATION_ERROR on `file` for the first entry that is not valid
 */
export const collectLeases = (
  entries: Iterable<LeaseEntry>,
): { readonly leases: Leases; readonly isKnown: boolean } => {
  const leases = new Leases()
  let isKnown = false
  for (const { line, lease, error } of entries) {
    if (error !== undefined) throw createLineError(line, error)
    isKnown = true
    if (lease) leases.add(lease)
  }
  return { leases, isKnown }
}
