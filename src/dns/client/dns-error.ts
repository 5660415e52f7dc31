/** The errors of requests to DNS servers, each with a message for users. */

/**
 * `blocked`: the address may not be reached. `no_connection`: none was accepted in time. `no_answer`: a connection, and no
 * answer in time. `cut_off`: a transfer that has begun, and does not come to its end. `unknown_key`, `wrong_secret`, `clocks_apart`: the signature was refused (RFC 8945 section 5.2).
 * `zone_not_there`: the server does not serve the zone. `refused`: the key or the address may not do this. `prerequisite`: a
 * condition of an update failed, and nothing was changed. `failed`: another response code. `bad_answer`: the answer is
 * malformed, or not signed although it must be. `too_large`: a transfer beyond its limits.
 */
export type DnsErrorKind =
  | 'blocked'
  | 'no_connection'
  | 'no_answer'
  | 'cut_off'
  | 'unknown_key'
  | 'wrong_secret'
  | 'clocks_apart'
  | 'zone_not_there'
  | 'refused'
  | 'prerequisite'
  | 'failed'
  | 'bad_answer'
  | 'too_large'

type Details = {
  readonly cause?: unknown
  readonly rcode?: string
  readonly secondsApart?: number
  readonly isSigned?: boolean
}

export class DnsError extends Error {
  override readonly name = 'DnsError'
  readonly kind: DnsErrorKind
  /** The response code of the server, as in `formatRcode`, if it has answered with one. */
  readonly rcode: string | undefined
  /** Set for `clocks_apart`: positive if the clock of the server is ahead. */
  readonly secondsApart: number | undefined
  /** True if the answer had a valid signature, so that key and secret are right. */
  readonly isSigned: boolean

  constructor(kind: DnsErrorKind, message: string, { cause, rcode, secondsApart, isSigned = false }: Details = {}) {
    super(message, { cause })
    this.kind = kind
    this.rcode = rcode
    this.secondsApart = secondsApart
    this.isSigned = isSigned
  }
}
