/** The environment of the command line as an interface, so that tests run it in process. */
import type { Fetch } from './connection/client.ts'

export type Output = {
  /** Resolves when the text is accepted. @throws ClosedPipe if the reader has gone */
  readonly write: (data: string | Uint8Array) => Promise<void>
  readonly isTty: boolean
  /** Width of the terminal; undefined in a pipe. */
  readonly columns: number | undefined
}

export type Input = {
  readonly isTty: boolean
  /** Reads everything up to the end. */
  readonly readAll: () => Promise<Uint8Array>
  /** Prompts a person at the terminal. A secret is not echoed. @throws Interrupted at Ctrl-C */
  readonly ask: (question: string, options?: { readonly isSecret?: boolean }) => Promise<string>
}

export type Io = {
  /** The arguments without the program's name. */
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  readonly fetch: Fetch
  /** The machine id (machine-id(5)), which differs between machines of the same host name; undefined without one. */
  readonly machineId: () => Promise<string | undefined>
  readonly sleep: (ms: number) => Promise<void>
  /** Returns a signal that Ctrl-C aborts. The caller then has to stop on it. */
  readonly interrupted: () => AbortSignal
}

/** The reader of the output has gone (`| head`), which is not a failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe'
}

/** Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}
