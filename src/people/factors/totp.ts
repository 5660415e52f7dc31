/** Time-based one-time passwords (RFC 6238): SHA-1, 6 digits, 30 seconds, one step either way. */
import type { NewTotp } from './api.ts'

const DIGITS = 6
const PERIOD_S = 30
/** Steps before and after the present one, for clocks that differ. */
const WINDOW = 1
/** RFC 4226 section 4 recommends 160 bits. */
const SECRET_BYTES = 20

const ISSUER = 'Plat'

/** Loaded at the first use, because most servers never need it. */
const load = () => import('otpauth')

/** Returns a new secret, and the address that authenticator apps read. @param issuer where the account is */
export const generateTotp = async (username: string, issuer: string | undefined): Promise<NewTotp> => {
  const { Secret, TOTP } = await load()
  const secret = new Secret({ size: SECRET_BYTES })
  const totp = new TOTP({
    issuer: issuer === undefined ? ISSUER : `${ISSUER} (${issuer})`,
    // A colon separates issuer and label in the address.
    label: username.replaceAll(':', ' '),
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_S,
    secret,
  })
  return { secret: secret.base32, uri: totp.toString() }
}

/** Returns the time step of a code; undefined for a wrong code. */
export type MatchStep = (code: string, secret: string, atMs: number) => number | undefined

/** Returns the check of codes. Loaded before a transaction, in which nothing may be loaded. */
export const loadMatchStep = async (): Promise<MatchStep> => {
  const { Secret, TOTP } = await load()
  return (code, secret, atMs) => {
    const token = code.replace(/\s/g, '')
    if (!/^\d{6}$/.test(token)) return undefined
    const delta = TOTP.validate({
      token,
      secret: Secret.fromBase32(secret),
      algorithm: 'SHA1',
      digits: DIGITS,
      period: PERIOD_S,
      timestamp: atMs,
      window: WINDOW,
    })
    return delta === null ? undefined : Math.floor(atMs / 1000 / PERIOD_S) + delta
  }
}
