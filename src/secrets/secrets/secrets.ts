/** The rules for secrets of all features. */

import type { Secrets } from '../../base/security/crypto.ts'
import type { FieldIssue } from '../../contract/errors.ts'
import { type Feature, implement } from '../../kernel/ctx.ts'
import { secrets } from './api.ts'
import { rotate } from './rotate.ts'

/** Returns the issue of a secret field on a server without a key: the secret is refused, never stored in plain text. */
export const buildMissingKeyIssue = (field: string): FieldIssue => ({
  field,
  message: 'cannot be stored, because the server has no ENCRYPTION_KEY',
})

export const secretsFeature = (options: { readonly secrets: Secrets }): Feature => ({
  operations: implement(secrets, { rotate: async (ctx) => rotate(ctx, options.secrets) }),
})
