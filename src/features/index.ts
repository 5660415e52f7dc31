/** The registry of contracts: one line per feature. Browser-safe; the implementations are in handlers.ts. */
import type { OperationSet } from '../platform/operation.ts'
import { datacenters } from './datacenters/api.ts'
import { devices } from './devices/api.ts'
import { keys } from './keys/api.ts'
import { networks } from './networks/api.ts'
import { pools } from './pools/api.ts'
import { relationships } from './relationships/api.ts'
import { reservations } from './reservations/api.ts'
import { roles } from './roles/api.ts'
import { search } from './search/api.ts'
import { sessions } from './sessions/api.ts'
import { system } from './system/api.ts'

export const contracts = {
  datacenters,
  networks,
  pools,
  reservations,
  devices,
  relationships,
  search,
  roles,
  keys,
  sessions,
  system,
} satisfies Record<string, OperationSet>
