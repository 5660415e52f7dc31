/**
 * Sends long answers, bounded in memory, number and time. An answer ends early if its client reads too slowly, or if
 * too many clients have stopped reading. When a snapshot of the database must be released, the rest of its answers is
 * moved to files.
 */
import type { Logger } from '../../../base/runtime/log.ts'
import { PACE_LIMITS, type PaceLimits } from './pace.ts'
import { Outgoing, type Recipient, type Source } from './response-stream.ts'
import type { Spool, SpoolSpace } from './spool.ts'
import { readUnacknowledged, type Unacknowledged } from './unacknowledged.ts'

/** Interval between checks of the answers that wait for their clients. */
const TICK_MS = 500
/** A client that takes this many bytes between two checks is fast. */
const FAST_BYTES = 1024 * 1024
/** Maximum number of answers that are moved to files concurrently. */
const MOVED_AT_ONCE = 2
/** An answer ends if its source has not been read to the end this long after its snapshot was due. */
const MOVE_WITHIN_MS = 10_000

export type StreamLimits = {
  /** Maximum numbers of answers to silent clients that continue, for one user and in total. */
  readonly perUser: number
  readonly total: number
  readonly pace: PaceLimits
  readonly tickMs: number
  readonly moveWithinMs: number
}

export const streamLimits = (config: {
  readonly streamsPerUser: number
  readonly streamsTotal: number
}): StreamLimits => ({
  perUser: config.streamsPerUser,
  total: config.streamsTotal,
  pace: PACE_LIMITS,
  tickMs: TICK_MS,
  moveWithinMs: MOVE_WITHIN_MS,
})

export type Streams = {
  /** Returns the body of a response that sends `source` to its recipient. */
  readonly send: (source: Source, recipient: Recipient, failed: (error: unknown) => void) => ReadableStream<Uint8Array>
  /**
   * Moves the rest of all answers, or of the answers of an owner, that began before this time (`performance.now()`) to files, oldest
   * first.
   */
  readonly release: (beforeMs: number, owner?: string) => void
  /** Ends all answers. */
  readonly close: () => void
}

type Options = {
  readonly limits: StreamLimits
  readonly log: Logger
  readonly space: SpoolSpace
  /** Reads the unacknowledged bytes of connections to a local port from the system. */
  readonly readQueues?: (localPort: number) => Promise<Unacknowledged>
}

const compareAge = (a: Outgoing, b: Outgoing): number => a.startedMs - b.startedMs

/** Returns the elements beyond the first `most` of a list sorted by age: the oldest. */
const takeExcess = (silent: readonly Outgoing[], most: number): readonly Outgoing[] =>
  silent.slice(0, Math.max(0, silent.length - most))

export const createStreams = ({ limits, log, space, readQueues = readUnacknowledged }: Options): Streams => {
  const { perUser, total, pace, tickMs, moveWithinMs } = limits
  const all = new Set<Outgoing>()
  const due: Outgoing[] = []
  let moving = 0
  let timer: ReturnType<typeof setInterval> | undefined
  let lastTickMs = 0
  let isTicking = false

  const cut = (outgoing: Outgoing, reason: string): void => {
    if (outgoing.isEnded) return
    const { username, route, requestId } = outgoing.recipient
    log.warn('answer cut off', {
      reason,
      user: username,
      route,
      bytes: outgoing.handedBytes,
      request_id: requestId,
      ms: Math.round(performance.now() - outgoing.startedMs),
    })
    outgoing.cut(`the answer was cut off: ${reason}`)
  }

  /** Ends the oldest answer of the user with the largest answers, until there is room. */
  const hasRoom = (bytes: number): boolean => {
    while (!space.hasRoomFor(bytes)) {
      const spooled = [...all].filter((one) => one.spooledBytes > 0).sort(compareAge)
      const byOwner = Map.groupBy(spooled, ({ recipient }) => recipient.owner)
      const sumSpooledBytes = (group: readonly Outgoing[]) => group.reduce((sum, one) => sum + one.spooledBytes, 0)
      const [largest] = [...byOwner.values()].sort((a, b) => sumSpooledBytes(b) - sumSpooledBytes(a))
      const oldest = largest?.[0]
      if (!oldest) return false
      cut(oldest, 'temporary files of slow answers take too much space')
    }
    return true
  }

  const create = (): Promise<Spool> => space.create()

  const move = async (outgoing: Outgoing): Promise<void> => {
    try {
      if (!(await outgoing.moveToSpool(create, hasRoom))) cut(outgoing, 'no space for a temporary file')
    } catch (error) {
      log.warn('the rest of an answer could not be moved to a temporary file', { error })
      cut(outgoing, 'no temporary file')
    }
  }

  const moveNext = (): void => {
    while (moving < MOVED_AT_ONCE) {
      const next = due.shift()
      if (!next) return
      if (!next.holdsSource) continue
      moving++
      void move(next).finally(() => {
        moving--
        moveNext()
      })
    }
  }

  const moveToFile = (some: readonly Outgoing[]): void => {
    due.push(...some.filter((one) => !due.includes(one)))
    moveNext()
  }

  const queuesFor = async (waiting: readonly Outgoing[]): Promise<Unacknowledged> => {
    const [first] = waiting.flatMap(({ recipient }) => recipient.connection ?? [])
    return first ? readQueues(first.localPort) : () => undefined
  }

  /** Returns the answers that wait for their clients and have hardly moved since the last tick. */
  const waitingNow = (): readonly Outgoing[] =>
    [...all].filter((one) => {
      const since = one.poll()
      if (one.isClientsTurn && since < FAST_BYTES) return true
      one.pace.caughtUp()
      return false
    })

  const observe = async (elapsedMs: number): Promise<void> => {
    const waiting = waitingNow()
    if (waiting.length === 0) return
    const handedBefore = waiting.map((one) => one.handedBytes)
    const unacknowledged = await queuesFor(waiting)
    for (const [at, one] of waiting.entries()) {
      // The answer moved while the queues were read. The next tick checks it again.
      if (one.isEnded || one.handedBytes !== handedBefore[at]) continue
      const { connection } = one.recipient
      one.pace.waited(elapsedMs, one.takenBytes - ((connection && unacknowledged(connection)) ?? 0))
      if (one.pace.isTooSlow()) cut(one, 'its client reads too slowly')
    }
  }

  const enforceLimits = (): void => {
    const silent = [...all].filter((one) => one.isClientsTurn && one.pace.isSilent()).sort(compareAge)
    for (const own of Map.groupBy(silent, ({ recipient }) => recipient.owner).values())
      for (const one of takeExcess(own, perUser)) cut(one, 'too many answers of this user are not read')
    const left = silent.filter((one) => !one.isEnded)
    for (const one of takeExcess(left, total)) cut(one, 'too many answers are not read')
    moveToFile([...all].filter((one) => one.isClientsTurn && one.hasTooMuchQueued))
  }

  const tick = async (): Promise<void> => {
    if (isTicking) return
    isTicking = true
    // A busy process runs its own timer late, and serves its clients late. That time does not count against them.
    const elapsedMs = Math.min(performance.now() - lastTickMs, tickMs)
    lastTickMs = performance.now()
    try {
      await observe(elapsedMs)
      enforceLimits()
    } finally {
      isTicking = false
    }
  }

  const start = (): void => {
    if (timer) return
    lastTickMs = performance.now()
    timer = setInterval(() => {
      tick().catch((error: unknown) => log.error('answers could not be looked after', { error }))
    }, tickMs)
    timer.unref()
  }

  const ended = (outgoing: Outgoing): void => {
    all.delete(outgoing)
    if (all.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    send: (source, recipient, failed) => {
      const outgoing = new Outgoing({ source, recipient, limits: pace, ended, failed })
      all.add(outgoing)
      start()
      return outgoing.body
    },
    release: (beforeMs, owner) => {
      const isMeant = ({ recipient }: Outgoing): boolean => owner === undefined || recipient.owner === owner
      const held = [...all]
        .filter((one) => one.holdsSource && one.startedMs <= beforeMs && isMeant(one))
        .sort(compareAge)
      if (held.length === 0) return
      moveToFile(held)
      const late = setTimeout(() => {
        for (const one of held) if (!one.hasReleasedSource) cut(one, 'a temporary file takes too long')
      }, moveWithinMs)
      late.unref()
    },
    close: () => {
      clearInterval(timer)
      for (const one of [...all]) one.cut('the server is stopping')
    },
  }
}
