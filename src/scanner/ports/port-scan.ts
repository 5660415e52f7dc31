/** The second stage: which TCP ports of the living hosts are open. */

import type { ScanContext } from '../scan-context.ts'
import { createPacer, waitForTick } from '../sweeps/pacer.ts'
import { createRoundTrip, type RoundTrip } from '../sweeps/round-trip.ts'
import { createBitset } from '../sys/bitset.ts'
import { COMMON_PORTS } from './ports.ts'
import type { ConnectResult } from './tcp-connector.ts'

const MOST_AT_ONCE = 512
const MOST_PER_HOST = 32
/** Hosts that are under way at one time. */
const MOST_HOSTS = 128
/** A host that has been silent on this many ports gets only the common ports. */
const SILENT_AFTER = 32
/** Ports that stay silent on a host that answers are tried once more, if they are few: a packet may have been lost. */
const MOST_AGAIN = 16
const BOUNDS = { leastMs: 150, mostMs: 1000 }
/** A single round-trip time is a weak estimate: three times the timeout that RFC 6298 derives from a first sample. */
const PING_FACTOR = 9

type Host = {
  readonly index: number
  readonly open: number[]
  readonly silent: number[]
  readonly roundTrip: RoundTrip
  todo: readonly number[]
  next: number
  active: number
  answered: number
  isAgain: boolean
}

/** Common ports first, in their order of likelihood; then the rest. */
export const orderPorts = (ports: readonly number[]): number[] => {
  const wanted = new Set(ports.length > 0 ? ports : COMMON_PORTS)
  const common = COMMON_PORTS.filter((port) => wanted.delete(port))
  return [...common, ...[...wanted].sort((a, b) => a - b)]
}

export type PortScan = {
  /** Host from which on it is to be done. */
  readonly from: number
  /** It is done. */
  readonly onHost: (index: number) => void
  /** The lowest host that is not done, and the share that is. */
  readonly onProgress: (place: number, fraction: number) => void
}

export const scanPorts = async (context: ScanContext, { from, onHost, onProgress }: PortScan): Promise<void> => {
  const { plan, findings, signal, reporter, backgroundProbes } = context
  const connector = context.openConnector(MOST_AT_ONCE)
  const pacer = createPacer(plan.probesPerSecond)
  const ports = orderPorts(plan.ports)
  const common = ports.filter((port) => COMMON_PORTS.includes(port))
  const hosts: Host[] = []
  const started = createBitset(context.targets.size)
  let [cursor, done, turn]: [number, number, number] = [from, 0, 0]

  /** Returns hosts in the order of their index, then hosts that have answered since, in any order. */
  const nextHost = (): number | undefined => {
    for (let index = findings.up.next(cursor); index !== undefined; index = findings.up.next(index + 1))
      if (!started.has(index)) return index
    if (started.count() >= findings.up.count()) return undefined
    for (let index = findings.up.next(from); index !== undefined && index < cursor; index = findings.up.next(index + 1))
      if (!started.has(index)) return index
    return undefined
  }
  const refill = (): void => {
    while (hosts.length < MOST_HOSTS) {
      const index = nextHost()
      if (index === undefined) return
      started.add(index)
      cursor = Math.max(cursor, index + 1)
      hosts.push({
        index,
        open: [],
        silent: [],
        roundTrip: createRoundTrip(),
        todo: ports,
        next: 0,
        active: 0,
        answered: 0,
        isAgain: false,
      })
    }
  }

  const computeTimeout = (host: Host): number => {
    const mostMs = Math.min(BOUNDS.mostMs, plan.probeTimeoutMs)
    const bounds = { leastMs: Math.min(BOUNDS.leastMs, mostMs), mostMs }
    const own = host.roundTrip.timeoutMs(bounds)
    if (own !== undefined) return own
    const pingMs = findings.getRtt(host.index)
    if (pingMs !== undefined) return Math.min(mostMs, Math.max(bounds.leastMs, pingMs * PING_FACTOR))
    return context.roundTrip.timeoutMs(bounds) ?? mostMs
  }

  const note = (host: Host, port: number, { result, ms }: { result: ConnectResult; ms: number }): void => {
    host.active--
    if (result === 'not-sent') host.todo = [...host.todo.slice(0, host.next), port, ...host.todo.slice(host.next)]
    else if (result === 'silent') {
      if (!host.isAgain) host.silent.push(port)
    } else {
      host.answered++
      host.roundTrip.add(ms)
      findings.tcp(host.index, result, port)
      if (result === 'open') host.open.push(port)
    }
    const isMute = host.answered === 0 && host.silent.length >= SILENT_AFTER
    // The common ports are first in the list, so the position remains valid.
    if (isMute && host.todo.length === ports.length) host.todo = common
  }

  /** An unanswered port is tried again, unless the whole host is silent. */
  const isFinished = (host: Host): boolean => {
    if (host.next < host.todo.length || host.active > 0) return false
    if (
      host.isAgain ||
      host.silent.length === 0 ||
      host.silent.length > MOST_AGAIN ||
      host.answered < host.silent.length
    )
      return true
    host.isAgain = true
    host.todo = host.silent
    host.next = 0
    return false
  }

  const finishHosts = (): void => {
    for (let i = hosts.length - 1; i >= 0; i--) {
      const host = hosts[i]
      if (host === undefined || !isFinished(host)) continue
      hosts.splice(i, 1)
      done++
      onHost(host.index)
      if (host.open.length > 0)
        findings.setOpenPorts(
          host.index,
          host.open.toSorted((a, b) => a - b),
        )
    }
  }

  const pick = (): Host | undefined => {
    for (let tried = 0; tried < hosts.length; tried++) {
      const host = hosts[turn++ % hosts.length]
      if (host && host.next < host.todo.length && host.active < MOST_PER_HOST) return host
    }
    return undefined
  }

  let starvedAtMs = 0
  const probe = (host: Host): boolean => {
    const port = host.todo[host.next++]
    if (port === undefined) return true
    host.active++
    let isSent = true
    const onResult = (result: ConnectResult, ms: number): void => {
      if (result === 'not-sent') isSent = false
      note(host, port, { result, ms })
    }
    connector.connect({ index: host.index, port, timeoutMs: computeTimeout(host), onResult })
    if (isSent) reporter.probed(1)
    return isSent
  }

  const sendSome = (): void => {
    let left = pacer.take()
    while (left > 0 && connector.active() < connector.capacity()) {
      const host = pick()
      if (host === undefined) break
      if (!probe(host)) {
        const now = performance.now()
        if (now - starvedAtMs > 1000)
          reporter.note(`fewer probes at once (${connector.capacity()}): this machine is out of sockets`)
        starvedAtMs = now
        break
      }
      left--
    }
    pacer.giveBack(left)
  }

  try {
    refill()
    while ((hosts.length > 0 || !backgroundProbes.isOver()) && !signal.aborted) {
      sendSome()
      await waitForTick()
      connector.poll()
      finishHosts()
      refill()
      onProgress(lowest(hosts, cursor), done / Math.max(1, started.count()))
    }
  } finally {
    connector.close()
  }
}

const lowest = (hosts: readonly Host[], cursor: number): number =>
  hosts.reduce((least, { index }) => Math.min(least, index), cursor)
