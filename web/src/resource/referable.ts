/** The objects that a field of a form may refer to. */
import type { Resource } from './facts/names.ts'

/** Resources of the inventory and others, by the first parts of the keys of their queries. */
export type Referable =
  | Resource
  | 'users'
  | 'groups'
  | 'roles'
  | 'scopes'
  | 'dns-zones'
  | 'dns-providers'
  | 'credentials'

/** Further input of their list. @example { device_id: 'core-1' } */
export type Filter = Readonly<Record<string, unknown>>
