/** The access objects, typed by the contracts of the server. */
import type { Contracts, Out } from '../api/contracts.ts'

export type User = Out<Contracts['users']['get']>
export type Role = Out<Contracts['roles']['get']>
export type Permission = Out<Contracts['roles']['permissions']>[number]
export type Credential = Out<Contracts['credentials']['get']>
export type CredentialType = Credential['type']
