/** The ceremonies of passkeys, with the JSON forms of WebAuthn level 3, section 5.1. */
import { postJson } from '../api/client.ts'
import { hasPasskeys } from './has-passkeys.ts'

/** The answer to the options of a ceremony. */
export type Shown = { readonly challenge_id: string; readonly response: unknown }

type Options<T> = { readonly challenge_id: string; readonly options: T }

/** Returns true if the browser offers passkeys in the list of a text field. */
export const hasConditional = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable())

const toAnswer = (credential: Credential | null): unknown => {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser gave no passkey.')
  return credential.toJSON()
}

/** Makes a new passkey. @throws DOMException if the user refuses, or the authenticator has one already */
export const createPasskey = async (options: object): Promise<unknown> => {
  // The server answers this form, which its contract leaves open.
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return toAnswer(await navigator.credentials.create({ publicKey }))
}

type Asking = { readonly mediation?: CredentialMediationRequirement; readonly signal?: AbortSignal }

/** Asks for a passkey of this server. @throws DOMException if the user refuses */
export const askPasskey = async (asking: Asking = {}): Promise<Shown> => {
  const response = await postJson('/api/auth/passkey/options', {})
  const { challenge_id, options }: Options<PublicKeyCredentialRequestOptionsJSON> = await response.json()
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  return { challenge_id, response: toAnswer(await navigator.credentials.get({ publicKey, ...asking })) }
}
