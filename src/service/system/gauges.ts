/** Counts objects at the start and after each commit; every minute if other processes write as well. */
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'

const NOUNS = ['device', 'network', 'datacenter'] as const
type Noun = (typeof NOUNS)[number]

const TABLE = { device: 'devices', network: 'networks', datacenter: 'datacenters' } as const
/** Events that add or remove one object. */
const CHANGE: Readonly<Record<string, { readonly noun: Noun; readonly by: 1 | -1 }>> = {
  ...Object.fromEntries(NOUNS.map((noun) => [`${noun}.created`, { noun, by: 1 }])),
  ...Object.fromEntries(NOUNS.map((noun) => [`${noun}.deleted`, { noun, by: -1 }])),
  // A promoted device emits only this event, not `device.created`.
  'device.promoted': { noun: 'device', by: 1 },
}

export type Population = {
  readonly of: (noun: Noun) => number
  /** Called after each commit. */
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
