/** The contract of second factors: authenticator apps, passkeys and recovery codes. Browser-safe. */
import { z } from 'zod'
import { idOf, line, Name, Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

/** RFC 4648 section 5, without padding, as WebAuthn level 3 encodes binary values in JSON. */
const base64Url = (longest: number) =>
  z
    .string()
    .max(longest)
    .regex(/^[A-Za-z0-9_-]*$/, 'must be base64url')

/** The longest id of a credential has 1,023 bytes. Six of these fit into the body of a sign-in, which has at most 16 KiB. */
const Base64Url = base64Url(2048)

const credential = { id: Base64Url.min(1), rawId: Base64Url.min(1), type: z.literal('public-key') }

/** WebAuthn level 3, section 5.1: RegistrationResponseJSON. */
export const RegistrationResponse = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: Base64Url,
      // Holds the id and the public key.
      attestationObject: base64Url(16 * 1024),
      transports: z.array(z.string().max(32)).max(10).optional(),
    }),
  })
  .meta({ id: 'RegistrationResponse', description: 'The RegistrationResponseJSON of WebAuthn level 3' })
export type RegistrationResponse = z.infer<typeof RegistrationResponse>

/** WebAuthn level 3, section 5.1: AuthenticationResponseJSON. */
export const AuthenticationResponse = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: Base64Url,
      authenticatorData: Base64Url,
      signature: Base64Url,
      userHandle: Base64Url.nullable().optional(),
    }),
  })
  .meta({ id: 'AuthenticationResponse', description: 'The AuthenticationResponseJSON of WebAuthn level 3' })
export type AuthenticationResponse = z.infer<typeof AuthenticationResponse>

/** An answer to a challenge of `POST /api/auth/passkey/options`. */
export const ShownPasskey = z.object({
  challenge_id: z.string().max(64),
  response: AuthenticationResponse,
})
export type ShownPasskey = z.infer<typeof ShownPasskey>

/** A code of an authenticator app, or a recovery code. Longer texts are wrong codes. */
export const Code = line(64)

export const PasskeyOptions = z
  .object({
    challenge_id: z.string(),
    options: z.looseObject({ challenge: z.string() }).describe('Options in the JSON form of WebAuthn level 3'),
  })
  .meta({ id: 'PasskeyOptions' })
export type PasskeyOptions = z.infer<typeof PasskeyOptions>

export const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    is_synced: z.boolean().describe('It may be on several devices, so its signature counter is not compared'),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

export const Factors = z
  .object({
    required: z.boolean().describe('One of your roles requires a second factor: see SECOND_FACTOR_ROLES'),
    totp: z.object({ created_at: Timestamp, last_used_at: Timestamp.nullable() }).nullable(),
    passkeys: z.array(Passkey),
    recovery_codes_left: z.int(),
  })
  .meta({ id: 'Factors' })
export type Factors = z.infer<typeof Factors>

export const NewTotp = z
  .object({
    secret: z.string().describe('In base32'),
    uri: z.string().describe('otpauth://totp/..., which authenticator apps read from a QR code'),
  })
  .meta({ id: 'NewTotp' })
export type NewTotp = z.infer<typeof NewTotp>

const RecoveryCodes = z.array(z.string()).describe('Each replaces a second factor once; shown only now')

export const NewRecoveryCodes = z.object({ recovery_codes: RecoveryCodes }).meta({ id: 'NewRecoveryCodes' })
export type NewRecoveryCodes = z.infer<typeof NewRecoveryCodes>

export const NewPasskey = z.object({ passkey: Passkey, recovery_codes: RecoveryCodes }).meta({ id: 'NewPasskey' })
export type NewPasskey = z.infer<typeof NewPasskey>

/** Nothing but the name is recorded: the rest proves the possession of the authenticator. */
const RECORDED = z.object({ name: Name })
const NOTHING = z.object({})

/** The operations of a user on the own factors, only in a session. No model or key manages how a user signs in. */
const own = { access: 'authenticated', mcp: 'hidden' } as const
/** Also for a user who must set up a factor first. */
const setup = { ...own, session: 'fresh', beforeSetup: true } as const

export const factors = {
  show: operation({
    name: 'factors.show',
    summary: 'Show your second factors',
    http: 'GET /api/auth/factors',
    ...own,
    session: 'any',
    beforeSetup: true,
    input: () => z.object({}),
    output: Factors,
  }),
  createTotp: operation({
    name: 'factors.create-totp',
    summary: 'Create a secret for an authenticator app; a first code must confirm it',
    http: 'POST /api/auth/totp',
    status: 201,
    effect: 'create',
    ...setup,
    input: () => z.object({}),
    output: NewTotp,
  }),
  confirmTotp: operation({
    name: 'factors.confirm-totp',
    summary:
      'Confirm an authenticator app by its first code; from now on each sign-in with your password needs a second factor',
    description: 'The answer has recovery codes if you had none.',
    http: 'POST /api/auth/totp/confirm',
    effect: 'action',
    ...setup,
    recorded: () => NOTHING,
    input: () => z.object({ code: Code.describe('The 6 digits that the app shows') }),
    output: NewRecoveryCodes,
  }),
  deleteTotp: operation({
    name: 'factors.delete-totp',
    summary: 'Remove the authenticator app',
    http: 'DELETE /api/auth/totp',
    errors: [404, 409],
    ...own,
    session: 'fresh',
    input: () => z.object({}),
    output: () => z.void(),
  }),
  passkeyOptions: operation({
    name: 'factors.passkey-options',
    summary: 'Show the options with which a browser creates a passkey; they are valid for 5 minutes',
    http: 'POST /api/auth/passkeys/options',
    effect: 'action',
    ...setup,
    input: () => z.object({}),
    output: PasskeyOptions,
  }),
  createPasskey: operation({
    name: 'factors.create-passkey',
    summary: 'Add a passkey; it signs in alone, and is a second factor after your password',
    description: 'The answer has recovery codes if you had none.',
    http: 'POST /api/auth/passkeys',
    status: 201,
    effect: 'create',
    ...setup,
    recorded: () => RECORDED,
    input: () => z.object({ challenge_id: z.string().max(64), name: Name, response: RegistrationResponse }),
    output: NewPasskey,
  }),
  renamePasskey: operation({
    name: 'factors.rename-passkey',
    summary: 'Rename a passkey',
    http: 'PUT /api/auth/passkeys/{id}',
    ...own,
    session: 'fresh',
    input: () => z.object({ id: idOf('passkeys'), name: Name }),
    output: Passkey,
  }),
  deletePasskey: operation({
    name: 'factors.delete-passkey',
    summary: 'Remove a passkey',
    http: 'DELETE /api/auth/passkeys/{id}',
    errors: [409],
    ...own,
    session: 'fresh',
    input: () => z.object({ id: idOf('passkeys') }),
    output: () => z.void(),
  }),
  recoveryCodes: operation({
    name: 'factors.recovery-codes',
    summary: 'Create ten new recovery codes; the old ones are void',
    http: 'POST /api/auth/recovery-codes',
    status: 201,
    effect: 'create',
    // Ten slow hashes.
    isSensitive: true,
    ...own,
    session: 'fresh',
    input: () => z.object({}),
    output: NewRecoveryCodes,
  }),
  reset: operation({
    name: 'factors.reset',
    summary: 'Remove all second factors of a user, who is signed out everywhere',
    description:
      'For a user who has lost them. You must hold all permissions of the user. (plat user reset-2fa works on the host, without the server.)',
    http: 'POST /api/users/{id}/reset-second-factor',
    effect: 'action',
    access: 'users:update',
    cli: { command: 'user reset-second-factor' },
    // Hidden, as for passwords: no model decides how a user signs in.
    mcp: 'hidden',
    input: () => z.object({ id: idOf('users') }),
    output: () => z.void(),
  }),
}
