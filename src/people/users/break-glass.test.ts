/** Passwords that open only for marked users, while PASSWORD_SIGN_IN is `break-glass`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createUser } from '../../../testing/estates/identities.ts'
import { OAUTH_ENV } from '../../../testing/sign-in/oauth.ts'
import { refusal, type SignInApp, signInApp } from '../../../testing/sign-in/sign-in.ts'
import { createLogger } from '../../base/runtime/log.ts'
import { openHostTrail } from '../../record/audit/host-trail.ts'
import { setBreakGlass, warnWithoutBreakGlass } from './break-glass.ts'

const QUICK = 'quick to check'
let app: SignInApp

beforeAll(async () => {
  app = await signInApp('sqlite', { config: { passwordSignIn: 'break-glass', auditEnabled: true } })
  await createUser(app.db, { username: 'ada', password: QUICK, roles: ['admin'] })
  await createUser(app.db, { username: 'ben', password: QUICK, roles: ['admin'] })
})
afterAll(() => app.close())

const log = createLogger({ level: 'error', format: 'text', write: () => {} })
const mark = async (username: string, isOn = true) =>
  setBreakGlass({ db: app.db, username, isOn, now: app.now, trail: await openHostTrail({ ...app, log }) })

const warnings = async (): Promise<string[]> => {
  const found: string[] = []
  await warnWithoutBreakGlass(app.db, { config: app.config, log: { warn: (text) => void found.push(text) } })
  return found
}

test('without a marked user the start warns, and no password opens', async () => {
  expect(await warnings()).toEqual([expect.stringContaining('plat user break-glass')])
  expect(await refusal(await app.login('ada', QUICK))).toEqual([401, 'INVALID_CREDENTIALS'])
})

test('a user who is marked on the host signs in, which is a warning in the log and marked in the audit trail', async () => {
  expect(await mark('ada')).toEqual({ username: 'ada', isOn: true, isActive: true, hasPassword: true })
  expect(await warnings()).toEqual([])
  expect((await app.login('ada', QUICK)).status).toBe(200)
  expect(app.entries.join('\n')).toContain('a break-glass account has signed in')
  const trail = await app.db.read
    .selectFrom('audit')
    .select(['username', 'changes'])
    .where('status', '=', 'success')
    .execute()
  expect(trail.filter(({ changes }) => changes.includes('"break_glass":true')).map(({ username }) => username)).toEqual(
    ['ada'],
  )
  expect(await refusal(await app.login('ben', QUICK))).toEqual([401, 'INVALID_CREDENTIALS'])
  expect(await refusal(await app.login('ada', 'wrong'))).toEqual([401, 'INVALID_CREDENTIALS'])
})

test('the sign-in page still offers a password, behind other ways', async () => {
  expect(await (await app.send('GET /api/auth/login')).json()).toMatchObject({
    password: true,
    password_for: 'break-glass',
  })
})

test('the mark can be taken back', async () => {
  await mark('ada', false)
  expect((await app.login('ada', QUICK)).status).toBe(401)
})

test('an unknown name is refused', async () => {
  expect(mark('nobody at all')).rejects.toThrow('No user is called')
})

test('the inline sign-in of OAuth is refused as well', async () => {
  const oauth = await signInApp('sqlite', {
    config: { passwordSignIn: 'break-glass', mcpOauthEnabled: true, mcpOauthIssuerUrl: OAUTH_ENV.MCP_OAUTH_ISSUER_URL },
  })
  await createUser(oauth.db, { username: 'ada', password: QUICK, roles: ['admin'] })
  const redirect_uri = 'https://client.example/cb'
  const registered = await oauth.send('POST /mcp-oauth/register', { body: { redirect_uris: [redirect_uri] } })
  const { client_id } = (await registered.json()) as { client_id: string }
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
  }
  const body = { ...asked, approved: true, username: 'ada', password: QUICK }
  expect(await refusal(await oauth.send('POST /mcp-oauth/authorize', { body }))).toEqual([401, 'INVALID_CREDENTIALS'])
  await oauth.close()
})
