/** The stores in which sessions are tested: both databases, and a real Valkey (or Redis) server. */
import type { Config } from '../../src/base/config/config.ts'
import { type Dialect, onSqlite, valkey } from './servers.ts'

export type StoreName = 'database' | 'valkey'
export type Place = readonly [dialect: Dialect, store: StoreName]

/** Returns the stores on these engines. The database beside the Valkey server makes no difference. */
export const places = (dialects: readonly Dialect[] = onSqlite()): readonly Place[] => [
  ...dialects.map((dialect) => [dialect, 'database'] as const),
  ...dialects.slice(0, 1).map((dialect) => [dialect, 'valkey'] as const),
]

/** Shared by the tests of a process that never stop it. */
let shared: ReturnType<typeof valkey> | undefined

export const storeConfig = async (store: StoreName): Promise<Partial<Config>> => {
  if (store === 'database') return {}
  shared ??= valkey()
  return { sessionStoreType: 'valkey', valkeyUrl: (await shared).url }
}
