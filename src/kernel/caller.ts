/** The caller of an operation. A guest has no user. Every other caller has the current permissions of their user. */
import type { Permission } from './operation.ts'

/** The scopes in which a caller has one permission. */
export type ScopeSet = {
  /** The stored areas of its objects. */
  readonly areas: ReadonlySet<number>
  /** An object is permitted if it is in one scope of each of these sets. */
  readonly scopes: readonly ReadonlySet<string>[]
  /** Cache key of this set of areas. */
  readonly cacheKey: string
}

/** The areas that a scoped call reads. */
export type ScopeFilter = {
  /** Undefined for the whole estate, of which some kinds of objects are limited. */
  readonly areas: ReadonlySet<number> | undefined
  /** Cache key of this filter. */
  readonly cacheKey: string
  /** The areas of the objects of a resource, if they are others. */
  readonly byResource?: ReadonlyMap<string, ReadonlySet<number>>
}

export type Caller = {
  readonly userId: string | undefined
  readonly username: string
  readonly via: 'guest' | 'session' | 'key' | 'oauth' | 'job'
  /** Id of the session, key or grant that authenticated the call. */
  readonly credentialId: string | undefined
  readonly permissions: ReadonlySet<string>
  /** The permissions that the caller has in some scopes only. */
  readonly scopedPermissions?: ReadonlyMap<Permission, ScopeSet>
  /** The time of the sign-in of a session, in ms since the epoch. */
  readonly signedInMs?: number
  /** A role requires a second factor, and the user has none. The session then has no permissions. */
  readonly needsFactor?: true
  /** The name of the API key. */
  readonly keyName?: string
  /** The only feed with content that the API key opens. */
  readonly feedId?: string
  /** The hash of the shown API key. A rotated key has two values for a while. */
  readonly keyHash?: string
  /** The API key has limits. It acts for its user like a client. */
  readonly isNarrow?: true
  /** The permissions to which the API key is limited, including permissions that its user lacks. */
  readonly keyPermissions?: ReadonlySet<string> | undefined
  /** The scope to which the API key is limited. */
  readonly keyScope?: string | undefined
  /** The client that acts for the user, if any. */
  readonly client?: ActingClient
}

/** Returns the owner of work that waits in a lane: the user, or a key of none. */
export const getOwner = ({ userId, credentialId }: Caller): { readonly group: string; readonly key: string } => {
  const who = userId ?? `key ${credentialId}`
  return { group: who, key: who }
}

export type ActingClient = {
  readonly id: string
  /** The name that the client has chosen. */
  readonly name: string
  /** Permissions that the user has and the client was not granted. A new consent may grant them. */
  readonly withheld: ReadonlySet<string>
}

export const GUEST: Caller = {
  userId: undefined,
  username: '',
  via: 'guest',
  credentialId: undefined,
  permissions: new Set(),
}
