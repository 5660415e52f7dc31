/** The database for one read, which standbys may answer. */
import type { Db, ReadPoint } from '../../database.ts'
import { createKysely, InterceptingExecutor, type RunQuery } from '../../query/intercepting-executor.ts'
import type { StandbyReads } from './standby-reads.ts'

type Sources<Tables> = { readonly whole: Db<Tables>; readonly standbys: Pick<StandbyReads, 'run' | 'stream'> }

/** See `Db.at`. */
export const createReadPointDb = <Tables>({ whole, standbys }: Sources<Tables>, point: ReadPoint): Db<Tables> => {
  let { position } = point
  const run: RunQuery = async (inner, query) =>
    (position === undefined ? undefined : await standbys.run(position, query)) ?? inner.executeQuery(query)
  const read = createKysely<Tables>(new InterceptingExecutor(whole.read.getExecutor(), run))
  return {
    ...whole,
    ...point,
    read,
    quickMany: read,
    sql: {
      ...whole.sql,
      underWay: async () => {
        const underWay = await whole.sql.underWay(whole.read)
        // The caller takes the transactions that have ended since the point for committed and visible.
        position = (await whole.readPoint()).position
        return underWay
      },
    },
    stream: async function* (...queries) {
      if (position !== undefined && (yield* standbys.stream(position, queries))) return
      yield* whole.stream(...queries)
    },
  }
}
