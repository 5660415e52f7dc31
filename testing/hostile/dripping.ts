/** A client on a bare socket that sends a request body at the pace of the test. */
import { connect } from 'node:net'

export type Dripping = {
  readonly send: (text: string) => void
  /** Sends at an even pace until `stop`, the answer or the end of the text. */
  readonly sendEvenly: (text: string, bytesPerSecond: number) => Promise<void>
  /** Sends the last piece of the body. */
  readonly end: (text?: string) => void
  /** Everything received so far. */
  readonly heard: () => string
  /** The status of the answer. Rejects if the connection ends without one. */
  readonly status: Promise<number>
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>
  /** Closes the connection without ending the request. */
  readonly vanish: () => void
}

const EVERY_MS = 100

/** `type` is the media type of the body. */
type Target = { readonly url: string; readonly key: string; readonly path: string; readonly type?: string }

const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Sends the headers of a POST with a chunked body. */
export const drip = ({ url, key, path, type = 'application/x-ndjson' }: Target): Dripping => {
  const { hostname, port } = new URL(url)
  let heard = ''
  let isClosed = false
  const status = Promise.withResolvers<number>()
  const closed = Promise.withResolvers<void>()
  // Not every test awaits it.
  status.promise.catch(() => {})
  const socket = connect(Number(port), hostname)
  const headers = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${key}`, 'Transfer-Encoding: chunked']
  socket.write(`POST ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\nContent-Type: ${type}\r\n\r\n`)
  socket.on('data', (bytes) => {
    heard += bytes
    const [, text] = /^HTTP\/1\.1 (\d{3}) /.exec(heard) ?? []
    if (text !== undefined) status.resolve(Number(text))
  })
  // The server may close the connection while we still send.
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    isClosed = true
    status.reject(new Error('the connection ended without an answer'))
    closed.resolve()
  })
  const send = (text: string) => {
    if (!isClosed) socket.write(chunk(text))
  }
  return {
    send,
    sendEvenly: async (text, bytesPerSecond) => {
      const startedMs = performance.now()
      for (let at = 0; at < text.length && heard === '' && !isClosed; ) {
        const due = Math.ceil(((performance.now() - startedMs + EVERY_MS) / 1000) * bytesPerSecond)
        if (due > at) send(text.slice(at, due))
        at = due
        await Bun.sleep(EVERY_MS)
      }
    },
    end: (text = '') => {
      if (text !== '') send(text)
      if (!isClosed) socket.write('0\r\n\r\n')
    },
    heard: () => heard,
    status: status.promise,
    closed: closed.promise,
    vanish: () => socket.destroy(),
  }
}
