/** The access objects, typed by the contracts of the server. */
import type { Contracts, In, Out } from '../api/contracts.ts'

export type User = Out<Contracts['users']['get']>
export type Role = Out<Contracts['roles']['get']>
export type Permission = Out<Contracts['roles']['permissions']>[number]
export type Group = Out<Contracts['groups']['get']>
export type Member = Out<Contracts['groups']['members']>[number]
export type Grant = Out<Contracts['grants']['list']>[number]
export type Scope = Out<Contracts['scopes']['get']>
export type ListedScope = Out<Contracts['scopes']['list']>[number]
export type Provider = Out<Contracts['ssoProviders']['get']>
export type ProviderDraft = In<Contracts['ssoProviders']['create']>
export type Credential = Out<Contracts['credentials']['get']>
export type CredentialType = Credential['type']
