/** Decides which users need a second factor: users with a role of SECOND_FACTOR_ROLES. */
import type { Logger } from '../../base/runtime/log.ts'
import type { DbScope } from '../../kernel/ctx.ts'
import { findRole } from '../roles/roles.ts'
import { findRoleNames } from '../users/account.ts'
import * as store from './store.ts'

export type Requirement = {
  readonly isRequired: (scope: DbScope, userId: string) => Promise<boolean>
  /** Returns true if a factor is required, and the user has none. */
  readonly isMissing: (scope: DbScope, userId: string) => Promise<boolean>
}

const EVERYONE = '*'

/** Returns true if the user has an authenticator app that is in force, or a passkey. */
export const hasFactor = async (scope: DbScope, userId: string): Promise<boolean> =>
  Boolean((await store.findTotp(scope, userId))?.confirmed_at) || (await store.findPasskeys(scope, userId)).length > 0

/** @param roles names of roles in any case, or `*` */
export const createRequirement = (roles: readonly string[]): Requirement => {
  const names = new Set(roles.map((name) => name.toLowerCase()))
  const isRequired: Requirement['isRequired'] = async (scope, userId) => {
    // No query is made if the setting is empty.
    if (names.size === 0) return false
    if (names.has(EVERYONE)) return true
    return (await findRoleNames(scope, userId)).some((name) => names.has(name.toLowerCase()))
  }
  return {
    isRequired,
    isMissing: async (scope, userId) => (await isRequired(scope, userId)) && !(await hasFactor(scope, userId)),
  }
}

type WarnOptions = DbScope & { readonly roles: readonly string[]; readonly log: Logger }

/** Warns of names without a role, which may be misspelled. */
export const warnOfUnknownRoles = async ({ db, roles, log }: WarnOptions): Promise<void> => {
  for (const name of roles)
    if (name !== EVERYONE && !(await findRole({ db }, name)))
      log.warn('SECOND_FACTOR_ROLES names a role that does not exist', { role: name })
}
