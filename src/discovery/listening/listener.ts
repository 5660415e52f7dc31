/** Listens to the networks that the server scans itself, by one process, while one of its interfaces is in one of them. */
import { networkInterfaces } from 'node:os'
import type { Tables } from '../../database/tables.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { hasEvent } from '../../kernel/events.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type ListenProcess, startListening } from '../../scanner/process.ts'
import type { FromListener, ListenPlan } from '../../scanner/wire.ts'
import { createAskedJob } from '../asked-job.ts'
import { filterLinked, type Interfaces, listListened } from './listened.ts'
import { takeInSightings } from './sightings.ts'

/** Events after which other networks may be listened to. */
const NEWS = ['rule.changed', 'network.updated', 'network.deleted'] as const
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 60_000

/** How the server listens: by a process, on the interfaces of this machine. */
export type Listening = {
  readonly start: typeof startListening
  readonly interfaces: () => Interfaces
}

export const LISTENING: Listening = { start: startListening, interfaces: networkInterfaces }

export type ListenerOptions = {
  readonly kernel: () => Kernel<Tables>
  readonly listening: Listening
}

export type Listener = {
  /** Starts, changes or stops the process, as the rules are by now. */
  readonly maintain: (ctx: Ctx) => Promise<void>
  readonly onCommit: (events: readonly string[]) => void
  readonly ask: () => void
  readonly close: () => Promise<void>
}

type Running = { readonly process: ListenProcess; readonly sinceMs: number; plan: ListenPlan }

export const createListener = ({ kernel, listening }: ListenerOptions): Listener => {
  let running: Running | undefined
  let failures = 0
  let startsAtMs = 0
  let isClosed = false

  const handle = async (ctx: Ctx, message: FromListener): Promise<void> => {
    if (message.type === 'ready')
      ctx.log.info('listening', { networks: running?.plan.networks.length, is_raw: message.isRaw })
    else if (message.type === 'sightings')
      for (const { network_id: networkId, hosts } of message.sightings) await takeInSightings(ctx, { networkId, hosts })
  }

  const start = (ctx: Ctx, plan: ListenPlan): void => {
    const process = listening.start(plan, (message) => handle(ctx, message))
    const one = { process, sinceMs: performance.now(), plan }
    running = one
    void process.ended.then(({ result, message }) => {
      if (running !== one) return
      running = undefined
      const now = performance.now()
      failures = now - one.sinceMs > LONGEST_PAUSE_MS ? 1 : failures + 1
      startsAtMs = now + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
      if (!isClosed) ctx.log.warn('the listening process ended, and is started again', { result, message })
    })
  }

  const stop = async (): Promise<void> => {
    const one = running
    running = undefined
    one?.process.stop()
    await one?.process.ended
  }

  const look = async (ctx: Ctx): Promise<void> => {
    const networks = filterLinked(await listListened(ctx, 'server'), listening.interfaces())
    if (isClosed) return
    if (networks.length === 0) await stop()
    else if (!running) {
      if (performance.now() >= startsAtMs) start(ctx, { networks })
    } else if (!Bun.deepEquals(running.plan.networks, networks)) {
      running.plan = { networks }
      running.process.update(running.plan)
    }
  }

  const job = createAskedJob({ name: 'discovery.listen', kernel, work: look })

  return {
    maintain: job.run,
    ask: job.ask,
    onCommit: (events) => {
      if (hasEvent(events, ...NEWS)) job.ask()
    },
    close: async () => {
      isClosed = true
      await job.close()
      await stop()
    },
  }
}
