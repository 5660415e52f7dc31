/** Calls of sessions, second factors, devices without a browser, OAuth and single sign-on. */

import { codeAt } from '../../testing/factors.ts'
import type { ScriptedProvider } from '../../testing/servers/scripted-provider.ts'
import { createAuthenticator } from '../../testing/sign-in/authenticator.ts'
import { challengeOf, formOf, REDIRECT, RESOURCE } from '../../testing/sign-in/oauth.ts'
import { type Action, call, compare, type Input, PUBLIC_URL, refuse, type Step } from './engine-pair.ts'

const PASSWORD = 'correct horse battery'
const BROWSER = { 'X-Requested-With': 'XMLHttpRequest' }
/** The caller is the session of this cookie. */
const session = (cookie = 'cookie') => ({ as: 'guest', headers: { ...BROWSER, Cookie: `@{${cookie}}` } })
const guest = { as: 'guest' }

const sessions: readonly Step[] = [
  call('sessions.sign-in-options', {}, guest),
  refuse(401, 'sessions.login', { username: 'signs-in', password: 'wrong' }, guest),
  refuse(401, 'sessions.login', { username: 'no one', password: 'wrong' }, guest),
  refuse(400, 'sessions.login', { username: 7 }, guest),
  call('sessions.login', { username: 'SIGNS-IN', password: PASSWORD }, { ...guest, save: { cookie: 'cookie' } }),
  call('sessions.login', { username: 'signs-in', password: PASSWORD }, { ...guest, save: { 'cookie 2': 'cookie' } }),
  call('sessions.me', {}, session()),
  call('sessions.list', {}, { ...session(), save: { newest: '0.id' } }),
  call('sessions.list', { user_id: '@{person}' }),
  call('sessions.delete', { id: '@{newest}' }, session()),
  refuse(401, 'sessions.me', {}, session('cookie 2')),
  call(
    'users.change-password',
    { id: '@{person}', current_password: PASSWORD, new_password: 'a new horse battery' },
    session(),
  ),
  refuse(
    401,
    'users.change-password',
    { id: '@{person}', current_password: 'wrong', new_password: 'a new horse' },
    session(),
  ),
  call(
    'sessions.login',
    { username: 'signs-in', password: 'a new horse battery' },
    { ...guest, save: { cookie: 'cookie' } },
  ),
]

/** Saves the code of the authenticator app for the time of the next call. */
const computeCode: Action = async ({ saved, clock }) => {
  clock.ms += 60_000
  saved.set('code', codeAt(saved.get('totp') ?? '', clock.ms))
}
const authenticators = new WeakMap<object, ReturnType<typeof createAuthenticator>>()
const parse = (text: string | undefined) => JSON.parse(text ?? '')

const registerPasskey: Action = async (world) => {
  const authenticator = createAuthenticator({ origin: PUBLIC_URL, rpId: new URL(PUBLIC_URL).hostname })
  authenticators.set(world, authenticator)
  const { challenge_id, options } = parse(world.saved.get('registration'))
  world.saved.set(
    'passkey body',
    JSON.stringify({ challenge_id, name: 'Schlüssel', response: authenticator.register(options) }),
  )
}
const signByPasskey: Action = async (world) => {
  const { challenge_id, options } = parse(world.saved.get('challenge'))
  const response = authenticators.get(world)?.signIn(options)
  world.saved.set('passkey answer', JSON.stringify({ challenge_id, response }))
}

const factors: readonly Step[] = [
  call('factors.show', {}, session()),
  call('factors.create-totp', {}, { ...session(), save: { totp: 'secret' } }),
  refuse(400, 'factors.confirm-totp', { code: 'wrong' }, session()),
  computeCode,
  call('factors.confirm-totp', { code: '@{code}' }, session()),
  call('factors.passkey-options', {}, { ...session(), save: { registration: '' } }),
  registerPasskey,
  call('factors.create-passkey', {}, { ...session(), text: '@{passkey body}', save: { passkey: 'passkey.id' } }),
  call('factors.rename-passkey', { id: '@{passkey}', name: 'Key 2' }, session()),
  refuse(404, 'factors.rename-passkey', { id: 'unknown', name: 'Key 2' }, session()),
  call('factors.recovery-codes', {}, session()),
  call('sessions.passkey-options', {}, { ...guest, text: '{}', save: { challenge: '' } }),
  signByPasskey,
  call('sessions.passkey', {}, { ...guest, text: '@{passkey answer}', save: { 'cookie 3': 'cookie' } }),
  refuse(401, 'sessions.passkey', {}, { ...guest, text: '@{passkey answer}' }),
  refuse(401, 'sessions.login', { username: 'signs-in', password: 'a new horse battery' }, guest),
  call('factors.show', {}, session('cookie 3')),
  call('factors.delete-passkey', { id: '@{passkey}' }, session('cookie 3')),
  call('factors.delete-totp', {}, session('cookie 3')),
  call('sessions.logout', {}, session('cookie 3')),
  call('factors.show', {}, session()),
]

/** A device that asks sooner than every 5 seconds is refused. */
const waitInterval: Action = async ({ clock }) => {
  clock.ms += 10_000
}

const devices: readonly Step[] = [
  call('device-login.start', { client: 'Laptop Ä' }, { ...guest, save: { device: 'device_code', code: 'user_code' } }),
  compare('device-login.token', { device_code: '@{device}' }, guest),
  call('device-login.show', { user_code: '@{code}' }, session()),
  call('device-login.decide', { user_code: '@{code}', allow: true }, session()),
  waitInterval,
  call('device-login.token', { device_code: '@{device}' }, guest),
  refuse(404, 'device-login.show', { user_code: 'NONE' }, session()),
  refuse(400, 'device-login.token', { device_code: 'none' }, guest),
]

const VERIFIER = 'v'.repeat(43)
const CONSENT: Input = {
  ...{ response_type: 'code', client_id: '@{client}', redirect_uri: REDIRECT, code_challenge: challengeOf(VERIFIER) },
  ...{ code_challenge_method: 'S256', state: 'st4te', resource: RESOURCE },
}
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const sendForm = (values: Readonly<Record<string, string>>) => ({
  ...{ as: 'guest', headers: FORM },
  text: formOf(values).replace(/%40%7B([\w+]+)%7D/g, (_, name: string) => `@{${name.replaceAll('+', ' ')}}`),
})
const takeCode: Action = async ({ saved }) => {
  saved.set('auth code', new URL(saved.get('redirect') ?? '').searchParams.get('code') ?? '')
}

const oauth: readonly Step[] = [
  call('oauth.server-metadata', {}, guest),
  call('oauth.server-metadata-of-mcp', {}, guest),
  call('oauth.resource-metadata', {}, guest),
  call('oauth.resource-metadata-of-mcp', {}, guest),
  call(
    'oauth.register',
    { redirect_uris: [REDIRECT], client_name: 'Claude Code', scope: 'devices:list devices:read' },
    { ...guest, save: { client: 'client_id' } },
  ),
  call(
    'oauth.register',
    { redirect_uris: [REDIRECT], client_name: 'äther' },
    { ...guest, save: { 'client 2': 'client_id' } },
  ),
  refuse(400, 'oauth.register', { redirect_uris: ['x'] }, guest),
  call('oauth.authorize', CONSENT, session()),
  refuse(400, 'oauth.authorize', { client_id: 'none' }, session()),
  call('oauth.consent', { ...CONSENT, approved: true }, { ...session(), save: { redirect: 'redirect_uri' } }),
  takeCode,
  refuse(
    400,
    'oauth.token',
    {},
    sendForm({
      grant_type: 'authorization_code',
      client_id: '@{client}',
      code: 'wrong',
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
    }),
  ),
  call(
    'oauth.token',
    {},
    {
      ...sendForm({
        grant_type: 'authorization_code',
        client_id: '@{client}',
        code: '@{auth code}',
        code_verifier: VERIFIER,
        redirect_uri: REDIRECT,
        resource: RESOURCE,
      }),
      save: { refresh: 'refresh_token' },
    },
  ),
  call(
    'oauth.token',
    {},
    {
      ...sendForm({ grant_type: 'refresh_token', client_id: '@{client}', refresh_token: '@{refresh}' }),
      save: { 'refresh 2': 'refresh_token' },
    },
  ),
  call('oauth-grants.list', {}, session()),
  call('oauth-grants.list', { user_id: '@{person}' }, { save: { 'oauth grant': '0.id' } }),
  call('oauth.revoke', {}, sendForm({ client_id: '@{client}', token: '@{refresh 2}' })),
  call('oauth.consent', { ...CONSENT, approved: true }, { ...session(), save: { redirect: 'redirect_uri' } }),
  takeCode,
  call(
    'oauth.token',
    {},
    sendForm({
      grant_type: 'authorization_code',
      client_id: '@{client}',
      code: '@{auth code}',
      code_verifier: VERIFIER,
      redirect_uri: REDIRECT,
      resource: RESOURCE,
    }),
  ),
  call('oauth-grants.list', {}, { ...session(), save: { 'oauth grant': '0.id' } }),
  call('oauth-grants.delete', { id: '@{oauth grant}' }, session()),
]

/** Calls of single sign-on by a provider on this machine. */
const sso = (provider: ScriptedProvider): readonly Step[] => {
  const agree: Action = async ({ saved }) => {
    const at = new URL(saved.get('authorization') ?? '')
    saved.set('sso state', at.searchParams.get('state') ?? '')
    saved.set('sso code', provider.agree(at))
  }
  const signLogout: Action = async ({ saved }) => void saved.set('logout token', await provider.logoutToken())
  const { issuer } = provider
  const fields = { issuer, client_id: 'plat', client_secret: 's3cret', allow_http: true }
  return [
    call('sso-providers.create', { name: 'Idp', create_users: true, ...fields }, { save: { sso: 'id' } }),
    call(
      'sso-providers.create',
      { name: 'äidp', enabled: false, ...fields, client_id: 'other' },
      { save: { 'sso 2': 'id' } },
    ),
    refuse(409, 'sso-providers.create', { name: 'IDP', ...fields }),
    refuse(400, 'sso-providers.create', { name: 'x', issuer: 'x', client_id: 'x' }),
    call('sso-providers.update', { id: '@{sso 2}', required_acr: 'mfa' }),
    call('sso-providers.test', { id: '@{sso}' }),
    call('sso-providers.check', { issuer, allow_http: true }),
    refuse(400, 'sso-providers.check', { issuer }),
    call('sessions.sign-in-options', {}, guest),
    call(
      'sso.start',
      { id: '@{sso}' },
      { ...guest, save: { authorization: 'header:location', 'sso cookie': 'cookie' } },
    ),
    agree,
    call(
      'sso.callback',
      { code: '@{sso code}', state: '@{sso state}' },
      { ...session('sso cookie'), save: { 'ada cookie': 'cookie' } },
    ),
    call('sso.callback', { code: 'wrong', state: 'wrong' }, session('sso cookie')),
    call('sessions.me', {}, { ...session('ada cookie'), save: { ada: 'id' } }),
    call('identities.list', {}, { ...session('ada cookie'), save: { identity: '0.id' } }),
    call('users.get', { id: '@{ada}' }),
    call('sso.logout', {}, { ...session('ada cookie'), text: '{}' }),
    signLogout,
    call('sso.backchannel-logout', { id: '@{sso}' }, sendForm({ logout_token: '@{logout token}' })),
    refuse(400, 'sso.backchannel-logout', { id: '@{sso}' }, sendForm({ logout_token: 'wrong' })),
    call(
      'sso.start',
      { id: '@{sso}' },
      { ...guest, save: { authorization: 'header:location', 'sso cookie': 'cookie' } },
    ),
    agree,
    call(
      'sso.callback',
      { code: '@{sso code}', state: '@{sso state}' },
      { ...session('sso cookie'), save: { 'ada cookie': 'cookie' } },
    ),
    call('users.reset-password', { id: '@{ada}', new_password: 'a horse for ada' }),
    call(
      'sessions.login',
      { username: 'ada', password: 'a horse for ada' },
      { ...guest, save: { 'ada cookie': 'cookie' } },
    ),
    call('identities.delete', { id: '@{identity}' }, session('ada cookie')),
  ]
}

export const buildSignInCalls = (provider: ScriptedProvider): readonly Step[] => [
  ...sessions,
  ...factors,
  ...devices,
  ...oauth,
  ...sso(provider),
]
