import { describe, expect, test } from 'bun:test'
import { memoryIo } from '../../../../testing/memory-io.ts'
import { AppError } from '../../../contract/errors.ts'
import { sendRequest } from './client.ts'
import { retryWhileBusy } from './retry.ts'

const busy = (retryAfter?: string) =>
  new Response(JSON.stringify({ code: 'RATE_LIMIT_EXCEEDED', error: 'You have an apply in progress', details: [] }), {
    status: 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  })

const run = async (answers: readonly Response[], interrupted?: AbortSignal) => {
  const pauses: number[] = []
  const left = [...answers]
  const { io, err } = memoryIo({ argv: [], sleep: async (ms) => void pauses.push(ms) })
  const fetch = async () => left.shift() ?? busy('10')
  const send = () => sendRequest({ fetch }, '/api/estate/apply', { method: 'POST' })
  const outcome = await retryWhileBusy(io, send, interrupted).then(
    ({ status }) => status,
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )
  return { outcome, pauses, notes: err() }
}

describe('a request that the server is too busy for', () => {
  test('is sent again after the pause that the server names', async () => {
    const { outcome, pauses, notes } = await run([busy('10'), busy('0'), new Response('{}')])
    expect([outcome, pauses]).toEqual([200, [10_000, 1000]])
    expect(notes).toContain('note: You have an apply in progress; it is tried again in 10 s')
  })

  test('is sent again after a pause that is named as a date', async () => {
    const { outcome, pauses } = await run([busy(new Date(Date.now() + 5000).toUTCString()), new Response('{}')])
    expect([outcome, pauses.length, (pauses[0] ?? 0) <= 5000]).toEqual([200, 1, true])
  })

  test('fails after ten minutes', async () => {
    const { outcome, pauses } = await run([])
    expect([outcome, pauses.length]).toEqual(['RATE_LIMIT_EXCEEDED', 60])
  })

  test('fails at once if the server names no pause', async () => {
    expect(await run([busy()])).toMatchObject({ outcome: 'RATE_LIMIT_EXCEEDED', pauses: [] })
  })

  test('is not sent again after Ctrl-C', async () => {
    const reason = new Error('stopped')
    const { outcome } = await run([busy('10'), new Response('{}')], AbortSignal.abort(reason))
    expect(outcome).toBe(reason)
  })
})
