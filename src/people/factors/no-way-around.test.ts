// Ways around a second factor that must not exist, and the audit trail of factors.
import { describe, expect, test } from 'bun:test'
import { people, QUICK } from '../../../testing/estates/people.ts'
import { codeAt, FACTOR_CONFIG, factorsOf, ORIGIN, wrongCode } from '../../../testing/factors.ts'
import { challengeOf, newVerifier, REDIRECT } from '../../../testing/sign-in/oauth.ts'
import { refusal } from '../../../testing/sign-in/sign-in.ts'

const all = people('sqlite', () => ({
  config: {
    ...FACTOR_CONFIG,
    ...{ auditEnabled: true, mcpOauthEnabled: true, mcpOauthIssuerUrl: ORIGIN },
    secondFactorRoles: ['viewer'],
  },
}))

describe('the consent of an OAuth client', () => {
  const agree = async (more: object, cookie?: string) => {
    const { send } = all.app
    const registered = await send('POST /mcp-oauth/register', { body: { redirect_uris: [REDIRECT] } })
    const { client_id } = (await registered.json()) as { client_id: string }
    const challenge = { code_challenge: challengeOf(newVerifier()), code_challenge_method: 'S256' }
    const body = { response_type: 'code', client_id, redirect_uri: REDIRECT, ...challenge, approved: true, ...more }
    return send('POST /mcp-oauth/authorize', { body, ...(cookie !== undefined && { cookie }) })
  }

  test('asks for the second factor with the password', async () => {
    const { username } = await all.person({ roles: ['operator'] })
    const { sessionOf, addTotp } = factorsOf(all.app)
    const { secret } = await addTotp(await sessionOf(username))
    const shown = { username, password: QUICK }
    expect(await refusal(await agree(shown))).toEqual([401, 'SECOND_FACTOR_REQUIRED'])
    const wrong = await agree({ ...shown, totp: wrongCode(secret, all.app.clock.ms) })
    expect(await refusal(wrong)).toEqual([401, 'INVALID_CREDENTIALS'])
    const { redirect_uri } = (await (await agree({ ...shown, totp: codeAt(secret, all.app.clock.ms) })).json()) as {
      redirect_uri: string
    }
    expect(new URL(redirect_uri).searchParams.get('code')).toStartWith('plat_ac_')
  })

  test('is not for a user who must set up a factor first, by session or password', async () => {
    const { username } = await all.person({ roles: ['viewer'] })
    const cookie = await factorsOf(all.app).sessionOf(username)
    expect(await refusal(await agree({}, cookie))).toEqual([403, 'SECOND_FACTOR_SETUP_REQUIRED'])
    const inline = await agree({ username, password: QUICK })
    expect(await refusal(inline)).toEqual([403, 'SECOND_FACTOR_SETUP_REQUIRED'])
  })
})

test('a session of before the factor stays, and opens what it opened', async () => {
  const { username } = await all.person({ roles: ['operator'] })
  const { sessionOf, addTotp } = factorsOf(all.app)
  const [other, cookie] = [await sessionOf(username), await sessionOf(username)]
  await addTotp(cookie)
  expect((await all.app.send('GET /api/devices', { cookie: other })).status).toBe(200)
})

test('a password that is reset does not remove the factor', async () => {
  const { username, id } = await all.person({ roles: ['operator'] })
  const { sessionOf, addTotp, signIn } = factorsOf(all.app)
  await addTotp(await sessionOf(username))
  await all.admin.ask(`POST /api/users/${id}/reset-password`, { new_password: QUICK })
  expect(await refusal(await signIn(username))).toEqual([401, 'SECOND_FACTOR_REQUIRED'])
})

test('the audit trail names each change and sign-in, and holds no secret, code or answer', async () => {
  const { username, id } = await all.person({ roles: ['operator'] })
  const { sessionOf, addTotp, addPasskey, signIn, answer } = factorsOf(all.app)
  const cookie = await sessionOf(username)
  const { secret, codes, code } = await addTotp(cookie)
  const { authenticator } = await addPasskey(cookie, 'Laptop')
  const shown = { totp: wrongCode(secret, all.app.clock.ms) }
  await signIn(username, shown)
  await signIn(username, { recovery_code: codes[0] ?? '' })
  const proof = await answer(authenticator)
  await all.app.send('POST /api/auth/passkey', { body: proof })
  await signIn(username, { passkey: await answer(authenticator) })
  await all.admin.ask(`POST /api/users/${id}/reset-second-factor`)
  const entries = await all.app.db.read.selectFrom('audit').selectAll().orderBy('id').execute()
  const own = entries.filter((one) => one.user_id === id || one.resource_id === id)
  const factors = own.filter(({ resource }) => resource === 'factor')
  expect(factors.map(({ action, status }) => [action, status])).toEqual([
    ['create', 'success'],
    ['update', 'success'],
    ['update', 'success'],
    ['create', 'success'],
    ['update', 'success'],
  ])
  const text = JSON.stringify(entries)
  expect(text).toContain('Laptop')
  const signature = proof.response.response.signature
  for (const hidden of [secret, code, shown.totp, ...codes, signature]) expect(text).not.toContain(hidden)
  const failures = entries.filter(({ action, status }) => action === 'login' && status === 'failure')
  expect(failures.map(({ username: by }) => by)).toContain(username)
})
