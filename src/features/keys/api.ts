/** The API keys contract. Browser-safe. */
import { z } from 'zod'
import { draft, idOf, Moment, Name, Page, reference, Timestamp } from '../../platform/contract/fields.ts'
import { operation } from '../../platform/operation/operation.ts'

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    user_id: z
      .string()
      .nullable()
      .describe('The owner, whose permissions the key has; a key without one opens nothing'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('To the minute'),
    expires_at: Timestamp.nullable(),
    prefix: z.string().describe('How the key begins, to tell keys apart'),
    created_by: z
      .string()
      .nullable()
      .describe('The user who made it; null for a key from before this was known, which counts as made by its owner'),
  })
  .meta({ id: 'ApiKey', columns: ['id', 'name', 'prefix', 'last_used_at', 'expires_at'] })
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = ApiKey.extend({ key: z.string().describe('The key itself, shown this once') }).meta({
  id: 'NewApiKey',
  columns: ['id', 'name', 'key', 'expires_at'],
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** Forms send "" for a field that was left empty. */
const Expiry = z.union([z.literal('').transform(() => null), Moment]).nullable()

export const ApiKeyDraft = z.object({
  name: Name,
  ...draft({ expires_at: Expiry, user_id: reference('users').describe('Whose key it is; yours without it') }),
})
export type ApiKeyDraft = z.output<typeof ApiKeyDraft>

const One = z.object({ id: idOf('keys') })

export const keys = {
  list: operation({
    name: 'keys.list',
    summary: "List your API keys, or everyone's with the permission apikeys:list",
    description: 'Keys of users that hold what you do not are left out; to ask for those of such a user is forbidden.',
    http: 'GET /api/keys',
    effect: 'read',
    access: 'authenticated',
    input: () => z.object({ user_id: idOf('users').optional().describe('Only the keys of this user'), ...Page }),
    output: () => z.array(ApiKey),
  }),
  create: operation({
    name: 'keys.create',
    summary: 'Create an API key; it is shown this once',
    description:
      'For yourself, or with user_id for someone else: that takes the permission apikeys:create, and that you hold all that the user holds. Such a key ends when its owner gets or loses a role, or a new password. A user has at most 100 keys that have not expired: LIMIT_REACHED.',
    http: 'POST /api/keys',
    status: 201,
    effect: 'create',
    access: 'authenticated',
    cli: { args: ['name'] },
    // The answer holds a secret.
    mcp: 'hidden',
    input: ApiKeyDraft,
    output: NewApiKey,
  }),
  get: operation({
    name: 'keys.get',
    summary: "Show an API key of yours, or anyone's with the permission apikeys:read",
    description: 'For the key of someone else you must also hold all that its owner holds.',
    http: 'GET /api/keys/{id}',
    effect: 'read',
    access: 'authenticated',
    cli: { args: ['id'] },
    input: One,
    output: ApiKey,
  }),
  delete: operation({
    name: 'keys.delete',
    summary:
      "Delete an API key of yours, or anyone's with the permission apikeys:delete; it opens nothing from then on",
    description: 'For the key of someone else you must also hold all that its owner holds.',
    http: 'DELETE /api/keys/{id}',
    effect: 'delete',
    access: 'authenticated',
    cli: { args: ['id'] },
    input: One,
    output: () => z.void(),
  }),
}
