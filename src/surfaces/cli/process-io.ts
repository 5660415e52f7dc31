/** The `Io` of a real process: its streams, its terminal, its signals. */
import { ClosedPipe, type Input, Interrupted, type Io, type Output } from './io.ts'

const isBrokenPipe = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')

const createOutput = (stream: NodeJS.WriteStream): Output => {
  // A failed write is reported twice. Without a listener, the event would end the process with a stack trace.
  stream.on('error', () => {})
  return {
    isTty: stream.isTTY === true,
    get columns() {
      // A terminal of unknown width reports 0.
      return (stream.isTTY && stream.columns) || undefined
    },
    write: (data) =>
      new Promise((resolve, reject) => {
        stream.write(data, (error) => {
          if (!error) resolve()
          else reject(isBrokenPipe(error) ? new ClosedPipe() : error)
        })
      }),
  }
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACES = new Set(['\u0008', '\u007f'])

/** Reads a line key by key: without echo the terminal's line editing is off as well. */
const readSecretLine = (stdin: NodeJS.ReadStream): Promise<string> =>
  new Promise((resolve, reject) => {
    let line: string[] = []
    const finish = (settle: () => void) => {
      stdin.off('data', onData)
      stdin.setRawMode(false)
      stdin.pause()
      settle()
    }
    const onData = (chunk: Buffer | string) => {
      for (const key of String(chunk)) {
        if (key === '\r' || key === '\n' || key === CTRL_D) return finish(() => resolve(line.join('')))
        if (key === CTRL_C) return finish(() => reject(new Interrupted()))
        line = BACKSPACES.has(key) ? line.slice(0, -1) : [...line, key]
      }
    }
    stdin.setEncoding('utf8')
    stdin.setRawMode(true)
    stdin.on('data', onData)
    stdin.resume()
  })

const readPlainLine = (stdin: NodeJS.ReadStream): Promise<string> =>
  new Promise((resolve) => {
    // A terminal delivers whole lines.
    stdin.setEncoding('utf8')
    stdin.once('data', (chunk) => {
      stdin.pause()
      resolve(String(chunk).replace(/\r?\n$/, ''))
    })
    stdin.resume()
  })

const createInput = (stdin: NodeJS.ReadStream, prompt: Output): Input => ({
  isTty: stdin.isTTY === true,
  readAll: () => Bun.stdin.bytes(),
  ask: async (question, { isSecret = false } = {}) => {
    await prompt.write(question)
    if (!isSecret) return readPlainLine(stdin)
    try {
      return await readSecretLine(stdin)
    } finally {
      await prompt.write('\n')
    }
  },
})

const MACHINE_ID_FILE = '/etc/machine-id'

/** Container images often have none, or an empty one. */
const readMachineId = async (): Promise<string | undefined> => {
  const text = await Bun.file(MACHINE_ID_FILE)
    .text()
    .catch(() => '')
  return /^[0-9a-f]{32}$/.exec(text.trim())?.[0]
}

export const processIo = (): Io => {
  const stdout = createOutput(process.stdout)
  const stderr = createOutput(process.stderr)
  let stop: AbortController | undefined
  return {
    argv: process.argv.slice(2),
    env: process.env,
    stdout,
    stderr,
    get stdin() {
      return createInput(process.stdin, stderr)
    },
    fetch,
    machineId: readMachineId,
    sleep: (ms) => Bun.sleep(ms),
    interrupted: () => {
      if (stop) return stop.signal
      const controller = new AbortController()
      stop = controller
      process.once('SIGINT', () => controller.abort(new Interrupted()))
      return controller.signal
    },
  }
}
