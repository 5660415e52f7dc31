/** The leases of a DHCP server: the last entry of an address counts, and only one that has not ended. */
import type { Lease, LeaseEntry } from '../../net/leases/lease.ts'
import type { LazyConversion } from '../converter.ts'
import type { ConvertOptions } from '../protocol.ts'
import { Findings } from './found.ts'
import { createLineError } from './text.ts'

export class Leases {
  readonly #byAddress = new Map<string, Lease>()
  #replaced = 0

  add(lease: Lease): void {
    if (this.#byAddress.delete(lease.ip)) this.#replaced++
    this.#byAddress.set(lease.ip, lease)
  }

  conversion(source: string, options: ConvertOptions): LazyConversion {
    const findings = new Findings('lease', options)
    const { now } = options
    for (const { over, endsMs, ...found } of this.#byAddress.values()) {
      const why = over ?? (endsMs !== undefined && endsMs <= now.getTime() ? 'has ended' : undefined)
      if (why === undefined) findings.add(found)
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
