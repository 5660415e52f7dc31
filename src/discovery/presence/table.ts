/** The table of presence: from when to when a MAC was seen at an address of a network. */

export type PresenceSource = 'scan' | 'listen'

export type PresenceRow = {
  id: string
  network_id: string
  /** Of a discovered device that may be gone by now. */
  discovered_id: string
  ip: string
  /** '' for none known. */
  mac_address: string
  source: PresenceSource
  began_at: string
  /** When it was last seen, as of the moment at which another MAC, or none, came to its address. Not written by each probe. */
  seen_at: string
  /** `OPEN` while it is there. */
  ended_at: string
}

/** The end of an interval without end: it is after all others, so that one comparison finds the intervals of a range. */
export const OPEN = '9999-12-31T23:59:59.999Z'

export type PresenceTables = { presence: PresenceRow }

declare module '../../database/tables.ts' {
  interface OwnTables extends PresenceTables {}
}
