/** The credentials contract: secrets for devices, accepted and never returned. Browser-safe. */
import { z } from 'zod'
import { draft, Filter, idOf, Name, Page, patch, reference, Timestamp, text } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'

export const CredentialType = z.enum(['ssh_password', 'ssh_key', 'snmp_v2c', 'snmp_v3'])
export type CredentialType = z.infer<typeof CredentialType>

/** The protocols of the user-based security model: RFC 3414, and RFC 7860 for SHA-2. */
export const AuthProtocol = z.enum(['none', 'MD5', 'SHA', 'SHA224', 'SHA256', 'SHA384', 'SHA512'])
export type AuthProtocol = z.infer<typeof AuthProtocol>

/** RFC 3414 and RFC 3826; the longer AES keys as devices implement them. */
export const PrivProtocol = z.enum(['none', 'DES', 'AES', 'AES192', 'AES256'])
export type PrivProtocol = z.infer<typeof PrivProtocol>

export const Credential = z
  .object({
    id: z.string(),
    name: z.string(),
    type: CredentialType,
    username: z.string(),
    auth_protocol: AuthProtocol,
    priv_protocol: PrivProtocol,
    has_secret: z.boolean().describe('Whether a password, key or community is stored; it is never sent'),
    device_id: z.string().nullable(),
    network_id: z.string().nullable(),
    description: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Credential', columns: ['id', 'name', 'type', 'username', 'has_secret', 'device_id', 'network_id'] })
export type Credential = z.infer<typeof Credential>

/** An RSA key of 16384 bits takes 13 KB. */
const MAX_KEY = 32_768
const secret = (max: number, about: string) => text(max).describe(`${about}; never sent back`)

const secretFields = {
  password: secret(1024, 'Password of an ssh_password'),
  private_key: secret(MAX_KEY, 'Private key of an ssh_key, as in its file'),
  passphrase: secret(1024, 'Passphrase of that key, if it has one'),
  community: secret(255, 'Community of an snmp_v2c'),
  auth_password: secret(1024, 'Authentication password of an snmp_v3'),
  priv_password: secret(1024, 'Privacy password of an snmp_v3'),
}
export type SecretField = keyof typeof secretFields
// `Object.keys` is typed as strings; the keys of this constant are its fields.
export const SECRET_FIELDS = Object.keys(secretFields) as SecretField[]

const protocol = <const Word extends string>(words: readonly Word[], about: string) =>
  z
    .enum([...words, ''], { error: `must be one of ${words.join(', ')}` })
    .nullable()
    // An empty text means none, which is one of the words.
    .transform((word) => (word || 'none') as Word)
    .describe(about)

const fields = {
  username: text(255).describe('User name to sign in with; every type but snmp_v2c needs it'),
  ...secretFields,
  auth_protocol: protocol(AuthProtocol.options, 'Authentication protocol of an snmp_v3'),
  priv_protocol: protocol(PrivProtocol.options, 'Privacy protocol of an snmp_v3'),
  device_id: reference('devices'),
  network_id: reference('networks'),
  description: text(4096),
}

export const CredentialDraft = z.object({ name: Name, type: CredentialType, ...draft(fields) })
export type CredentialDraft = z.output<typeof CredentialDraft>

export const CredentialPatch = z.object({
  id: idOf('credentials'),
  ...patch({ name: Name, type: CredentialType, ...fields }),
})
export type CredentialPatch = z.output<typeof CredentialPatch>

const One = z.object({ id: idOf('credentials') })

export const credentials = {
  list: operation({
    name: 'credentials.list',
    summary: 'List stored credentials, without their secrets',
    http: 'GET /api/credentials',
    access: 'credentials:list',
    input: () =>
      z.object({
        name: Filter.optional().describe('Part of the name, in any case'),
        type: CredentialType.optional(),
        device_id: idOf('devices').optional(),
        network_id: idOf('networks').optional(),
        ...Page,
      }),
    output: () => z.array(Credential),
  }),
  create: operation({
    name: 'credentials.create',
    summary: 'Store a credential; its secrets are encrypted and never sent back',
    description:
      'ssh_password takes username and password; ssh_key username, private_key and optionally passphrase; snmp_v2c community; snmp_v3 username, and for each protocol other than none its password. On a command line secrets are visible to all users of the machine: send them with --input -.',
    http: 'POST /api/credentials',
    status: 201,
    effect: 'create',
    access: 'credentials:create',
    cli: { args: ['name', 'type'] },
    // A secret that a model has read is no longer secret.
    mcp: 'hidden',
    input: CredentialDraft,
    output: Credential,
  }),
  get: operation({
    name: 'credentials.get',
    summary: 'Show a credential, without its secrets',
    http: 'GET /api/credentials/{id}',
    access: 'credentials:read',
    input: One,
    output: Credential,
  }),
  update: operation({
    name: 'credentials.update',
    summary: 'Change some fields of a credential',
    description:
      'A secret that is not given stays as it is, unless the type changes, which deletes them all. Another `device_id` or `network_id` needs the secrets again. On a command line secrets are visible to all users of the machine: send them with --input -.',
    http: 'PUT /api/credentials/{id}',
    access: 'credentials:update',
    // For the same reason as for create.
    mcp: 'hidden',
    input: CredentialPatch,
    output: Credential,
  }),
  delete: operation({
    name: 'credentials.delete',
    summary: 'Delete a credential',
    http: 'DELETE /api/credentials/{id}',
    access: 'credentials:delete',
    input: One,
    output: () => z.void(),
  }),
}
