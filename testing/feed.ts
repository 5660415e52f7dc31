/** Follows the live feed. */
import { expect } from 'bun:test'
import type { TestCaller } from './app/app.ts'
import { until } from './until.ts'

export type Heard = { readonly id: number; readonly event: string; readonly data: Record<string, unknown> }

const heardIn = (text: string): Heard[] =>
  text.split('\n\n').flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
    const [event, data] = [field('event'), field('data')]
    return event === undefined || data === undefined ? [] : [{ id: Number(field('id')), event, data: JSON.parse(data) }]
  })

/** Follows until stopped. */
export const follow = async (caller: Pick<TestCaller, 'request'>, query = '', headers: Record<string, string> = {}) => {
  const response = await caller.request('GET', `/api/events${query}`, undefined, headers)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  let text = ''
  let isOver = false
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
    isOver = true
  })()
  return {
    heard: () => heardIn(text),
    hears: (n: number) => until(`${n} events`, () => (heardIn(text).length >= n ? heardIn(text) : undefined)),
    opened: () => until('an open stream', () => (text.startsWith('retry:') ? text : undefined)),
    isOver: () => until('the end of the stream', () => isOver || undefined),
    stop: async () => {
      await reader.cancel()
      await reading
    },
  }
}
