/** Selects the store of sessions. */

import type { Config } from '../../base/config/config.ts'
import type { Logger } from '../../base/runtime/log.ts'
import { openValkey } from '../../base/runtime/valkey.ts'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { createDatabaseStore } from './database-store.ts'
import { createSignInKey } from './sign-in-key-store.ts'
import { createTextSigner } from './signed-text.ts'
import type { SessionStore } from './store.ts'
import { createValkeyStore } from './valkey-store.ts'

type StoreOptions = {
  readonly db: Db<Tables>
  readonly config: Pick<Config, 'sessionStoreType' | 'sessionTtlMs' | 'valkeyUrl'>
  readonly log: Logger
  readonly now: () => Date
}

/** Returns the store that SESSION_STORE_TYPE names; it connects at its first use. */
export const openSessionStore = ({ db, config, log, now }: StoreOptions): SessionStore => {
  if (config.sessionStoreType !== 'valkey') return createDatabaseStore(db)
  const valkey = openValkey({ url: config.valkeyUrl, what: 'session store', log })
  const signer = createTextSigner(createSignInKey(db, 'valkey-sessions'), 'valkey-session')
  return createValkeyStore({ valkey, db, signer, ttlMs: config.sessionTtlMs, now })
}
