/**
 * An AI client from start to end: it gets only the URL, its user consents in a browser, and it works with that user's
 * permissions. Its calls are audited, until a permission or the grant is removed.
 */
import { expect, test } from 'bun:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { testAll } from '../testing/cases.ts'
import { type Answer, callOn, Plan } from '../testing/mcp.ts'
import { world } from './harness.ts'
import { CALLBACK, OAUTH } from './oauth-client.ts'

/** The issuer URL is part of the metadata, so the port must be known before the start. */
const freePort = (): number => {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
const issuer = `http://127.0.0.1:${freePort()}`
const PASSWORD = 'correct horse battery staple'

const it = world({
  devices: 0,
  env: {
    ...OAUTH,
    LISTEN_ADDR: new URL(issuer).host,
    MCP_OAUTH_ISSUER_URL: issuer,
    AUDIT_ENABLED: 'true',
  },
})

type Kept = { client?: unknown; tokens?: unknown; verifier?: string; discovered?: unknown; asked?: URL }

/** The storage that an application gives the SDK, and the URL that its browser would open. */
const assistant = () => {
  const kept: Kept = {}
  const provider = {
    redirectUrl: issuer + CALLBACK,
    clientMetadata: {
      client_name: 'Assistant',
      redirect_uris: [issuer + CALLBACK],
      token_endpoint_auth_method: 'none',
      scope: 'search:read devices:list devices:read devices:update pools:list pools:read reservations:create',
    },
    state: () => 'st4te',
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url: URL) => {
      kept.asked = url
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (discovered: unknown) => {
      kept.discovered = discovered
    },
    discoveryState: () => kept.discovered,
  }
  // The stored tokens come from the SDK itself. Its types have more fields.
  const transport = () =>
    new StreamableHTTPClientTransport(new URL('/mcp', issuer), { authProvider: provider as never })
  return { kept, transport }
}

const engineerOf = async (username: string, roles: readonly string[]): Promise<string> => {
  const { id } = await it.plat.api.users.create({ username, password: PASSWORD, roles: [...roles] })
  return id
}

/** Connects, opens the browser, and returns after the user's consent. */
const connected = async (username: string): Promise<Client> => {
  const { kept, transport } = assistant()
  const first = transport()
  // The first attempt ends with a redirect to the consent page.
  await new Client({ name: 'assistant', version: '1' }).connect(first).catch(() => {})
  const { asked } = kept
  if (!asked) throw new Error('nobody was asked')
  await it.visit(
    async ({ page, open }) => {
      await open(asked.pathname + asked.search)
      await page.getByLabel('User name').fill(username)
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Assistant asks to act for you' }).waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL((url) => url.pathname === CALLBACK)
      await first.finishAuth(new URL(page.url()).searchParams)
    },
    { expected: [`404 ${CALLBACK}`, '401 '] },
  )
  const client = new Client({ name: 'assistant', version: '1' })
  await client.connect(transport())
  return client
}

test('an AI client finds a device, allocates an address for it and retags many, within the rights of its user', async () => {
  const { api } = it.plat
  const userId = await engineerOf('ada', ['operator'])
  const network = await api.networks.create({ name: 'Dublin web', subnet: '10.80.0.0/24' })
  const range = { start_ip: '10.80.0.10', end_ip: '10.80.0.20' }
  await api.pools.create({ network_id: network.id, name: 'web servers', ...range })
  for (const n of [1, 2, 3, 4]) await api.devices.create({ name: `web-0${n}`, tags: ['legacy'] })
  const client = await connected('ada')
  const call = (tool: string, args: Record<string, unknown> = {}): Promise<Answer> => callOn(client, tool, args)
  const run = (operation: string, input: object) => call('call_operation', { operation, input })

  const found = await call('search', { q: 'web-04', fields: ['type', 'name'] })
  expect(found.value.items).toEqual([['device', 'web-04']])

  await call('pool_allocate', { id: 'web servers', device_id: 'web-04' })
  const device = await call('device_get', { id: 'web-04', fields: ['addresses'] })
  expect(device.value).toMatchObject({ addresses: [{ ip: '10.80.0.10' }] })

  const operations = ['web-01', 'web-02', 'web-03'].map((id) => ({
    ...{ op: 'update', id, device: { add_tags: ['retired'], remove_tags: ['legacy'] } },
  }))
  const listed = await call('device_list', { fields: ['id', 'name'] })
  const ids = new Map((listed.value.items as [string, string][]).map(([id, name]) => [name, id]))
  const byId = operations.map((one) => ({ ...one, id: ids.get(one.id) }))
  const plan = Plan.parse((await run('devices.bulk', { operations: byId })).value)
  expect(plan.summary).toBe('changes 3 devices')
  expect((await api.devices.list({ tags: ['retired'] })).length).toBe(0)
  expect((await call('apply_plan', { plan_id: plan.plan_id })).value).toMatchObject({ applied: true })
  expect((await api.devices.list({ tags: ['retired'] })).length).toBe(3)

  expect((await run('devices.delete', { id: 'web-01' })).value).toMatchObject({ code: 'FORBIDDEN' })

  const entries = await api.audit.list({ user_id: userId })
  const told = entries
    .filter(({ tool }) => tool !== '')
    .map(({ username, oauth_client, tool, action, status }) => ({
      ...{ username, client: oauth_client.split(' ')[0], tool, action, status },
    }))
  expect(told).toEqual(
    expect.arrayContaining([
      { username: 'ada', client: 'Assistant', tool: 'pool_allocate', action: 'create', status: 'success' },
      { username: 'ada', client: 'Assistant', tool: 'apply_plan', action: 'update', status: 'success' },
      { username: 'ada', client: 'Assistant', tool: 'call_operation', action: 'delete', status: 'failure' },
    ]),
  )
  await client.close()
}, 60_000)

test('the client loses the rights of a revoked role at once', async () => {
  const { api } = it.plat
  const userId = await engineerOf('grace', ['operator'])
  const client = await connected('grace')
  expect((await callOn(client, 'device_list')).isError).toBe(false)
  await api.users.update({ id: userId, roles: [] })
  expect((await callOn(client, 'device_list')).value).toMatchObject({ code: 'FORBIDDEN' })
  await client.close()
}, 60_000)

testAll(
  'a client that is removed has no access any more',
  async () => {
    const { api } = it.plat
    await engineerOf('linus', ['operator'])
    const before = new Set((await api.oauthClients.list()).map(({ id }) => id))
    const client = await connected('linus')
    expect((await callOn(client, 'device_list')).isError).toBe(false)
    for (const { id } of await api.oauthClients.list()) if (!before.has(id)) await api.oauthClients.delete({ id })
    expect(callOn(client, 'device_list')).rejects.toThrow()
  },
  60_000,
)
