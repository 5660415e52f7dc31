/** What comes with a call: whom its credentials stand for, its input, and what it was read with. */
import type { ReadPoint } from '../db/database.ts'
import type { Caller } from './caller.ts'
import type { Rights } from './rights.ts'

/** Who a request's credentials stand for. */
export type Identity = {
  readonly caller: Caller
  /** Set when the request was let in by a cookie, which a browser sends without being asked. */
  readonly isAmbient: boolean
  /** A session cookie to send again, because its expiry moved. */
  readonly setCookie?: string
  /** By which it was found out: of a moment after the request came. */
  readonly readPoint?: ReadPoint
  /** By which each write of the request finds out whether the caller may still make it. */
  readonly rights?: Rights
}

/** Whom the headers of a request stand for; undefined without credentials. @throws AppError for credentials that don't hold. */
export type Identify = (headers: Headers) => Promise<Identity | undefined>

/** What a caller brings along with the input. */
export type Request = {
  readonly caller: Caller
  readonly input: unknown
  readonly requestId: string
  /** The address it comes from, where there is one. */
  readonly client?: string
  readonly signal: AbortSignal
  /** The If-Match header of a PUT or DELETE. */
  readonly ifMatch?: string | undefined
  /** The MCP tool by which it is called. */
  readonly tool?: string
  /** Of a moment after the request came: what it reads is as new as that, or newer. */
  readonly readPoint?: ReadPoint | undefined
  /** What the caller's rights were read from; undefined for guests and jobs, who have none to lose. */
  readonly rights?: Rights | undefined
}
