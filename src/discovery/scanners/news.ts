/** Finds out for which scanners there is something to do: for all whose polls wait, by a few queries. */
import { memoized } from '../../database/cache/revision-cache.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { ListenedNetwork } from '../../scanner/wire.ts'
import { listListened } from '../listening/listened.ts'
import { type Holder, type Review, reviewHoldings } from './holdings.ts'
import { findConcerned, findStartable } from './queries.ts'

export type Poller = Holder & {
  /** The number of further scans that it may be given. */
  readonly free: number
  /** The list of networks to listen to that it knows; undefined if it has said nothing of it. */
  readonly listenTag: string | undefined
  /** True for a check: it is given nothing, nothing is taken from it, and it ends no other poll. */
  readonly isOnlyAsking: boolean
}

export type News = Review & {
  /** True if a scan may be given to it. */
  readonly mayStart: boolean
  readonly listen: readonly ListenedNetwork[]
  readonly listenTag: string
}

const computeTag = (networks: readonly ListenedNetwork[]): string =>
  networks.length === 0 ? '' : Bun.hash(JSON.stringify(networks)).toString(36)

/** True if the claim of scans changes something. */
export const mayClaim = ({ mayStart, returning, lost }: News): boolean =>
  mayStart || returning.length > 0 || lost.length > 0

/** True if the scanner knows another list of networks to listen to. */
export const hasOtherList = ({ listenTag }: Poller, news: News): boolean => news.listenTag !== (listenTag ?? '')

/** Returns an unambiguous text of the labels. */
const buildKey = (labels: ReadonlySet<string>): string => JSON.stringify([...labels].sort())

export const findNews = async <P extends Poller>(ctx: Ctx, pollers: readonly P[]): Promise<ReadonlyMap<P, News>> => {
  const scans = await findConcerned(
    ctx,
    pollers.map(({ id }) => id),
    pollers.flatMap(({ holding }) => holding),
  )
  const wanting = new Set(pollers.flatMap(({ free, labels }) => (free > 0 ? [...labels] : [])))
  const startable = wanting.size > 0 ? await findStartable(ctx, [...wanting]) : []
  const labels = new Set(startable.map(({ scanner }) => scanner))
  const revision = await ctx.store.revision(['discovery_rules', 'networks', 'spaces'])
  const lists = memoized<readonly ListenedNetwork[]>(ctx.store.cache.at('networks listened to', revision))
  const news = new Map<P, News>()
  for (const poller of pollers) {
    const listen = await lists(buildKey(poller.labels), () => listListened(ctx, [...poller.labels]))
    const mayStart = poller.free > 0 && !labels.isDisjointFrom(poller.labels)
    news.set(poller, { ...reviewHoldings(poller, scans), mayStart, listen, listenTag: computeTag(listen) })
  }
  return news
}
