/** Sets up second factors over HTTP, for tests. */
import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { QUICK } from './estates/people.ts'
import { type Authenticator, createAuthenticator } from './sign-in/authenticator.ts'
import { cookieOf, type SignInApp } from './sign-in/sign-in.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/** RFC 4648 section 6. */
const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** RFC 6238 and RFC 4226 section 5.3, independent of the library in use. */
export const codeAt = (secret: string, ms: number): string => {
  const step = Buffer.alloc(8)
  step.writeBigUInt64BE(BigInt(Math.floor(ms / STEP_MS)))
  const mac = createHmac('sha1', fromBase32(secret)).update(step).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0')
}

/** Returns a code that is wrong now and in the steps around. */
export const wrongCode = (secret: string, ms: number): string => {
  const right = [-2, -1, 0, 1, 2].map((steps) => codeAt(secret, ms + steps * STEP_MS))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code)) ?? ''
}

export const ORIGIN = 'http://plat.test'
/** Configures a server for both kinds of factors. */
export const FACTOR_CONFIG = { encryptionKey: 'c1'.repeat(32), publicUrl: ORIGIN } as const

const Codes = z.object({ recovery_codes: z.array(z.string()) })
const Totp = z.object({ secret: z.string(), uri: z.string() })
const Options = z.object({
  challenge_id: z.string(),
  options: z.looseObject({ challenge: z.string(), user: z.object({ id: z.string() }).default({ id: '' }) }),
})
const Made = Codes.extend({ passkey: z.object({ id: z.string(), name: z.string() }) })

export const factorsOf = (app: Pick<SignInApp, 'send' | 'clock'>) => {
  const signIn = async (username: string, factor: object = {}) =>
    app.send('POST /api/auth/login', { body: { username, password: QUICK, ...factor } })
  const options = async (http: string, cookie?: string) =>
    Options.parse(await (await app.send(http, { body: {}, ...(cookie !== undefined && { cookie }) })).json())

  return {
    signIn,
    /** Returns the cookie of a new session. */
    sessionOf: async (username: string, factor: object = {}): Promise<string> =>
      cookieOf(await signIn(username, factor)),
    /** Confirms an authenticator app. The clock then moves a step, so that the next code differs. */
    addTotp: async (cookie: string) => {
      const { secret } = Totp.parse(await (await app.send('POST /api/auth/totp', { cookie, body: {} })).json())
      const code = codeAt(secret, app.clock.ms)
      const confirmed = await app.send('POST /api/auth/totp/confirm', { cookie, body: { code } })
      app.clock.ms += STEP_MS
      return { secret, codes: Codes.parse(await confirmed.json()).recovery_codes, code }
    },
    registration: (cookie: string) => options('POST /api/auth/passkeys/options', cookie),
    challenge: () => options('POST /api/auth/passkey/options'),
    addPasskey: async (cookie: string, name = 'Key', more: { isSynced?: boolean } = {}) => {
      const authenticator = createAuthenticator({ origin: ORIGIN, rpId: 'plat.test', ...more })
      const { challenge_id, options: asked } = await options('POST /api/auth/passkeys/options', cookie)
      const body = { challenge_id, name, response: authenticator.register(asked) }
      const made = Made.parse(await (await app.send('POST /api/auth/passkeys', { cookie, body })).json())
      return { authenticator, id: made.passkey.id, codes: made.recovery_codes }
    },
    /** Returns the answer of the authenticator to a new challenge. */
    answer: async (authenticator: Authenticator, wrong: Parameters<Authenticator['signIn']>[1] = {}) => {
      const { challenge_id, options: asked } = await options('POST /api/auth/passkey/options')
      return { challenge_id, response: authenticator.signIn(asked, wrong) }
    },
  }
}
