/** The routes that scanners call, the polls that wait here, and the jobs about them. */
import type { Config } from '../../base/config/config.ts'
import type { Metrics } from '../../base/runtime/metrics.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import { invalidField } from '../../contract/errors.ts'
import { parse } from '../../contract/validate.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { beat, redeem, sayGoodbye } from '../../inventory/scanners/state-store.ts'
import type { RawHandler } from '../../kernel/context.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isPublicKey } from '../../scanner/seal.ts'
import type { EnrolAnswer } from '../../scanner/wire.ts'
import { createAskedJob } from '../asked-job.ts'
import { EnrolBody, PollBody, ReportsBody, SightingsBody, scannerRoutes } from './api.ts'
import { failRunning } from './claims.ts'
import { findNews, hasOtherList, mayClaim } from './news.ts'
import { answerPoll } from './poll.ts'
import { createPolls } from './polls.ts'
import { answerReports } from './reports.ts'
import {
  authenticateEnrolment,
  checkProtocol,
  createBodies,
  createScannerIdentify,
  createVoidTokenError,
  findScannerOrThrow,
  hashScannerToken,
  TOKEN_PREFIX,
} from './requests.ts'
import { answerSightings } from './sightings.ts'
import { releaseSilent } from './silent.ts'

export type WireOptions = {
  readonly config: Config
  readonly secrets: Secrets
  readonly version: string
  readonly db: Db<Tables>
  readonly kernel: () => Kernel<Tables>
  readonly now: () => Date
  readonly startedTotal: ReturnType<Metrics['counter']>
}

type Handler = RawHandler<Tables>

const SECOND_MS = 1000
const MAX_BEAT_MS = 10 * SECOND_MS
const UNCACHED = { headers: { 'Cache-Control': 'no-store' } }

/** Events after which there may be something for a scanner. */
const NEWS = [
  'scan.queued',
  'scan.cancelled',
  'scan.failed',
  'scan.deleted',
  'discovery.completed',
  'network.updated',
  'network.deleted',
  'rule.changed',
] as const
/** Events after which a token may be void. */
const ENDS = ['scanner.revoked', 'scanner.deleting', 'scanner.enrolled'] as const

/** The caller of these routes is the scanner. */
const getScannerId = ({ caller }: Ctx): string => caller.credentialId ?? ''

/** The event between instances that ends the poll of a scanner at the other ones. It is no event of a transaction. */
const POLLED = 'scanner-polled:'

/** The parts of the feature of discovery that are about scanners in other places. */
export type Wire = Required<
  Pick<Feature, 'routes' | 'reactions' | 'jobs' | 'onCommit' | 'onNotificationGap' | 'onShutdown'>
> & {
  /** Called with the names of other instances, beside `onCommit`. */
  readonly onRemoteEvents: (names: readonly string[]) => void
}

export const createScannerWire = (options: WireOptions): Wire => {
  const { kernel, version, now, startedTotal } = options
  const polls = createPolls()
  const bodies = createBodies()
  const identify = createScannerIdentify(options)
  /** The scanners with a request since the last write of their beats. */
  const heard = new Set<string>()
  /** The time of the last written beat of a scanner, by the clock of `performance`. */
  const beaten = new Map<string, number>()
  const beatMs = Math.min(MAX_BEAT_MS, options.config.scannerOfflineAfterMs / 4)
  const startedMs = now().getTime()
  let lastRevision = ''

  const enrol: Handler = async (ctx, request, audit) => {
    const { scanner, enrolmentHash } = await authenticateEnrolment(ctx, request)
    const { id, name } = scanner
    audit.note({ resourceId: id })
    return bodies.use({ request, scannerId: id, signal: ctx.signal }, async (body) => {
      const { public_key, ...facts } = parse(EnrolBody, body)
      checkProtocol(facts.protocol)
      if (!isPublicKey(public_key))
        throw invalidField('public_key', 'must be base64url of the 32 bytes of an X25519 key')
      const token = createSecret(TOKEN_PREFIX)
      audit.note({ changes: facts })
      const isRedeemed = await ctx.write((tx) =>
        redeem(tx, id, {
          ...{ enrolment_hash: enrolmentHash, token_hash: hashSecret(token), public_key },
          ...{ facts, ip_address: ctx.client },
        }),
      )
      if (!isRedeemed) throw createVoidTokenError()
      await audit.succeeded()
      const answer: EnrolAnswer = { id, name, token, server_version: version }
      return Response.json(answer, { status: 201, ...UNCACHED })
    })
  }

  /** Reads the body of a request of the scanner that was identified. */
  const read = <T>(ctx: Ctx, request: Request, work: (body: object) => Promise<T>): Promise<T> => {
    const scannerId = getScannerId(ctx)
    heard.add(scannerId)
    return bodies.use({ request, scannerId, signal: ctx.signal }, work)
  }

  const poll: Handler = async (ctx, request) => {
    // The lane is left before the poll waits.
    const body = await read(ctx, request, async (object) => parse(PollBody, object))
    const asking = { scannerId: getScannerId(ctx), tokenHash: hashScannerToken(request), body }
    if (body.wait_seconds > 0) ctx.store.notifier?.publish([POLLED + asking.scannerId])
    const tools = { ...options, polls, onStarted: () => startedTotal.add() }
    return Response.json(await answerPoll(ctx, asking, tools), UNCACHED)
  }

  const reports: Handler = (ctx, request, _audit, { params }) =>
    read(ctx, request, async (object) => {
      const body = parse(ReportsBody, object)
      const scanner = await findScannerOrThrow(ctx, hashScannerToken(request))
      return Response.json(await answerReports(ctx, { scanner, scanId: params.id ?? '', ...body }), UNCACHED)
    })

  const sightings: Handler = (ctx, request) =>
    read(ctx, request, async (object) => {
      const body = parse(SightingsBody, object)
      const scanner = await findScannerOrThrow(ctx, hashScannerToken(request))
      return Response.json(await answerSightings(ctx, scanner, body), UNCACHED)
    })

  const bye: Handler = async (ctx) => {
    const scannerId = getScannerId(ctx)
    heard.delete(scannerId)
    polls.end(scannerId)
    await ctx.write((tx) => sayGoodbye(tx, scannerId))
    return new Response(null, { status: 204 })
  }

  /** Writes the beats that are due: several requests of a scanner in a short time need one. */
  const writeBeats = async (ctx: Ctx): Promise<void> => {
    const nowMs = performance.now()
    const ids = [...heard.union(new Set(polls.list().map(({ id }) => id)))].filter(
      (id) => nowMs - (beaten.get(id) ?? Number.NEGATIVE_INFINITY) >= beatMs,
    )
    heard.clear()
    for (const [id, atMs] of beaten) if (nowMs - atMs >= beatMs) beaten.delete(id)
    if (ids.length === 0) return
    await ctx.write((tx) => beat(tx, ids))
    for (const id of ids) beaten.set(id, nowMs)
  }

  /** Wakes the polls of scanners for which there is something. */
  const look = async (ctx: Ctx): Promise<void> => {
    const pollers = polls.list()
    if (pollers.length === 0) return
    const revision = await ctx.store.revision(['scanners'])
    // Scanners may have other names and tags, which are the labels that they answer to.
    if (revision !== lastRevision) polls.wakeAll()
    lastRevision = revision
    for (const [poller, news] of await findNews(ctx, pollers))
      if (mayClaim(news) || hasOtherList(poller, news) || news.cancel.length + news.drop.length > 0)
        polls.wake(poller.id)
  }

  const job = createAskedJob({ name: 'discovery.look-for-scanners', kernel, work: look })
  const ask = (): void => {
    if (polls.list().length > 0) job.ask()
  }

  const onCommit = (events: readonly string[]): void => {
    // It is online again with its next beat.
    if (hasEvent(events, 'scanner.offline')) beaten.clear()
    if (hasEvent(events, ...ENDS)) polls.wakeAll()
    else if (hasEvent(events, ...NEWS)) ask()
  }

  return {
    routes: [
      { route: scannerRoutes.enrol, handler: enrol, identify: identify.enrolling },
      { route: scannerRoutes.poll, handler: poll, identify: identify.enrolled },
      { route: scannerRoutes.reports, handler: reports, identify: identify.enrolled },
      { route: scannerRoutes.sightings, handler: sightings, identify: identify.enrolled },
      { route: scannerRoutes.bye, handler: bye, identify: identify.enrolled },
    ],
    reactions: {
      'scanner.revoked': (ctx, scanner) => failRunning(ctx, scanner.id, 'the scanner was revoked'),
      'scanner.deleting': (ctx, scanner) => failRunning(ctx, scanner.id, 'the scanner was deleted'),
    },
    jobs: [
      {
        name: 'discovery.look-for-scanners',
        summary: 'Looks for scans of the scanners whose requests wait, in case a notification was lost',
        everyMs: 5 * SECOND_MS,
        onEveryInstance: true,
        run: job.run,
      },
      {
        name: 'discovery.note-scanners',
        summary: 'Writes which scanners were heard of',
        everyMs: 2 * SECOND_MS,
        onEveryInstance: true,
        run: writeBeats,
      },
      {
        name: 'discovery.release-silent',
        summary: 'Lets other scanners have the scans of scanners of which nothing was heard for 10 minutes',
        everyMs: 10 * SECOND_MS,
        run: (ctx) => releaseSilent(ctx, startedMs),
      },
    ],
    onCommit,
    onRemoteEvents: (events) => {
      for (const name of events) if (name.startsWith(POLLED)) polls.end(name.slice(POLLED.length))
    },
    onNotificationGap: polls.wakeAll,
    onShutdown: polls.close,
  }
}
