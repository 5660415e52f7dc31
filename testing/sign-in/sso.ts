/** A Plat with an identity provider, and browsers that sign in by it. */
import { z } from 'zod'
import { createPasswords } from '../../src/base/security/passwords.ts'
import { type TestApp, type TestOptions, testApp } from '../app/app.ts'
import type { Script, ScriptedProvider } from '../servers/scripted-provider.ts'

export const PUBLIC_URL = 'http://plat.test'
const ENV = { PUBLIC_URL, COOKIE_SECURE: 'false', SSO_ALLOW_LOOPBACK: 'true', ENCRYPTION_KEY: 'ab'.repeat(32) }

export const ssoApp = async ({ env, ...options }: TestOptions = {}) => {
  const passwords = createPasswords({ cost: 4 })
  const app = await testApp({ passwords, ...options, env: { ...ENV, ...env } })
  const admin = await app.as('admin')
  return { ...app, admin, addProvider: providerMaker(admin), browser: () => browserOf(app) }
}
export type SsoApp = Awaited<ReturnType<typeof ssoApp>>

let made = 0
const providerMaker =
  (admin: Awaited<ReturnType<TestApp['as']>>) =>
  async ({ issuer }: Pick<ScriptedProvider, 'issuer'>, fields: object = {}) =>
    admin.api.ssoProviders.create({
      name: `provider ${++made}`,
      ...{ issuer, client_id: 'plat', client_secret: 's3cret', allow_http: true },
      ...fields,
    })

export type Callback = Readonly<Record<string, string>>

/** Returns a browser with its cookies. */
export const browserOf = ({ fetch }: Pick<TestApp, 'fetch'>) => {
  const jar = new Map<string, string>()
  const send = async (http: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> => {
    const [method = 'GET', path = '/'] = http.split(' ')
    const response = await fetch(
      new Request(PUBLIC_URL + path, {
        method,
        headers: {
          Cookie: [...jar].map((pair) => pair.join('=')).join('; '),
          'X-Requested-With': 'XMLHttpRequest',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }
  /** Begins a sign-in. @returns the address at the provider */
  const begin = async ({ id }: { readonly id: string }, query = ''): Promise<URL> => {
    const response = await send(`GET /api/auth/sso/${id}${query}`)
    return new URL(response.headers.get('location') ?? '', PUBLIC_URL)
  }
  /** Comes back from the provider. */
  const comeBack = (parameters: Callback): Promise<Response> =>
    send(`GET /api/auth/sso/callback?${new URLSearchParams(parameters)}`)
  /** Signs in by a provider. */
  const signIn = async (at: { readonly id: string }, by: ScriptedProvider, script: Script = {}, query = '') => {
    const url = await begin(at, query)
    return comeBack({ code: by.agree(url, script), state: url.searchParams.get('state') ?? '' })
  }
  return {
    jar,
    send,
    begin,
    comeBack,
    signIn,
    me: () => send('GET /api/auth/me'),
    isSignedIn: async (): Promise<boolean> => (await send('GET /api/auth/me')).status === 200,
    username: async (): Promise<string> =>
      z.object({ username: z.string() }).parse(await (await send('GET /api/auth/me')).json()).username,
  }
}
export type Browser = ReturnType<typeof browserOf>

/** Returns the cause of a failed sign-in; undefined for any other answer. */
export const causeOf = (response: Response): string | undefined =>
  /[?]sso_error=(\w+)(?:&return_to=[^&]+)?$/.exec(response.headers.get('location') ?? '')?.[1]
