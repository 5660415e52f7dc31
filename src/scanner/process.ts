/** Runs a scan, or listens, in a child process. The only entry to the scanner for the rest of the program. */
import { join } from 'node:path'
import { LAB_VARIABLE } from './lab-guard.ts'
import type { FromScanner, ScanPlan, ToScanner } from './protocol.ts'
import type { FromListener, ListenPlan, ToListener } from './wire.ts'

export type ScanEnd = {
  readonly result: 'done' | 'cancelled' | 'failed' | 'died'
  readonly message: string
}

export type ScanProcess = {
  /** Stops sending within a tick; the process is killed if it has not said `cancelled` after 2 s. */
  readonly cancel: () => void
  /** Ends when the process has ended and every report is handled: how it went. Never rejects. */
  readonly ended: Promise<ScanEnd>
  /** 0 when it could not be started. */
  readonly pid: number
}

/** Time that a process may take to acknowledge a cancel. */
const CANCEL_MS = 2000
/** Time that a process may take to exit after its last message. */
const LEAVE_MS = 2000

/** Returns the command that starts this program: the executable, or Bun with its main file. */
const getCommand = (): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, 'scanner-child']
    : [process.execPath, '--no-env-file', join(import.meta.dirname, '..', 'main.ts'), 'scanner-child']

/** Environment of the child: nothing of the server's own, which may hold secrets, but the variables that a process needs. */
const getEnvironment = (): Record<string, string> => {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_ENV', 'LD_LIBRARY_PATH', LAB_VARIABLE]
  return Object.fromEntries(
    kept.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

const toEnd = (report: FromScanner): ScanEnd | undefined => {
  if (report.type === 'done' || report.type === 'cancelled') return { result: report.type, message: '' }
  return report.type === 'failed' ? { result: 'failed', message: report.message } : undefined
}

type OnReport = (report: FromScanner) => Promise<void>

const getReason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Starts a scanner process. `onReport` is awaited, so that a slow database slows the scan down. */
export const startScan = (plan: ScanPlan, onReport: OnReport): ScanProcess => {
  try {
    return runProcess(plan, onReport)
  } catch (error) {
    // The program is gone, or the machine has no room for another process.
    const message = `the scanner process cannot be started: ${getReason(error)}`
    return { cancel: () => {}, ended: Promise.resolve({ result: 'failed', message }), pid: 0 }
  }
}

export type ListenProcess = {
  /** Replaces the networks. What was told of a network that stays is not told again. */
  readonly update: (plan: ListenPlan) => void
  readonly stop: () => void
  /** Ends when the process has ended and every message is handled. Never rejects. */
  readonly ended: Promise<ScanEnd>
  /** 0 when it could not be started. */
  readonly pid: number
}

/**
 * Starts a process that listens until it is stopped. `onMessage` is awaited: the process tells the next sightings when the last ones are
 * handled. A rejection ends it.
 */
export const startListening = (
  plan: ListenPlan,
  onMessage: (message: FromListener) => Promise<void>,
): ListenProcess => {
  try {
    return runListening(plan, onMessage)
  } catch (error) {
    const message = `the listening process cannot be started: ${getReason(error)}`
    return { update: () => {}, stop: () => {}, ended: Promise.resolve({ result: 'failed', message }), pid: 0 }
  }
}

const runListening = (plan: ListenPlan, onMessage: (message: FromListener) => Promise<void>): ListenProcess => {
  let end: ScanEnd | undefined
  let isGone = false
  let handled: Promise<void> = Promise.resolve()
  const tell = (message: ToListener): void => {
    if (child.exitCode === null && child.signalCode === null && !isGone) child.send(message)
  }
  const finishAs = (result: ScanEnd['result'], message: string): void => {
    end ??= { result, message }
    // It keeps nothing that could be lost.
    child.kill('SIGKILL')
  }
  const handle = async (message: FromListener): Promise<void> => {
    if (end !== undefined) return
    if (message.type === 'failed') return finishAs('failed', message.message)
    try {
      await onMessage(message)
      if (message.type === 'sightings') tell({ type: 'ack' })
    } catch (error) {
      finishAs('failed', getReason(error))
    }
  }
  const child = Bun.spawn(getCommand(), {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    env: getEnvironment(),
    serialization: 'json',
    // Both halves are one program: messages follow `wire.ts`.
    ipc: (message: FromListener) => {
      handled = handled.then(() => handle(message))
    },
    onDisconnect: () => {
      isGone = true
    },
  })
  tell({ type: 'listen', plan })
  const finish = async (): Promise<ScanEnd> => {
    await child.exited
    await handled
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : child.signalCode
    return end ?? { result: 'died', message: `the listening process ended by ${how}` }
  }
  return {
    update: (next) => tell({ type: 'listen', plan: next }),
    stop: () => finishAs('cancelled', ''),
    ended: finish(),
    pid: child.pid,
  }
}

const runProcess = (plan: ScanPlan, onReport: OnReport): ScanProcess => {
  let end: ScanEnd | undefined
  let handled: Promise<void> = Promise.resolve()
  let killTimer: ReturnType<typeof setTimeout> | undefined
  let isReady = false
  let isCancelled = false

  const killAfter = (ms: number): void => {
    clearTimeout(killTimer)
    killTimer = setTimeout(() => child.kill('SIGKILL'), ms)
  }
  const tell = (message: ToScanner): void => {
    // The process has ended, and needs no message.
    if (child.exitCode === null && child.signalCode === null && !isGone) child.send(message)
  }
  let isGone = false

  const handle = async (report: FromScanner): Promise<void> => {
    // After a failure of ours the rest is not stored, so it must not be acknowledged either.
    if (end?.result === 'failed') return
    try {
      await onReport(report)
    } catch (error) {
      end = { result: 'failed', message: getReason(error) }
      child.kill('SIGKILL')
      return
    }
    if (report.type === 'batch') tell({ type: 'ack' })
    end ??= toEnd(report)
    if (end === undefined) return
    // The last message is read: closing the pipe makes the process exit.
    killAfter(LEAVE_MS)
    if (!isGone) child.disconnect()
  }

  const child = Bun.spawn(getCommand(), {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    env: getEnvironment(),
    serialization: 'json',
    // Both halves are one program: messages follow `protocol.ts`.
    ipc: (message: FromScanner) => {
      if (message.type === 'ready') {
        isReady = true
        // The process read the cancel only now: its start may have taken nearly all of the time.
        if (isCancelled) killAfter(CANCEL_MS)
      }
      if (message.type === 'cancelled') clearTimeout(killTimer)
      handled = handled.then(() => handle(message))
    },
    onDisconnect: () => {
      isGone = true
    },
  })
  tell({ type: 'start', plan })

  const finish = async (): Promise<ScanEnd> => {
    await child.exited
    clearTimeout(killTimer)
    await handled
    if (end !== undefined) return end
    // On a busy machine a process may take longer to begin than it is given to end. It has sent nothing.
    if (isCancelled && !isReady) return { result: 'cancelled', message: '' }
    const how = child.signalCode === null ? `exit code ${child.exitCode}` : child.signalCode
    return { result: 'died', message: `the scanner process ended by ${how}` }
  }
  return {
    cancel: () => {
      isCancelled = true
      tell({ type: 'cancel' })
      killAfter(CANCEL_MS)
    },
    ended: finish(),
    pid: child.pid,
  }
}
