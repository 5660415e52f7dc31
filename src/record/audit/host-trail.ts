/** Writes entries for commands that run on the host, without a kernel. */

import type { Tx } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import type { HostTrail } from '../../kernel/changes/audit.ts'
import { createSigner } from './chain.ts'
import * as store from './store.ts'
import { createSignedTrail, type TrailOptions } from './trail.ts'

/** The actor of these entries, in place of a signed-in user. */
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
  changeId: '',
  isGuest: false,
  route: '',
  schema: undefined,
} as const

/** Opens the trail. Without the signing key it writes no entry, which would look like an alteration. */
export const openHostTrail = async (options: TrailOptions): Promise<HostTrail<Tx<Tables>>> => {
  const { db, config, log } = options
  if (!config.auditEnabled) return { record: async () => {} }
  const signer = createSigner(config)
  const chains = await store.findChains({ db: db.read })
  const canSign = chains.every((chain) => (signer.hasKey ? signer.isCurrent(chain) : chain.signature === ''))
  if (!canSign) {
    log.warn('this is not recorded: the audit trail is signed with an ENCRYPTION_KEY that this command does not have')
    return { record: async () => {} }
  }
  const sink = createSignedTrail(options, signer)
  return { record: (tx, event) => sink.succeeded({ ...ON_THE_HOST, ...event }, tx) }
}
