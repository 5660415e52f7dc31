/** The place for which the secret of an authenticator app is sealed. */
import type { Place } from '../../base/security/crypto.ts'

export const buildTotpPlace = (id: string): Place => ({ table: 'totp', column: 'secret', id })
