/** An `Io` for tests: input is given, output is recorded. */
import type { Fetch } from '../src/surfaces/cli/connection/client.ts'
import { ClosedPipe, type Io, type Output } from '../src/surfaces/cli/io.ts'

export type MemoryIo = {
  readonly argv: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The content of standard input. */
  readonly stdin?: string
  /** The lines that a person types. With them, standard input is a terminal. */
  readonly typed?: readonly string[]
  readonly fetch?: Fetch
  /** The machine id; without it, the machine has none. */
  readonly machineId?: string
  /** Standard output is a terminal of this width. */
  readonly columns?: number
  /** The reader of standard output disconnects after this many writes. */
  readonly closesAfter?: number
  /** Called in place of a wait. */
  readonly sleep?: (ms: number) => Promise<void>
  /** Aborted when a person presses Ctrl-C. */
  readonly interrupted?: AbortSignal
}

type Kept = { readonly io: Io; readonly out: () => string; readonly err: () => string }

const keep = (columns: number | undefined, closesAfter = Infinity): Output & { readonly text: () => string } => {
  const written: string[] = []
  return {
    isTty: columns !== undefined,
    columns,
    text: () => written.join(''),
    write: async (data) => {
      if (written.length >= closesAfter) throw new ClosedPipe()
      written.push(typeof data === 'string' ? data : new TextDecoder().decode(data))
    },
  }
}

const nobody: Fetch = async (url) => {
  throw new Error(`this test expects no request, and there was one to ${url}`)
}

export const memoryIo = ({
  argv,
  env = {},
  stdin = '',
  typed,
  fetch = nobody,
  machineId,
  columns,
  closesAfter,
  sleep = async () => {},
  interrupted = new AbortController().signal,
}: MemoryIo): Kept => {
  const stdout = keep(columns, closesAfter)
  const stderr = keep(columns)
  const lines = [...(typed ?? [])]
  const io: Io = {
    argv,
    // A test must not read its developer's own login.
    env: { XDG_CONFIG_HOME: '/nonexistent', ...env },
    stdin: {
      isTty: typed !== undefined,
      readAll: async () => new TextEncoder().encode(stdin),
      ask: async (question) => {
        await stderr.write(question)
        return lines.shift() ?? ''
      },
    },
    stdout,
    stderr,
    fetch,
    machineId: async () => machineId,
    sleep,
    interrupted: () => interrupted,
  }
  return { io, out: stdout.text, err: stderr.text }
}
