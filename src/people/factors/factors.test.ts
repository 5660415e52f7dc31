// Second factors over HTTP, with a real database: setting up, signing in, and what is no way around them.
import { describe, expect, test } from 'bun:test'
import { answerOf, people, QUICK } from '../../../testing/estates/people.ts'
import { codeAt, FACTOR_CONFIG, factorsOf, ORIGIN, wrongCode } from '../../../testing/factors.ts'
import { onSqlite } from '../../../testing/servers/servers.ts'
import { createAuthenticator } from '../../../testing/sign-in/authenticator.ts'
import { cookieOf, refusal } from '../../../testing/sign-in/sign-in.ts'
import { Session } from '../sessions/api.ts'
import { Factors } from './api.ts'
import { resetFactorsOnHost } from './reset-on-host.ts'

const MINUTE_MS = 60_000
const ME = 'GET /api/auth/me'
const WRONG = [401, 'INVALID_CREDENTIALS'] as const

describe.each(onSqlite())('on %s', (dialect) => {
  const all = people(dialect, () => ({ config: { ...FACTOR_CONFIG, secondFactorRoles: ['Guarded'] } }))
  const asked = async (http: string, cookie: string, body?: unknown) =>
    answerOf(await all.app.send(http, { cookie, ...(body !== undefined && { body }) }))
  const factorsNow = async (cookie: string) =>
    Factors.strict().parse((await asked('GET /api/auth/factors', cookie)).body)
  const status = async (cookie: string) => (await asked(ME, cookie)).status
  const withTotp = async () => {
    const { username, id } = await all.person()
    const own = factorsOf(all.app)
    const cookie = await own.sessionOf(username)
    return { ...own, username, id, cookie, ...(await own.addTotp(cookie)) }
  }
  const withPasskey = async (more: { isSynced?: boolean } = {}) => {
    const { username, id } = await all.person()
    const own = factorsOf(all.app)
    const cookie = await own.sessionOf(username)
    const { id: passkeyId, ...made } = await own.addPasskey(cookie, 'Key', more)
    return { ...own, username, id, cookie, passkeyId, ...made }
  }
  const byPasskey = (body: object) => all.app.send('POST /api/auth/passkey', { body })

  describe('an authenticator app', () => {
    test('is in force after its first code, and gives ten recovery codes', async () => {
      const { username } = await all.person()
      const { sessionOf, signIn } = factorsOf(all.app)
      const cookie = await sessionOf(username)
      const made = await asked('POST /api/auth/totp', cookie, {})
      const { secret } = made.body as { secret: string }
      expect([made.status, made.body]).toEqual([
        201,
        { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), uri: expect.stringContaining('otpauth://totp/') },
      ])
      expect(await factorsNow(cookie)).toMatchObject({ totp: null, recovery_codes_left: 0 })
      expect((await signIn(username)).status).toBe(200)
      const bad = await asked('POST /api/auth/totp/confirm', cookie, { code: wrongCode(secret, all.app.clock.ms) })
      expect(bad).toMatchObject({ status: 400, body: { details: [{ field: 'code' }] } })
      const code = codeAt(secret, all.app.clock.ms)
      const confirmed = await asked('POST /api/auth/totp/confirm', cookie, { code })
      const { recovery_codes } = confirmed.body as { recovery_codes: string[] }
      expect(recovery_codes).toHaveLength(10)
      expect(recovery_codes[0]).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/)
      expect(await factorsNow(cookie)).toEqual({
        required: false,
        totp: { created_at: all.app.now().toISOString(), last_used_at: null },
        passkeys: [],
        recovery_codes_left: 10,
      })
      expect(await refusal(await all.app.send('POST /api/auth/totp', { cookie, body: {} }))).toEqual([
        409,
        'ALREADY_EXISTS',
      ])
    })

    test('is asked for when the password is right, and only then', async () => {
      const { username, signIn } = await withTotp()
      const response = await signIn(username)
      expect(response.headers.getSetCookie()).toEqual([])
      expect(await response.json()).toMatchObject({
        code: 'SECOND_FACTOR_REQUIRED',
        details: [{ field: 'totp' }, { field: 'recovery_code' }],
      })
      expect(response.status).toBe(401)
      const wrong = await all.app.send('POST /api/auth/login', { body: { username, password: 'not the password' } })
      expect(await refusal(wrong)).toEqual([...WRONG])
    })

    test('signs in with each code once, the one that confirmed it included', async () => {
      const { username, signIn, secret, code, cookie } = await withTotp()
      expect(await refusal(await signIn(username, { totp: code }))).toEqual([...WRONG])
      const next = codeAt(secret, all.app.clock.ms)
      const response = await signIn(username, { totp: next })
      expect(response.status).toBe(200)
      expect(await status(cookieOf(response))).toBe(200)
      expect(await refusal(await signIn(username, { totp: next }))).toEqual([...WRONG])
      expect((await factorsNow(cookie)).totp?.last_used_at).toBe(all.app.now().toISOString())
    })

    test('gives one sign-in to parallel requests with one code', async () => {
      const { username, signIn, secret } = await withTotp()
      const totp = codeAt(secret, all.app.clock.ms)
      const statuses = await Promise.all(
        Array.from({ length: 8 }, async () => (await signIn(username, { totp })).status),
      )
      expect(statuses.toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)])
    })

    test('opens nothing to 1,000 wrong codes, nor to the right one after them', async () => {
      const { username, signIn, secret, codes, id } = await withTotp()
      const before = await all.app.sessions.list(id)
      const right = codeAt(secret, all.app.clock.ms)
      const count = dialect === 'sqlite' ? 1000 : 100
      const wrong = Array.from({ length: count + 5 }, (_, i) => String(i).padStart(6, '0'))
        .filter((code) => ![-1, 0, 1].some((steps) => code === codeAt(secret, all.app.clock.ms + steps * 30_000)))
        .slice(0, count)
      const answers: number[] = []
      for (let i = 0; i < count; i += 25)
        answers.push(
          ...(await Promise.all(wrong.slice(i, i + 25).map(async (totp) => (await signIn(username, { totp })).status))),
        )
      const counted = (status: number) => answers.filter((one) => one === status).length
      expect([counted(401), counted(429)]).toEqual([10, count - 10])
      const blocked = await signIn(username, { totp: right })
      expect(await refusal(blocked)).toEqual([429, 'LOGIN_RATE_LIMIT_EXCEEDED'])
      expect(blocked.headers.get('retry-after')).toBe(new Date(all.app.clock.ms + 15 * MINUTE_MS).toUTCString())
      expect((await signIn(username, { recovery_code: codes[0] ?? '' })).status).toBe(429)
      expect(await all.app.sessions.list(id)).toEqual(before)
      all.app.clock.ms += 15 * MINUTE_MS
      expect((await signIn(username, { totp: codeAt(secret, all.app.clock.ms) })).status).toBe(200)
    })

    test('only wrong codes in a row are counted', async () => {
      const { username, signIn, secret } = await withTotp()
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 9; i++)
          expect((await signIn(username, { totp: wrongCode(secret, all.app.clock.ms) })).status).toBe(401)
        expect((await signIn(username, { totp: codeAt(secret, all.app.clock.ms) })).status).toBe(200)
        all.app.clock.ms += MINUTE_MS
      }
    })

    test('is stored sealed, and its recovery codes as hashes', async () => {
      const { secret, codes } = await withTotp()
      const stored = JSON.stringify([
        await all.app.db.read.selectFrom('totp').selectAll().execute(),
        await all.app.db.read.selectFrom('recovery_codes').selectAll().execute(),
      ])
      for (const text of [secret, ...codes]) expect(stored).not.toContain(text)
    })

    test('that is removed is not asked for, and takes the recovery codes along', async () => {
      const { username, signIn, cookie } = await withTotp()
      expect((await asked('DELETE /api/auth/totp', cookie)).status).toBe(204)
      expect(await factorsNow(cookie)).toMatchObject({ totp: null, recovery_codes_left: 0 })
      expect((await signIn(username)).status).toBe(200)
      expect((await asked('DELETE /api/auth/totp', cookie)).status).toBe(404)
    })
  })

  describe('recovery codes', () => {
    test('sign in once each, in any case and without the dash', async () => {
      const { username, signIn, codes, cookie } = await withTotp()
      const [one = '', two = ''] = codes
      expect((await signIn(username, { recovery_code: one })).status).toBe(200)
      expect(await refusal(await signIn(username, { recovery_code: one }))).toEqual([...WRONG])
      expect((await signIn(username, { recovery_code: ` ${two.toUpperCase().replace('-', '')} ` })).status).toBe(200)
      expect((await factorsNow(cookie)).recovery_codes_left).toBe(8)
    })

    test('of another user are wrong', async () => {
      const { codes } = await withTotp()
      const other = await withTotp()
      expect((await other.signIn(other.username, { recovery_code: codes[0] ?? '' })).status).toBe(401)
    })

    test('that are new void the old ones', async () => {
      const { username, signIn, codes, cookie } = await withTotp()
      const made = await asked('POST /api/auth/recovery-codes', cookie, {})
      const { recovery_codes } = made.body as { recovery_codes: string[] }
      expect([made.status, recovery_codes.length]).toEqual([201, 10])
      expect((await signIn(username, { recovery_code: codes[3] ?? '' })).status).toBe(401)
      expect((await signIn(username, { recovery_code: recovery_codes[3] ?? '' })).status).toBe(200)
    })

    test('need a factor, and are not made again by a second one', async () => {
      const { username } = await all.person()
      const { sessionOf, addTotp, addPasskey } = factorsOf(all.app)
      const cookie = await sessionOf(username)
      expect((await asked('POST /api/auth/recovery-codes', cookie, {})).status).toBe(400)
      expect((await addPasskey(cookie)).codes).toHaveLength(10)
      expect((await addTotp(cookie)).codes).toEqual([])
    })
  })

  describe('a passkey', () => {
    test('a passkey suffices for a sign-in, and the list of sessions says so', async () => {
      const { authenticator, username, answer, cookie } = await withPasskey()
      const response = await byPasskey(await answer(authenticator))
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(await response.json()).toMatchObject({ user: { username } })
      const sessions = Session.strict()
        .array()
        .parse((await asked('GET /api/sessions', cookieOf(response))).body)
      expect(sessions.map(({ method, is_current }) => [method, is_current])).toEqual([
        ['passkey', true],
        ['password', false],
      ])
      expect((await factorsNow(cookie)).passkeys).toMatchObject([{ name: 'Key', is_synced: false }])
      expect(await (await all.app.send('GET /api/auth/login')).json()).toMatchObject({ passkeys: true })
    })

    test('a passkey is a second factor only after the password of its user', async () => {
      const { authenticator, username, answer, signIn } = await withPasskey()
      expect(await (await signIn(username)).json()).toMatchObject({
        details: [{ field: 'passkey' }, { field: 'recovery_code' }],
      })
      expect((await signIn(username, { passkey: await answer(authenticator) })).status).toBe(200)
      const other = await withPasskey()
      const foreign = await signIn(username, { passkey: await other.answer(other.authenticator) })
      expect(await refusal(foreign)).toEqual([...WRONG])
    })

    test('stays open while codes are refused', async () => {
      const { authenticator, username, answer, signIn } = await withPasskey()
      for (let i = 0; i < 11; i++) await signIn(username, { recovery_code: 'wrong-codes' })
      expect((await signIn(username, { recovery_code: 'wrong-codes' })).status).toBe(429)
      expect((await signIn(username, { passkey: await answer(authenticator, { isVerified: false }) })).status).toBe(401)
      expect((await signIn(username, { recovery_code: 'wrong-codes' })).status).toBe(429)
      expect((await signIn(username, { passkey: await answer(authenticator) })).status).toBe(200)
    })

    test.each([
      ['of another origin', { origin: 'https://plat.test.evil.example' }],
      ['of another scheme', { origin: 'https://plat.test' }],
      ['for another server', { rpId: 'evil.example' }],
      ['without user verification', { isVerified: false }],
      ['with a wrong signature', { signature: Buffer.alloc(70, 1) }],
      ['for another user', { userHandle: Buffer.from('somebody').toString('base64url') }],
    ])('%s is refused', async (_, wrong) => {
      const { authenticator, answer } = await withPasskey()
      expect(await refusal(await byPasskey(await answer(authenticator, wrong)))).toEqual([...WRONG])
    })

    test('answers a challenge once, within five minutes', async () => {
      const { authenticator, answer } = await withPasskey()
      const used = await answer(authenticator)
      expect((await byPasskey(used)).status).toBe(200)
      expect((await byPasskey(used)).status).toBe(401)
      const late = await answer(authenticator)
      all.app.clock.ms += 5 * MINUTE_MS
      expect((await byPasskey(late)).status).toBe(401)
      const { challenge_id } = await answer(authenticator)
      const { response } = await answer(authenticator)
      expect((await byPasskey({ challenge_id, response })).status).toBe(401)
    })

    test('answers no challenge of a registration', async () => {
      const { authenticator, registration, cookie } = await withPasskey()
      const { challenge_id, options } = await registration(cookie)
      expect((await byPasskey({ challenge_id, response: authenticator.signIn(options) })).status).toBe(401)
    })

    test('with a counter that went back is a copy', async () => {
      const { authenticator, answer } = await withPasskey()
      expect((await byPasskey(await answer(authenticator))).status).toBe(200)
      authenticator.rewind(1)
      expect((await byPasskey(await answer(authenticator))).status).toBe(401)
      expect((await byPasskey(await answer(authenticator))).status).toBe(200)
    })

    test('that is synced is not judged by its counter', async () => {
      const { authenticator, answer, cookie } = await withPasskey({ isSynced: true })
      for (let i = 0; i < 2; i++) expect((await byPasskey(await answer(authenticator))).status).toBe(200)
      expect((await factorsNow(cookie)).passkeys).toMatchObject([{ is_synced: true }])
    })

    test('of a user who was deactivated or deleted is refused', async () => {
      const { authenticator, answer, id } = await withPasskey()
      await all.admin.ask(`PUT /api/users/${id}`, { is_active: false })
      expect((await byPasskey(await answer(authenticator))).status).toBe(401)
      expect((await all.admin.ask(`DELETE /api/users/${id}`)).status).toBe(204)
      expect((await byPasskey(await answer(authenticator))).status).toBe(401)
    })

    test('is registered only for the session that asked, at this server, verified', async () => {
      const { sessionOf, registration } = factorsOf(all.app)
      const cookie = await sessionOf((await all.person()).username)
      const other = await sessionOf((await all.person()).username)
      const authenticator = createAuthenticator({ origin: ORIGIN, rpId: 'plat.test' })
      const register = async (as: string, wrong = {}) => {
        const { challenge_id, options } = await registration(cookie)
        return asked('POST /api/auth/passkeys', as, {
          ...{ challenge_id, name: 'K' },
          response: authenticator.register({ ...options, user: options.user }, wrong),
        })
      }
      const onResponse = { status: 400, body: { details: [{ field: 'response' }] } }
      expect(await register(other)).toMatchObject(onResponse)
      expect(await register(cookie, { origin: 'http://evil.test' })).toMatchObject(onResponse)
      expect(await register(cookie, { isVerified: false })).toMatchObject(onResponse)
      expect((await register(cookie)).status).toBe(201)
      expect((await register(cookie)).status).toBe(409)
    })

    test('a passkey has its own name, and only its user renames and removes it', async () => {
      const { cookie, passkeyId, addPasskey, sessionOf } = await withPasskey()
      const { id } = await addPasskey(cookie, 'Other')
      const path = `/api/auth/passkeys/${id}`
      expect((await asked(`PUT ${path}`, cookie, { name: 'key' })).status).toBe(409)
      expect((await asked(`PUT ${path}`, cookie, { name: 'Phone' })).body).toMatchObject({ id, name: 'Phone' })
      const stranger = await sessionOf((await all.person()).username)
      expect((await asked(`PUT ${path}`, stranger, { name: 'Mine' })).status).toBe(404)
      expect((await asked(`DELETE ${path}`, stranger)).status).toBe(404)
      expect((await asked(`DELETE ${path}`, cookie)).status).toBe(204)
      expect((await factorsNow(cookie)).passkeys.map((one) => one.id)).toEqual([passkeyId])
    })
  })

  describe('factors change', () => {
    const changes = [
      'POST /api/auth/totp',
      'POST /api/auth/totp/confirm',
      'DELETE /api/auth/totp',
      'POST /api/auth/passkeys/options',
      'POST /api/auth/passkeys',
      'PUT /api/auth/passkeys/x',
      'DELETE /api/auth/passkeys/x',
      'POST /api/auth/recovery-codes',
    ]
    const bodyFor = (http: string) => {
      const response = {
        id: 'x',
        rawId: 'x',
        type: 'public-key',
        response: { clientDataJSON: '', attestationObject: '' },
      }
      return http.startsWith('DELETE') ? undefined : { code: '1', name: 'x', challenge_id: 'x', response }
    }

    test('factors change in a session with a sign-in of the last 15 minutes', async () => {
      const { username } = await all.person()
      const cookie = await factorsOf(all.app).sessionOf(username)
      all.app.clock.ms += 15 * MINUTE_MS + 1
      const codes = await Promise.all(
        changes.map(async (http) => (await asked(http, cookie, bodyFor(http))).body as { code: string }),
      )
      expect(new Set(codes.map(({ code }) => code))).toEqual(new Set(['REAUTHENTICATION_REQUIRED']))
      expect((await asked('GET /api/auth/factors', cookie)).status).toBe(200)
    })

    test('with no API key, not even that of an admin', async () => {
      const statuses = await Promise.all(
        [...changes, 'GET /api/auth/factors'].map(async (http) => {
          const body = http.startsWith('GET') ? undefined : bodyFor(http)
          return (await all.admin.ask(http, body)).status
        }),
      )
      expect(new Set(statuses)).toEqual(new Set([403]))
    })
  })

  describe('a role that requires a factor', () => {
    const guarded = async () => {
      const { body } = (await all.admin.ask('GET /api/roles?name=Guarded')) as { body: { id: string }[] }
      const id =
        body[0]?.id ??
        (
          (await all.admin.ask('POST /api/roles', { name: 'Guarded', permissions: ['devices:list'] })).body as {
            id: string
          }
        ).id
      return all.person({ roles: [id] })
    }

    test('leaves a session that can only set one up, which completes it', async () => {
      const { username, ask } = await guarded()
      const { signIn, addTotp } = factorsOf(all.app)
      const response = await signIn(username)
      const cookie = cookieOf(response)
      expect(await response.json()).toMatchObject({ second_factor_setup_required: true })
      expect((await asked(ME, cookie)).body).toMatchObject({ permissions: [], second_factor_setup_required: true })
      expect((await asked('GET /api/config', cookie)).status).toBe(200)
      expect(await factorsNow(cookie)).toMatchObject({ required: true })
      for (const [http, body] of [
        ['GET /api/devices'],
        ['GET /api/keys'],
        ['POST /api/keys', { name: 'k' }],
        ['POST /api/auth/device/BBBB-BBBB', { allow: true }],
        ['GET /api/events'],
        ['GET /api/sessions'],
      ] as const)
        expect(await asked(http, cookie, body)).toMatchObject({
          status: 403,
          body: { code: 'SECOND_FACTOR_SETUP_REQUIRED' },
        })
      // Keys of before go on.
      expect((await ask('GET /api/devices')).status).toBe(200)
      await addTotp(cookie)
      expect((await asked('GET /api/devices', cookie)).status).toBe(200)
      expect((await asked(ME, cookie)).body).not.toHaveProperty('second_factor_setup_required')
      expect((await asked('POST /api/auth/logout', cookie, {})).status).toBe(204)
    })

    test('keeps the last factor', async () => {
      const { username } = await guarded()
      const { sessionOf, addTotp, addPasskey } = factorsOf(all.app)
      const cookie = await sessionOf(username)
      await addTotp(cookie)
      expect(await asked('DELETE /api/auth/totp', cookie)).toMatchObject({ status: 409, body: { code: 'LAST_FACTOR' } })
      const { id } = await addPasskey(cookie)
      expect((await asked('DELETE /api/auth/totp', cookie)).status).toBe(204)
      expect((await asked(`DELETE /api/auth/passkeys/${id}`, cookie)).status).toBe(409)
      expect((await factorsNow(cookie)).passkeys).toHaveLength(1)
    })

    test('that a group grants later restricts the sessions that are open', async () => {
      const person = await all.person()
      const cookie = await factorsOf(all.app).sessionOf(person.username)
      expect((await asked('GET /api/keys', cookie)).status).toBe(200)
      await guarded()
      const { body } = await all.admin.ask('POST /api/groups', { name: `Group of ${person.username}` })
      const { id } = body as { id: string }
      await all.admin.ask('POST /api/grants', { role_id: 'Guarded', group_id: id })
      await all.admin.ask(`POST /api/groups/${id}/members`, { user_id: person.id })
      expect((await asked('GET /api/keys', cookie)).status).toBe(403)
    })
  })

  describe('lost factors', () => {
    test('are removed by a caller with users:update who holds all permissions of the user', async () => {
      const { username, id, cookie, signIn } = await withTotp()
      const path = `POST /api/users/${id}/reset-second-factor`
      const helper = await all.person({ permissions: ['users:update'] })
      expect((await (await all.person()).ask(path)).status).toBe(403)
      const powerful = await all.person({ roles: ['operator'] })
      expect((await helper.ask(`POST /api/users/${powerful.id}/reset-second-factor`)).status).toBe(403)
      expect((await helper.ask(path)).status).toBe(204)
      expect(await status(cookie)).toBe(401)
      expect((await signIn(username)).status).toBe(200)
      expect((await helper.ask('POST /api/users/nobody/reset-second-factor')).status).toBe(404)
    })

    test('are not removed so by the user', async () => {
      expect((await all.admin.ask(`POST /api/users/${all.admin.id}/reset-second-factor`)).status).toBe(403)
    })

    test('are removed on the host', async () => {
      const { username, cookie, signIn } = await withTotp()
      const trail = { record: async () => {} }
      const reset = (name: string) => resetFactorsOnHost({ db: all.app.db, username: name, trail })
      expect(await reset(username.toUpperCase())).toEqual({ username })
      all.app.clock.ms += 1000
      expect(await status(cookie)).toBe(401)
      expect((await signIn(username)).status).toBe(200)
      await expect(reset('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    })
  })

  test('two factors at once are one too many', async () => {
    const { username, signIn } = await withTotp()
    expect(await (await signIn(username, { totp: '1', recovery_code: 'x' })).json()).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'recovery_code' }],
    })
  })

  test('a user without a factor may send one, and nothing is checked', async () => {
    const { username } = await all.person()
    const response = await factorsOf(all.app).signIn(username, { totp: '123456' })
    expect(await response.json()).toEqual({ user: expect.any(Object), expires_at: expect.any(String) })
  })
})

describe('a server', () => {
  const bare = people('sqlite', () => ({ config: {} }))
  test('without ENCRYPTION_KEY has no authenticator apps, and without PUBLIC_URL no passkeys', async () => {
    const { username } = await bare.person()
    const login = await bare.app.send('POST /api/auth/login', { body: { username, password: QUICK } })
    const asked = async (http: string) => answerOf(await bare.app.send(http, { cookie: cookieOf(login), body: {} }))
    expect(await asked('POST /api/auth/totp')).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('ENCRYPTION_KEY') },
    })
    for (const http of ['POST /api/auth/passkeys/options', 'POST /api/auth/passkey/options'])
      expect(await asked(http)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('PUBLIC_URL'), details: [{ field: 'name' }] },
      })
  })
})
