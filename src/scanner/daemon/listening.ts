/** The process that listens to networks, and the sightings that it sends home. Sightings are not kept: the next ones say it again. */
import { getErrorMessage } from '../../contract/unknown.ts'
import type { FoundHost } from '../protocol.ts'
import { type FromListener, type ListenedNetwork, type ListenPlan, WIRE_LIMITS, WIRE_PATHS } from '../wire.ts'
import { computeBackoff, createWakes } from './backoff.ts'
import type { Client } from './client.ts'

/** Most hosts that wait for the server. */
const MOST_WAITING = 2000
/** Hosts of one request: about 1 KiB each. */
const MOST_SENT = Math.min(500, WIRE_LIMITS.hosts)
const ANSWER_MS = 30_000

export type ListenerProcess = {
  readonly update: (plan: ListenPlan) => void
  readonly stop: () => void
  readonly ended: Promise<{ readonly message: string }>
}

export type StartListening = (plan: ListenPlan, onMessage: (message: FromListener) => Promise<void>) => ListenerProcess

export type ListeningOptions = {
  readonly client: Client
  readonly token: string
  readonly startListening: StartListening
  readonly log: (message: string) => void
  readonly signal: AbortSignal
}

export type Listening = {
  readonly setNetworks: (networks: readonly ListenedNetwork[]) => void
  /** The server answers again: a wait after a failure ends. */
  readonly retry: () => void
  /** Resolves when the process is gone. */
  readonly stop: () => Promise<void>
}

type Waiting = { readonly networkId: string; readonly host: FoundHost }

/** Keeps the newest sighting of an address. */
const createQueue = () => {
  const waiting = new Map<string, Waiting>()
  const put = ({ networkId, host }: Waiting): void => {
    const key = `${networkId} ${host.ip}`
    waiting.delete(key)
    waiting.set(key, { networkId, host })
    const [oldest] = waiting.keys()
    if (waiting.size > MOST_WAITING && oldest !== undefined) waiting.delete(oldest)
  }
  return {
    put,
    take: (): Waiting[] => {
      const taken = [...waiting].slice(0, MOST_SENT)
      for (const [key] of taken) waiting.delete(key)
      return taken.map(([, one]) => one)
    },
    /** Puts sightings back that were not taken in. Newer ones of their addresses win. */
    putBack: (taken: readonly Waiting[]): void => {
      const newer = [...waiting.values()]
      for (const one of [...taken, ...newer]) put(one)
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}

export const createListening = ({ client, token, startListening, log, signal }: ListeningOptions): Listening => {
  const queue = createQueue()
  const news = createWakes()
  const retries = createWakes()
  let networks: readonly ListenedNetwork[] = []
  let child: ListenerProcess | undefined
  let restartTimer: ReturnType<typeof setTimeout> | undefined
  let deaths = 0

  const receive = async (message: FromListener): Promise<void> => {
    if (message.type !== 'sightings') return
    deaths = 0
    for (const { network_id, hosts } of message.sightings)
      for (const host of hosts) queue.put({ networkId: network_id, host })
    news.wake()
  }

  const start = (): void => {
    if (signal.aborted || networks.length === 0 || child !== undefined) return
    const started = startListening({ networks }, receive)
    child = started
    const follow = async (): Promise<void> => {
      const { message } = await started.ended
      if (child !== started) return
      child = undefined
      log(`listening ended, and begins again: ${message}`)
      restartTimer = setTimeout(start, computeBackoff(deaths++))
    }
    void follow()
  }

  const stop = async (): Promise<void> => {
    clearTimeout(restartTimer)
    const last = child
    child = undefined
    last?.stop()
    await last?.ended
  }

  const send = async (): Promise<void> => {
    let attempt = 0
    while (!signal.aborted) {
      if (queue.isEmpty()) {
        await news.wait()
        continue
      }
      const taken = queue.take()
      const sightings = [...Map.groupBy(taken, ({ networkId }) => networkId)].map(([network_id, some]) => ({
        network_id,
        hosts: some.map(({ host }) => host),
      }))
      const body = JSON.stringify({ sightings })
      const reply = await client.send({ path: WIRE_PATHS.sightings, token, body, timeoutMs: ANSWER_MS, signal })
      if (reply.kind === 'ok') attempt = 0
      // They would be refused again.
      else if (reply.kind === 'invalid') log(`the server refused sightings: ${reply.message}`)
      else if (!signal.aborted) {
        queue.putBack(taken)
        await retries.wait(computeBackoff(attempt++))
      }
    }
  }

  for (const { wake } of [news, retries]) signal.addEventListener('abort', wake, { once: true })
  void send().catch((error: unknown) => log(`sightings are no longer sent: ${getErrorMessage(error)}`))
  return {
    setNetworks: (next) => {
      networks = next
      if (next.length === 0) void stop()
      else if (child === undefined) start()
      else child.update({ networks: next })
    },
    retry: retries.wake,
    stop,
  }
}
