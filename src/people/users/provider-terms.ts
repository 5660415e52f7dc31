/** How long the credentials of a user without a password hold after the last sign-in by a provider: docs/decisions/sso.md. */
import { splitBatches } from '../../database/query/batches.ts'
import type { Tables } from '../../database/tables.ts'
import type { DbScope } from '../../kernel/ctx.ts'

/** How long a user without a password may do without a sign-in by a provider. In ms; infinite for a user with a password. */
export type ProviderTerms = {
  /** When its keys and tokens are refused until its next sign-in by a provider. Infinite without an identity. */
  readonly sleepsMs: number
  /** When its passkeys and their sessions are refused. 0 without an identity that counts. */
  readonly passkeysUntilMs: number
}

/** A user with a password is no concern of providers. */
export const LOCAL: ProviderTerms = { sleepsMs: Infinity, passkeysUntilMs: Infinity }
const WITHOUT_IDENTITY: ProviderTerms = { sleepsMs: Infinity, passkeysUntilMs: 0 }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Returns the terms of these users, who have no password, by the last sign-in by each of their providers. */
export const findProviderTerms = async (
  { db }: DbScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ProviderTerms>> => {
  const terms = new Map(ids.map((id) => [id, WITHOUT_IDENTITY]))
  for (const some of splitBatches(ids)) {
    const rows = await db
      .selectFrom('identities')
      .innerJoin('sso_providers', 'sso_providers.id', 'identities.provider_id')
      .select(['identities.user_id', 'identities.last_login_at', 'identities.logged_out_at', 'sso_providers.enabled'])
      .select(['sso_providers.credentials_max_idle_days', 'sso_providers.max_session_hours'])
      .where('identities.user_id', 'in', some)
      .execute()
    for (const [id, identities] of Map.groupBy(rows, ({ user_id }) => user_id))
      terms.set(id, {
        sleepsMs: Math.max(...identities.map(computeSleepTime)),
        passkeysUntilMs: Math.max(...identities.map(computePasskeyTime)),
      })
  }
  return terms
}

type SignInBy = Pick<Tables['identities'], 'last_login_at' | 'logged_out_at'> &
  Pick<Tables['sso_providers'], 'enabled' | 'credentials_max_idle_days' | 'max_session_hours'>

const computeSleepTime = ({ last_login_at, credentials_max_idle_days: days }: SignInBy): number =>
  days === 0 ? Infinity : Date.parse(last_login_at) + days * DAY_MS

/** Computes the time of a passkey. It does not outlast the session of the sign-in by the provider. */
const computePasskeyTime = ({ last_login_at, logged_out_at, enabled, max_session_hours: hours }: SignInBy): number =>
  enabled === 1 && logged_out_at === null ? Date.parse(last_login_at) + hours * HOUR_MS : 0
