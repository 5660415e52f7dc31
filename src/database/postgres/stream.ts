/** Streams the rows of queries in one snapshot, by a cursor. */
import type { Compilable } from 'kysely'
import { countCharacters } from '../query/row-weight.ts'
import type { PostgresPool } from './connections/pool.ts'
import { sendLater } from './dialect.ts'
import { rethrowTranslated } from './errors.ts'

const STREAM_CHUNK = 500
/** Target size of a chunk in characters. After long rows, fewer are fetched. */
const STREAM_CHUNK_LENGTH = 512 * 1024
/** Returns the number of rows to fetch next, from the length of the last ones. */
const computeChunkRows = (rows: readonly unknown[]): number => {
  const columns = Object.keys((rows[0] ?? {}) as object)
  let length = 1
  for (const row of rows) length += countCharacters(row as object, columns)
  return Math.max(1, Math.min(STREAM_CHUNK, Math.floor((STREAM_CHUNK_LENGTH * rows.length) / length)))
}

/**
 * Yields the rows of the queries in sequence, in one snapshot, in chunks of bounded size.
 * @param entered called at the start; its result is called when the snapshot has been released
 */
export async function* streamRows<Row>(
  reserve: PostgresPool['reserve'],
  queries: readonly Compilable<Row>[],
  entered: () => () => void = () => () => {},
): AsyncGenerator<Row[]> {
  const leave = entered()
  const { connection, release } = await reserve().catch((error: unknown) => {
    leave()
    throw error
  })
  let rows: Row[] = []
  let most = STREAM_CHUNK
  try {
    let before: Promise<unknown>[] = [sendLater(connection, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')]
    for (const [at, query] of queries.entries()) {
      const compiled = query.compile()
      if (at > 0) before.push(sendLater(connection, 'CLOSE rows'))
      before.push(sendLater(connection, `DECLARE rows NO SCROLL CURSOR FOR ${compiled.sql}`, compiled.parameters))
      for (;;) {
        const fetched = sendLater(connection, `FETCH ${most} FROM rows`)
        // The first failure is thrown; all later statements fail because of it.
        await Promise.all(before)
        before = []
        const more = (await fetched) as Row[]
        const isLast = more.length < most
        most = computeChunkRows(more)
        rows = rows.length === 0 ? more : rows.concat(more)
        if (isLast) break
        yield rows
        rows = []
      }
    }
  } catch (error) {
    rethrowTranslated(error)
  } finally {
    // Not awaited: without an answer the transaction has ended, and the earlier error reports that.
    sendLater(connection, 'ROLLBACK').then(release, release)
    leave()
  }
  // After the release, so that a reader of the last chunk, or of a short list, holds no connection.
  yield rows
}
