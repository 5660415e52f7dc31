/** Declares the parts of a call: its identity, its input and the state from which they were read. */
import type { ReadPoint } from '../database/database.ts'
import type { Caller } from './caller.ts'
import type { PlannedItem } from './changes/change-record.ts'
import type { NewIds } from './changes/new-ids.ts'
import type { Rights } from './rights/rights.ts'

/** The changes that a call makes, and its answer as far as it is known before they are made. */
export type ShownChanges = { readonly answer: unknown; readonly changes: readonly PlannedItem[] }

/** The identity that a request's credentials prove. */
export type Identity = {
  readonly caller: Caller
  /** True for a cookie, which a browser sends automatically. */
  readonly isAmbient: boolean
  /** A session cookie to send again, because its expiry changed. */
  readonly setCookie?: string
  /** The state from which the identity was read. It is later than the arrival of the request. */
  readonly readPoint?: ReadPoint
  /** Lets each write of the request check that the caller may still make it. */
  readonly rights?: Rights
}

/** The parts of a request, besides its headers, by which callers are identified. */
export type RequestOrigin = {
  /** The address of the client; '' if it is unknown. */
  readonly client: string
  /** For the routes with an own way to identify callers. */
  readonly url: string
}

/** Identifies the caller; undefined without credentials. @throws AppError for invalid credentials */
export type Identify = (headers: Headers, origin?: RequestOrigin) => Promise<Identity | undefined>

/** The target of a raw route's request, as the transport has read it. */
export type RawTarget = {
  /** The parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Scheme and host by which the client reaches this server. */
  readonly origin: string
  /** True at a host of the route's foreign API. */
  readonly isAtApiHost: boolean
}

/** A call without its transport: input, caller and details of the request. */
export type Request = {
  readonly caller: Caller
  readonly input: unknown
  readonly requestId: string
  /** Of a job: the time by which the clock of this process is ahead of that of the database, which all instances share. */
  readonly aheadMs?: number
  /** The client's address, if known. */
  readonly client?: string
  readonly signal: AbortSignal
  /** The If-Match header of a PUT or DELETE. */
  readonly ifMatch?: string | undefined
  /** The If-None-Match header of an update that may create its object. */
  readonly ifNoneMatch?: string | undefined
  /** The MCP tool that made the call. */
  readonly tool?: string
  /** A state later than the arrival of the request. Reads of the call are at least as recent. */
  readonly readPoint?: ReadPoint | undefined
  /** The rights of the caller; undefined for guests and jobs, which have none to lose. */
  readonly rights?: Rights | undefined
  /** Returns the ids of new objects, if a plan has decided them. */
  readonly ids?: NewIds
  /** Called with the progress of a long call. */
  readonly progress?: ((done: number, total: number) => void) | undefined
  /** Called with the changes of an operation that shows them, before its first effect. An error ends the call. */
  readonly onChanges?: ((shown: ShownChanges) => Promise<void>) | undefined
  /** Sets a header of the answer. Undefined where the transport has none. */
  readonly setHeader?: (name: AnswerHeader, value: string) => void
}

/**
 * Returns the parts of a request that its transport may compute on first use, without its conditions and its answer.
 * @param caller another one, with rights that are not confirmed
 */
export const copyRequest = (request: Omit<Request, 'input'>, caller?: Caller): Omit<Request, 'input'> => ({
  ...{ requestId: request.requestId, readPoint: request.readPoint },
  ...(caller ? { caller } : { caller: request.caller, rights: request.rights }),
  ...(request.aheadMs !== undefined && { aheadMs: request.aheadMs }),
  ...(request.tool !== undefined && { tool: request.tool }),
  get client() {
    return request.client ?? ''
  },
  get signal() {
    return request.signal
  },
})

/** The call of a raw route, which reads its input itself. */
export type RawRequest = Omit<Request, 'input'> & { readonly target: RawTarget }

/**
 * `X-Change-Id`: the change that a write recorded. `X-As-Of`: the moment of a read. `X-Dry-Run`: nothing was written. `X-Proposal`: the
 * number of the proposal that notes the write.
 */
export type AnswerHeader = 'X-Change-Id' | 'X-As-Of' | 'X-Dry-Run' | 'X-Proposal'
