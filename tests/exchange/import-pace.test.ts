/**
 * The body of an import must arrive at 16 KiB/s over any 10 s, so that a slow body does not hold one of the few
 * imports.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Listening, listening } from '../../testing/app/listening.ts'
import { takeOneIn } from '../../testing/cases.ts'
import { type Dripping, drip } from '../../testing/hostile/dripping.ts'

const TOO_SLOW = 'The body came slower than 16 KiB/s over 10 s and was given up'
/** Ten seconds, and as long again for a busy machine. */
const PATIENCE_MS = 30_000

const PATH = '/api/estate/import?resource=datacenters&dry_run=true'
/** Each row has about 130 bytes. */
const rows = (count: number): string =>
  Array.from(
    { length: count },
    (_, i) => `${JSON.stringify({ name: `dc-${i}`, description: 'x'.repeat(100) })}\n`,
  ).join('')

type Case = { readonly target: Listening; readonly key: string; readonly client: Dripping; readonly run: Promise<void> }

/** Each case has its own server, so that all of them take their ten seconds concurrently. */
const CASES = {
  'that never comes': async () => {},
  'that comes at half the pace': (client: Dripping) => client.sendEvenly(rows(2000), 8 * 1024),
  'that is quick at first and then drips': async (client: Dripping) => {
    client.send(rows(10_000))
    await client.sendEvenly(rows(2000), 1024)
  },
  // 125 KB/s, for more than ten seconds.
  'that comes at 1 Mbit/s': async (client: Dripping) => {
    await client.sendEvenly(rows(12_000), 125_000)
    client.end()
  },
}
type Name = keyof typeof CASES
const SLOW = takeOneIn(3, [
  'that comes at half the pace',
  'that never comes',
  'that is quick at first and then drips',
] as const)

const importOne = async ({ target, key }: Case): Promise<number> => {
  const response = await fetch(`${target.url}${PATH}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-ndjson' },
    body: rows(1),
  })
  await response.text()
  return response.status
}

describe('a body', () => {
  const started = new Map<Name, Case>()
  beforeAll(async () => {
    for (const name of Object.keys(CASES) as Name[]) {
      const target = await listening()
      const key = await target.admin()
      const client = drip({ url: target.url, key, path: PATH })
      started.set(name, { target, key, client, run: CASES[name](client) })
    }
  }, PATIENCE_MS)
  afterAll(async () => {
    for (const { target, client, run } of started.values()) {
      client.vanish()
      await run
      await target.stop()
    }
  }, PATIENCE_MS)
  const caseOf = (name: Name): Case => {
    const one = started.get(name)
    if (!one) throw new Error(`no case ${name}`)
    return one
  }

  test.each(SLOW)(
    '%s is ended with 408, and a message with the minimum pace',
    async (name) => {
      const { client } = caseOf(name)
      expect(await client.status).toBe(408)
      await client.closed
      expect(client.heard()).toContain(`{"code":"INVALID_INPUT","error":"${TOO_SLOW}"`)
    },
    PATIENCE_MS,
  )

  test.each(SLOW)(
    '%s leaves room for the next import of its user',
    async (name) => {
      const { client } = caseOf(name)
      await client.closed
      expect(await importOne(caseOf(name))).toBe(200)
    },
    PATIENCE_MS,
  )

  test(
    'that comes at 1 Mbit/s is taken',
    async () => {
      const { client, run } = caseOf('that comes at 1 Mbit/s')
      await run
      expect(await client.status).toBe(200)
    },
    PATIENCE_MS,
  )
})
