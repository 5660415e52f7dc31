/** Follows the live feed from a terminal or a script. */

import { AppError } from '../../contract/errors.ts'
import { sendRequest, type Transport } from '../../surfaces/cli/connection/client.ts'
import { toPrintable, toPrintableJson } from '../../surfaces/cli/output/display.ts'
import { getText, type Session, type Texts } from '../../surfaces/cli/parse/command.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'

type Received = { readonly id: string; readonly event: string; readonly data: string }

const RETRY_MS = 2000
/** The wait after a newer feed has replaced this one, as the server defines it. */
const LIMIT_RETRY_MS = 60_000

/** Parses the event stream (HTML, section 9.2.6) as far as our server uses it. */
async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Received> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const [event, data] = [field('event'), field('data')]
      if (event !== undefined && data !== undefined) yield { id: field('id') ?? '', event, data }
    }
  }
}

/** The first field with a value names the object. */
const NAMING = ['name', 'pool_name', 'description', 'ip', 'subnet', 'ip_address', 'id']

/** A relationship has no name, and no id in its data. */
const describeRelationship = ({ parent_id, type, child_id }: Readonly<Record<string, unknown>>): string =>
  parent_id === undefined ? '' : `${parent_id} ${type} ${child_id}`

/** Returns the line that describes the object of an event. */
const formatLine = ({ event, data }: Received): string => {
  // The contract of the server ensures this type.
  const { timestamp, data: about } = JSON.parse(data) as { timestamp: string; data: Record<string, unknown> }
  const named = NAMING.flatMap((field) => about[field] || [])
  const changes = Array.isArray(about.changes) ? ` (${about.changes.join(', ')})` : ''
  return `${toPrintable(`${timestamp}  ${event.padEnd(24)}  ${String(named[0] ?? describeRelationship(about))}${changes}`)}\n`
}

const parseCount = (texts: Texts): number => {
  const text = getText(texts, 'count')
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^[1-9]\d{0,8}$/.test(text)) throw createUsageError('--count must be a whole number from 1 on')
  return Number(text)
}

const buildPath = (texts: Texts): string => {
  const query = new URLSearchParams()
  for (const name of ['types', 'resource']) {
    const text = getText(texts, name)
    if (text !== undefined) query.set(name, text)
  }
  return query.size === 0 ? '/api/events' : `/api/events?${query}`
}

type Place = { readonly transport: Transport; readonly path: string; readonly signal: AbortSignal }

const openAt = ({ transport, path, signal }: Place, lastId: string): Promise<Response> => {
  const headers = { accept: 'text/event-stream', ...(lastId === '' ? {} : { 'last-event-id': lastId }) }
  // Bun's option: without it a stream ends after five minutes.
  const init = { method: 'GET', headers, signal, timeout: false }
  return sendRequest(transport, path, init)
}

const isAway = (error: unknown): boolean =>
  !(error instanceof AppError) || error.code === 'UNAVAILABLE' || error.code === 'RATE_LIMIT_EXCEEDED'

const waitMs = (signal: AbortSignal, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

export const watch = async ({ io, globals, connect }: Session, texts: Texts): Promise<number> => {
  const most = parseCount(texts)
  const path = buildPath(texts)
  const { transport } = await connect()
  const signal = io.interrupted()
  const isJson = globals.output === 'json'
  let count = 0
  let lastId = ''
  let hasBegun = false
  while (!signal.aborted) {
    let restMs = RETRY_MS
    try {
      const { body } = await openAt({ transport, path, signal }, lastId)
      hasBegun = true
      for await (const received of parseEvents(body ?? new ReadableStream())) {
        if (received.id !== '') lastId = received.id
        if (received.event === 'reset') {
          await io.stderr.write('Some events are no longer stored: the following ones are later\n')
          continue
        }
        if (received.event === 'limit') {
          // An immediate reconnect would only replace the newer feed.
          restMs = LIMIT_RETRY_MS
          await io.stderr.write('A newer feed of this user has replaced this one: it resumes in a minute\n')
          continue
        }
        await io.stdout.write(isJson ? `${toPrintableJson(received.data)}\n` : formatLine(received))
        if (++count >= most) return 0
      }
    } catch (error) {
      if (signal.aborted) break
      // Retries only after a first success: a server that never answered is a wrong address.
      if (!hasBegun || !isAway(error)) throw error
    }
    if (!signal.aborted) await waitMs(signal, restMs)
  }
  return 0
}
