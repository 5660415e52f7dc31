/**
 * The main of a scanner process: takes one plan over the pipe from its parent, carries it out and ends, or listens. It never outlives its
 * parent. Nothing is read from arguments or from the environment but whether this is a test.
 */
import { setPriority } from 'node:os'
import type { Listener } from './listen/listener.ts'
import type { FromScanner, ToScanner } from './protocol.ts'
import type { Reporter } from './reporter.ts'
import { PlanError } from './targets.ts'
import type { ToListener } from './wire.ts'

/** Below whatever answers people. */
const NICENESS = 10
/** Most faults that are reported. */
const MOST_FAULTS = 20
/** The parent ends the pipe when it has read the last message; this is for a parent that does not. */
const LINGER_MS = 10_000

const send = (message: FromScanner): void => {
  process.send?.(message)
}

/** Returns the message of an error, without its stack, for users. Never contains a plan. */
const formatError = (error: unknown): string =>
  error instanceof PlanError
    ? error.message
    : error instanceof Error
      ? `${error.name}: ${error.message}`
      : 'unknown fault'

const yieldToOthers = (): void => {
  try {
    setPriority(NICENESS)
  } catch {
    // A process that lacks the permission runs at normal priority.
  }
}

/** A listener runs for as long as the server: it loads none of the many modules of a scan, which take 10 MB. */
const loadListener = async (): Promise<Listener> => {
  const { openListener } = await import('./listen/listener.ts')
  return openListener((message) => void process.send?.(message))
}

/** @returns the exit code */
export const runScannerChild = async (): Promise<number> => {
  if (process.send === undefined) {
    process.stderr.write('plat: scanner-child is started by the server, not by hand\n')
    return 2
  }
  // A crash of the parent closes the pipe too: no scan goes on without anybody who wants it.
  process.on('disconnect', () => process.exit(0))
  yieldToOthers()

  const cancel = new AbortController()
  let reporter: Reporter | undefined
  let faults = 0
  // A host that makes a library stumble must not end the scan of all the others.
  process.on('uncaughtException', (error) => {
    if (++faults <= MOST_FAULTS) reporter?.note(`a fault while reading an answer: ${formatError(error)}`)
  })
  let listener: Promise<Listener> | undefined
  const plan = await new Promise<Extract<ToScanner, { type: 'start' }>['plan'] | undefined>((resolve) => {
    process.on('message', (message: ToScanner | ToListener) => {
      if (message.type === 'start') resolve(message.plan)
      else if (message.type === 'listen') {
        listener ??= loadListener()
        void listener.then(({ update }) => update(message.plan))
      } else if (message.type === 'ack') {
        reporter?.ack()
        void listener?.then(({ ack }) => ack())
      } else {
        cancel.abort()
        resolve(undefined)
      }
    })
  })
  try {
    if (plan === undefined) send({ type: 'cancelled' })
    else {
      const { runScan } = await import('./scan.ts')
      await runScan(plan, {
        send,
        signal: cancel.signal,
        onReporter: (opened) => {
          reporter = opened
        },
      })
    }
  } catch (error) {
    send({ type: 'failed', message: formatError(error) })
  }
  await Bun.sleep(LINGER_MS)
  return 0
}
