/** Decides whether a caller may call an operation, from its declaration and the caller alone. */
import { AppError } from '../contract/errors.ts'
import { refOf } from '../contract/external-fields.ts'
import type { Caller } from './caller.ts'
import { type Access, type AnyOperation, nounOf, type Permission, permissionsOf } from './operation.ts'

/** FORBIDDEN for a client to which its user could have granted more. */
export class InsufficientScopeError extends AppError {
  constructor(
    message: string,
    /** Each of these would suffice. */
    readonly permissions: readonly Permission[],
  ) {
    super('FORBIDDEN', message)
  }
}

/**
 * Returns what a caller needs to call an operation at all. By a ref it may create its object, which needs another
 * permission.
 */
export const admissionOf = (op: AnyOperation, id: unknown): Access =>
  op.createsByRef && typeof id === 'string' && refOf(id)
    ? { anyOf: [...permissionsOf(op.access), `${nounOf(op)}:create`] }
    : op.access

/** @throws AppError UNAUTHORIZED for a guest, FORBIDDEN for a caller without the permission. */
export const checkAccess = (access: Access, caller: Caller): void => {
  if (access === 'public') return
  if (caller.via === 'guest') throw new AppError('UNAUTHORIZED', 'Sign in, or send an API key as a Bearer token')
  const wanted = permissionsOf(access)
  if (access === 'authenticated' || wanted.some((permission) => caller.permissions.has(permission))) return
  const message = `This needs the permission ${wanted.join(' or ')}`
  const withheld = wanted.filter((permission) => caller.client?.withheld.has(permission))
  throw withheld.length > 0 ? new InsufficientScopeError(message, withheld) : new AppError('FORBIDDEN', message)
}

/** @throws AppError FORBIDDEN for an API key that opens the content of one feed alone */
export const refuseFeedKey = ({ feedId }: Caller): void => {
  if (feedId !== undefined)
    throw new AppError('FORBIDDEN', 'The API key opens the content of one feed, and nothing else')
}

/**
 * Checks that a client may call an operation for its user. An operation without a permission is in no scope, so the
 * user cannot have granted it: keys, sessions and consents are managed by the user alone.
 * @throws AppError FORBIDDEN
 */
export const checkConsent = ({ access, needsNoConsent }: AnyOperation, { client }: Caller): void => {
  if (client && access === 'authenticated' && !needsNoConsent)
    throw new AppError('FORBIDDEN', 'This is for the user, and not for a client that acts for the user')
}
