/** The states and times of Kea's leases, in its files and its answers. */
import { IS_PREFIX } from './lease.ts'

/** Kea's names of the states of a lease. */
const STATES: Readonly<Record<string, string>> = { 1: 'is declined', 2: 'is expired and reclaimed', 3: 'is released' }
/** Assigned by the server, or registered by the client (RFC 9686). */
const IN_FORCE = new Set(['0', '4'])
/** The lifetime of a lease without end (RFC 2131 section 3.3). */
const FOREVER = 0xffffffff

type State = { readonly isPrefix: boolean; readonly state: string; readonly lifetime: number }

/** Returns the reason for which a lease is not in force; undefined for others. */
export const getInactiveReason = ({ isPrefix, state, lifetime }: State): string | undefined => {
  if (isPrefix) return IS_PREFIX
  if (!IN_FORCE.has(state)) return STATES[state] ?? `has the state ${state}`
  return lifetime === 0 ? 'is deleted' : undefined
}

/** Returns the end in milliseconds; undefined for never. @param ends in seconds */
export const computeEnd = (ends: number, lifetime: number): number | undefined =>
  lifetime === FOREVER ? undefined : ends * 1000
