/** Registers and verifies passkeys (WebAuthn level 3): discoverable, with user verification, without attestation. */

import type { Config } from '../../base/config/config.ts'
import { invalidField } from '../../contract/errors.ts'
import type { AuthenticationResponse, RegistrationResponse } from './api.ts'
import type { PasskeyRow } from './table.ts'

/** The server as authenticators know it. */
export type RelyingParty = {
  /** The host name to which passkeys belong. */
  readonly id: string
  readonly origin: string
}

/** COSE algorithms: EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257]
export const CHALLENGE_LIFE_MS = 5 * 60_000

/** Loaded at the first use, because loading takes 0.2 s. */
const load = () => import('@simplewebauthn/server')

/** An RP ID is a domain (WebAuthn level 3, section 4), so no address. */
const isAddress = (host: string): boolean => host.startsWith('[') || /^[\d.]+$/.test(host)

/** Returns undefined unless there is a PUBLIC_URL with a name as its host. */
export const buildRelyingParty = ({ publicUrl }: Pick<Config, 'publicUrl'>): RelyingParty | undefined => {
  if (publicUrl === undefined) return undefined
  const { hostname, origin } = new URL(publicUrl)
  return isAddress(hostname) ? undefined : { id: hostname, origin }
}

/** @throws AppError VALIDATION_ERROR that names PUBLIC_URL */
export const requireRelyingParty = (party: RelyingParty | undefined): RelyingParty => {
  if (party) return party
  throw invalidField('name', 'passkeys need PUBLIC_URL with a host name, which is not set on this server')
}

type Registrant = {
  readonly id: string
  readonly username: string
  readonly full_name: string
  readonly passkeys: readonly PasskeyRow[]
}

/** Parses a JSON list of texts, which this module has written. */
const parseTransports = ({ transports }: PasskeyRow): string[] => JSON.parse(transports) as string[]

export const buildRegistrationOptions = async (party: RelyingParty, user: Registrant) => {
  const { generateRegistrationOptions } = await load()
  return generateRegistrationOptions({
    rpName: 'Plat',
    rpID: party.id,
    userID: new TextEncoder().encode(user.id),
    userName: user.username,
    userDisplayName: user.full_name || user.username,
    timeout: CHALLENGE_LIFE_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: user.passkeys.map((one) => ({ id: one.credential_id, transports: parseTransports(one) })),
  })
}

/** Names no credentials: any passkey of this server may answer. */
export const buildAuthenticationOptions = async (party: RelyingParty) => {
  const { generateAuthenticationOptions } = await load()
  return generateAuthenticationOptions({ rpID: party.id, timeout: CHALLENGE_LIFE_MS, userVerification: 'required' })
}

export type NewCredential = Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'is_synced'>

type Registration = { readonly challenge: string; readonly response: RegistrationResponse }

/** WebAuthn level 3, section 7.1. @throws Error with the reason why the response is no registration */
export const verifyRegistration = async (
  party: RelyingParty,
  { challenge, response }: Registration,
): Promise<NewCredential> => {
  const { verifyRegistrationResponse } = await load()
  const { transports, ...given } = response.response
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...response, response: given, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  })
  if (!verified) throw new Error('the response is not signed by its key')
  const { credential, credentialDeviceType } = registrationInfo
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(transports ?? []),
    is_synced: credentialDeviceType === 'multiDevice' ? 1 : 0,
  }
}

type Authentication = {
  readonly challenge: string
  readonly response: AuthenticationResponse
  readonly passkey: PasskeyRow
}

/** WebAuthn level 3, section 7.2. @returns the new counter @throws Error with the reason why the response is no proof */
export const verifyAuthentication = async (
  party: RelyingParty,
  { challenge, response, passkey }: Authentication,
): Promise<number> => {
  const { userHandle, ...given } = response.response
  if (userHandle && Buffer.from(userHandle, 'base64url').toString() !== passkey.user_id)
    throw new Error('the passkey belongs to another user')
  const { verifyAuthenticationResponse } = await load()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...response, response: given, clientExtensionResults: {} },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
      // The devices of a synced passkey do not share a counter.
      counter: passkey.is_synced === 1 ? 0 : passkey.counter,
    },
  })
  if (!verified) throw new Error('the signature is wrong')
  return authenticationInfo.newCounter
}
