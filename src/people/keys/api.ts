/** The API keys contract. Browser-safe. */
import { z } from 'zod'
import { AddressBlock } from '../../contract/fields/address-field.ts'
import { draft, idOf, Moment, Name, Page, reference, Timestamp } from '../../contract/fields/fields.ts'
import { operation } from '../../kernel/operation.ts'
import { MAX_PERMISSIONS, PermissionName } from '../roles/api.ts'

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    user_id: z.string().nullable().describe('The owner, whose permissions the key has; a key without one is invalid'),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable().describe('To the minute'),
    expires_at: Timestamp.nullable(),
    prefix: z.string().describe('The first characters of the key, to identify it'),
    created_by: z
      .string()
      .nullable()
      .describe('The user who made it; null for a key of an earlier version, which counts as made by its owner'),
    feed_id: z.string().nullable().describe('The feed whose content is all that the key opens'),
    scope_id: z
      .string()
      .nullable()
      .describe('The scope to which the key is limited; a key of a deleted scope reaches nothing'),
    permissions: z
      .array(z.string())
      .nullable()
      .describe('The permissions that the key has, as far as its owner has them; null for all of the owner'),
    allowed_cidrs: z.array(z.string()).describe('The addresses from which the key opens; every address if it is empty'),
    last_used_ip: z.string().nullable().describe('The address of the client at last_used_at'),
    rotated_at: Timestamp.nullable(),
    previous_expires_at: Timestamp.nullable().describe('Until then the value before the last rotation opens'),
  })
  .meta({ id: 'ApiKey', columns: ['id', 'name', 'prefix', 'last_used_at', 'expires_at'] })
export type ApiKey = z.infer<typeof ApiKey>

export const NewApiKey = ApiKey.extend({ key: z.string().describe('The key itself, shown only this once') }).meta({
  id: 'NewApiKey',
  columns: ['id', 'name', 'key', 'expires_at'],
})
export type NewApiKey = z.infer<typeof NewApiKey>

/** Forms send "" for an empty field. */
const Expiry = z.union([z.literal('').transform(() => null), Moment]).nullable()

const MAX_CIDRS = 50

export const ApiKeyDraft = z.object({
  name: Name,
  ...draft({
    expires_at: Expiry,
    user_id: reference('users').describe('The owner of the key; you without it'),
    feed_id: reference('feeds').describe('Opens the content of this feed, and nothing else'),
    scope_id: reference('scopes').describe(
      'Limits the key to a scope; it loses the permissions that cannot be limited',
    ),
    permissions: z
      .array(PermissionName)
      .min(1)
      .max(MAX_PERMISSIONS)
      .nullable()
      .transform((names) => names && [...new Set(names)].sort())
      .describe('All that the key may do, as far as its owner may; all permissions of the owner without it'),
    allowed_cidrs: z
      .array(AddressBlock)
      .max(MAX_CIDRS)
      .nullable()
      .transform((blocks) => [...new Set(blocks)])
      .describe('Addresses and CIDRs from which the key opens; every address without it'),
  }),
})
export type ApiKeyDraft = z.output<typeof ApiKeyDraft>

/** One day is enough to exchange a key everywhere; a week is the longest. */
const MAX_OVERLAP_S = 7 * 24 * 3600
const OVERLAP_S = 3600

const One = z.object({ id: idOf('keys') })

export const keys = {
  list: operation({
    name: 'keys.list',
    summary: 'List your API keys, or those of all users with the permission apikeys:list',
    description:
      'Keys of users who have a permission that you lack are left out; requesting those of such a user is forbidden.',
    http: 'GET /api/keys',
    access: 'authenticated',
    input: () =>
      z.object({
        user_id: idOf('users').optional().describe('Only the keys of this user'),
        feed_id: idOf('feeds').optional().describe('Only the keys of this feed'),
        ...Page,
      }),
    output: () => z.array(ApiKey),
  }),
  create: operation({
    name: 'keys.create',
    summary: 'Create an API key; it is shown only this once',
    description:
      'For yourself, or with user_id for another user: that requires the permission apikeys:create, and that you hold all permissions of the user. Such a key ends when its owner gains or loses a role, or gets a new password. A user has at most 100 keys that have not expired: LIMIT_REACHED.',
    http: 'POST /api/keys',
    status: 201,
    effect: 'create',
    access: 'authenticated',
    cli: { args: ['name'] },
    // The answer contains a secret.
    mcp: 'hidden',
    input: ApiKeyDraft,
    output: NewApiKey,
  }),
  rotate: operation({
    name: 'keys.rotate',
    summary: 'Give an API key a new value, shown only this once; the old value opens for a while',
    description:
      'For a key of yours or, with the permission apikeys:create, of another user, all of whose permissions you must hold. Name, limits and expiry stay. Another rotation ends the value before the last one at once.',
    http: 'POST /api/keys/{id}/rotate',
    status: 201,
    effect: 'action',
    access: 'authenticated',
    // The answer contains a secret.
    mcp: 'hidden',
    input: () =>
      z.object({
        id: idOf('keys'),
        overlap_seconds: z.int().min(0).max(MAX_OVERLAP_S).default(OVERLAP_S).describe('How long the old value opens'),
      }),
    output: NewApiKey,
  }),
  get: operation({
    name: 'keys.get',
    summary: 'Show an API key of yours, or of any user with the permission apikeys:read',
    description: 'For the key of another user you must also hold all permissions of its owner.',
    http: 'GET /api/keys/{id}',
    access: 'authenticated',
    input: One,
    output: ApiKey,
  }),
  delete: operation({
    name: 'keys.delete',
    summary:
      'Delete an API key of yours, or of any user with the permission apikeys:delete; it becomes invalid at once',
    description: 'For the key of another user you must also hold all permissions of its owner.',
    http: 'DELETE /api/keys/{id}',
    access: 'authenticated',
    input: One,
    output: () => z.void(),
  }),
}
