/** A consent with name and password goes through the same checks as every sign-in. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../../../testing/app/app.ts'
import { createUser } from '../../../testing/estates/identities.ts'
import { newVerifier, oauthApp, oauthOf } from '../../../testing/sign-in/oauth.ts'
import { deviceOf } from '../../../testing/sign-in/sign-in.ts'
import { createPasswords, type PasswordTurn } from '../../base/security/passwords.ts'

const PASSWORD = 'quick to check'

const real = createPasswords({ cost: 4 })
const lanes: (PasswordTurn['lane'] | undefined)[] = []
let app: TestApp
let consent: (password: string, cookie?: string) => Promise<Response>

beforeAll(async () => {
  app = await oauthApp({
    passwords: {
      ...real,
      verify: (password, hash, turn) => {
        lanes.push(turn?.lane)
        return real.verify(password, hash, turn)
      },
    },
  })
  await createUser(app.db, { username: 'inline', roles: ['viewer'], password: PASSWORD })
  const oauth = oauthOf(app)
  const asked = oauth.parametersFor(await oauth.register(), newVerifier())
  consent = (password, cookie = '') =>
    oauth.post('/mcp-oauth/authorize', { ...asked, approved: 'true', username: 'inline', password }, { Cookie: cookie })
})
beforeEach(() => {
  lanes.length = 0
})
afterAll(async () => {
  await app.close()
  real.close()
})

test('it waits in the common lane, and with its device cookie in the known lane', async () => {
  const first = await consent(PASSWORD)
  await consent(PASSWORD, deviceOf(first))
  expect([first.status, ...lanes]).toEqual([303, 'common', 'known'])
})

test('the cookie is that of every sign-in', async () => {
  const device = deviceOf(await app.guest('POST', '/api/auth/login', { username: 'inline', password: PASSWORD }))
  await consent(PASSWORD, device)
  expect(lanes).toEqual(['common', 'known'])
})

test('a wrong password gives none', async () => {
  const response = await consent('wrong password')
  expect([response.status, response.headers.getSetCookie()]).toEqual([401, []])
})
