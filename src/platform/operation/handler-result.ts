/** What a handler may answer instead of a value: JSON that is already text, or a list that is streamed row by row. */

/** A value as the JSON text that will be sent. */
export class JsonText<T> {
  declare protected readonly _type: T
  constructor(readonly json: string) {}
}

/** A value that is answered with another status than the operation's own. */
export class WithStatus<T> {
  constructor(
    readonly status: number,
    readonly value: T,
    /** What was only tried leaves no entry in the audit trail. */
    readonly isDryRun = false,
  ) {}
}

type ListParts = {
  /** Changes whenever the list may have changed; together with the URL it makes the ETag, before any row is read. */
  readonly revision: string
  /** Rows before `limit` and `offset`, for X-Total-Count. */
  readonly total: () => Promise<number>
  /** The rows as JSON text, in chunks. */
  readonly rows: () => AsyncIterable<readonly string[]>
}

/** A list that is never whole in memory. */
export class JsonList<T> {
  declare protected readonly _type: T
  constructor(readonly parts: ListParts) {}
}

export type HandlerResult<T> =
  | T
  | WithStatus<T>
  | JsonText<T>
  | (T extends readonly (infer Row)[] ? JsonList<Row> : never)
