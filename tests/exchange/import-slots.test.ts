/** One import per user at once and two in total, from its headers to its answer. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Listening, listening } from '../../testing/app/listening.ts'
import { type Dripping, drip } from '../../testing/hostile/dripping.ts'
import { until } from '../../testing/until.ts'

let target: Listening
let clients: Dripping[]
beforeEach(async () => {
  target = await listening()
  clients = []
})
afterEach(async () => {
  for (const client of clients) client.vanish()
  await target.stop()
})

const BODY = '{"name":"HQ"}\n'

const post = (key: string, { query = '', body = BODY } = {}) =>
  fetch(`${target.url}/api/estate/import?resource=datacenters${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
    body,
  })

/**
 * Starts an import with a body that does not end. Resolves when the server counts it: another one of the same user is rejected.
 */
const begin = (key: string, query = ''): Promise<Dripping> =>
  until('import under way', async () => {
    const client = drip({ url: target.url, key, path: `/api/estate/import?resource=datacenters${query}` })
    clients.push(client)
    client.send('{"name":"one"}\n')
    // The probing request itself may have been the first.
    while (client.heard() === '') if ((await statusOf(key, { query: '&dry_run=true' })) === 429) return client
    return undefined
  })

const statusOf = async (key: string, options = {}): Promise<number> => {
  const response = await post(key, options)
  await response.text()
  return response.status
}

describe('while an import of a user is under way', () => {
  test.each([
    ['another one', '', ''],
    ['a dry run', '', '&dry_run=true'],
    ['another one beside a dry run', '&dry_run=true', ''],
  ])('%s of the same user is 429', async (_, first, second) => {
    const key = await target.admin()
    await begin(key, first)
    expect(await statusOf(key, { query: second })).toBe(429)
  })

  test('the refusal has its code, its reason and a time to come back', async () => {
    const key = await target.admin()
    await begin(key)
    const response = await post(key)
    const { code, error } = (await response.json()) as { code: string; error: string }
    const retryMs = Date.parse(response.headers.get('retry-after') ?? '') - Date.now()
    expect([code, error, retryMs > 0]).toEqual([
      'RATE_LIMIT_EXCEEDED',
      'You have an import in progress, and a user can run one at a time: try again when it has ended',
      true,
    ])
  })

  test('another key of the same user is no other user', async () => {
    const key = await target.admin()
    await begin(key)
    expect(await statusOf(await target.anotherKey())).toBe(429)
  })

  test('another user imports', async () => {
    const key = await target.admin()
    await begin(key)
    expect(await statusOf(await target.admin())).toBe(200)
  })
})

test('while two users import, a third one is refused', async () => {
  const keys = [await target.admin(), await target.admin()]
  for (const key of keys) await begin(key)
  expect(await statusOf(await target.admin())).toBe(429)
})

describe('the next import of the user is taken', () => {
  test('at once when the last line of the one before was read', async () => {
    const key = await target.admin()
    const statuses: number[] = []
    for (let i = 0; i < 20; i++) statuses.push(await statusOf(key))
    expect(statuses).toEqual(Array(20).fill(200))
  })

  test('when the body of the one before has ended', async () => {
    const key = await target.admin()
    const client = await begin(key)
    client.end()
    await until('the result', () => client.heard().includes('"result"') || undefined)
    expect(await statusOf(key)).toBe(200)
  })

  test('when the client of the one before is gone', async () => {
    const key = await target.admin()
    const client = await begin(key)
    client.vanish()
    expect(await until('free slot', async () => (await statusOf(key)) === 200 || undefined)).toBe(true)
  })

  test.each([
    ['that was no JSON', '{"name":', 200],
    ['with bad rows', '{"name":1}', 200],
    ['of an unknown resource', BODY, 400],
  ])('after one %s', async (_, body, status) => {
    const key = await target.admin()
    const query = status === 400 ? '&resource=nothing' : ''
    expect([await statusOf(key, { body, query }), await statusOf(key)]).toEqual([status, 200])
  })
})

test('a request without the permission takes no slot', async () => {
  const [one, two] = [await target.viewer(), await target.viewer()]
  for (const key of [one, two]) clients.push(drip({ url: target.url, key, path: '/api/estate/import?resource=pools' }))
  expect([await statusOf(one), await statusOf(await target.admin())]).toEqual([403, 200])
})

test('an import of a deleted user ends while its body still comes', async () => {
  const [boss, key] = [await target.admin(), await target.admin()]
  const client = await begin(key)
  const sending = client.sendEvenly('{"name":"x"}\n'.repeat(300_000), 100_000)
  const headers = { Authorization: `Bearer ${boss}` }
  await fetch(`${target.url}/api/users/${target.lastUserId()}`, { method: 'DELETE', headers })
  expect(await client.status).toBe(401)
  client.vanish()
  await sending
})
