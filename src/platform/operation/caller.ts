/** Who calls an operation. */

/** Who calls. A guest has no user; everyone else acts with the permissions of their user at this moment. */
export type Caller = {
  readonly userId: string | undefined
  readonly username: string
  readonly via: 'guest' | 'session' | 'key' | 'oauth' | 'job'
  /** Id of the session, key or grant that was shown. */
  readonly credentialId: string | undefined
  readonly permissions: ReadonlySet<string>
  /** The name of the API key that was shown. */
  readonly keyName?: string
  /** The client that acts for the user, where one does. */
  readonly client?: ActingClient
}

export type ActingClient = {
  readonly id: string
  /** What it calls itself. */
  readonly name: string
  /** What the user may do and the client was not allowed to: a new consent may change that. */
  readonly withheld: ReadonlySet<string>
}

export const GUEST: Caller = {
  userId: undefined,
  username: '',
  via: 'guest',
  credentialId: undefined,
  permissions: new Set(),
}
