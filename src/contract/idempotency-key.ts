/** The header with which a client may send a write again. Without schemas, because the browser loads this. */

export const KEY_HEADER = 'Idempotency-Key'

/** Returns true for an operation that runs once for each key. */
export const takesIdempotencyKey = ({ headers }: { readonly headers?: Readonly<Record<string, string>> }): boolean =>
  headers?.[KEY_HEADER] !== undefined
