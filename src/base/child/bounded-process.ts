/**
 * Runs a hidden command of this program in a process of its own, with bounds of time, memory and output from outside. The process
 * ends with the caller's signal, and on Linux with this process.
 */
import { join } from 'node:path'
import type { Bounds } from './bounds.ts'
import { watchMemory } from './memory.ts'

/** Writes to the standard input, and resolves when the pipe has taken the bytes. They may be reused then. */
export type Send = (bytes: Uint8Array | string) => Promise<void>

export type BoundedWork = {
  /** The hidden command, such as `template-child`. */
  readonly command: string
  readonly bounds: Bounds
  /** Writes the standard input. It is awaited also when the process has ended. */
  readonly write: (send: Send) => Promise<void>
  /** Takes a piece of the standard output. The next one is read when its promise resolves. */
  readonly read: (piece: Uint8Array) => Promise<void> | void
  /** Ends the process when it aborts. */
  readonly signal: AbortSignal | undefined
  /** The whole environment of the process. Empty by default, because that of the server may hold secrets. */
  readonly environment?: Readonly<Record<string, string>>
}

/** How the process ended: by itself, by a signal that another process sent, or at one of its bounds. */
export type End =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string }
  | { readonly kind: 'bound'; readonly bound: keyof Bounds }

class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
  constructor(options: ErrorOptions = {}) {
    super('The process has ended', options)
  }
}

/** Returns the command line that starts this program: an executable by itself, or Bun with its main file. */
const buildCommand = (command: string): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, command]
    : [process.execPath, '--no-env-file', join(import.meta.dirname, '..', '..', 'main.ts'), command]

/** Starts the process outside of the folders of the server. */
const start = ({ command, environment = {} }: BoundedWork) =>
  Bun.spawn(buildCommand(command), {
    cwd: '/',
    env: { ...environment },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    windowsHide: true,
  })

type Child = ReturnType<typeof start>

/** A process that runs, and why it is to end. */
class Running {
  isEnded = false
  /** The bound that was exceeded first. */
  bound: keyof Bounds | undefined
  /** The first error of the caller's `write` or `read`. */
  failure: { readonly error: unknown } | undefined
  readonly child: Child

  constructor(work: BoundedWork) {
    this.child = start(work)
  }

  kill(): void {
    this.isEnded = true
    this.child.kill('SIGKILL')
  }

  exceed(bound: keyof Bounds): void {
    this.bound ??= bound
    this.kill()
  }

  fail(error: unknown): void {
    this.failure ??= { error }
    this.kill()
  }

  /** Writes the standard input to its end, or until the process ends. */
  async send(write: BoundedWork['write']): Promise<void> {
    const { stdin } = this.child
    try {
      await write(async (bytes) => {
        if (this.isEnded) throw new ProcessEnded()
        try {
          stdin.write(bytes)
          await stdin.flush()
        } catch (error) {
          // The process has closed its end of the pipe.
          throw new ProcessEnded(error instanceof Error ? { cause: error } : {})
        }
      })
    } catch (error) {
      // A process that ends before it has read everything has found an error.
      if (!this.isEnded && !(error instanceof ProcessEnded)) this.fail(error)
    }
  }

  /** Reads the standard output to its end, or to the first byte beyond `limit`. */
  async receive(read: BoundedWork['read'], limit: number): Promise<void> {
    let bytes = 0
    for await (const piece of this.child.stdout) {
      bytes += piece.byteLength
      if (bytes > limit) return this.exceed('outputBytes')
      try {
        await read(piece)
      } catch (error) {
        return this.fail(error)
      }
    }
  }

  describeEnd(): End {
    if (this.bound !== undefined) return { kind: 'bound', bound: this.bound }
    const { exitCode, signalCode } = this.child
    return signalCode === null ? { kind: 'exit', code: exitCode ?? -1 } : { kind: 'signal', signal: String(signalCode) }
  }
}

/**
 * Runs one process to its end. It is killed at each bound and when the signal aborts.
 * @throws the reason of the signal, and the errors of `write` and `read`
 */
export const runBounded = async (work: BoundedWork): Promise<End> => {
  const { bounds, signal } = work
  signal?.throwIfAborted()
  const running = new Running(work)
  const abort = () => running.kill()
  signal?.addEventListener('abort', abort, { once: true })
  const timer = setTimeout(() => running.exceed('ms'), bounds.ms)
  const stopWatching = watchMemory(running.child.pid, {
    limit: bounds.memoryBytes,
    onExcess: () => running.exceed('memoryBytes'),
  })
  try {
    const sent = running.send(work.write)
    await running.receive(work.read, bounds.outputBytes)
    await running.child.exited
    running.isEnded = true
    await sent
    signal?.throwIfAborted()
    if (running.failure !== undefined) throw running.failure.error
    return running.describeEnd()
  } finally {
    clearTimeout(timer)
    stopWatching()
    signal?.removeEventListener('abort', abort)
    running.kill()
  }
}
