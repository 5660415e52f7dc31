/** Connects the reads on standbys to the hosts of the database. */
import type { Hosts } from '../../../base/hosts/hosts.ts'
import type { Log } from './standby-check.ts'
import { createStandbyLag } from './standby-lag.ts'
import { createStandbyReads, type StandbyOptions, type StandbyReads } from './standby-reads.ts'

const LOOK_MS = 1000

export type Standbys = Omit<StandbyReads, 'keepOnly'> & {
  /** Returns why a standby is not asked; '' if it is. */
  readonly getMessage: (host: string) => string
}

/** @param options.open as in `StandbyOptions` */
export const openStandbys = (
  hosts: Pick<Hosts, 'standbys' | 'states' | 'timeline' | 'lookNow' | 'onPrimary'>,
  options: Pick<StandbyOptions, 'open' | 'mostStreams' | 'onQuery'>,
): Standbys => {
  const lag = createStandbyLag()
  const primaryLog = (): Log | undefined => {
    const { timeline, systemId } = hosts.states().find(({ role }) => role === 'primary') ?? {}
    return timeline === undefined || systemId === undefined ? undefined : { timeline, systemId }
  }
  const reads = createStandbyReads({
    ...options,
    hosts: () => {
      // Positions cannot be compared until the timelines of the servers are known.
      if (hosts.timeline() === undefined) return []
      return hosts.standbys().flatMap(({ name }) => (lag.isLeft(name) ? [] : [name]))
    },
    primaryLog,
    onLoss: hosts.lookNow,
  })
  hosts.onPrimary(() => {
    lag.reset()
    reads.keepOnly([])
  })
  const look = (): void => {
    lag.sample(performance.now(), hosts.states())
    reads.keepOnly(hosts.standbys().map(({ name }) => name))
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return {
    ...reads,
    getMessage: (host) =>
      lag.isLeft(host) ? 'more than 10 seconds behind: answers no reads until it has caught up' : '',
    close: () => {
      clearInterval(timer)
      return reads.close()
    },
  }
}
