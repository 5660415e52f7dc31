/** Query parameters that an operation does not know are refused before anything is read or written. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { contracts, routes } from '../../src/app/contracts.ts'
import { parseHttp, type RawMethod } from '../../src/kernel/http-route.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'
import { createUser } from '../../testing/estates/identities.ts'
import { createTokens } from '../../testing/servers/wire-scanner.ts'
import { cookieOf, type SignInApp, signInApp } from '../../testing/sign-in/sign-in.ts'

const operations: readonly AnyOperation[] = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))

/** Raw routes under `/api/` that take any parameter: standards or links to a page may add some. */
const OPEN = ['docs.page', 'docs.script', 'docs.style', 'sso.backchannel-logout', 'sso.callback', 'sso.start']

type Endpoint = { readonly name: string; readonly method: RawMethod; readonly path: string }
const endpoints: readonly Endpoint[] = [...operations, ...routes].map(({ name, http }) => ({
  name,
  ...parseHttp(http),
}))
const strict = endpoints.filter(({ name, path }) => path.startsWith('/api/') && !OPEN.includes(name))
const named = (some: readonly Endpoint[]) => some.map((one): [string, Endpoint] => [one.name, one])

const Refusal = z.object({ code: z.string(), details: z.array(z.object({ field: z.string(), message: z.string() })) })

describe('every operation', () => {
  let app: SignInApp
  let cookie: string
  let findToken: (path: string) => string | undefined
  beforeAll(async () => {
    app = await signInApp('sqlite', { config: { mcpOauthEnabled: true, mcpOauthIssuerUrl: 'http://plat.test' } })
    await createUser(app.db, { username: 'ann', roles: ['admin'], password: 'a good password' })
    cookie = cookieOf(await app.login('ann', 'a good password'))
    findToken = await createTokens({ app, cookie })
  })
  afterAll(() => app.close())

  const send = ({ method, path }: Endpoint, query: string) => {
    const body = method === 'POST' || method === 'PUT' ? { body: {} } : {}
    const key = findToken(path)
    const caller = key === undefined ? { cookie } : { key }
    return app.send(`${method} ${path.replaceAll(/\{\w+\}/g, 'x')}?${query}`, { ...caller, ...body })
  }

  test.each(named(strict))('%s refuses a parameter that it does not know', async (_, endpoint) => {
    const response = await send(endpoint, 'no_such=1')
    expect(response.status).toBe(400)
    const { code, details } = Refusal.parse(await response.json())
    expect(code).toBe('VALIDATION_ERROR')
    expect(details).toEqual([{ field: 'no_such', message: expect.stringMatching(/^is not a parameter here/) }])
  })

  test.each(named(endpoints.filter(({ name }) => OPEN.includes(name))))(
    '%s takes any parameter',
    async (_, endpoint) => {
      expect(await (await send(endpoint, 'no_such=1')).text()).not.toContain('no_such')
    },
  )

  test.each(named(endpoints.filter(({ path }) => /^\/(healthz|readyz|metrics|\.well-known)/.test(path))))(
    '%s takes any parameter, because it is outside of /api/',
    async (_, endpoint) => {
      expect((await send(endpoint, 'no_such=1')).status).toBe(200)
    },
  )
})

describe('a query parameter', () => {
  let app: TestApp
  let admin: TestCaller
  beforeAll(async () => {
    app = await testApp()
    admin = await app.as('admin')
  })
  afterAll(() => app.close())

  const refused = async (method: string, path: string, body?: unknown) => {
    const response = await admin.request(method, path, body)
    expect(response.status).toBe(400)
    return Refusal.parse(await response.json()).details
  }

  test('that is nearly a known one is answered with that one', async () => {
    expect(await refused('GET', '/api/devices?tag=x&datacenter=y')).toEqual([
      { field: 'tag', message: 'is not a parameter here; did you mean tags?' },
      { field: 'datacenter', message: 'is not a parameter here; did you mean datacenter_id?' },
    ])
  })

  test('of a mistyped dry run deletes nothing', async () => {
    const { id } = await admin.api.devices.create({ name: 'kept' })
    expect(await refused('DELETE', `/api/devices/${id}?dryrun=true`)).toEqual([
      { field: 'dryrun', message: 'is not a parameter here; did you mean dry_run?' },
    ])
    for (const query of ['dry_run=', 'dry_run', 'dry_run=true&dry_run='])
      expect(await refused('DELETE', `/api/devices/${id}?${query}`)).toEqual([
        { field: 'dry_run', message: 'must be true or false' },
      ])
    expect((await admin.api.devices.get({ id })).name).toBe('kept')
  })

  test('with an empty dry_run creates nothing', async () => {
    expect(await refused('POST', '/api/devices?dry_run=', { name: 'never' })).toMatchObject([{ field: 'dry_run' }])
    expect(await admin.api.devices.list({ q: 'never' })).toEqual([])
  })

  test('that repeats a parameter of the path is refused', async () => {
    const { id } = await admin.api.devices.create({ name: 'one' })
    expect(await refused('DELETE', `/api/devices/${id}?id=another`)).toMatchObject([{ field: 'id' }])
  })

  test('that a body holds is refused in the query', async () => {
    expect(await refused('POST', '/api/devices?name=x', {})).toMatchObject([{ field: 'name' }])
  })

  test('of a custom field keeps its meaning', async () => {
    await admin.api.customFields.create({ resource: 'devices', name: 'owner', type: 'text' })
    await admin.api.devices.create({ name: 'hers', custom: { owner: 'ann' } })
    const response = await admin.request('GET', '/api/devices?custom.owner=ann')
    expect(await response.json()).toMatchObject([{ name: 'hers' }])
    expect(await refused('GET', '/api/datacenters?customs.owner=ann')).toMatchObject([{ field: 'customs.owner' }])
  })

  test('with a long name is cut in the error', async () => {
    expect(await refused('GET', `/api/devices?${'x'.repeat(5000)}=1`)).toEqual([
      { field: expect.stringMatching(/^x{100,300}/), message: 'is not a parameter here' },
    ])
  })

  test('is one of at most 100 that an error names', async () => {
    const query = Array.from({ length: 300 }, (_, i) => `u${i}=1`).join('&')
    expect(await refused('GET', `/api/devices?${query}`)).toHaveLength(100)
  })

  test('is refused after the permission, which a caller without it does not learn from', async () => {
    const nobody = await app.as([])
    expect((await nobody.request('GET', '/api/devices?tag=x')).status).toBe(403)
  })
})
