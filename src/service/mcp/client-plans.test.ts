// Plans of OAuth clients that act for a user: each client has its own, and keeps them when its token is renewed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { callTool, Plan } from '../../../testing/mcp.ts'
import { type Client, OAUTH_ENV, type OauthSteps, oauthOf, type Signed } from '../../../testing/sign-in/oauth.ts'

const SCOPE = 'devices:list devices:read devices:update devices:delete'

describe('a plan of an OAuth client', () => {
  let app: TestApp
  let admin: TestCaller
  let steps: OauthSteps
  let human: Signed
  let client: Client

  beforeAll(async () => {
    app = await testApp({ env: { ...OAUTH_ENV, AUDIT_ENABLED: 'true' } })
    admin = await app.as('admin')
    steps = oauthOf(app)
    human = await steps.person()
    client = await steps.register({ client_name: 'Assistant', scope: SCOPE })
  })
  afterAll(() => app.close())

  const call = (key: string, tool: string, args: Record<string, unknown>) =>
    callTool({ fetch: app.fetch, key }, tool, args)
  const planned = async (key: string) => {
    const { id } = await admin.api.devices.create({ name: 'to be deleted' })
    const { value } = await call(key, 'call_operation', { operation: 'devices.delete', input: { id } })
    return { id, planId: Plan.parse(value).plan_id }
  }
  const tokens = (of: Client) => steps.tokensFor(of, human, { scope: SCOPE })

  test('is on record with the client, the tool and the human', async () => {
    const { access_token } = await tokens(client)
    const { id, planId } = await planned(access_token)
    await call(access_token, 'apply_plan', { plan_id: planId })
    expect(await admin.api.audit.list({ resource_id: id, action: 'delete' })).toMatchObject([
      {
        username: human.username,
        oauth_client: `Assistant (${client.client_id})`,
        tool: 'apply_plan',
        key_id: '',
        status: 'success',
      },
    ])
  })

  test('is good with the next token as well', async () => {
    const { access_token, refresh_token } = await tokens(client)
    const { planId } = await planned(access_token)
    const renewed = await steps.tokensOf(await steps.refresh(client, refresh_token))
    expect((await call(renewed.access_token, 'apply_plan', { plan_id: planId })).value).toMatchObject({ applied: true })
  })

  test('is not that of another client of the same user', async () => {
    const other = await steps.register({ client_name: 'Other', scope: SCOPE })
    const { planId } = await planned((await tokens(client)).access_token)
    const { access_token } = await tokens(other)
    expect(await call(access_token, 'apply_plan', { plan_id: planId })).toMatchObject({
      isError: true,
      value: { code: 'NOT_FOUND' },
    })
  })
})
