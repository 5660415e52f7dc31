/** Sends the reports of one lease, one request at a time, until the lease is over. */
import { isRecord } from '../../contract/unknown.ts'
import { WIRE_PATHS } from '../wire.ts'
import { computeBackoff, createWakes, type Pacer } from './backoff.ts'
import type { Client, Reply } from './client.ts'
import type { LeaseSpool } from './spool.ts'

/** A large report is a transaction on a busy server. */
const ANSWER_MS = 60_000

export type SenderOptions = {
  readonly client: Client
  readonly token: string
  readonly spool: LeaseSpool
  /** Awaited before each request. */
  readonly pace: Pacer
  /** True when no report will follow. */
  readonly isComplete: () => boolean
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}

export type SenderEnd =
  /** Everything is acknowledged. */
  | 'sent'
  /** The server takes nothing of this lease any more. */
  | 'lost'
  /** This process ends. */
  | 'stopped'

export type Sender = {
  /** There may be something to send. */
  readonly wake: () => void
  /** The server answers again: a wait after a failure ends. */
  readonly retry: () => void
  readonly ended: Promise<SenderEnd>
}

type Outcome = 'next' | 'retry' | 'lost'

export const startSender = ({ client, token, spool, pace, isComplete, log, signal }: SenderOptions): Sender => {
  const { scan_id, lease } = spool.holding
  const path = WIRE_PATHS.reports.replace('{id}', encodeURIComponent(scan_id))
  const news = createWakes()
  const retries = createWakes()
  for (const { wake } of [news, retries]) signal.addEventListener('abort', wake, { once: true })
  let attempt = 0
  /** Why the server refused a request as it is. */
  let refusal: string | undefined

  const post = (body: string): Promise<Reply> => client.send({ path, token, body, timeoutMs: ANSWER_MS, signal })

  /** Takes the place of a request that the server refuses: the scan ends with the reason, and does not go on without its hosts. */
  const buildFailure = (seq: number, reason: string): string =>
    JSON.stringify({ lease, seq, reports: [{ type: 'failed', message: `the server refused a report: ${reason}` }] })

  const handle = async (reply: Reply, seq: number): Promise<Outcome> => {
    if (reply.kind === 'ok') {
      const { ack, cancel } = isRecord(reply.body) ? reply.body : {}
      if (cancel === true || refusal !== undefined) return 'lost'
      if (typeof ack !== 'number' || ack < seq) return 'retry'
      spool.acknowledge(ack)
      return 'next'
    }
    if (reply.kind === 'unknown') return 'lost'
    if (reply.kind === 'invalid') {
      log(`the server refused reports of scan ${scan_id}: ${reply.message}`)
      // It has numbers of another past, such as after a restore.
      if (refusal !== undefined || reply.fields.includes('seq')) return 'lost'
      refusal = reply.message
      return 'next'
    }
    if (reply.kind === 'away' && attempt === 0) log(`reports of scan ${scan_id} wait: ${reply.message}`)
    return 'retry'
  }

  const sendNext = async (): Promise<Outcome> => {
    // Reports that arrive until then leave with it.
    await pace()
    const request = spool.take()
    if (request === undefined) return 'next'
    const reply = await post(refusal === undefined ? request.body : buildFailure(request.seq, refusal))
    const outcome = await handle(reply, request.seq)
    if (outcome !== 'retry') {
      attempt = 0
      return outcome
    }
    const ms = computeBackoff(attempt++)
    if (!signal.aborted) await retries.wait(Math.max(ms, (reply.kind === 'away' && reply.retryAfterMs) || 0))
    return outcome
  }

  const run = async (): Promise<SenderEnd> => {
    while (!signal.aborted) {
      const dueAtMs = spool.dueAtMs()
      if (dueAtMs === undefined) {
        if (isComplete()) return 'sent'
        await news.wait()
        continue
      }
      const waitMs = dueAtMs - performance.now()
      if (waitMs > 0) await news.wait(waitMs)
      else if ((await sendNext()) === 'lost') return 'lost'
    }
    return 'stopped'
  }
  return { wake: news.wake, retry: retries.wake, ended: run() }
}
