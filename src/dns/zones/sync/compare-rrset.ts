/** Compares an RRset with the records that its server holds under the name and type. */

import type { Rrset } from '../rrset-store.ts'
import { areSame, isSettled } from './diff.ts'

/** The records of a server with one name and type. */
export type ServerRrset = {
  /** Sorted. */
  readonly values: readonly string[]
  readonly ttl: number
  /** True if a prerequisite with these values can match. */
  readonly isExact: boolean
}

const SHOWN = 200

/** Begins the reasons that a transfer can end. Others, such as a name that the server refuses, end with a change. */
export const HOLDS = 'the server holds'

const withSettledState = (rrset: Rrset): Rrset => ({
  ...rrset,
  state: isSettled(rrset) ? 'published' : 'pending',
  message: '',
})

const limitText = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)} ...` : text)

/** @param reason an own message of a server that holds something that is not Plat's */
export const markBlocked = (rrset: Rrset, reason: string): Rrset => ({
  ...rrset,
  ...{ state: 'blocked', message: reason, published: null, sending: null },
})

/**
 * Returns the RRset as it stands after its prerequisite failed.
 * @param there the records of the server; undefined for none
 * @param beside the CNAME at its name, or the error of another type at the name of a new CNAME
 */
export const compareWithServer = (rrset: Rrset, there: ServerRrset | undefined, beside?: string): Rrset => {
  const { wanted, sending, published } = rrset
  if (there) {
    const own = [wanted, sending, published].find((values) => values !== null && areSame(values, there.values))
    if (own && there.isExact)
      return withSettledState({ ...rrset, published: own, published_ttl: there.ttl, sending: null })
    // Plat wants nothing there any more, and the records are not the ones that it wrote.
    if (wanted === null) return withSettledState({ ...rrset, published: null, sending: null })
    return markBlocked(rrset, `${HOLDS} ${limitText(there.values.join(', '))}`)
  }
  if (beside !== undefined && wanted !== null) return markBlocked(rrset, beside)
  return withSettledState({ ...rrset, published: null, sending: null })
}
