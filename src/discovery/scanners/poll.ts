/** Answers the polls of scanners: scans to start, to cancel and to drop, and networks to listen to. Waits until one of them is new. */
import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { EnrolledScanner } from '../../inventory/scanners/state-row-store.ts'
import { hasNews, noteFacts, type SaidFacts } from '../../inventory/scanners/state-store.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { PollAnswer, StartedScan } from '../../scanner/wire.ts'
import type { PollBody } from './api.ts'
import { type Claimant, claim } from './claims.ts'
import { buildStarted } from './given.ts'
import { findNews, hasOtherList, mayClaim, type Poller } from './news.ts'
import type { Polls } from './polls.ts'
import { checkProtocol, findScannerOrThrow } from './requests.ts'

export type PollTools = {
  readonly config: Config
  readonly secrets: Secrets
  readonly version: string
  readonly polls: Polls
  /** Called for each scan that is begun. */
  readonly onStarted: () => void
}

const getLabels = ({ name, tags }: EnrolledScanner): ReadonlySet<string> => new Set([name, ...tags])

/** Stores the fields that the scanner reports of itself. */
const note = async (ctx: Ctx, scanner: EnrolledScanner, facts: SaidFacts): Promise<void> => {
  if (hasNews(scanner, facts, ctx.now)) await ctx.write((tx) => noteFacts(tx, scanner.id, facts))
}

/** Returns the fields of a poll that describe the scanner. */
const toFacts = ({ client }: Ctx, body: PollBody): SaidFacts => {
  const { holding: _, listen_tag: __, wait_seconds: ___, ...facts } = body
  return { ...facts, ip_address: client }
}

const createPoller = (scanner: EnrolledScanner, body: PollBody): Poller => {
  const { holding, listen_tag, slots = scanner.state.slots } = body
  const free = Math.max(0, slots - holding.length)
  const isOnlyAsking = body.wait_seconds === 0
  return { id: scanner.id, labels: getLabels(scanner), holding, free, listenTag: listen_tag, isOnlyAsking }
}

type Attempt = { readonly answer: PollAnswer; readonly isNews: boolean }

/** Looks once, and claims scans. */
const attempt = async (
  ctx: Ctx,
  { scanner, poller }: { readonly scanner: EnrolledScanner; readonly poller: Poller },
  { config, secrets, version, polls, onStarted }: PollTools,
): Promise<Attempt> => {
  const known = await findNews(ctx, [poller])
  const news = known.get(poller)
  if (!news) throw new Error('each poller has news')
  const claimant: Claimant = { ...poller, name: scanner.name }
  const { cancel, drop, given } =
    mayClaim(news) && !poller.isOnlyAsking
      ? await ctx.write((tx) => claim(tx, claimant, config))
      : { ...news, given: [] }
  const start: StartedScan[] = []
  for (const one of given) {
    if (one.isFirst) onStarted()
    const started = await buildStarted(ctx, scanner, { given: one, tools: { config, secrets } })
    if (started) start.push(started)
  }
  const { listen, listenTag } = news
  const isNews = start.length > 0 || hasOtherList(poller, news) || polls.tell(poller.id, [...cancel, ...drop])
  return {
    answer: { start, cancel, drop, listen, listen_tag: listenTag, server_version: version },
    isNews,
  }
}

type Asking = { readonly scannerId: string; readonly tokenHash: string; readonly body: PollBody }

/** @throws AppError UNAUTHORIZED when the token ends during the wait, VALIDATION_ERROR on `protocol` */
export const answerPoll = async (
  ctx: Ctx,
  { scannerId: id, tokenHash, body }: Asking,
  tools: PollTools,
): Promise<PollAnswer> => {
  const untilMs = performance.now() + body.wait_seconds * 1000
  const { holding, listen_tag: listenTag } = body
  const isOnlyAsking = body.wait_seconds === 0
  // Before anything is read, so that no news after it is missed.
  const waiting = isOnlyAsking
    ? undefined
    : tools.polls.begin({ id, labels: new Set(), holding, free: 0, listenTag, isOnlyAsking }, ctx.signal)
  try {
    for (let isFirst = true; ; isFirst = false) {
      // Read again after each wait: it may have been revoked, renamed or tagged.
      const scanner = await findScannerOrThrow(ctx, tokenHash)
      if (isFirst) {
        // Also of a scanner that is refused: the page shows why.
        await note(ctx, scanner, toFacts(ctx, body))
        checkProtocol(body.protocol)
      }
      const poller = createPoller(scanner, body)
      waiting?.update(poller)
      const { answer, isNews } = await attempt(ctx, { scanner, poller }, tools)
      // A scan that is claimed after the end would be lost if another poll has ended this one.
      if (isNews || !waiting || !(await waiting.next(untilMs - performance.now()))) return answer
    }
  } finally {
    waiting?.leave()
  }
}
