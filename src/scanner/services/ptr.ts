/** Looks up the names of responding hosts with the system's resolver. Stops if the resolver does not answer. */
import { Resolver } from 'node:dns/promises'
import { isLabAddress, isLabOnly } from '../lab-guard.ts'
import { createBitset } from '../sys/bitset.ts'
import type { Targets } from '../targets.ts'
import { cleanName } from './clean-text.ts'

export type NameService = {
  /** Asks for it when there is room. */
  readonly ask: (index: number) => void
  /** It was asked for and the answer is in, or never will be. */
  readonly isSettled: (index: number) => boolean
  /** Waits for the names that were asked for, as long as the search may last. Answers with how many are still missing. */
  readonly settle: (signal: AbortSignal) => Promise<number>
  readonly close: () => void
}

export type NameServiceOptions = {
  readonly targets: Targets
  /** The servers to ask, in place of the system's servers. */
  readonly servers?: readonly string[]
  /** Time that pending names may delay a finished scan. */
  readonly patienceMs?: number
  readonly onName: (index: number, name: string) => void
  readonly onGivenUp: () => void
}

const AT_ONCE = 64
const TIMEOUT_MS = 800
/** Consecutive time-outs after which the resolver counts as dead. */
const GIVE_UP_AFTER = 64
/** A name is worth less than the end of the scan. */
const PATIENCE_MS = 5000

/** True for addresses that may be looked up: not excluded, and in tests of the lab only. */
const filterAskable = (servers: readonly string[], { isExcluded }: Targets): string[] =>
  servers.filter((server) => {
    const address = server.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1')
    return !isExcluded(address) && (!isLabOnly() || isLabAddress(address))
  })

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ETIMEOUT', 'ECONNREFUSED', 'ETIMEDOUT'].includes(String(error.code))

export const createNameService = ({
  targets,
  onName,
  onGivenUp,
  patienceMs = PATIENCE_MS,
  ...options
}: NameServiceOptions): NameService => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 })
  const servers = filterAskable(options.servers ?? resolver.getServers(), targets)
  const queue: number[] = []
  const open = new Set<number>()
  const waiting = createBitset(targets.size)
  let [timeouts, at, isClosed] = [0, 0, servers.length === 0]
  if (!isClosed) resolver.setServers(servers)
  const onIdle: (() => void)[] = []

  const close = (): void => {
    isClosed = true
    queue.length = 0
    open.clear()
    resolver.cancel()
    for (const resolve of onIdle.splice(0)) resolve()
  }
  const lookUp = async (index: number): Promise<void> => {
    try {
      const [name = ''] = await resolver.reverse(targets.formatAddress(index))
      timeouts = 0
      const clean = cleanName(name)
      if (clean !== '' && !isClosed) onName(index, clean)
    } catch (error) {
      timeouts = isTimeout(error) ? timeouts + 1 : 0
    }
    open.delete(index)
    waiting.remove(index)
    if (timeouts >= GIVE_UP_AFTER && !isClosed) {
      onGivenUp()
      close()
    } else pump()
  }
  const pump = (): void => {
    while (!isClosed && open.size < AT_ONCE && at < queue.length) {
      const index = queue[at++]
      if (index === undefined) continue
      open.add(index)
      void lookUp(index)
    }
    if (at > 1000) {
      queue.splice(0, at)
      at = 0
    }
    if (open.size === 0 && at >= queue.length) for (const resolve of onIdle.splice(0)) resolve()
  }

  return {
    ask: (index) => {
      if (isClosed || !waiting.add(index)) return
      queue.push(index)
      pump()
    },
    isSettled: (index) => isClosed || !waiting.has(index),
    settle: async (signal) => {
      const missing = (): number => open.size + queue.length - at
      if (isClosed || missing() === 0 || signal.aborted) return 0
      const { promise, resolve } = Promise.withResolvers<void>()
      onIdle.push(resolve)
      signal.addEventListener('abort', () => resolve(), { once: true })
      const timer = setTimeout(resolve, patienceMs)
      await promise
      clearTimeout(timer)
      return isClosed ? 0 : missing()
    },
    close,
  }
}
