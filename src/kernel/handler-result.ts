/** The results of a handler that are not plain values: JSON text, or a list that is streamed row by row. */

/** A value as the JSON text to send. */
export class JsonText<T> {
  declare protected readonly _type: T
  constructor(readonly json: string) {}
}

/** A value with a status other than the operation's own. */
export class WithStatus<T> {
  constructor(
    readonly status: number,
    readonly value: T,
    /** A dry run leaves no entry in the audit trail. */
    readonly isDryRun = false,
  ) {}
}

type ListParts = {
  /**
   * Changes whenever the list may have changed. With the URL it forms the ETag before any row is read. Undefined for a list that time
   * alone changes: it has no ETag.
   */
  readonly revision: string | undefined
  /** The number of rows regardless of `limit` and `offset`, for X-Total-Count. */
  readonly total: () => Promise<number>
  /** The rows as JSON text, in chunks. */
  readonly rows: () => AsyncIterable<readonly string[]>
}

/** A list that is never completely in memory. */
export class JsonList<T> {
  declare protected readonly _type: T
  constructor(readonly parts: ListParts) {}

  /** Returns the list with an ETag that also changes with what a ref in the URL stands for. */
  of(input: string): JsonList<T> {
    const { revision } = this.parts
    return revision === undefined ? this : new JsonList<T>({ ...this.parts, revision: `${revision} ${input}` })
  }
}

export type HandlerResult<T> =
  | T
  | WithStatus<T>
  | JsonText<T>
  | (T extends readonly (infer Row)[] ? JsonList<Row> : never)
