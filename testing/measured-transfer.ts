/** A process that transfers a zone from a port of this machine, and prints what that cost. Linux only. */
import { readFileSync } from 'node:fs'
import { createDnsClient } from '../src/dns/client/client.ts'
import { fetchServerRrsets } from '../src/dns/zones/sync/server-rrsets.ts'
import { connect } from './servers/dns-answers.ts'

export type Cost = {
  /** '' for a transfer that has succeeded. */
  readonly error: string
  readonly rrsets: number
  /** The processor time of the longest work between two turns of the event loop. */
  readonly longestHoldMs: number
  readonly peakBytes: number
}

/** Processor time of this thread: wall time has that of other processes. */
const cpuMs = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6

if (import.meta.main) {
  const client = createDnsClient({ connect, host: '127.0.0.1', port: Number(process.argv[2]), timeoutMs: 10_000 })
  let [last, longestHoldMs] = [cpuMs(), 0]
  const look = (): void => {
    const now = cpuMs()
    longestHoldMs = Math.max(longestHoldMs, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  const result = await fetchServerRrsets(client, 'example.org', new AbortController().signal).then(
    ({ rrsets }) => ({ error: '', rrsets: rrsets.size }),
    (error: unknown) => ({ error: String(error), rrsets: 0 }),
  )
  look()
  clearInterval(timer)
  const peakBytes = 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'latin1'))?.[1])
  process.stdout.write(JSON.stringify({ ...result, longestHoldMs, peakBytes } satisfies Cost))
}
