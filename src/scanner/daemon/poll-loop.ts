/** Asks the server for work, one request after the other, for as long as the credential is good. */
import { type ListenedNetwork, type PollAnswer, type PollRequest, WIRE_LIMITS, WIRE_PATHS } from '../wire.ts'
import { readPollAnswer } from './answers.ts'
import { computeBackoff, createWakes } from './backoff.ts'
import type { Client, Reply } from './client.ts'
import type { OwnFacts } from './facts.ts'
import type { Scans } from './scans.ts'

/** Beyond the time that the server may wait. */
const ANSWER_MS = (WIRE_LIMITS.waitSeconds + 20) * 1000
/** Least time between the starts of two polls: a scan that ends takes a moment, and the server names it until then. */
const PACE_MS = 250

export type PollOptions = {
  readonly client: Client
  readonly token: string
  readonly scans: Scans
  readonly readFacts: () => OwnFacts
  readonly countReports: () => number
  readonly onListen: (networks: readonly ListenedNetwork[]) => void
  readonly onReached: () => void
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}

export type PollLoop = {
  /** Polls again at once: the scans that it holds have changed. */
  readonly renew: () => void
  /** Resolves with the code of the refusal, or with undefined after the signal. */
  readonly ended: Promise<string | undefined>
}

export const startPolling = (options: PollOptions): PollLoop => {
  const { client, token, scans, readFacts, countReports, onListen, onReached, log, signal } = options
  const wakes = createWakes()
  let current: AbortController | undefined
  let listenTag: string | undefined
  let attempt = 0
  let isTold = false

  const poll = async (): Promise<Reply> => {
    const { advice: _, ...facts } = readFacts()
    const body: PollRequest = {
      ...facts,
      spooled_reports: countReports(),
      holding: scans.listHoldings(),
      ...(listenTag === undefined ? {} : { listen_tag: listenTag }),
      wait_seconds: WIRE_LIMITS.waitSeconds,
    }
    current = new AbortController()
    return client.send({
      path: WIRE_PATHS.poll,
      token,
      body: JSON.stringify(body),
      timeoutMs: ANSWER_MS,
      signal: AbortSignal.any([signal, current.signal]),
    })
  }

  const carryOut = ({ start, cancel, drop, listen, listen_tag }: PollAnswer): void => {
    for (const id of [...cancel, ...drop]) scans.cancel(id)
    if (listen_tag !== listenTag) onListen(listen)
    listenTag = listen_tag
    for (const one of start) scans.start(one)
  }

  /** Waits after a poll without a usable answer. */
  const waitAfter = async (message: string, leastMs = 0): Promise<void> => {
    if (signal.aborted) return
    const ms = Math.max(leastMs, computeBackoff(attempt++))
    log(`${message}; tries again in ${Math.ceil(ms / 1000)} s`)
    isTold = true
    await wakes.wait(ms)
  }

  /** @returns the code of a refusal */
  const handle = async (reply: Reply): Promise<string | undefined> => {
    if (reply.kind === 'refused') return reply.code
    if (reply.kind === 'away') await waitAfter(reply.message, reply.retryAfterMs)
    else if (reply.kind === 'invalid' || reply.kind === 'unknown')
      await waitAfter(`the server refused: ${reply.message}`)
    else {
      const answer = readPollAnswer(reply.body)
      if (answer === undefined) {
        await waitAfter('the server answers with something else than Plat does')
        return undefined
      }
      attempt = 0
      if (isTold) log('the server answers again')
      isTold = false
      onReached()
      try {
        carryOut(answer)
      } catch (error) {
        await waitAfter(`a scan cannot be started: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    return undefined
  }

  const run = async (): Promise<string | undefined> => {
    while (!signal.aborted) {
      const atMs = performance.now()
      const reply = await poll()
      // The next poll names the scans that it holds now.
      if (reply.kind === 'away' && current?.signal.aborted) continue
      const refusal = await handle(reply)
      if (refusal !== undefined) return refusal
      const restMs = PACE_MS - (performance.now() - atMs)
      if (restMs > 0) await wakes.wait(restMs)
    }
    return undefined
  }

  signal.addEventListener('abort', wakes.wake, { once: true })
  return { renew: () => current?.abort(), ended: run() }
}
