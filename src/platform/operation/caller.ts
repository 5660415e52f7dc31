/** The caller of an operation. A guest has no user. Every other caller has the current permissions of their user. */
export type Caller = {
  readonly userId: string | undefined
  readonly username: string
  readonly via: 'guest' | 'session' | 'key' | 'oauth' | 'job'
  /** Id of the session, key or grant that authenticated the call. */
  readonly credentialId: string | undefined
  readonly permissions: ReadonlySet<string>
  /** The name of the API key. */
  readonly keyName?: string
  /** The feed whose content is all that the API key opens. */
  readonly feedId?: string
  /** The client that acts for the user, if any. */
  readonly client?: ActingClient
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
