/** The leases of a DHCP server: the last entry of an address counts, and only one that has not ended. */
import type { Conversion } from '../converter.ts'
import { Findings, type Found } from './found.ts'

export type Lease = Found & {
  /** The reason for which the lease counts no more, such as `is free`. */
  readonly over?: string
  /** The time of its end in milliseconds; undefined for never. */
  readonly endsMs?: number
}

export class Leases {
  readonly #byAddress = new Map<string, Lease>()
  #replaced = 0

  add(lease: Lease): void {
    if (this.#byAddress.delete(lease.ip)) this.#replaced++
    this.#byAddress.set(lease.ip, lease)
  }

  conversion(source: string, now: Date): Conversion {
    const findings = new Findings('lease')
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
