/** One apply per user at once and two in total, dry runs included, from its headers to its answer. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Listening, listening } from '../../testing/app/listening.ts'
import { until } from '../../testing/until.ts'

const PATH = '/api/estate/apply?dry_run=true'
const BODY = '{"datacenters":[{"name":"HQ"}]}'

let target: Listening
let held: Held[]
beforeEach(async () => {
  target = await listening()
  held = []
})
afterEach(async () => {
  for (const one of held) one.vanish()
  await target.stop()
})

type Held = { readonly end: () => void; readonly status: Promise<number>; readonly vanish: () => void }

const headersOf = (key: string) => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' })

const apply = (key: string, path = PATH) =>
  fetch(`${target.url}${path}`, { method: 'POST', headers: headersOf(key), body: BODY })

const statusOf = async (key: string): Promise<number> => {
  const response = await apply(key)
  await response.text()
  return response.status
}

/** Starts an apply with a body that does not end. */
const begin = (key: string): Held => {
  const gone = new AbortController()
  let finish = () => {}
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(BODY.slice(0, -1)))
      finish = () => {
        controller.enqueue(new TextEncoder().encode('}'))
        controller.close()
      }
    },
  })
  const init = { method: 'POST', headers: headersOf(key), body, signal: gone.signal }
  const status = fetch(`${target.url}${PATH}`, init).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => 0,
  )
  const one = { end: () => finish(), status, vanish: () => gone.abort() }
  held.push(one)
  return one
}

/** Starts one that the server counts: another one of the same user is refused. */
const beginCounted = async (key: string): Promise<Held> => {
  const one = begin(key)
  await until('an apply under way', async () => (await statusOf(key)) === 429 || undefined)
  return one
}

describe('while an apply of a user is under way', () => {
  test('another one is refused after half a second, with a time to come back', async () => {
    const key = await target.viewer()
    await beginCounted(key)
    const startMs = performance.now()
    const response = await apply(key)
    const { code, error } = (await response.json()) as { code: string; error: string }
    expect([response.status, code, error, response.headers.get('retry-after')]).toEqual([
      429,
      'RATE_LIMIT_EXCEEDED',
      'You have an apply in progress, and a user can run one at a time: try again when it has ended',
      '10',
    ])
    expect(performance.now() - startMs).toBeGreaterThan(450)
  })

  test('another one runs if the first ends within half a second', async () => {
    const key = await target.viewer()
    const first = await beginCounted(key)
    const second = statusOf(key)
    first.end()
    expect(await Promise.all([first.status, second])).toEqual([200, 200])
  })

  test('another user applies, and a third one is refused', async () => {
    const keys = [await target.viewer(), await target.viewer()]
    for (const key of keys) await beginCounted(key)
    expect(await statusOf(await target.viewer())).toBe(429)
  })

  test('an import of the same user runs', async () => {
    const key = await target.admin()
    await beginCounted(key)
    const response = await fetch(`${target.url}/api/estate/import?resource=datacenters`, {
      method: 'POST',
      headers: headersOf(key),
      body: '[{"name":"x"}]',
    })
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"result"')])
  })
})

test('the next apply runs when the client of the one before is gone', async () => {
  const key = await target.viewer()
  const first = await beginCounted(key)
  first.vanish()
  expect(await until('a free slot', async () => (await statusOf(key)) === 200 || undefined)).toBe(true)
})

test('lines of progress release the slot before the last one', async () => {
  const key = await target.viewer()
  for (let i = 0; i < 5; i++) {
    const headers = { ...headersOf(key), Accept: 'application/x-ndjson' }
    const response = await fetch(`${target.url}${PATH}`, { method: 'POST', headers, body: BODY })
    expect(await response.text()).toContain('"result"')
  }
})

test('a caller without any permission takes no slot', async () => {
  const [one, two] = [await target.viewer(), await target.viewer()]
  for (const key of [one, two]) await (await apply(key, '/api/estate/apply')).text()
  expect(await statusOf(one)).toBe(200)
})
