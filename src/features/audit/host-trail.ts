/** The audit trail as commands on the host write to it, which no kernel runs. */

import type { Tx } from '../../platform/db/database.ts'
import type { HostTrail } from '../../platform/operation/audit.ts'
import type { Tables } from '../tables.ts'
import { createSigner } from './chain.ts'
import * as store from './store.ts'
import { type TrailOptions, trailOf } from './trail.ts'

/** No signed-in user did it. */
const ON_THE_HOST = {
  userId: '',
  username: '(on the host)',
  keyId: '',
  keyOwnerId: '',
  keyOwner: '',
  client: '',
  requestId: '',
  oauthClient: '',
  tool: '',
  isGuest: false,
  route: '',
  schema: undefined,
} as const

/**
 * The trail that the configuration asks for. Without the key that signs it nothing is written, and a warning says so: an entry
 * with another signature, or with none, would look like an alteration.
 */
export const openHostTrail = async (options: TrailOptions): Promise<HostTrail<Tx<Tables>>> => {
  const { db, config, log } = options
  if (!config.auditEnabled) return { record: async () => {} }
  const signer = createSigner(config)
  const chains = await store.chains({ db: db.read })
  const canSign = chains.every((chain) => (signer.hasKey ? signer.isCurrent(chain) : chain.signature === ''))
  if (!canSign) {
    log.warn(
      'this is not put on record: the audit trail is signed with an ENCRYPTION_KEY that this command does not have',
    )
    return { record: async () => {} }
  }
  const sink = trailOf(options, signer)
  return { record: (tx, event) => sink.succeeded({ ...ON_THE_HOST, ...event }, tx) }
}
