/**
 * How many devices, networks and datacenters there are: counted once at the start, then kept by what is committed. Where
 * other processes write to the same database, a job counts anew every minute.
 */
import type { Db } from '../../platform/db/database.ts'
import type { Tables } from '../tables.ts'

const NOUNS = ['device', 'network', 'datacenter'] as const
type Noun = (typeof NOUNS)[number]

const TABLE = { device: 'devices', network: 'networks', datacenter: 'datacenters' } as const
/** Events that add or take one away. */
const CHANGE: Readonly<Record<string, { readonly noun: Noun; readonly by: 1 | -1 }>> = {
  ...Object.fromEntries(NOUNS.map((noun) => [`${noun}.created`, { noun, by: 1 }])),
  ...Object.fromEntries(NOUNS.map((noun) => [`${noun}.deleted`, { noun, by: -1 }])),
  // A device that was discovered tells of its making by this event alone.
  'device.promoted': { noun: 'device', by: 1 },
}

export type Population = {
  readonly of: (noun: Noun) => number
  /** To be told of every commit. */
  readonly onCommit: (events: readonly string[]) => void
  readonly recount: () => Promise<void>
}

export const createPopulation = async (db: Db<Tables>): Promise<Population> => {
  const counts = { device: 0, network: 0, datacenter: 0 }
  const recount = async (): Promise<void> => {
    for (const noun of NOUNS) {
      const query = db.read.selectFrom(TABLE[noun]).select(({ fn }) => fn.countAll<number | string>().as('n'))
      counts[noun] = Number((await query.executeTakeFirstOrThrow()).n)
    }
  }
  await recount()
  return {
    of: (noun) => counts[noun],
    onCommit: (events) => {
      for (const event of events) {
        const change = CHANGE[event]
        if (change) counts[change.noun] += change.by
      }
    },
    recount,
  }
}
