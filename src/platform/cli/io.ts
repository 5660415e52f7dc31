/** What the command line needs of the world around it, so that tests run it in process. */
import type { Fetch } from './client.ts'

export type Output = {
  /** Resolves when the text is taken. @throws ClosedPipe when nobody reads any more */
  readonly write: (data: string | Uint8Array) => Promise<void>
  readonly isTty: boolean
  /** Width of the terminal; undefined in a pipe. */
  readonly columns: number | undefined
}

export type Input = {
  readonly isTty: boolean
  /** All of it, until it ends. */
  readonly readAll: () => Promise<Uint8Array>
  /** Asks a person at the terminal; a secret is not echoed. @throws Interrupted at Ctrl-C */
  readonly ask: (question: string, options?: { readonly isSecret?: boolean }) => Promise<string>
}

export type Io = {
  /** Without the program's own name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly fetch: Fetch
  /** What tells this machine from others of the same host name (machine-id(5)); undefined where nothing does. */
  readonly machineId: () => Promise<string | undefined>
  /** Aborted at Ctrl-C; whoever asks for it takes over the duty to stop. */
  readonly interrupted: () => AbortSignal
}

/** The reader of our output is gone (`| head`): no failure of ours. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
