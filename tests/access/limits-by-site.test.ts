/**
 * An IPv6 client is counted by its /64 and by its /48: a client with a whole site does not get a limit for each
 * address.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../testing/app/app.ts'
import { valkey } from '../../testing/servers/servers.ts'

const REQUESTS = 3
/** Four times as much. */
const OF_SITE = 12
const LIMITS = {
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_REQUESTS: String(REQUESTS),
  LOGIN_RATE_LIMIT_REQUESTS: String(REQUESTS),
}

let store: Awaited<ReturnType<typeof valkey>>
beforeAll(async () => {
  store = await valkey()
}, 60_000)
afterAll(() => store.stop())

describe.each(['memory', 'valkey'])('counted in %s', (name) => {
  let app: TestApp
  let logins: TestApp
  beforeAll(async () => {
    const env = { ...LIMITS, RATE_LIMIT_STORE: name, VALKEY_URL: store.url }
    app = await testApp({ env })
    logins = await testApp({ env: { ...env, RATE_LIMIT_ENABLED: 'false' } })
  })
  afterAll(async () => {
    await app.close()
    await logins.close()
  })

  const ask = (address: string) => app.plat.fetch(new Request('http://plat.test/api/devices'), { peer: () => address })
  const login = (address: string) => {
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' }
    return logins.plat.fetch(new Request('http://plat.test/api/auth/login', init), { peer: () => address })
  }

  describe.each([
    ['requests', ask, 401, 'RATE_LIMIT_EXCEEDED', 1],
    ['sign-ins', login, 400, 'LOGIN_RATE_LIMIT_EXCEEDED', 2],
  ] as const)('of %s', (_, send, passes, code, site) => {
    const statuses = async (addresses: readonly string[]): Promise<number[]> => {
      const all: number[] = []
      for (const address of addresses) all.push((await send(address)).status)
      return all
    }
    const subnets = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}:${n}::1`)

    test('a /64 has the specified limit', async () => {
      const addresses = [1, 2, 3, 4].map((n) => `2001:db8:${site}:1::${n}`)
      expect(await statuses(addresses)).toEqual([passes, passes, passes, 429])
    })

    test('a /48 has four times that, from however many /64s', async () => {
      const all = await statuses(subnets(`2001:db8:a${site}`, OF_SITE + 2))
      expect(all).toEqual([...Array(OF_SITE).fill(passes), 429, 429])
    })

    test('the headers of a refusal count the /48, which refuses', async () => {
      const prefix = `2001:db8:b${site}`
      await statuses(subnets(prefix, OF_SITE))
      const response = await send(`${prefix}:ffff::1`)
      const { headers } = response
      expect([response.status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        429,
        String(OF_SITE),
        '0',
      ])
      expect(Date.parse(headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now())
      expect(await response.json()).toMatchObject({ code })
    })

    test('the headers of an answer count the limit with less left', async () => {
      const prefix = `2001:db8:c${site}`
      const left: (string | null)[] = []
      for (const address of subnets(prefix, OF_SITE)) left.push((await send(address)).headers.get('x-ratelimit-limit'))
      expect([left[0], left.at(-1)]).toEqual([String(REQUESTS), String(OF_SITE)])
    })

    test('refusals of a /64 do not use up its /48', async () => {
      const prefix = `2001:db8:d${site}`
      await statuses(Array(4 * OF_SITE).fill(`${prefix}:1::1`))
      expect(await statuses([`${prefix}:2::1`])).toEqual([passes])
    })

    test('another /48 has a limit of its own', async () => {
      await statuses(subnets(`2001:db8:e${site}`, OF_SITE + 1))
      expect(await statuses([`2001:db8:f${site}:1::1`])).toEqual([passes])
    })

    test('IPv4 addresses of one network are counted each by itself', async () => {
      const addresses = Array.from({ length: 3 * OF_SITE }, (_, n) => `192.0.${site}.${n}`)
      expect(new Set(await statuses(addresses))).toEqual(new Set([passes]))
    })
  })
})
