/** The operations for the browser: the types of their declarations, and the values that a call needs. */
import { contracts as slim } from 'virtual:operations'
import type { contracts as registry } from '../../../src/app/contracts.ts'
import type { AnyOperation, InputOf, OutputOf } from '../../../src/kernel/operation.ts'

export type Contracts = typeof registry

type Slim<O extends AnyOperation> = Pick<O, 'http' | 'headers' | 'inQuery' | 'supportsAsOf'> & {
  /** The permission of a write that can be proposed. */
  readonly access?: string
}

export type SlimContracts = {
  readonly [F in keyof Contracts]: { readonly [V in keyof Contracts[F]]: Slim<Contracts[F][V] & AnyOperation> }
}

/** Only `http`, `headers`, `inQuery`, `supportsAsOf` and the `access` of writes are read, and they are present. Names and schemas are not. */
export const contracts = slim as unknown as Contracts

export type Out<O extends AnyOperation> = OutputOf<O>
export type In<O extends AnyOperation> = InputOf<O>

export type Me = Out<Contracts['sessions']['me']>
/** A resource that is shown once there is an object. */
export type Optional = NonNullable<Me['in_use']>[number]
export type Session = Out<Contracts['sessions']['list']>[number]
export type ApiKey = Out<Contracts['keys']['list']>[number]
export type NewApiKey = Out<Contracts['keys']['create']>
export type Device = Out<Contracts['devices']['create']>
export type Address = Device['addresses'][number]
export type DeviceDraft = In<Contracts['devices']['create']>
export type DeviceStatus = Device['status']
export type Datacenter = Out<Contracts['datacenters']['get']>
export type Network = Omit<Out<Contracts['networks']['list']>[number], 'parent_id' | 'depth' | 'children'>
export type Pool = Out<Contracts['pools']['get']>
export type HeatmapEntry = Out<Contracts['pools']['heatmap']>[number]
export type Reservation = Out<Contracts['reservations']['get']>
export type Relationship = Out<Contracts['relationships']['list']>[number]
export type AuditEntry = Out<Contracts['audit']['get']>
export type Conflict = Out<Contracts['conflicts']['get']>
export type Dashboard = Out<Contracts['dashboard']['show']>
export type DatabaseStatus = Out<Contracts['database']['status']>
export type Warning = Out<Contracts['system']['warnings']>[number]
export type UtilizationHistory = Out<Contracts['utilization']['ofNetwork']>
export type Lookup = Out<Contracts['lookup']['show']>
export type OauthClient = Out<Contracts['oauthClients']['get']>
export type OauthGrant = Out<Contracts['oauthGrants']['list']>[number]
export type Change = Out<Contracts['history']['get']>
export type HistoryItem = Out<Contracts['history']['items']>[number]
export type HistoryEntry = Out<Contracts['histories']['device']>[number]
export type Proposal = Out<Contracts['proposals']['get']>
export type Policy = Out<Contracts['policies']['get']>
export type Kind = HistoryItem['kind']
export type SearchResult = Out<Contracts['search']['all']>['results'][number]
